"""The report in sentences: what was looked at, what was found, what was not proved, what must be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cardroom.shapes.audits import AuditReport, TableBanking, Unproved, VoidBeforeDeal

_WAITS_TOLD: Final = 5


def summary(report: AuditReport) -> str:
    """What was looked at, what was found, and what was not proved, in a sentence.

    That all hold is said only where all was proved.
    """
    looked = f"{counted(report['records'], 'record')} of {counted(len(report['tables']), 'table')}"
    found, waits = report["findings"], list(map(_wait, report["unproved"]))
    if not found and not waits:
        return f"{looked}: all hold."
    told = [counted(len(found), "finding")] if found else []
    told += [f"{report['held']:,} hold{'s' if report['held'] == 1 else ''}"] if report["records"] else []
    told += waits[:_WAITS_TOLD]
    if more := report["unproved"][_WAITS_TOLD:]:
        told.append(f"{sum(one['records'] for one in more):,} more are not proved for {len(more):,} reasons like these")
    return f"{looked}: {'; '.join(told)}."


def _wait(one: Unproved) -> str:
    records = f"{one['records']:,}"
    match one["why"]:
        case "shoe-open":
            shoe_id = one["round_id"].removeprefix("shoe:")
            return f"{records} wait for the seed of shoe {shoe_id} at table {one['table_id']}, open since {one['at']}"
        case "round-live":
            where = f"round {one['round_id']} at table {one['table_id']}"
            return f"{records} wait for the end of {where}, in play since {one['at']}"
        case "record-missing":
            return (
                f"{records} of table {one['table_id']}, from record {one['seq']} on, hang on records that are not here"
            )
        case "not-replayed":
            return f"{records} of table {one['table_id']} were not played again"


def listed(report: AuditReport) -> Iterator[str]:
    """What is no fault but must be seen, a sentence each."""
    seen = report["listed"]
    if seen["voids"]:
        yield f"{counted(len(seen['voids']), 'round')} voided after the deal."
    if seen["voids_before_deal"]:
        table_id, row = longest_row(seen["voids_before_deal"])
        rows = f", {row:,} of them in a row at table {table_id}" if row > 1 else ""
        yield f"{counted(len(seen['voids_before_deal']), 'round')} voided before the deal{rows}."
    if seen["no_client_seed"]:
        yield f"{counted(len(seen['no_client_seed']), 'record')} of a deal or a draw without a client seed."
    if seen["shown_all"]:
        yield f"{counted(len(seen['shown_all']), 'round')} whose hands were all shown before any was set."
    if seen["corrections"]:
        tables = len({(one["operator"], one["table_id"]) for one in seen["corrections"]})
        yield f"{counted(len(seen['corrections']), 'correction')} of misread cards at {counted(tables, 'table')}."
    if seen["draws_replaced"]:
        yield f"{counted(len(seen['draws_replaced']), 'draw')} replaced before a hand was settled."
    if seen["shoes_undealt"]:
        yield f"{counted(len(seen['shoes_undealt']), 'shoe')} closed before a card was dealt."
    yield from _banking(seen["banking"])
    if seen["clock_back"]:
        furthest = max(one["back_ms"] for one in seen["clock_back"]) / 1000
        records = counted(len(seen["clock_back"]), "record")
        yield f"{records} signed by a clock that had gone back, at most {furthest:,.3f} s."


def _banking(tables: Sequence[TableBanking]) -> Iterator[str]:
    """Where the bank did not go round the table, or not for all to see."""
    for name, words in (
        ("not_offered", "whose banker says that the others passed, not who was asked"),
        ("out_of_turn", "banked out of turn, and nothing says who passed"),
        ("drawn_by_hand", "whose first banker the floor drew"),
    ):
        hands = sum(one[name] for one in tables)  # type: ignore[literal-required]
        if hands:
            where = counted(sum(bool(one[name]) for one in tables), "table")  # type: ignore[literal-required]
            yield f"{counted(hands, 'hand')} at {where} {words}."
    alone = [one for one in tables if one["bettor"] is not None and one["hands"] > 1]
    if alone:
        most = max(alone, key=lambda one: one["hands"])
        yield (
            f"{counted(len(alone), 'table')} where one bettor banked throughout; "
            f"{most['bettor']} {counted(most['hands'], 'hand')} at table {most['table_id']}."
        )


def longest_row(voids: Sequence[VoidBeforeDeal]) -> tuple[str, int]:
    """The table with most voids before the deal one after the other, nothing else between, and their number."""
    longest, row, before = ("", 0), 0, ("", "", 0)
    for one in voids:
        operator, table_id, seq = one["operator"], one["table_id"], one["seq"]
        follows = before[:2] == (operator, table_id) and seq - before[2] <= 2  # each has its open before it
        row = row + 1 if follows else 1
        before = operator, table_id, seq
        longest = max(longest, (table_id, row), key=lambda item: item[1])
    return longest


def counted(number: int, what: str) -> str:
    """A number of things, by a word whose plural takes an s."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
