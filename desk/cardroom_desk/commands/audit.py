"""The command `cardroom audit`: replay whole exports on all cores, and report on them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cardroom_desk.commands.shared import (
    OVERDUE_HOURS,
    CompleteOption,
    DeploymentOption,
    OverdueOption,
    RootOption,
    roots_in,
)
from cardroom_desk.cores import ProcessesOption
from cardroom_desk.terminal import console, grid, note, on_terminal

if TYPE_CHECKING:
    from cardroom.shapes.audits import AuditReport
    from cardroom_desk.exports.audit import Done

_SHOWN: Final = 50
_COUNTS: Final = ("rounds", "settled", "voided")
_AMOUNTS: Final = ("staked", "paid")


def audit(
    *,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", exists=True, dir_okay=False, help="Exports.")],
    root: RootOption,
    html: Annotated[Path | None, typer.Option(metavar="OUT.html", help="Write the report as one HTML file.")] = None,
    json_: Annotated[Path | None, typer.Option("--json", metavar="OUT.json", help="Write the report as JSON.")] = None,
    processes: ProcessesOption = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="STATE", help="Keep what is done in this file, and go on from it after an interruption."),
    ] = None,
    deployment: DeploymentOption = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(metavar="DIGEST", help="An engine that may have signed; may be given several times."),
    ] = None,
    overdue: OverdueOption = OVERDUE_HOURS,
    complete: CompleteOption = False,
) -> None:
    """Audit exports: every signature, chain, card and cent, played again by the published rules.

    Writes a text on a terminal, the report as JSON on a pipe. The exit status is 0 only if nothing is wrong and there
    was at least one record; with --complete, only if all was proved.
    """
    from cardroom.services.audit_tables import report_pieces
    from cardroom_desk.exports.audit import Asked, audited, forget
    from cardroom_desk.report.words import listed, summary

    asked = Asked(roots=roots_in(root), audience=deployment, engines=engine or (), overdue=timedelta(hours=overdue))
    started = time.perf_counter()
    report, done = audited(files, asked, processes=processes, resume=resume)
    elapsed = time.perf_counter() - started
    if json_ is not None:
        with json_.open("wb") as file:
            file.writelines(report_pieces(report))
    if html is not None:
        from cardroom_desk.report.page import page

        html.write_text(page(report, names=[path.name for path in files]), "utf-8")
    if on_terminal():
        _show(report)
    else:
        for piece in report_pieces(report):
            typer.echo(piece, nl=False)
        for sentence in listed(report):
            note(sentence)
    note(_speed(done, elapsed))
    note(summary(report))
    if resume is not None:
        forget(resume)
    if report["verdict"] == "fail" or (complete and report["verdict"] != "pass"):
        raise typer.Exit(1)


# What is told


def _speed(done: Iterable[Done], elapsed: float) -> str:
    """How fast it went, beside nothing but checking signatures; both in processor time of one core."""
    all_ = list(done)
    records, seconds = sum(one.records for one in all_), sum(one.seconds for one in all_)
    sampled, alone = sum(one.sampled for one in all_), sum(one.sample_seconds for one in all_)
    if not records or not alone or not seconds:
        return f"done in {elapsed:.1f} s."
    each, signature = seconds / records, alone / sampled
    return (
        f"{records / elapsed:,.0f} records a second in {elapsed:.1f} s; on one core {1 / each:,.0f} a second, "
        f"{signature / each:.0%} of the rate of signature checks alone ({1 / signature:,.0f} a second)."
    )


def _show(report: AuditReport) -> None:
    from cardroom.currencies import amount_in, unit_of
    from cardroom_desk.report.words import counted, listed, summary

    out = console()
    out.print(report["verdict"].upper(), style="bold")
    out.print(summary(report))
    if report["findings"]:
        rows = grid("file", "table", "seq", "finding", "field", "what is wrong", right=("seq",))
        for found in report["findings"][:_SHOWN]:
            cells = (found.get(name) for name in ("file", "table_id", "seq", "code", "field", "message"))
            rows.add_row(*("" if cell is None else str(cell) for cell in cells))
        out.print(rows)
        if len(report["findings"]) > _SHOWN:
            out.print(f"and {len(report['findings']) - _SHOWN:,} more, in the report.")
    rows = grid("rule set", "", *_COUNTS, *_AMOUNTS, right=(*_COUNTS, *_AMOUNTS))
    for total in report["totals"]["rulesets"]:
        currency = total["currency"]
        numbers = [f"{total[name]:,}" for name in _COUNTS] + [amount_in(currency, total[name]) for name in _AMOUNTS]
        rows.add_row(total["ruleset"] or "(none)", unit_of(currency) if currency else "", *numbers)
    out.print(rows)
    for sentence in listed(report):
        out.print(sentence)
    for one in report["signed_by"]:
        engine = f"engine {one['engine']['version']} ({one['engine']['sha256'][:16]}…)"
        out.print(f"{counted(one['records'], 'record')} signed in deployment {one['deployment']} by {engine}.")
