"""What a chain asks of a replay: to play records again from what came before them, and to say what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Protocol

from cardroom.audit.finding import Finding, Place
from cardroom.rounds.steps import Kinds, Last, opened_terms
from cardroom.shapes.parts import GameJson, TableState, Terms
from cardroom.shapes.records import Record


class Difference(NamedTuple):
    """One field of a record that replay gives otherwise; `code` is the kind of fault, `what` says it in words."""

    field: str
    expected: Any
    found: Any
    code: str = "replay-differs"
    what: str | None = None


class Replayed(NamedTuple):
    """What replay of a record gives: where the record differs, and the table as it should have left it.

    It is `proved` if all that it was made from is known, but for a seed that is revealed later.
    """

    differences: Sequence[Difference] = ()
    table_after: TableState | None = None
    proved: bool = True


UNKNOWN: Final = Replayed(proved=False)
"""Nothing can be said: what the record was made from is not known."""


class Replayer(Protocol):
    """Plays records again from what came before them. `table` is the table as the record before left it.

    Whatever is not known (a record that is missing, a seed that is not revealed yet) is None.
    """

    @property
    def kinds(self) -> Kinds:
        """The kinds of records that there are."""

    def check(self, table: TableState | None, live: Live | None, payload: Record) -> Replayed:
        """What a record says against what the rules give; a settlement and a void apart from the deal they end."""

    def check_deal(self, live: Live, payload: Record, shoe: Any) -> Replayed:
        """The deal of a round against the seed that `payload`, its end, reveals; `shoe` is what `shoe` answered."""

    def check_sets(self, live: Live, payload: Record, shoe: Any) -> Replayed:
        """The sets of a round, and the hands shown with them, in the same way."""

    def check_shoe_settlement(self, table: TableState, live: Live, payload: Record, shoe: Any) -> Replayed:
        """A settlement that takes cards from a shoe."""

    def shoe(self, closed: Record, table: TableState) -> Any:
        """The cards of a shoe, whose seed is revealed."""

    def basis(self, live: Live | None, payload: Record, sha256: str) -> GameJson | None:
        """What a correction of a record, whose hash is `sha256`, must be made from; None if there can be none."""

    def bank_turn(self, table: TableState, live: Live) -> str | None:
        """How the bank of a round came to who has it; `table` is as the round before left it."""

    def avoided(self, live: Live, voided: Record, shoe: Any) -> GameJson | None:
        """The body of the settlement that a void avoided, by the house way; None if there is none."""


@dataclass(slots=True, kw_only=True)
class Live:
    """The live round of a table, with what is known of it.

    `locked` is the record of its sets; `dealt_at` and `locked_at` are where those two stand. `last` is its last record
    and where that stands, `last_sha256` its hash; `before_deal` is the table as it was before the deal; `proved` counts
    those of its records that are proved but for its seed. A round is `doubted` once one of its records is found wrong:
    what depends on that record is not looked at.
    """

    round_id: str
    state: Literal["opened", "dealt", "set"]
    opened: Record | None = None
    opened_sha256: str | None = None
    dealt: Record | None = None
    dealt_sha256: str | None = None
    dealt_at: Place | None = None
    locked: Record | None = None
    locked_sha256: str | None = None
    locked_at: Place | None = None
    last: tuple[Record, Place] | None = None
    last_sha256: str = ""
    before_deal: TableState | None = None
    proved: int = 0
    doubted: bool = False

    def terms(self) -> Terms | None:
        """The terms it was opened on, from its first record or as a later one repeats them."""
        first = self.opened or self.dealt or self.locked
        return None if first is None else opened_terms(first)

    def repeated_terms(self) -> Terms | None:
        """The terms as its last record repeats them."""
        return None if self.last is None or self.state == "opened" else opened_terms(self.last[0])

    @property
    def latest(self) -> Last | None:
        """Its last record, by which the next one is made."""
        return None if self.last is None else Last(self.last[0], self.last_sha256)

    def to_prove(self) -> Iterator[tuple[Record, Place, bool]]:
        """The records that the round's end proves by its seed, where each stands, and whether it is the sets'."""
        if self.dealt is not None and self.dealt_at is not None:
            yield self.dealt, self.dealt_at, False
        if self.locked is not None and self.locked_at is not None:
            yield self.locked, self.locked_at, True

    @property
    def shoe_id(self) -> str | None:
        """The shoe that it is dealt from."""
        terms = self.terms()
        return terms["request"].get("shoe_id") if terms is not None else None


def check_by_seed(replay: Replayer, live: Live, payload: Record, shoe: Any) -> Iterator[tuple[Replayed, Record, Place]]:
    """What a round's end, which reveals its seed, says of its deal and its sets, until one of them is wrong."""
    for record, place, is_sets in live.to_prove():
        result = safely(replay.check_sets if is_sets else replay.check_deal, live, payload, shoe)
        yield result, record, place
        if result.differences:
            return


def safely(check: Callable[..., Replayed], *given: Any) -> Replayed:
    """What a check of a replay gives; whatever a record holds, the audit of the others goes on."""
    try:
        return check(*given)
    except Exception as error:
        return Replayed([Difference("body", None, None, "replay-failed", _failed(error))])


def _failed(error: Exception) -> str:
    return f"the record cannot be replayed: {type(error).__name__}: {error}"


def finding_of(result: Replayed, payload: Record, place: Place) -> Finding | None:
    """The finding on a record that replay gives otherwise: its first difference, None if there is none."""
    if not result.differences:
        return None
    first = Difference(*result.differences[0])
    count = len(result.differences) - 1
    message = (first.what or f"replay gives another {first.field}") + (f", and {count} more" if count else "")
    details = {"field": first.field, "expected": first.expected, "found": first.found}
    return place.finding(payload, first.code, message, **details)
