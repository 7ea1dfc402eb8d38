"""Commands about records and rules: settle, export, verify, rulesets."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cardroom_desk.commands.shared import (
    OVERDUE_HOURS,
    CompleteOption,
    DeploymentOption,
    OverdueOption,
    RootOption,
    as_json,
    published,
    roots_in,
)
from cardroom_desk.local.store import AwsOption, DataOption, use_store
from cardroom_desk.terminal import console, document, fail, grid, lines, note, on_terminal, usage

if TYPE_CHECKING:
    from cardroom.audit.finding import Finding


def settle(
    file: Annotated[typer.FileBinaryRead, typer.Argument(metavar="FILE", help="The request; - is standard input.")],
) -> None:
    """Settle a round of cards laid open: a preview request (JSON) in, its answer out; nothing is stored.

    A refusal is written as the problem that the service would answer, and the exit status is 1.
    """
    from cardroom.refusals import Refusal
    from cardroom.services import catalogue
    from cardroom.services.consult import preview_settlement
    from cardroom.wire.http import strict_json
    from cardroom.wire.problems import problem_of
    from cardroom.wire.requests import requests_of

    try:
        body = strict_json(file.read(), file.name)
        here = catalogue.published()
        answer = preview_settlement(here, requests_of(here).preview.parse(body).request)
    except Refusal as refusal:
        document(problem_of(refusal))
        raise typer.Exit(1) from None
    document(answer)


def export(
    table_id: Annotated[
        str | None, typer.Option("--table", metavar="ID", help="One table; without, all of them.")
    ] = None,
    operator: Annotated[
        str | None, typer.Option(metavar="ID", help="Whose records; may be left out where there is one operator.")
    ] = None,
    round_id: Annotated[str | None, typer.Option("--round", metavar="ID", help="One round alone.")] = None,
    data: DataOption = None,
    aws_endpoint: AwsOption = None,
) -> None:
    """Write records to standard output as a file that anyone can verify offline, with a signed trailer."""
    use_store(data, aws_endpoint)
    from cardroom.adapters import environment
    from cardroom_desk.exports.write import exported

    owner, ledger = _owner(operator), environment.ledger()
    if not ledger.tables(owner):
        fail(f"operator {owner} has no records yet.")
    for line in exported(ledger, owner, table_id=table_id, round_id=round_id):
        sys.stdout.write(line)
    sys.stdout.flush()


def _owner(named: str | None) -> str:
    """The operator that is named, or the only one there is."""
    from cardroom.adapters import environment

    known = [one.operator for one in environment.operators().list()]
    there = f"there is {', '.join(known) or 'none'} here."
    if named is None:
        if len(known) != 1:
            usage(f"name the --operator: {there}")
        return known[0]
    if named not in known:
        fail(f"there is no operator {named}: {there}")
    return named


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="An export.")],
    root: RootOption,
    deployment: DeploymentOption = None,
    overdue: OverdueOption = OVERDUE_HOURS,
    complete: CompleteOption = False,
) -> None:
    """Verify an export offline, with nothing but root public keys.

    Writes one finding for each fault: JSON Lines on a pipe, a table on a terminal. A sentence on standard error says
    how many records hold, and what the others wait for. The exit status is 0 only if nothing is wrong and there was at
    least one record; with --complete, only if all hold.
    """
    from cardroom.audit.export import lines_of
    from cardroom_desk.exports.audit import Asked
    from cardroom_desk.exports.verify import verified
    from cardroom_desk.report.words import summary

    asked = Asked(roots=roots_in(root), audience=deployment, overdue=timedelta(hours=overdue))
    with file.open("rb") as opened:
        report = verified((line for _, line in lines_of(opened)), asked)
    if on_terminal():
        _print_findings(report.findings)
    else:
        lines(as_json(finding) for finding in report.findings)
    note(summary(report.document))
    if not (report.complete if complete else report.ok):
        raise typer.Exit(1)


def _print_findings(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    rows = grid("line", "record", "table", "seq", "finding", "what is wrong", right=("line", "record", "seq"))
    for found in findings:
        numbers = (found.line, found.record, found.table_id, found.seq)
        rows.add_row(*("" if number is None else str(number) for number in numbers), found.code, found.message)
    console().print(rows)


def rulesets(
    show: Annotated[
        str | None, typer.Option(metavar="ID", help="Show one in full: what its hash is taken over.")
    ] = None,
) -> None:
    """List the published rule sets with their hashes, or show one in full."""
    from cardroom.services import catalogue

    if show is not None:
        found = published(show)
        document({**found.reference, "document": found.document})
        return
    here = catalogue.published()
    known = [here.ruleset(ruleset_id) for ruleset_id in here.ruleset_ids()]
    if not on_terminal():
        lines({**one.reference, "title": one.document["title"]} for one in known)
        return
    rows = grid("id", "title", "sha256")
    for one in known:
        rows.add_row(one.id, one.document["title"], one.sha256[:16] + "…")
    console().print(rows)
