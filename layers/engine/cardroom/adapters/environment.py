"""What the functions work with, by their environment: made on first use, kept for the life of the process.

| variable | says |
|---|---|
| `CARDROOM_DATA` | a folder with `ledger.sqlite` and the key files; if set, nothing of AWS is used |
| `CARDROOM_TABLE` | the DynamoDB table of the ledger |
| `CARDROOM_ROOT_KEY_ID`, `CARDROOM_MASTER_KEY_ID` | the KMS keys |
| `CARDROOM_CHECKPOINT_KEY_ID` | the KMS key that signs checkpoints |
| `CARDROOM_ARCHIVE` | the S3 bucket of the log and its checkpoints |
| `CARDROOM_REPORTS` | the S3 bucket of audits: their spans and reports |
| `CARDROOM_AWS_ENDPOINT` | where DynamoDB, KMS and S3 are, empty for AWS |
| `CARDROOM_DEPLOYMENT` | the audience of certificates; `local` if not set, with `CARDROOM_DATA` only |
| `CARDROOM_EPOCH` | the epoch of the master secret that new rounds use; `1` if not set |
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from cardroom.adapters.key_files import KeyFileRoot
    from cardroom.adapters.kms import KmsRoot
    from cardroom.adapters.sqlite import SqliteLedger
    from cardroom.log.checkpoint import CheckpointKey
    from cardroom.services.audit_tables import Auditor
    from cardroom.services.catalogue import Catalogue
    from cardroom.services.ports import Archive, Clock, Entropy, Ledger, Master, Operators, Ports
    from cardroom.services.publish_checkpoint import Publisher
    from cardroom.shapes.records import Engine
    from cardroom.signing.certificate import EphemeralSigner, RootVerifier

T = TypeVar("T")

_PARTS: set[str] = set()  # the names of what is made once and can be given instead
_made: dict[str, Any] = {}
_lock = threading.RLock()  # of threads that come at once, all get the same


class EnvironmentIncomplete(Exception):
    """A variable of the environment is missing; the message names it."""


def _once(make: Callable[[], T]) -> Callable[[], T]:
    if not make.__name__.startswith("_"):
        _PARTS.add(make.__name__)

    @functools.wraps(make)
    def get() -> T:
        with _lock:
            if make.__name__ not in _made:
                _made[make.__name__] = make()
            kept: T = _made[make.__name__]
            return kept

    return get


def forget() -> None:
    """Close and drop what was made, so that the next use reads the environment anew."""
    with _lock:
        for kept in _made.values():
            if hasattr(kept, "close"):
                kept.close()
        _made.clear()


def provide(**parts: Any) -> None:
    """Begin anew with parts that are given instead of made: `provide(catalogue=...)`. They are kept until `forget`.

    Raises TypeError for a part that there is none of.
    """
    unknown = parts.keys() - _PARTS
    if unknown:
        raise TypeError(
            f"no part of the environment: {', '.join(sorted(unknown))}; there are {', '.join(sorted(_PARTS))}"
        )
    with _lock:
        forget()
        _made.update(parts)


def look_at_folder() -> None:
    """See that the data folder can be worked on: its ledger written, its private keys read by nobody else.

    Raises EnvironmentIncomplete, StoreUnavailable, LedgerDamaged, KeysUnavailable.
    """
    from cardroom.adapters.key_files import check_private

    check_private(Path(_required("CARDROOM_DATA")))
    local_ledger().check_writable()


@_once
def ports() -> Ports:
    """All that the services work with."""
    from cardroom.services.ports import Ports

    return Ports(
        catalogue=catalogue(),
        ledger=ledger(),
        signer=signer(),
        verifier=verifier(),
        master=master(),
        clock=clock(),
        entropy=entropy(),
        engine=engine(),
    )


@_once
def engine() -> Engine:
    """Which code this is."""
    from cardroom.adapters.engine import engine_here

    return engine_here()


@_once
def catalogue() -> Catalogue:
    """The games and rule sets that are played."""
    from cardroom.services.catalogue import published

    return published()


@_once
def ledger() -> Ledger:
    """The ledger. Raises EnvironmentIncomplete."""
    if _folder():
        return local_ledger()
    from cardroom.adapters.dynamodb import DynamoLedger

    return DynamoLedger(_dynamodb(), _required("CARDROOM_TABLE"))


@_once
def local_ledger() -> SqliteLedger:
    """The ledger of the data folder, which the keys in it ask, too. Raises EnvironmentIncomplete."""
    from cardroom.adapters.sqlite import SqliteLedger

    return SqliteLedger(Path(_required("CARDROOM_DATA")) / "ledger.sqlite")


@_once
def operators() -> Operators:
    """The operators. Raises EnvironmentIncomplete."""
    if folder := _folder():
        from cardroom.adapters.sqlite import SqliteOperators

        return SqliteOperators(folder / "ledger.sqlite")
    from cardroom.adapters.dynamodb import DynamoOperators

    return DynamoOperators(_dynamodb(), _required("CARDROOM_TABLE"))


@_once
def root() -> KeyFileRoot | KmsRoot:
    """The root key. Raises EnvironmentIncomplete."""
    if folder := _folder():
        from cardroom.adapters.key_files import KeyFileRoot

        return KeyFileRoot(folder, ledger=local_ledger())
    from cardroom.adapters.kms import KmsRoot

    return KmsRoot(_required("CARDROOM_ROOT_KEY_ID"), endpoint_url=_endpoint())


@_once
def signer() -> EphemeralSigner:
    """The signer of records. Raises EnvironmentIncomplete."""
    from cardroom.signing.certificate import EphemeralSigner

    return EphemeralSigner(root=root(), audience=_deployment())


@_once
def verifier() -> RootVerifier:
    """The verifier of this deployment's records, by its root keys. Raises EnvironmentIncomplete, KeysUnavailable."""
    from cardroom.signing.certificate import RootVerifier

    return RootVerifier(root().jwks(), audience=_deployment())


@_once
def master() -> Master:
    """The master secrets. Raises EnvironmentIncomplete."""
    epoch = os.environ.get("CARDROOM_EPOCH") or "1"
    if folder := _folder():
        from cardroom.adapters.key_files import KeyFileMaster

        return KeyFileMaster(folder, epoch=epoch, ledger=local_ledger())
    from cardroom.adapters.kms import KmsMaster

    return KmsMaster(_required("CARDROOM_MASTER_KEY_ID"), epoch=epoch, endpoint_url=_endpoint())


@_once
def clock() -> Clock:
    """The machine's clock."""
    from cardroom.adapters.clock import SystemClock

    return SystemClock()


def entropy() -> Entropy:
    """The operating system's random bytes."""
    return os.urandom


@_once
def archive() -> Archive:
    """The archive of the log, whose files stand. Raises EnvironmentIncomplete."""
    return _archive("archive", "CARDROOM_ARCHIVE")


@_once
def reports() -> Archive:
    """The archive of audits. Raises EnvironmentIncomplete."""
    return _archive("reports", "CARDROOM_REPORTS")


@_once
def checkpoint_key() -> CheckpointKey:
    """The key that signs checkpoints. Raises EnvironmentIncomplete."""
    if folder := _folder():
        from cardroom.adapters.key_files import KeyFileCheckpointKey

        return KeyFileCheckpointKey(folder)
    from cardroom.adapters.kms import KmsCheckpointKey

    return KmsCheckpointKey(_required("CARDROOM_CHECKPOINT_KEY_ID"), endpoint_url=_endpoint())


@_once
def publisher() -> Publisher:
    """What publishing a checkpoint works with; the log is named after the deployment."""
    from cardroom.services.publish_checkpoint import Publisher

    return Publisher(
        archive=archive(),
        ledger=ledger(),
        operators=operators(),
        key=checkpoint_key(),
        clock=clock(),
        entropy=entropy(),
        origin=f"cardroom/{_deployment()}",
    )


@_once
def auditor() -> Auditor:
    """What auditing works with. Raises EnvironmentIncomplete, KeysUnavailable."""
    from cardroom.services.audit_tables import Auditor

    return Auditor(
        archive=reports(),
        ledger=ledger(),
        roots=signer().roots(),
        audience=_deployment(),
        catalogue=catalogue(),
    )


def _archive(folder_name: str, bucket_variable: str) -> Archive:
    if folder := _folder():
        from cardroom.adapters.folder import FolderArchive

        return FolderArchive(folder / folder_name)
    from cardroom.adapters.s3 import S3Archive, s3_client

    return S3Archive(s3_client(_endpoint()), _required(bucket_variable))


@_once
def _dynamodb() -> Any:
    from cardroom.adapters.dynamodb import make_client

    return make_client(_endpoint())


def _folder() -> Path | None:
    """The data folder, made if it is missing, for its owner alone."""
    name = os.environ.get("CARDROOM_DATA")
    if not name:
        return None
    folder = Path(name)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _endpoint() -> str | None:
    return os.environ.get("CARDROOM_AWS_ENDPOINT") or None


def _deployment() -> str:
    return os.environ.get("CARDROOM_DEPLOYMENT") or ("local" if _folder() else _required("CARDROOM_DEPLOYMENT"))


def _required(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise EnvironmentIncomplete(f"{name} is not set: set it, or CARDROOM_DATA to keep all in a folder")
    return value
