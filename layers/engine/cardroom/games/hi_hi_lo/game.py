"""Hi-hi-lo: six cards make one card high, two cards high and three low, each against the banker's own."""

from cardroom.banked.rotation import bank_turn, check_first
from cardroom.banked.sets import joined
from cardroom.banked.settlement import after_settle
from cardroom.game import Game, Staging
from cardroom.games.hi_hi_lo import deal, settle
from cardroom.games.hi_hi_lo.rules import HiHiLoRules
from cardroom.games.hi_hi_lo.shapes import SHAPES
from cardroom.table import returned

GAME = Game(
    shapes=SHAPES,
    load=HiHiLoRules.from_document,
    check_open=deal.check_open,
    deck=deal.cards_in_use,
    deal=deal.deal,
    settle=settle.settle,
    returned=returned,
    staging=Staging(hidden=deal.hidden, lock=settle.lock, joined=joined),
    after_settle=after_settle,
    bank_turn=bank_turn,
    check_first=check_first,
    set_hands=settle.set_hands,
    draw=deal.draw,
)
