"""What hands are worth: five cards, two cards, and the bonus lines of seven."""

from cardroom.hands.bonus import BonusRank, BonusTable, BonusTableInvalid, Line, ThreeCardTable, ThreeLine
from cardroom.hands.ranking import CATEGORIES, ROYAL_FLUSH, Category, Joker, Ranking, Wheel, ranking

__all__ = [
    "CATEGORIES",
    "ROYAL_FLUSH",
    "BonusRank",
    "BonusTable",
    "BonusTableInvalid",
    "Category",
    "Joker",
    "Line",
    "Ranking",
    "ThreeCardTable",
    "ThreeLine",
    "Wheel",
    "ranking",
]
