"""Keys in files of a data folder, for a service on one machine: root key and master secrets, readable by their owner.

    root-key.pem          the private root key (PKCS #8)
    root.pem              its public half, for whoever verifies records
    master-1.key          the master secret of epoch 1, 32 bytes
    checkpoint-key.pem    the private key of checkpoints (PKCS #8, Ed25519)

What is missing is made on first use; two processes that start at once end up with the same keys.
"""

from __future__ import annotations

import os
import re
import secrets
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

from cardroom.audit.signature import Json, jwk_of, raw_low_s

_EPOCH: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


class KeyFileInvalid(Exception):
    """A key file that cannot be used as it is; the message says which and why."""


class KeyFileRoot:
    """The root key in a file.

    Raises KeyFileInvalid if the file is no P-256 key or others may read it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._private: ec.EllipticCurvePrivateKey | None = None

    def jwks(self) -> Sequence[Json]:
        """The public root key as a JWK."""
        return [jwk_of(self._key().public_key())]

    def certify(self, message: bytes) -> bytes:
        """The ES256 signature of a message, 64 bytes, low s."""
        return raw_low_s(self._key().sign(message, ec.ECDSA(hashes.SHA256())))

    def _key(self) -> ec.EllipticCurvePrivateKey:
        with self._lock:
            if self._private is None:
                path = self._folder / "root-key.pem"
                self._private = _private_key(path, _secret_file(path, _new_private_pem))
                _put_once(self._folder / "root.pem", public_pem(self._private.public_key()), mode=0o644)
            return self._private


class KeyFileCheckpointKey:
    """The key that signs checkpoints, in a file.

    Raises KeyFileInvalid if the file is no Ed25519 key or others may read it.
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
            raise KeyFileInvalid(f"{self._path} is no Ed25519 key")
        return key


class KeyFileMaster:
    """The master secrets in files, one an epoch.

    The current epoch's is made on first use, never another's. Raises KeyFileInvalid.
    """

    def __init__(self, folder: Path, *, epoch: str = "1") -> None:
        if not _EPOCH.fullmatch(epoch):
            raise KeyFileInvalid(f"epoch {epoch!a}: up to 32 letters, digits, - and _")
        self._folder = folder
        self._epoch = epoch
        self._secrets: dict[str, bytes] = {}

    @property
    def epoch(self) -> str:
        """The epoch that new rounds use."""
        return self._epoch

    def secret(self, epoch: str) -> bytes:
        """The master of an epoch, 32 bytes."""
        if epoch not in self._secrets:
            self._secrets[epoch] = self._read(epoch)
        return self._secrets[epoch]

    def _read(self, epoch: str) -> bytes:
        path = self._folder / f"master-{epoch}.key"
        if epoch != self._epoch and not (_EPOCH.fullmatch(epoch) and path.exists()):
            raise KeyFileInvalid(f"no master secret of epoch {epoch!a} in {self._folder}")
        secret = _secret_file(path, lambda: secrets.token_bytes(32))
        if len(secret) != 32:
            raise KeyFileInvalid(f"{path} has {len(secret)} bytes: a master secret has 32")
        return secret


def public_pem(key: ec.EllipticCurvePublicKey) -> bytes:
    """A public key as PEM (SubjectPublicKeyInfo)."""
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def read_roots(path: Path) -> Sequence[Json]:
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
        raise KeyFileInvalid(f"{path} is no PEM private key without password") from None


def _private_key(path: Path, pem: bytes) -> ec.EllipticCurvePrivateKey:
    key = _loaded(path, pem)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
        raise KeyFileInvalid(f"{path} is no key on P-256")
    return key


def _secret_file(path: Path, make: Callable[[], bytes]) -> bytes:
    """The content of a secret file, made if it is missing."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _put_once(path, make(), mode=0o600)
    if path.stat().st_mode & 0o077:
        raise KeyFileInvalid(f"{path} may be read by others than its owner: chmod 600 {path}")
    return path.read_bytes()


def _put_once(path: Path, content: bytes, *, mode: int) -> None:
    """Write a file whole or not at all, and never over one that is there."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return  # another process was faster: its keys are the keys
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
