"""A game as a round calls it: a value made of the functions that deal, settle and set its hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cardroom import player_banked
from cardroom.cards import Card
from cardroom.refusals import Refusal
from cardroom.shapes.games import GameShapes
from cardroom.shuffle import Luck
from cardroom.table import VOID_REASONS, FirstDrawNotOffered

Json = dict[str, Any]


class HouseWayAbsent(Refusal):
    """Hands to set by the house way, in a game whose hands nobody sets."""


def _as_it_is(document: Json) -> Json:
    return document


def _nothing(*_: object, **__: object) -> Json:
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
    # of rules, opening, wagering, table, luck (None at a physical table); with `shoe` where it `uses_shoe`: the whole
    # shoe in its shuffled order, or None at a physical table. The dealt record's body.
    deal: Callable[..., Json]
    # of rules, opening, wagering, the dealt body, request; with `shoe` likewise. The settled record's body.
    settle: Callable[..., Json]
    # of rules, opening, wagering, the dealt body, table: what of the table a deal changes for good, voided or not
    after_deal: Callable[[Any, Json, Json, Json, Json], Json] = _nothing
    # of rules, opening, the settled body, round_id, table: what of the table a settlement changes
    after_settle: Callable[[Any, Json, Json, str, Json], Json] = _nothing
    # of wagering, the dealt body: what a void gives back, `{returned, postings}`
    returned: Callable[[Json, Json], Json] = player_banked.returned
    # of rules, hands, role: each hand set by the house way
    set_hands: Callable[[Any, Sequence[Sequence[str]], str], list[Json]] = _no_house_way
    # of rules, kind, seats, luck: a draw for first banker or first button, `{cards: [{seat, cards}], seat}`
    draw: Callable[[Any, str, Sequence[int], Luck], Json] = _no_draw
    shapes: GameShapes  # of its requests and bodies
    in_full: Callable[[Json], Json] = _as_it_is  # of a document: what it only names, written out
    void_reasons: Sequence[str] = VOID_REASONS
    uses_shoe: bool = False
