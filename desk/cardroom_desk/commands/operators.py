"""Commands for the operators of a store: add, rotate, list."""

from __future__ import annotations

from typing import Annotated

import typer

from cardroom_desk.local.store import AwsOption, DataOption, use_store
from cardroom_desk.terminal import console, grid, lines, on_terminal

app = typer.Typer(help="The operators and their tokens.", no_args_is_help=True)

OperatorArgument = Annotated[str, typer.Argument(metavar="ID", help="The operator's id.")]


@app.command()
def add(
    operator: OperatorArgument,
    scopes: Annotated[
        str, typer.Option(help="What the token may be used for: play, read, audit, correct.")
    ] = "play,read",
    data: DataOption = None,
    aws_endpoint: AwsOption = None,
) -> None:
    """Add an operator and print its token, alone on a line; it is shown this once."""
    use_store(data, aws_endpoint, there=False)
    from cardroom.adapters import environment
    from cardroom.services import credentials

    named = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    typer.echo(credentials.issue(environment.operators(), operator, named, environment.entropy()))


@app.command()
def rotate(
    operator: OperatorArgument,
    revoke_old: Annotated[bool, typer.Option("--revoke-old", help="End the token before at once.")] = False,
    data: DataOption = None,
    aws_endpoint: AwsOption = None,
) -> None:
    """Give an operator a new token and print it; the one before stays good until the next rotation."""
    use_store(data, aws_endpoint)
    from cardroom.adapters import environment
    from cardroom.services import credentials

    typer.echo(credentials.rotate(environment.operators(), operator, environment.entropy(), revoke_old=revoke_old))


@app.command("list")
def list_(data: DataOption = None, aws_endpoint: AwsOption = None) -> None:
    """List the operators: their scopes, and how many tokens of each are good."""
    use_store(data, aws_endpoint)
    from cardroom.adapters import environment

    known = environment.operators().list()
    if not on_terminal():
        lines({"operator": one.operator, "scopes": sorted(one.scopes), "tokens": len(one.secrets)} for one in known)
        return
    rows = grid("operator", "scopes", "tokens", right=("tokens",))
    for one in known:
        rows.add_row(one.operator, ", ".join(sorted(one.scopes)), str(len(one.secrets)))
    console().print(rows)
