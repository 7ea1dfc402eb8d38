"""The command `cardroom`: what runs on a person's machine."""

from __future__ import annotations

import sys

import typer

from cardroom.refusals import Refusal
from cardroom_desk import hands
from cardroom_desk.terminal import note

app = typer.Typer(
    name="cardroom",
    help="Deals, sets and settles player-banked card games, and checks their records.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Boxes and colours are for people; a pipe gets plain text.
    rich_markup_mode="rich" if sys.stdout.isatty() else None,
)
app.command("rank")(hands.rank)
app.command("set")(hands.set_)
app.command("bonus")(hands.bonus)


def main() -> None:
    """Run the command line; a refusal becomes a sentence on standard error and exit status 1."""
    try:
        app()
    except Refusal as refusal:
        note(f"cardroom: {refusal}")
        sys.exit(1)


if __name__ == "__main__":
    main()
