"""A table before its next move, and what its players are like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any, Final, NamedTuple, Protocol

from cardroom.documents import Document
from cardroom.game import Ruleset
from cardroom.rounds.sets import Dealing

Json = dict[str, Any]

_UNIT: Final = 100


class Call(StrEnum):
    """What a table asks of the service."""

    OPEN = "open"
    DEAL = "deal"
    SETS = "sets"
    SETTLE = "settle"
    CORRECT_DEAL = "correct_deal"
    CORRECT = "correct"
    VOID = "void"
    DRAW = "draw"
    OPEN_SHOE = "open_shoe"
    CLOSE_SHOE = "close_shoe"


class Move(NamedTuple):
    """The next call of a table; `name` is the id of the round, the draw or the shoe that it is for.

    A correction leaves the hash of the record that it corrects to whoever sends it.
    """

    call: Call
    name: str
    request: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How likely players are to do what they may do, each from 0 to 1."""

    sit: float = 0.8  # take a seat
    wager: float = 0.9  # wager on one's own hand
    back_line: float = 0.2  # wager on another's hand, for each free circle
    side_bet: float = 0.4
    own_hand: float = 0.4  # set one's hand oneself
    mishap: float = 0.03  # foul a hand, misplay it, lay it down dead
    physical: float = 0.1  # a round dealt by hand, its cards told to the service
    tell: float = 0.3  # bring what the service would else decide: cut, dice, pile
    lock: float = 0.5  # set the hands before the banker's is shown
    show: float = 0.2  # have all hands shown with the deal
    misread: float = 0.1  # a card of a round dealt by hand is read wrongly, which is found in time
    void: float = 0.02  # for each step of a round
    trust: float = 0.05  # leave a shuffle or a draw to the service alone


USUAL: Final = Habits()
FULL_TABLE: Final = Habits(sit=1, wager=1, mishap=0, physical=0, tell=0.7, lock=1, show=0, void=0, trust=0)
"""A busy table on a good day: what a demonstration shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A table before its next move: its rules, what its last record left, and the dice of its players' minds."""

    random: Random
    ruleset: Ruleset
    habits: Habits
    table_id: str
    currency: str
    table: Mapping[str, Any]
    number: int  # of the next record; ids are made of it

    @property
    def rules(self) -> Document:
        """The rule set's document."""
        document: Document = self.ruleset.document
        return document

    def may(self, likely: float) -> bool:
        """Whether somebody does what he may do."""
        return self.random.random() < likely

    def amount(self, low: int, high: int) -> int:
        """An amount of whole chips, in minor units."""
        return self.random.randint(-(-low // _UNIT), high // _UNIT) * _UNIT

    def some(self, seats: Sequence[int], least: int, must: Sequence[int] = ()) -> list[int]:
        """Some seats of those given, those that must be among them, and at least so many, in order."""
        taken = {seat for seat in seats if self.may(self.habits.sit)} | set(must)
        others = [seat for seat in seats if seat not in taken]
        self.random.shuffle(others)
        while len(taken) < least:
            taken.add(others.pop())
        return sorted(taken)


class Players(Protocol):
    """The players of one game."""

    def between(self, at: Situation) -> Move | None:
        """What is done before a round can be opened, None if nothing is."""

    def opening(self, at: Situation) -> Json:
        """The open's request, its table and rule set apart."""

    def wagering(self, at: Situation, opening: Json) -> Json:
        """The deal's request."""

    def locking(self, at: Situation, opening: Json, deal: Dealing) -> Json | None:
        """The request that locks the players' hands, None where they are not locked."""

    def settling(self, at: Situation, opening: Json, deal: Dealing) -> Json:
        """The settlement's request, for a deal with all hands shown so far."""

    def correcting(self, at: Situation, opening: Json, deal: Dealing, sets: Sequence[Json]) -> Json | None:
        """What was misread of a round dealt by hand, as it lies; `sets` are those that stand. None if nothing was."""
