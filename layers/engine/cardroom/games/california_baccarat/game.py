"""California baccarat: two cards and perhaps a third from a shoe of eight decks and eight jokers, nine being best."""

from cardroom.banked.rotation import bank_turn, check_first
from cardroom.game import Game, Staging
from cardroom.games.california_baccarat import boxes, deal, settle
from cardroom.games.california_baccarat.rules import BaccaratRules, Misdeal
from cardroom.games.california_baccarat.shapes import SHAPES
from cardroom.table import returned

GAME = Game(
    shapes=SHAPES,
    load=BaccaratRules.from_document,
    check_open=deal.check_open,
    deck=deal.shoe_in_use,
    deal=deal.deal,
    settle=settle.settle,
    returned=returned,
    after_deal=deal.after_deal,
    staging=Staging(hidden=deal.hidden, lock=boxes.lock, joined=boxes.joined),
    after_settle=settle.after_settle,
    bank_turn=bank_turn,
    check_first=check_first,
    set_hands=settle.set_hands,
    void_reasons=(
        *(reason.value for reason in Misdeal),
        "equipment",  # and what no rule can foresee
        "other",
    ),
    uses_shoe=True,
)
