"""All kinds of records that a table can have, and so what may follow what."""

from typing import Final

from cardroom.rounds import corrections, draws, life, sets, shoes
from cardroom.rounds.steps import Kinds

KINDS: Final[Kinds] = {
    "opened": life.OPENED,
    "dealt": life.DEALT,
    "set": sets.SET,
    "settled": life.SETTLED,
    "deal_corrected": corrections.DEAL_CORRECTED,
    "corrected": corrections.CORRECTED,
    "voided": life.VOIDED,
    "drawn": draws.DRAWN,
    "shoe_opened": shoes.SHOE_OPENED,
    "shoe_closed": shoes.SHOE_CLOSED,
}
