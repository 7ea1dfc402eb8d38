"""What an audit writes, and what is published of the log. No record holds it; what others hand in is checked by it."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes.bounds import Length
from cardroom.shapes.parts import LiveRound, Nets
from cardroom.shapes.records import Engine
from cardroom.shapes.values import Count


class FindingJson(TypedDict):
    """A finding without what it does not say; `file` where several exports are audited as one."""

    file: NotRequired[str]
    code: str
    message: str
    line: NotRequired[int]
    record: NotRequired[int]
    operator: NotRequired[str]
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


class VoidBeforeDeal(RecordNamed):
    """A round that was voided before any card was dealt."""

    banker: str | None
    reason: str


class DrawReplaced(RecordNamed):
    """A draw that replaced another one: which, who had won that (null: not known), why, and who won this one."""

    replaces: str
    won: int | None
    reason: str
    seat: int


class ClockBack(RecordNamed):
    """A record whose clock was behind that of the record before."""

    before: str
    back_ms: int


class CorrectionListed(RecordNamed):
    """A correction: of what kind, why, who said so; what each account gained or lost by it (null: before the end)."""

    kind: str
    reason: str
    by: str
    currency: str | None
    moved: Nets | None


class TableBanking(TypedDict):
    """How the bank went round a table, in settled hands that a player banked.

    `bettor` is who banked all of them, null where several did. In `not_offered` hands the others are said to have
    passed, and not who was asked; in `out_of_turn` hands the bank was another's to take, and nothing says that he
    passed; for `drawn_by_hand` hands the floor drew the first banker.
    """

    operator: str
    table_id: str
    hands: int
    bettor: str | None
    not_offered: int
    out_of_turn: int
    drawn_by_hand: int


class Listed(TypedDict):
    """What is no fault but must be seen."""

    voids: list[VoidListed]  # after the deal
    voids_before_deal: list[VoidBeforeDeal]
    no_client_seed: list[RecordNamed]  # chance decided something, and no client had a part in it
    shown_all: list[RecordNamed]  # every hand was seen before the players set theirs
    draws_replaced: list[DrawReplaced]
    shoes_undealt: list[RecordNamed]  # closed before a card of them was dealt
    corrections: list[CorrectionListed]
    clock_back: list[ClockBack]
    banking: list[TableBanking]  # where the bank did not go round, or not for all to see


WhyUnproved = Literal["round-live", "shoe-open", "record-missing", "not-replayed"]


class Unproved(RecordNamed):
    """Records that were not proved, and why.

    They wait for the end of a round or of a shoe, which reveals the seed (named by the last record of the round, by
    the first of the shoe), or they hang on records that are not here, or nothing was played again (named by the first
    of them).
    """

    why: WhyUnproved
    records: int


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
    """A table as a span saw it: the position of its last record, and the round of all its records, if it is one."""

    position: int
    round_id: str | None


# Counts


class Numbers(TypedDict):
    """What is counted in each cell; from `staked` on they are amounts of money.

    `paid` and `collected` are what wagers won and lost; `commission` of players and bankers, `envy`, the house's part
    of what shared banks won or lost (`co_bank`) and `fees` come from the postings.
    """

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
    envy: int
    co_bank: int
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

Verdict = Literal["pass", "incomplete", "fail"]


class SignedBy(TypedDict):
    """How many records were signed under a root, in a deployment, by an engine."""

    root: str
    deployment: str
    engine: Engine
    records: int


class SpanResult(TypedDict):
    """What was found in one or more spans, to be merged with others."""

    tables: list[TableOfSpan]
    findings: list[FindingJson]
    unread: list[int]
    suspicions: list[SuspicionJson]
    held: int
    unproved: list[Unproved]
    listed: Listed
    signed_by: list[SignedBy]
    tally: TallyJson


class AuditReport(TypedDict):
    """The report on all that was audited.

    The verdict is `pass` if all of at least one record `held`, `incomplete` if nothing is wrong and some were not
    proved, else `fail`.
    """

    report: Literal[2]
    verdict: Verdict
    records: int
    rounds: int
    held: int
    unproved: list[Unproved]
    findings: list[FindingJson]
    listed: Listed
    signed_by: list[SignedBy]
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


class CheckpointSince(TypedDict):
    """The size of the log at the checkpoint before, and the proof that it only grew since."""

    size: Count
    proof: list[str]


class OpenedLeaf(TypedDict):
    """A leaf of the log: its place, what it says, and the proof that it is there."""

    index: Count
    opening: LeafOpening
    proof: list[str]


class OperatorDay(TypedDict):
    """What an operator gets of a day's log."""

    cardroom_checkpoint: Literal[1]
    day: str
    note: str
    since: CheckpointSince
    leaves: Annotated[list[OpenedLeaf], Length(0, 10**9)]


class LogDay(TypedDict):
    """What a day appends to a log of `size` leaves."""

    v: Literal[1]
    day: str
    size: int
    operators: list[str]
    leaves: list[LeafOpening]
