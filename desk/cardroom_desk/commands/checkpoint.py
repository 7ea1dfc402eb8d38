"""Commands about checkpoints of the log: publish today's, show the key, hold an export against them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from cardroom_desk.commands.shared import as_json, roots_in
from cardroom_desk.local.store import AwsOption, DataOption, use_store
from cardroom_desk.terminal import Json, console, document, fail, grid, lines, note, on_terminal, usage

if TYPE_CHECKING:
    from cardroom.audit.finding import Finding
    from cardroom.audit.published_leaves import Agreement
    from cardroom.log.checkpoint import CheckpointFault, VerifierKey
    from cardroom.log.published import Published

app = typer.Typer(
    name="checkpoint", help="Checkpoints of the log: what was published cannot be rewritten.", no_args_is_help=True
)


@app.command()
def publish(data: DataOption = None, aws_endpoint: AwsOption = None) -> None:
    """Publish today's checkpoint: append every table's head to the log; a second time today it changes nothing."""
    use_store(data, aws_endpoint)
    from cardroom.adapters import environment
    from cardroom.services.publish_checkpoint import publish_checkpoint

    document(publish_checkpoint(environment.publisher()))


@app.command()
def key(data: DataOption = None, aws_endpoint: AwsOption = None) -> None:
    """Show the public key that verifies this log's checkpoints, as `verify --key` takes it."""
    use_store(data, aws_endpoint)
    from cardroom.adapters import environment
    from cardroom.log.checkpoint import VerifierKey

    publisher = environment.publisher()
    typer.echo(VerifierKey(name=publisher.origin, public=publisher.key.public()).text)


@app.command()
def verify(
    checkpoint: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="An operator's file of a day, or a bare checkpoint; may be given several times, in any order.",
        ),
    ],
    export: Annotated[Path, typer.Option(metavar="EXPORT", exists=True, dir_okay=False, help="An export of records.")],
    key: Annotated[str, typer.Option(metavar="KEY", help="The log's public key: its text, or a file with it.")],
    root: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="ROOT.pem",
            exists=True,
            dir_okay=False,
            help="A root public key: with it, an export may leave out what its signed trailer says.",
        ),
    ] = None,
) -> None:
    """Hold an export against published checkpoints: the history that was published must be the one that is shown.

    Checks each checkpoint's signature, that the log only grew from one to the next, that each opened leaf is in it,
    and that the export's tables have the published records. Signatures and contents of the records are for
    `cardroom verify`. The export's header is not believed: an export of one table or one round needs --root. Writes
    findings as `verify` does; the exit status is 0 only if all agree on one record at least.
    """
    from cardroom.audit.export import lines_of
    from cardroom.audit.published_leaves import against_leaves
    from cardroom.log.checkpoint import CheckpointFault
    from cardroom.log.published import published
    from cardroom.signing.certificate import RootVerifier

    try:
        proven = published({str(path): path.read_bytes() for path in checkpoint}, _key_of(key))
    except CheckpointFault as fault:
        _tell_fault(fault)
    with export.open("rb") as opened:
        lines_ = (line for _, line in lines_of(opened))
        agreement = against_leaves(lines_, proven.leaves, RootVerifier(roots_in(root)) if root else None)
    if on_terminal():
        _print_findings(agreement.findings)
    else:
        lines(as_json(finding) for finding in agreement.findings)
    note(summary(proven, agreement))
    if not agreement.ok:
        raise typer.Exit(1)


def _key_of(text: str) -> VerifierKey:
    """The key of its text, or of the file of that name. Raises KeyMalformed."""
    from cardroom.log.checkpoint import VerifierKey

    path = Path(text)
    return VerifierKey.parse(text if "+" in text and not path.is_file() else _read_text(path))


def _read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        usage(f"--key is neither a key nor a file with one: {error}.")


def _tell_fault(fault: CheckpointFault) -> NoReturn:
    """End the command with what is wrong with the checkpoints, before any record was looked at."""
    if not on_terminal():
        lines([{"code": fault.code, "message": str(fault)}])
    fail(f"{fault} ({fault.code}).")


def summary(proven: Published, agreement: Agreement) -> str:
    """What was held against what, and the outcome, in a sentence."""
    checkpoints = f"{proven.checkpoints} checkpoint{'s' if proven.checkpoints != 1 else ''}"
    log = f"{checkpoints} of {proven.last.origin} up to {proven.last.size} leaves"
    if agreement.findings:
        tables = ", ".join(str(finding.table_id) for finding in agreement.findings)
        return f"{log}: the export contradicts them at table {tables}."
    if not agreement.leaves:
        return f"{log}: none of the published records is in the export."
    reached = ", ".join(f"{name} up to record {seq}" for name, seq in agreement.tables.items() if seq)
    return f"{log}: the export agrees, {reached}."


def _print_findings(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    rows = grid("table", "record", "finding", "what is wrong", "expected", "found", right=("record",))
    for finding in findings:
        told: Json = as_json(finding)
        names = ("table_id", "seq", "code", "message", "expected", "found")
        rows.add_row(*(str(told.get(name, "")) for name in names))
    console().print(rows)
