"""What an audit writes, and what is published of the log. No record holds it, so mypy alone looks at it."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from cardroom.shapes.parts import LiveRound, Nets


class FindingJson(TypedDict):
    """A finding without what it does not say; `file` where several exports are audited as one."""

    file: NotRequired[str]
    code: str
    message: str
    line: NotRequired[int]
    record: NotRequired[int]
    table_id: NotRequired[str]
    seq: NotRequired[int]
    round_id: NotRequired[str]
    field: NotRequired[str]
    expected: NotRequired[object]
    found: NotRequired[object]


class SuspicionJson(TypedDict):
    """Records that were passed over, and what is wrong if they are gone, or if they came late."""

    table_id: str | None
    after: int
    before: int
    missing: int
    gone: FindingJson
    late: FindingJson | None


class RecordNamed(TypedDict):
    """Which record is listed, and when it was made."""

    operator: str
    table_id: str
    seq: int
    round_id: str
    at: str


class VoidListed(RecordNamed):
    """A round that was voided after its deal, and what each account would have gained or lost."""

    banker: str | None
    reason: str
    currency: str | None
    avoided: Nets | None


class ClockBack(RecordNamed):
    """A record whose clock was behind that of the record before."""

    before: str
    back_ms: int


class PendingShoe(TypedDict):
    """An open shoe, and its settled rounds, whose cards nobody can check yet."""

    operator: str
    table_id: str
    seq: int
    shoe_id: str
    rounds: list[str]


class TableListed(TypedDict):
    """A table: its genuine records, the first and the last number, and the round that is still live."""

    operator: str | None
    table_id: str
    records: int
    first: int
    last: int
    sha256: str | None
    live: LiveRound | None


class TableOfSpan(TableListed):
    """A table as a span saw it, and the position of its last record."""

    position: int


# Counts


class Numbers(TypedDict):
    """What is counted in each cell; the last five are amounts of money."""

    records: int
    rounds: int
    settled: int
    voided: int
    voided_after_deal: int
    wagers: int
    staked: int
    paid: int
    collected: int
    commission: int
    fees: int


class Cell(Numbers):
    """The numbers of a table, a rule set, a day and a currency."""

    operator: str
    table_id: str
    ruleset: str
    day: str
    currency: str


class Total(Numbers):
    """The numbers of all cells that are alike in some fields."""

    operator: NotRequired[str]
    table_id: NotRequired[str]
    ruleset: NotRequired[str]
    day: NotRequired[str]
    currency: str


class Counts(TypedDict):
    """How often each card came at each position, each sum of the dice, each seat and each result."""

    cards: dict[str, list[dict[str, int]]]
    dice: dict[str, dict[str, int]]
    seats: dict[str, dict[str, int]]
    results: dict[str, dict[str, int]]


class TallyJson(Counts):
    """All that is counted."""

    cells: list[Cell]


class Totals(TypedDict):
    """The cells added up in three ways."""

    tables: list[Total]
    rulesets: list[Total]
    days: list[Total]


# Documents


class SpanResult(TypedDict):
    """What was found in one or more spans, to be merged with others."""

    tables: list[TableOfSpan]
    findings: list[FindingJson]
    unread: list[int]
    suspicions: list[SuspicionJson]
    in_play: list[FindingJson]
    voids: list[VoidListed]
    clock_back: list[ClockBack]
    pending: list[PendingShoe]
    tally: TallyJson


class AuditReport(TypedDict):
    """The report on all that was audited."""

    report: Literal[1]
    verdict: Literal["pass", "fail"]
    records: int
    rounds: int
    findings: list[FindingJson]
    in_play: list[FindingJson]
    pending: list[PendingShoe]
    clock_back: list[ClockBack]
    voids: list[VoidListed]
    tables: list[TableListed]
    totals: Totals
    counts: Counts


class PlannedSpan(TypedDict):
    """Records `after` + 1 to `last` of a table, to be audited on their own; `ended`: no more follow."""

    audit: str
    span: int
    until: str
    operator: str
    table_id: str
    after: int
    last: int
    ended: bool


# The log


class LeafOpening(TypedDict):
    """What a leaf of the log says: where a table's chain stood on a day."""

    v: Literal[1]
    day: str
    operator: str
    table_id: str
    seq: int
    sha256: str
    salt: str


class LogDay(TypedDict):
    """What a day appends to a log of `size` leaves."""

    v: Literal[1]
    day: str
    size: int
    operators: list[str]
    leaves: list[LeafOpening]
