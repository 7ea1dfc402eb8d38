"""Keys in files of a data folder, for a service on one machine: root key and master secrets, readable by their owner.

    root-key.pem          the private root key (PKCS #8)
    root.pem              its public half, for whoever verifies records
    master-1.key          the master secret of epoch 1, 32 bytes
    checkpoint-key.pem    the private key of checkpoints (PKCS #8, Ed25519)

What is missing is made on first use; two processes that start at once end up with the same keys. A key that the
ledger's records need is never made a second time: it would fit none of them.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

from cardroom.adapters.files import put_once
from cardroom.shapes.records import RootKey
from cardroom.signing.certificate import KeysUnavailable
from cardroom.signing.signature import jwk_of, raw_low_s

_EPOCH: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_RESTORE: Final = "put the file back from a copy"
_RESTORE_OR_EPOCH: Final = f"{_RESTORE}, or set CARDROOM_EPOCH to a new epoch for what is opened from now on"


class KeyFileInvalid(Exception):
    """A file of public keys that cannot be used as it is; the message says which and why."""


class Ledger(Protocol):
    """What the ledger of the folder knows of the keys beside it. Its methods raise StoreUnavailable."""

    def has_records(self) -> bool:
        """Whether there is any record at all."""

    def knows_epoch(self, epoch: str) -> bool:
        """Whether the master secret of an epoch was made already."""

    def keep_epoch(self, epoch: str) -> None:
        """Keep that the master secret of an epoch was made."""


class KeyFileRoot:
    """The root key in a file; `ledger` None is a folder without one.

    Raises KeysUnavailable if the file is no P-256 key, others may read it, it is not the key of `root.pem`, or it is
    missing although the ledger has records.
    """

    def __init__(self, folder: Path, *, ledger: Ledger | None = None) -> None:
        self._folder = folder
        self._ledger = ledger
        self._lock = threading.Lock()
        self._private: ec.EllipticCurvePrivateKey | None = None

    def jwks(self) -> Sequence[RootKey]:
        """The public root key as a JWK."""
        return [jwk_of(self._key().public_key())]

    def certify(self, message: bytes) -> bytes:
        """The ES256 signature of a message, 64 bytes, low s."""
        return raw_low_s(self._key().sign(message, ec.ECDSA(hashes.SHA256())))

    def ask(self) -> None:
        """See that the file still has the key that is used."""
        used, path = self._key(), self._folder / "root-key.pem"
        with _telling(path):
            there = _private_key(path, _read_secret(path))
        if there.public_key() != used.public_key():
            raise KeysUnavailable(f"{path} is another key than the one that is used: {_RESTORE}", lost=True)

    def _key(self) -> ec.EllipticCurvePrivateKey:
        with self._lock:
            if self._private is None:
                path, public = self._folder / "root-key.pem", self._folder / "root.pem"
                # Asked before the file is looked for: records that another process writes now come after its key.
                needed = self._ledger is not None and self._ledger.has_records()
                key = _private_key(path, _secret_file(path, _new_private_pem, instead=_RESTORE if needed else None))
                _keep_public(public, key.public_key(), of=path)
                self._private = key
            return self._private


class KeyFileCheckpointKey:
    """The key that signs checkpoints, in a file.

    Raises KeysUnavailable if the file is no Ed25519 key or others may read it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "checkpoint-key.pem"

    def public(self) -> bytes:
        """The public key, 32 bytes."""
        return self._key().public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature of a message, 64 bytes."""
        return self._key().sign(message)

    def _key(self) -> ed25519.Ed25519PrivateKey:
        key = _loaded(self._path, _secret_file(self._path, lambda: _pem(ed25519.Ed25519PrivateKey.generate())))
        if not isinstance(key, ed25519.Ed25519PrivateKey):
            raise KeysUnavailable(f"{self._path} is no Ed25519 key: {_RESTORE}", lost=True)
        return key


class KeyFileMaster:
    """The master secrets in files, one an epoch; `ledger` None is a folder without one.

    The current epoch's is made on first use, never another's, nor one that the ledger knows. Raises KeysUnavailable.
    """

    def __init__(self, folder: Path, *, epoch: str = "1", ledger: Ledger | None = None) -> None:
        if not _EPOCH.fullmatch(epoch):
            raise KeysUnavailable(f"epoch {epoch!a} is none: set CARDROOM_EPOCH to up to 32 letters, digits, - and _")
        self._folder = folder
        self._epoch = epoch
        self._ledger = ledger
        self._secrets: dict[str, bytes] = {}

    @property
    def epoch(self) -> str:
        """The epoch that new rounds use."""
        return self._epoch

    def secret(self, epoch: str) -> bytes:
        """The master of an epoch, 32 bytes. Raises KeysUnavailable, StoreUnavailable."""
        if epoch not in self._secrets:
            self._secrets[epoch] = self._read(epoch)
        return self._secrets[epoch]

    def _read(self, epoch: str) -> bytes:
        if not _EPOCH.fullmatch(epoch):
            raise KeysUnavailable(f"there is no master secret of epoch {epoch!a} in {self._folder}", lost=True)
        path = self._folder / f"master-{epoch}.key"
        # Asked before the file is looked for: another process that makes it now keeps the epoch after.
        known = self._ledger is not None and self._ledger.knows_epoch(epoch)
        instead = _RESTORE_OR_EPOCH if known or epoch != self._epoch else None
        secret = _secret_file(path, lambda: secrets.token_bytes(32), instead=instead)
        if len(secret) != 32:
            raise KeysUnavailable(
                f"{path} has {len(secret)} bytes, a master secret has 32: {_RESTORE_OR_EPOCH}", lost=True
            )
        if self._ledger is not None and not known:
            self._ledger.keep_epoch(epoch)
        return secret


def check_private(folder: Path) -> None:
    """See that no private key in a folder may be read by others, whether or not it is used. Raises KeysUnavailable."""
    for path in sorted([*folder.glob("*-key.pem"), *folder.glob("master-*.key")]):
        with _telling(path):
            _check_private(path)


def public_pem(key: ec.EllipticCurvePublicKey) -> bytes:
    """A public key as PEM (SubjectPublicKeyInfo)."""
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def read_roots(path: Path) -> Sequence[RootKey]:
    """The public root keys of a PEM file, one or several, as JWKs. Raises KeyFileInvalid."""
    blocks = re.findall(rb"-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----", path.read_bytes(), re.DOTALL)
    if not blocks:
        raise KeyFileInvalid(f"{path} holds no PEM public key")
    try:
        keys = [serialization.load_pem_public_key(block) for block in blocks]
    except (ValueError, UnsupportedAlgorithm):
        raise KeyFileInvalid(f"{path} holds a public key that cannot be read") from None
    roots = [
        jwk_of(key) for key in keys if isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name == "secp256r1"
    ]
    if len(roots) != len(keys):
        raise KeyFileInvalid(f"{path} holds a key that is not on P-256")
    return roots


def _new_private_pem() -> bytes:
    return _pem(ec.generate_private_key(ec.SECP256R1()))


def _pem(key: PrivateKeyTypes) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _loaded(path: Path, pem: bytes) -> PrivateKeyTypes:
    try:
        return serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeysUnavailable(f"{path} is no PEM private key without password: {_RESTORE}", lost=True) from None


def _private_key(path: Path, pem: bytes) -> ec.EllipticCurvePrivateKey:
    key = _loaded(path, pem)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
        raise KeysUnavailable(f"{path} is no key on P-256: {_RESTORE}", lost=True)
    return key


def _keep_public(path: Path, key: ec.EllipticCurvePublicKey, *, of: Path) -> None:
    """Writes the public half of a key; a file that is there must have it, or the key is another one."""
    with _telling(path):
        if not path.exists():
            put_once(path, public_pem(key), mode=0o644)
        try:
            fits = jwk_of(key) in read_roots(path)
        except KeyFileInvalid as error:
            raise KeysUnavailable(f"{error}: remove it, and it is written again from {of}") from None
    if not fits:
        raise KeysUnavailable(f"{of} is another key than the one that {path} tells of: {_RESTORE}", lost=True)


def _secret_file(path: Path, make: Callable[[], bytes], *, instead: str | None = None) -> bytes:
    """The content of a secret file, made if it is missing; where records need it, `instead` says what to do."""
    with _telling(path):
        try:
            return _read_secret(path)
        except FileNotFoundError:
            if instead:
                raise KeysUnavailable(f"{path} is missing, and records need it: {instead}", lost=True) from None
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        put_once(path, make(), mode=0o600)
        return _read_secret(path)


def _read_secret(path: Path) -> bytes:
    _check_private(path)
    return path.read_bytes()


def _check_private(path: Path) -> None:
    if path.stat().st_mode & 0o077:
        raise KeysUnavailable(f"{path} may be read by others than its owner: chmod 600 {path}")


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """Turns a file that the system keeps from us into a refusal."""
    try:
        yield
    except OSError as error:
        raise KeysUnavailable(f"the key file {path} cannot be used: {error}") from error
