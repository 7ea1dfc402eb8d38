"""How the table of a banked game is run, as a rule set's document says it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from cardroom.banked.cover import Coverage
from cardroom.documents import Reader
from cardroom.money import MAX_MINOR
from cardroom.seats import Direction
from cardroom.shuffle import Cut
from cardroom.table import Outcome

MOST_HANDS: Final = 1_000
"""How many hands a free collection may wait at most."""


class FeesFrom(StrEnum):
    """What fees may be posted on: the wagers, the banker's wager (§7.1)."""

    WAGER = "wager"
    BANKER = "banker"


class First(StrEnum):
    """Who may bank first at a table (§8.2)."""

    DRAW = "draw"
    FIRST_SEAT = "first_seat"
    ANY = "any"


class Way(StrEnum):
    """Which way the option to bank goes round, if the rules say so (§8.2)."""

    CLOCKWISE = Direction.CLOCKWISE.value
    COUNTER_CLOCKWISE = Direction.COUNTER_CLOCKWISE.value
    NONE = "none"


class FreeCollections(StrEnum):
    """For which hand a wager without action frees its bettor of a fee (§6.4)."""

    NONE = "none"
    NEXT_HAND = "next_hand"  # the table's next one alone
    WAITS = "waits"  # the next one that he wagers on or banks


@dataclass(frozen=True, slots=True, kw_only=True)
class BankRules:
    """How a player-banked table is run; every decision that a room could take otherwise is a field.

    `kinds` are the wagers of a hand in settling order; the one of kind `fee_kind` pays the hand's fee. Those of
    `side_kinds` are side bets: limits and full coverage are not about them.
    """

    ruleset_id: str
    game: str
    cut: Cut  # who cuts a deck that is shuffled for the round, or a shoe
    kinds: tuple[str, ...]
    fee_kind: str
    seats: int
    circles: int | None  # on each hand; None: any number (§6.1)
    back_line_needs_seated: bool  # §8.0
    back_line_others_only: bool  # §8.0
    coverage: Coverage  # §6.2
    first_banker: First  # §8.2
    rotation: Direction | None  # the way that the option to bank goes round; None: the rules do not say (§8.2)
    banker_turns: int | None  # rounds in a row; None: no limit (§8.2)
    banker_minimum_minor: int  # besides the table's minimum (§8.1)
    fees_from: tuple[FeesFrom, ...]  # §7.1
    free_collection: FreeCollections  # §6.4
    courtesy_hands: int  # §6.4: settled hands after which one that waits lapses; 0 where none waits
    earns: frozenset[Outcome]  # what earns a free collection: no action at all, and where a room says so a push (§6.4)
    side_kinds: tuple[str, ...] = ()  # §10
    house_seat: int | None = None  # the house's own place, after the players' (§1.3)
    house_bank: bool = False  # §8.0

    @classmethod
    def read(
        cls,
        read: Reader,
        *,
        game: str,
        kinds: tuple[str, ...],
        fee_kind: str,
        max_seats: int,
        side_kinds: tuple[str, ...] = (),
        house_seat: int | None = None,
        house_bank: bool = False,
    ) -> BankRules:
        """The part of a rule set's document that says how its table is run; the reader notes what is wrong."""
        free_collection = read.one_of("free_collection", FreeCollections)
        courtesy_hands = read.integer("courtesy_hands", 0, MOST_HANDS)
        if (free_collection is FreeCollections.WAITS) != bool(courtesy_hands):
            read.fault("courtesy_hands", "must be at least 1 where a free collection waits, and else 0")
        read.exactly("game", game)
        rotation = read.table("rotation")
        way = rotation.one_of("direction", Way)
        return cls(
            ruleset_id=read.text("id"),
            game=game,
            cut=read.one_of("cut", Cut),
            kinds=kinds,
            fee_kind=fee_kind,
            side_kinds=side_kinds,
            house_seat=house_seat,
            house_bank=house_bank,
            seats=read.integer("seats", 2, max_seats),
            circles=read.integer("circles", 0, 1_000) or None,
            back_line_needs_seated=read.flag("back_line_needs_seated"),
            back_line_others_only=read.flag("back_line_others_only"),
            coverage=read.one_of("coverage", Coverage),
            first_banker=rotation.one_of("first_banker", First),
            rotation=None if way is Way.NONE else Direction(way.value),
            banker_turns=read.integer("banker_turns", 0, 1_000) or None,
            banker_minimum_minor=read.integer("banker_minimum_minor", 0, MAX_MINOR),
            fees_from=read.some_of("fees_from", FeesFrom, at_least=0),
            free_collection=free_collection,
            courtesy_hands=courtesy_hands,
            earns=frozenset(() if free_collection is FreeCollections.NONE else {Outcome.NO_ACTION}),
        )

    @property
    def places(self) -> tuple[int, ...]:
        """The seats of the table, clockwise."""
        return tuple(range(1, self.seats + 1))


class Banks(Protocol):
    """The rules of a game that somebody banks."""

    @property
    def bank(self) -> BankRules:
        """How its table is run."""
