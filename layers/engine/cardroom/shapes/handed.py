"""What the functions of the games take and give that no record holds just so.

mypy alone reads these. A function that reads one part of the requests or bodies of several games names that part here,
with a type variable where the games differ in it.
"""

from __future__ import annotations

from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

from cardroom.shapes import banked
from cardroom.shapes.parts import (
    BankerTurns,
    CarriedPots,
    DeckInUse,
    Hand,
    Hands,
    HeldCollection,
    OpenShoe,
    Postings,
    ReturnedWager,
    Seated,
    SeatedPlayers,
    Wager,
)
from cardroom.shapes.values import Amount, CardsInShoe, Id, Small

BankerT = TypeVar("BankerT", bound=banked.Banker | Literal["house"])
WagerT = TypeVar("WagerT", bound=Wager)
ResultT = TypeVar("ResultT", bound=banked.Result)

# Parts of requests


class Seating(TypedDict):
    """Who sits where, of an opening."""

    seats: SeatedPlayers


class BankedRound(banked.BankedOpening, Generic[BankerT]):
    """An opening with a banker, who in some games may be the house."""

    banker: BankerT


class Wagered(TypedDict, Generic[WagerT]):
    """The wagers of a deal's request."""

    wagers: list[WagerT]


class HandsTold(TypedDict):
    """The hands that a physical table tells with its deal."""

    hands: NotRequired[Hands]


class HandToSet(TypedDict):
    """How a hand is to be set: in one of the ways that its game has."""

    seat: Small
    how: Any


# Parts of bodies


class Posted(TypedDict):
    """The postings of a deal."""

    postings: Postings


class PlayerFee(TypedDict):
    """What somebody pays the house, for a wager or not."""

    bettor: Id
    amount: Amount
    wager_id: NotRequired[Id]


class Results(TypedDict, Generic[ResultT]):
    """The results of a settlement against a banker."""

    results: list[ResultT]


class ShoeSpent(TypedDict):
    """Which cards of a shoe were dealt: from position `first` up to before position `last`."""

    shoe_id: Id
    first: CardsInShoe
    last: CardsInShoe


# What a game gives


class Returned(TypedDict):
    """What a void gives back."""

    returned: list[ReturnedWager]
    postings: Postings


class DrawnHighest(TypedDict):
    """The cards of a draw for first banker or first button, and the seat that won it."""

    cards: list[Hand]
    seat: Small


class TableChange(TypedDict, total=False):
    """What a deal or a settlement changes of the table."""

    banker: BankerTurns | None
    free_collections: list[HeldCollection]
    button: Seated | None
    pot: CarriedPots | None
    shoe: OpenShoe | None
    deck: DeckInUse | None
