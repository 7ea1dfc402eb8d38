"""The command `cardroom`: what runs on a person's machine."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cardroom.refusals import Refusal
from cardroom_desk.commands import audit, checkpoint, demo, hands, odds, operators, records, simulate
from cardroom_desk.local.store import AwsOption, DataOption, FolderUnusable, environment_of
from cardroom_desk.terminal import fail, note, pipes_in_utf8

app = typer.Typer(
    name="cardroom",
    help="Deals, sets and settles player-banked card games, and checks their records.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Boxes and colours are for people; a pipe gets plain text.
    rich_markup_mode="rich" if sys.stdout.isatty() else None,
)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 takes a free one.")] = 8080,
    data: DataOption = None,
    aws_endpoint: AwsOption = None,
) -> None:
    """Serve the API on this machine until stopped."""
    from cardroom_desk.local import server

    def ready(url: str) -> None:
        note(f"cardroom serves at {url}; stop it with Ctrl-C.")

    try:
        server.serve(environment_of(data, aws_endpoint), host=host, port=port, ready=ready)
    except (server.FolderServed, FolderUnusable) as error:
        fail(f"{error}.")
    except OSError as error:
        fail(f"cannot serve on {host}, port {port}: {error}.")


app.command("demo")(demo.demo)
app.command("rank")(hands.rank)
app.command("set")(hands.set_)
app.command("bonus")(hands.bonus)
app.command("settle")(records.settle)
app.command("odds")(odds.odds)
app.command("simulate")(simulate.simulate)
app.command("export")(records.export)
app.command("verify")(records.verify)
app.command("audit")(audit.audit)
app.command("rulesets")(records.rulesets)
app.add_typer(operators.app, name="operators")
app.add_typer(checkpoint.app, name="checkpoint")


def main() -> None:
    """Run the command line; what goes wrong becomes a sentence on standard error and exit status 1."""
    pipes_in_utf8()
    try:
        app()
    except Refusal as refusal:
        _end(refusal)
    except Exception as error:
        from cardroom.adapters.environment import EnvironmentIncomplete
        from cardroom.adapters.key_files import KeyFileInvalid
        from cardroom.services.ports import LedgerDamaged
        from cardroom.services.publish_checkpoint import ClockBehind, LogDamaged
        from cardroom_desk.local.template import TemplateMissing

        stored = isinstance(error, ClockBehind | LedgerDamaged | LogDamaged)
        told = stored or isinstance(error, EnvironmentIncomplete | KeyFileInvalid | TemplateMissing | OSError)
        if not told and type(error).__module__ != "botocore.exceptions":  # which is there with boto3 only
            raise
        _end(error)


def _end(error: Exception) -> None:
    note(f"cardroom: {error}")
    sys.exit(1)


if __name__ == "__main__":
    main()
