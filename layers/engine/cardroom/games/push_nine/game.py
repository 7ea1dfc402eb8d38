"""Push nine (Asian poker): three cards each and one betting round for a pot, carried on while the best hands tie."""

from cardroom.game import Game
from cardroom.games.push_nine import deal, settle
from cardroom.games.push_nine.rules import PushNineRules
from cardroom.games.push_nine.shapes import SHAPES
from cardroom.table import returned

GAME = Game(
    shapes=SHAPES,
    load=PushNineRules.from_document,
    check_open=deal.check_open,
    deck=deal.cards_in_use,
    deal=deal.deal,
    settle=settle.settle,
    returned=returned,
    after_settle=settle.after_settle,  # buy-ins and antes move there, so that a void leaves a carried pot as it was
    draw=deal.draw,
)
