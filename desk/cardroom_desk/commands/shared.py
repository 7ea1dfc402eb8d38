"""What several commands share: options, what is read for them, and how findings are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cardroom_desk.terminal import Json, usage

if TYPE_CHECKING:
    from cardroom.audit.finding import Finding
    from cardroom.game import Ruleset
    from cardroom.shapes.records import RootKey

FLORIDA: Final = "fortune-pai-gow/florida-2017"

RulesetOption = Annotated[str, typer.Option("--ruleset", metavar="ID", help="A published rule set; see `rulesets`.")]
RootOption = Annotated[
    list[Path],
    typer.Option(
        metavar="ROOT.pem", exists=True, dir_okay=False, help="A root public key in PEM; may be given several times."
    ),
]
DeploymentOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The deployment that must have signed; without, any may.")
]
OverdueOption = Annotated[
    float,
    typer.Option(min=0, metavar="HOURS", help="How long a round or a shoe may be open before the export's time."),
]
CompleteOption = Annotated[
    bool, typer.Option("--complete", help="Exit with 1 unless all was proved: nothing may wait for a seed either.")
]
OVERDUE_HOURS: Final = 24.0


def published(ruleset_id: str) -> Ruleset:
    """A published rule set; naming an unknown one is calling the command wrongly."""
    from cardroom.services import catalogue

    try:
        return catalogue.published().ruleset(ruleset_id)
    except catalogue.RulesetUnknown as refusal:
        usage(refusal.message)


def roots_in(files: Iterable[Path]) -> list[RootKey]:
    """The root public keys in some files; one without any is calling the command wrongly."""
    from cardroom.adapters.key_files import KeyFileInvalid, read_roots

    try:
        return [jwk for path in files for jwk in read_roots(path)]
    except KeyFileInvalid as error:
        usage(f"{error}.")


def as_json(finding: Finding) -> Json:
    """A finding without what it does not say."""
    return {name: value for name, value in asdict(finding).items() if value is not None}
