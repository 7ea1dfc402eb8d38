"""Players who play any published rule set at random but legally, and now and then do what tables rarely see."""

from cardroom_desk.players.moves import last_moves, next_move
from cardroom_desk.players.situation import FULL_TABLE, USUAL, Call, Habits, Move

__all__ = ["FULL_TABLE", "USUAL", "Call", "Habits", "Move", "last_moves", "next_move"]
