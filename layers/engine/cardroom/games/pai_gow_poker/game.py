"""Pai gow poker (double-handed poker): seven cards set in a front of two and a back of five, against a banker."""

from cardroom.banked.rotation import bank_turn, check_first
from cardroom.banked.sets import joined
from cardroom.banked.settlement import after_settle
from cardroom.game import Game, Staging
from cardroom.games.pai_gow_poker import deal, dragon, piles, sets, settle
from cardroom.games.pai_gow_poker.house_way import in_full
from cardroom.games.pai_gow_poker.rules import PaiGowRules
from cardroom.games.pai_gow_poker.shapes import SHAPES
from cardroom.table import returned

GAME = Game(
    shapes=SHAPES,
    load=PaiGowRules.from_document,
    check_open=deal.check_open,
    deck=piles.cards_in_use,
    deal=deal.deal,
    settle=settle.settle,
    returned=returned,
    staging=Staging(hidden=piles.hidden, lock=sets.lock, joined=joined, staked=dragon.staked),
    after_settle=after_settle,  # free collections too, so that a void brings the spent ones back
    bank_turn=bank_turn,
    check_first=check_first,
    set_hands=sets.set_hands,
    in_full=in_full,
)
