"""The command `demo`: one round over HTTP, told as it is round_, and its records verified offline."""

from __future__ import annotations

import secrets
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cardroom_desk.commands.shared import FLORIDA, published
from cardroom_desk.terminal import Json, console, encode, fail, usage

if TYPE_CHECKING:
    from rich.console import Console

    from cardroom.audit.verify import Report
    from cardroom_desk.client import Client
    from cardroom_desk.playthrough.round_records import RoundRecords

OPERATOR: Final = "demo"


def demo(
    ruleset: Annotated[str, typer.Option(metavar="ID", help="The rule set to play by.")] = FLORIDA,
    currency: Annotated[str, typer.Option(metavar="CODE", help="The currency to play in, by ISO 4217.")] = "USD",
    url: Annotated[str | None, typer.Option(help="Play at this service instead of one started for it.")] = None,
    token: Annotated[str | None, typer.Option(help="An operator's token for --url, with scopes play and read.")] = None,
) -> None:
    """Play one round over HTTP, print it, and verify its records.

    Without --url a local service is started for it on a free loopback port, with a data folder of its own; nothing
    is left of either.
    """
    from cardroom_desk.client import Client, Refused, Unreachable

    published(ruleset)
    if (url is None) != (token is None):
        usage("--url and --token go together.")
    try:
        if url is not None and token is not None:
            _at(Client(url, token), ruleset, currency, folder=None)
        else:
            with _local_service() as (client, folder):
                _at(client, ruleset, currency, folder=folder)
    except (Refused, Unreachable) as error:
        fail(str(error))


def _at(client: Client, ruleset: str, currency: str, *, folder: Path | None) -> None:
    """Play at a service and verify the records; `folder` is that of its store, if it can be reached."""
    from cardroom_desk.playthrough.narration import narrate
    from cardroom_desk.playthrough.over_http import play_round

    out = console()
    out.print(f"Playing over HTTP at {client.url}, with an operator's token.\n")
    round_ = play_round(client, ruleset, currency=currency)
    for part in narrate(round_):
        out.print(part)
    out.print()
    if folder is not None:
        _verify_export(client, round_, folder, out)
    else:
        _verify_records(client, round_, out)
    out.print("verified")


def _verify_export(client: Client, round_: RoundRecords, folder: Path, out: Console) -> None:
    """Export the table from the store, and verify the file with the root key that the service publishes."""
    from cardroom.adapters import environment
    from cardroom.adapters.key_files import read_roots
    from cardroom_desk.exports.audit import Asked
    from cardroom_desk.exports.verify import verified
    from cardroom_desk.exports.write import exported

    export, root = folder / "export.jsonl", folder / "published-root.pem"
    lines = exported(environment.ledger(), OPERATOR, table_id=round_.opened["table_id"], round_id=None)
    export.write_text("".join(lines))
    root.write_bytes(b"".join(_pem(jwk) for jwk in client.get("/v1/keys")["keys"]))
    out.print(f"Exported {export.stat().st_size:,} bytes of records; verifying them with the root key of GET /v1/keys.")
    with export.open("rb") as file:
        report = verified(file, Asked(roots=read_roots(root)))
    _judge(report, round_, out)


def _verify_records(client: Client, round_: RoundRecords, out: Console) -> None:
    """Verify the records as the service lists them."""
    from cardroom.audit.export import ExportHeader
    from cardroom_desk.exports.audit import Asked
    from cardroom_desk.exports.verify import verified

    header = ExportHeader(operator=round_.opened["operator"], table_id=round_.opened["table_id"])
    listed = [{"record": record} for record in client.records(round_.opened["table_id"])]
    lines = (encode(line).encode() + b"\n" for line in (header.to_json(), *listed))
    report = verified(lines, Asked(roots=client.get("/v1/keys")["keys"]))
    report = replace(report, findings=tuple(found for found in report.findings if found.code != "export-truncated"))
    report.document["findings"] = [one for one in report.document["findings"] if one["code"] != "export-truncated"]
    out.print(f"Read {len(listed)} records over HTTP; verifying them with the root keys of GET /v1/keys.")
    out.print(
        "Not checked: a signed trailer, which only an export from the store itself has; and whether the root keys"
    )
    out.print("are the right ones, since they come from the same service.")
    _judge(report, round_, out)


def _judge(report: Report, round_: RoundRecords, out: Console) -> None:
    """Say what the report says, and end the demo if it is not good."""
    from cardroom_desk.report.words import summary

    out.print(summary(report.document))
    wrong = [finding.message for finding in report.findings]
    wrong += ["not all of it was proved"] if report.document["unproved"] else []
    wrong += [f"there should be {round_.count} records"] if report.records != round_.count else []
    if wrong:
        fail(f"{'; '.join(wrong)}.")


def _pem(jwk: Json) -> bytes:
    from cardroom.adapters.key_files import public_pem
    from cardroom.signing.signature import key_of

    return public_pem(key_of(jwk))


@contextmanager
def _local_service() -> Iterator[tuple[Client, Path]]:
    """A local service on a free port with a new data folder and an operator; both are gone afterwards."""
    from cardroom.adapters import environment
    from cardroom.services import credentials
    from cardroom_desk.client import Client
    from cardroom_desk.local import server
    from cardroom_desk.local.store import environment_of, use_store

    stopped: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        stopped.append(number)
        raise SystemExit(128 + number)  # no library's `except Exception` may swallow it

    signal.signal(signal.SIGTERM, stop)  # so that a demo that is stopped tidies up, too
    folder = Path(tempfile.gettempdir(), f"cardroom-demo-{secrets.token_hex(8)}")
    try:  # named before it is made: whenever the demo is stopped, it is known what to remove
        folder.mkdir(mode=0o700)
        use_store(folder, None)
        token = credentials.issue(environment.operators(), OPERATOR, ("play", "read"), environment.entropy())
        with server.running(environment_of(folder, None)) as url:
            client = Client(url, token)
            try:
                if stopped:  # something that was imported caught it
                    raise SystemExit(128 + stopped[0])
                yield client, folder
            finally:
                client.close()
    except Exception as error:
        if stopped:  # Python makes another exception of one that meets a class while it is made
            raise SystemExit(128 + stopped[0]) from error
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
