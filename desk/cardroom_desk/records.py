"""Commands about records and rules: settle, export, verify, rulesets."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cardroom_desk.hands import published
from cardroom_desk.store import AwsOption, DataOption, use_store
from cardroom_desk.terminal import Json, console, document, fail, lines, note, on_terminal, table, usage

if TYPE_CHECKING:
    from cardroom.audit.chain import Finding
    from cardroom.audit.verify import Report
    from cardroom.services.ports import Ledger

PAGE: Final = 500


def settle(
    file: Annotated[typer.FileBinaryRead, typer.Argument(metavar="FILE", help="The request; - is standard input.")],
) -> None:
    """Settle a round of cards laid open: a preview request (JSON) in, its answer out; nothing is stored.

    A refusal is written as the problem that the service would answer, and the exit status is 1.
    """
    from cardroom import canonical  # noqa: PLC0415
    from cardroom.refusals import Refusal  # noqa: PLC0415
    from cardroom.services import catalogue  # noqa: PLC0415
    from cardroom.services.consult import preview_settlement  # noqa: PLC0415
    from cardroom.wire.http import JsonInvalid  # noqa: PLC0415
    from cardroom.wire.problems import problem_of  # noqa: PLC0415
    from cardroom.wire.requests import PreviewRequest  # noqa: PLC0415

    try:
        try:
            body = canonical.loads(file.read())
        except canonical.NotJson as error:
            raise JsonInvalid(f"{file.name} is not the JSON that we read: {error}") from None
        answer = preview_settlement(catalogue.published(), **PreviewRequest.parse(body).parts())
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
    from cardroom.adapters import environment  # noqa: PLC0415

    owner = operator or _only_operator()
    for line in exported(environment.ledger(), owner, table_id=table_id, round_id=round_id):
        sys.stdout.write(line)
    sys.stdout.flush()


def exported(ledger: Ledger, operator: str, *, table_id: str | None, round_id: str | None) -> Iterator[str]:
    """The lines of an export from this process's store; ends the command if there is no such table or round."""
    from cardroom.adapters import environment  # noqa: PLC0415
    from cardroom.audit.export import ExportHeader, export_lines  # noqa: PLC0415

    if round_id is not None:
        state = ledger.round_state(operator, round_id)
        if state is None or table_id not in (None, state.table_id):
            fail(f"operator {operator} has no round {round_id}{f' at table {table_id}' if table_id else ''}.")
        records: Iterable[str] = [ledger.record(operator, state.table_id, seq) for seq in sorted(state.seqs.values())]
        header = ExportHeader(operator=operator, table_id=state.table_id, round_id=round_id)
    else:
        if table_id is not None and ledger.head(operator, table_id) is None:
            fail(f"operator {operator} has no table {table_id}.")
        tables = ledger.tables(operator) if table_id is None else [table_id]
        records = (record for one in tables for record in _chain(ledger, operator, one))
        header = ExportHeader(operator=operator, table_id=table_id)
    return export_lines(records, signer=environment.signer(), clock=environment.clock(), header=header)


def _chain(ledger: Ledger, operator: str, table_id: str) -> Iterator[str]:
    """All records of a table, page by page."""
    after = 0
    while page := ledger.records(operator, table_id, after=after, limit=PAGE):
        yield from page
        after += len(page)


def _only_operator() -> str:
    from cardroom.adapters import environment  # noqa: PLC0415

    known = [one.operator for one in environment.operators().list()]
    if len(known) != 1:
        usage(f"name the --operator: there is {', '.join(known) or 'none'} here.")
    return known[0]


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="An export.")],
    root: Annotated[
        list[Path],
        typer.Option(
            metavar="ROOT.pem",
            exists=True,
            dir_okay=False,
            help="A root public key in PEM; may be given several times.",
        ),
    ],
) -> None:
    """Verify an export offline, with nothing but root public keys.

    Writes one finding for each fault: JSON Lines on a pipe, a table on a terminal. The exit status is 0 only if all
    holds and there was at least one record.
    """
    from cardroom.adapters.key_files import KeyFileInvalid, read_roots  # noqa: PLC0415

    try:
        roots = [jwk for path in root for jwk in read_roots(path)]
    except KeyFileInvalid as error:
        usage(f"{error}.")
    with file.open("rb") as opened:
        report = verified(opened, roots)
    if on_terminal():
        _print_findings(report.findings)
    else:
        lines(as_json(finding) for finding in report.findings)
    note(summary(report))
    if not report.ok:
        raise typer.Exit(1)


def verified(export_: Iterable[bytes], roots: Sequence[Json]) -> Report:
    """The report on an export: signatures and chain by the root keys, rounds played again by the rule sets here."""
    from cardroom.audit.replay import Replay  # noqa: PLC0415
    from cardroom.audit.verify import verify_export  # noqa: PLC0415
    from cardroom.services import catalogue  # noqa: PLC0415

    known = catalogue.published()
    return verify_export(export_, roots, rulesets=known.hashes, replay=Replay(known))


def as_json(finding: Finding) -> Json:
    """A finding without what it does not say."""
    return {name: value for name, value in asdict(finding).items() if value is not None}


def summary(report: Report) -> str:
    """What was looked at and what was found, in a sentence."""
    looked = f"{_counted(report.records, 'record')} of {_counted(len(report.tables), 'table')}"
    if report.ok:
        return f"{looked}: all hold."
    return f"{looked}: {_counted(len(report.findings), 'finding')}."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _print_findings(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    rows = table("line", "record", "table", "seq", "finding", "what is wrong", right=("line", "record", "seq"))
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
    from cardroom.services import catalogue  # noqa: PLC0415

    if show is not None:
        found = published(show)
        document({**found.reference, "document": found.document})
        return
    here = catalogue.published()
    known = [here.ruleset(ruleset_id) for ruleset_id in here.ruleset_ids()]
    if not on_terminal():
        lines({**one.reference, "title": one.document["title"]} for one in known)
        return
    rows = table("id", "title", "sha256")
    for one in known:
        rows.add_row(one.id, one.document["title"], one.sha256[:16] + "…")
    console().print(rows)
