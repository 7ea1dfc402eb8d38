"""The deal of a seven-card stud round, and what is done when the deck is too short for its last card (§9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from cardroom.cards import Card

FIRST_CARDS: Final = 3
SINGLE_CARDS: Final = 3  # dealt after a burn each, before the last one
UP_CARDS: Final = slice(2, 6)  # of a hand's seven: the third to the sixth lie open

Scramble = Callable[[Sequence[Card]], Sequence[Card]]


class Procedure(StrEnum):
    """How the last card of a stud deal is given (§9)."""

    ENOUGH = "enough"  # one to each, after a burn
    SCRAMBLED = "scrambled"  # all but the last card of the deck; then that one and the burns, scrambled, after a burn
    SCRAMBLED_NO_BURN = "scrambled_no_burn"  # the same, but all the scrambled cards are needed
    COMMUNITY = "community"  # none; after a burn one card is turned for all


class LastCards(NamedTuple):
    """The last card of each player in the order of the deal, or the one that plays in every hand (§9)."""

    procedure: Procedure
    cards: tuple[Card, ...]
    community: Card | None


class Stud(NamedTuple):
    """A stud deal before the last card: the hands of six in the order of the deal, and the cards burned."""

    hands: tuple[tuple[Card, ...], ...]
    burned: tuple[Card, ...]


def cards_needed(players: int) -> int:
    """How many cards a stud deal must have: those before the last card of each, and the burns among them."""
    return players * (FIRST_CARDS + SINGLE_CARDS) + SINGLE_CARDS


def deal_stud(deck: Sequence[Card], players: int) -> Stud:
    """Three cards each, one at a time; then one each after a burn, three times (§9)."""
    dealt = FIRST_CARDS * players
    streets = [deck[start : start + players] for start in range(0, dealt, players)]
    burned = []
    for _ in range(SINGLE_CARDS):
        burned.append(deck[dealt])
        streets.append(deck[dealt + 1 : dealt + 1 + players])
        dealt += 1 + players
    return Stud(tuple(zip(*streets, strict=True)), tuple(burned))


def last_cards(stub: Sequence[Card], burned: Sequence[Card], players: int, scramble: Scramble) -> LastCards:
    """The last card of a stud deal, decided before any of it is dealt (§9).

    `stub` is what is left of the deck before the burn, `burned` the cards burned earlier, `players` those still in;
    folded cards are never used. The cut of the scrambled cards is part of `scramble`, whose order is as likely as any
    other.

    >>> from cardroom.cards import deck
    >>> two, burns = deck(0)[:2], deck(0)[2:5]
    >>> [last_cards(two, burns, players, lambda cards: cards).procedure.value for players in (1, 4, 5, 6)]
    ['enough', 'scrambled', 'scrambled_no_burn', 'community']
    """
    burn, rest = stub[:1], stub[1:]
    left = len(stub) - 1
    if players <= left:
        return LastCards(Procedure.ENOUGH, tuple(rest[:players]), None)
    if players > left + 4:
        # The burn for the community card is one of two that are needed.
        pile = stub if len(stub) >= 2 else scramble([*stub, *burned])
        return LastCards(Procedure.COMMUNITY, (), pile[1])
    pile = scramble([*rest[-1:], *burned, *burn])
    if players == left + 4:
        return LastCards(Procedure.SCRAMBLED_NO_BURN, (*rest[:-1], *pile), None)
    return LastCards(Procedure.SCRAMBLED, (*rest[:-1], *pile[1:])[:players], None)
