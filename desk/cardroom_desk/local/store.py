"""Which store a command works on: a data folder of this machine, which is looked at first, or DynamoDB and KMS."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

import typer

from cardroom.adapters import environment
from cardroom_desk.terminal import fail, usage

DATA: Final = Path("data")
AWS: Final = "aws"

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="The data folder: ledger, keys, operators.",
        show_default="data",
        readable=False,  # not looked at here, where it would be a wrong call
    ),
]
AwsOption = Annotated[
    str | None,
    typer.Option(
        "--aws-endpoint",
        metavar="URL",
        help="Use DynamoDB and KMS at this address, or those of AWS (`aws`), instead of a folder.",
    ),
]


class FolderUnusable(OSError):
    """The data folder is none, or cannot be made or written; the message says which folder and why."""

    def __init__(self, folder: Path, error: OSError) -> None:
        why = "it is no folder" if isinstance(error, FileExistsError) else error.strerror
        super().__init__(f"the data folder {folder} cannot be used: {why}")


def environment_of(data: Path | None, aws_endpoint: str | None) -> dict[str, str]:
    """What a process finds in its environment to work on a store; names that are not set here stay as they are."""
    if aws_endpoint is not None:
        if data is not None:
            usage("--data and --aws-endpoint exclude each other.")
        if find_spec("boto3") is None:
            fail("--aws-endpoint needs boto3: install cardroom[aws].")
        return {"CARDROOM_DATA": "", "CARDROOM_AWS_ENDPOINT": "" if aws_endpoint == AWS else aws_endpoint}
    return {"CARDROOM_DATA": str(data or DATA)}


def use_store(data: Path | None, aws_endpoint: str | None, *, there: bool = True) -> None:
    """Have this process work on a store; a data folder must be `there` already, or is made. Otherwise as `look_at`."""
    chosen = environment_of(data, aws_endpoint)
    folder = chosen["CARDROOM_DATA"]
    if there and folder and not Path(folder).exists():
        fail(f"there is no data folder {folder}: `cardroom operators add` or `cardroom serve` makes it.")
    os.environ.update(chosen)
    if folder:
        look_at(Path(folder))


def look_at(folder: Path) -> None:
    """See that the data folder of this process can be worked on: its ledger written, its keys read by nobody else.

    Raises FolderUnusable, StoreUnavailable, LedgerDamaged or KeysUnavailable.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise FolderUnusable(folder, error) from error
    environment.look_at_folder()
