"""A game as a round calls it: a value made of the functions that deal, settle and set its hands.

And where the cards of a round come from, which is one value too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from cardroom.cards import Card
from cardroom.refusals import Refusal
from cardroom.seats import FirstDrawNotOffered
from cardroom.shapes.games import GameShapes
from cardroom.shuffle import Luck
from cardroom.table import VOID_REASONS

Json = Any  # a game's own requests and bodies


# Where cards come from


class Told(NamedTuple):
    """A physical table: whatever is dealt there comes with the requests."""


class Shuffled:
    """A deck that is shuffled for the round by its seeds, and cut.

    Cards that a settlement deals follow those of the deal in the same order. `luck` is worked out when it is first
    asked for, since most settlements ask for none.
    """

    def __init__(self, luck: Callable[[], Luck], cut: int | None) -> None:
        self._luck = luck
        self._cut = cut

    @cached_property
    def luck(self) -> Luck:
        """What chance decides in the round: dice, seats, the scramble."""
        return self._luck()

    def cards(self, deck: Sequence[Card]) -> tuple[Card, ...]:
        """A deck in the order in which it is dealt, the top card first. Raises CutInvalid."""
        return self.luck.shuffle(deck, self._cut)


class FromShoe(NamedTuple):
    """A shoe that serves many rounds: all its cards in their order, and the position of the next one to deal, from 0.

    The round has seeds of its own for what else chance decides.
    """

    round_: Shuffled
    shoe_id: str
    position: int
    cards: Sequence[Card]

    @property
    def luck(self) -> Luck:
        """What chance decides in the round beside the cards."""
        return self.round_.luck

    def next(self, count: int) -> tuple[Card, ...]:
        """The next cards of the shoe."""
        return tuple(self.cards[self.position : self.position + count])

    def spent(self, count: int) -> Json:
        """How a body tells which cards of the shoe were dealt: from `first` up to before `last`."""
        return {"shoe_id": self.shoe_id, "first": self.position, "last": self.position + count}


Source = Told | Shuffled | FromShoe


def luck_of(source: Source) -> Luck | None:
    """What chance decides in a round, None where a physical table tells it."""
    return None if isinstance(source, Told) else source.luck


# A game


HouseWays = Callable[[str], Json | None]
"""Finds the content of a house way's file by its name; None if there is none of that name."""


class HouseWayAbsent(Refusal):
    """Hands to set by the house way, in a game whose hands nobody sets."""


def _as_it_is(document: Json, house_way: HouseWays) -> Json:
    del house_way
    return document


def _nothing_after_deal(rules: Any, opening: Json, wagering: Json, body: Json, table: Json) -> Json:
    del rules, opening, wagering, body, table
    return {}


def _nothing_after_settle(rules: Any, opening: Json, body: Json, round_id: str, table: Json) -> Json:
    del rules, opening, body, round_id, table
    return {}


def _no_house_way(rules: Any, hands: Sequence[Sequence[str]], role: str) -> list[Json]:
    del hands, role
    raise HouseWayAbsent(f"{rules.ruleset_id} has no house way: nobody sets a hand")


def _no_draw(rules: Any, kind: str, seats: Sequence[int], luck: Luck) -> Json:
    del seats, luck
    raise FirstDrawNotOffered(f"{rules.ruleset_id} has no draw for {kind}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What a game does in a round. Every function is pure, and refuses what the rules refuse.

    `opening`, `wagering` and `request` are the requests of the opened, dealt and settled records, `table` the table
    as the record before left it (`table_after`), `rules` what `load` made of a rule set's document.
    """

    load: Callable[[Json], Any]  # of a document, in full
    check_open: Callable[[Any, Json, Json], None]  # of rules, opening, table
    deck: Callable[[Any, Json], Sequence[Card]]  # of rules, opening: before the shuffle
    # of rules, opening, wagering, table, source: the dealt record's body
    deal: Callable[[Any, Json, Json, Json, Source], Json]
    # of rules, opening, wagering, the dealt body, request, source: the settled record's body
    settle: Callable[[Any, Json, Json, Json, Json, Source], Json]
    # of wagering, the dealt body: what a void gives back, `{returned, postings}`
    returned: Callable[[Json, Json], Json]
    # of rules, opening, wagering, the dealt body, table: what of the table a deal changes for good, voided or not
    after_deal: Callable[[Any, Json, Json, Json, Json], Json] = _nothing_after_deal
    # of rules, opening, the settled body, round_id, table: what of the table a settlement changes
    after_settle: Callable[[Any, Json, Json, str, Json], Json] = _nothing_after_settle
    # of rules, hands, role: each hand set by the house way
    set_hands: Callable[[Any, Sequence[Sequence[str]], str], list[Json]] = _no_house_way
    # of rules, kind, seats, luck: a draw for first banker or first button, `{cards: [{seat, cards}], seat}`
    draw: Callable[[Any, str, Sequence[int], Luck], Json] = _no_draw
    shapes: GameShapes  # of its requests and bodies
    # of a document, and the finder of a house way by its name: what the document only names, written out
    in_full: Callable[[Json, HouseWays], Json] = _as_it_is
    void_reasons: Sequence[str] = VOID_REASONS
    uses_shoe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """A published (or inline) rule set: its id, its hash, its document, and what they mean to its game."""

    id: str
    sha256: str
    document: Json
    game: Game
    rules: Any

    @property
    def reference(self) -> Json:
        """How a record names the rule set."""
        return {"id": self.id, "sha256": self.sha256}
