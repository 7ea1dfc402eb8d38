"""A poker showdown: the best hands share the pot; and the deal of a seven-card stud round."""

from cardroom.game import Game
from cardroom.games.poker_showdown import deal, settle
from cardroom.games.poker_showdown.rules import ShowdownRules
from cardroom.games.poker_showdown.shapes import SHAPES
from cardroom.table import returned

GAME = Game(
    shapes=SHAPES,
    load=ShowdownRules.from_document,
    check_open=deal.check_open,
    deck=deal.cards_in_use,
    deal=deal.deal,
    settle=settle.settle,
    returned=returned,
    after_deal=deal.after_deal,
    after_settle=deal.after_settle,
)
