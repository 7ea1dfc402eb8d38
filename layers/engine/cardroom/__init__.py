"""Deals, sets and settles player-banked card games, and writes every step as a signed, chained record."""

from typing import Final

__version__: Final = "0.1.0"
