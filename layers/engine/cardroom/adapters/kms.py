"""Root key, checkpoint key and master secret in AWS KMS: none ever leaves it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from cardroom.shapes.records import RootKey
from cardroom.signing.certificate import KeysUnavailable
from cardroom.signing.signature import jwk_of, raw_low_s

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient

# What KMS says of a key that is gone. One that is disabled, or that we may not use, a person can give back: until then
# what could still be proved is not given up.
_LOST: Final = frozenset({"NotFoundException", "KMSInvalidStateException"})


@functools.cache
def kms_client(endpoint_url: str | None) -> KMSClient:
    """The client, made on first use; `endpoint_url` None is AWS itself."""
    config = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "max_attempts": 3})
    return boto3.client("kms", endpoint_url=endpoint_url, config=config)


class KmsRoot:
    """A root key of the kind ECC_NIST_P256, for signing. `retired` are JWKs of earlier roots, published still."""

    def __init__(self, key_id: str, *, endpoint_url: str | None = None, retired: Sequence[RootKey] = ()) -> None:
        self._key_id = key_id
        self._endpoint_url = endpoint_url
        self._retired = retired
        self._lock = threading.Lock()
        self._jwks: Sequence[RootKey] | None = None

    def jwks(self) -> Sequence[RootKey]:
        """The public root keys as JWKs, the current one first; asked of KMS once."""
        with self._lock:
            if self._jwks is None:
                self._jwks = [jwk_of(self._public()), *self._retired]
            return self._jwks

    def ask(self) -> None:
        """See that KMS still has the key, whatever it answered before. Raises KeysUnavailable."""
        self._public()

    def _public(self) -> ec.EllipticCurvePublicKey:
        answer = _ask(self._endpoint_url, "get_public_key", KeyId=self._key_id)
        key = serialization.load_der_public_key(answer["PublicKey"])
        if not isinstance(key, ec.EllipticCurvePublicKey) or key.curve.name != "secp256r1":
            raise TypeError(f"the KMS key {self._key_id} is not of the kind ECC_NIST_P256")
        return key

    def certify(self, message: bytes) -> bytes:
        """The ES256 signature of a message of at most 4,096 bytes, 64 bytes, low s."""
        answer = _ask(
            self._endpoint_url,
            "sign",
            KeyId=self._key_id,
            Message=message,
            MessageType="RAW",
            SigningAlgorithm="ECDSA_SHA_256",
        )
        return raw_low_s(answer["Signature"])


class KmsCheckpointKey:
    """A key of the kind ECC_NIST_EDWARDS25519, for signing checkpoints."""

    def __init__(self, key_id: str, *, endpoint_url: str | None = None) -> None:
        self._key_id = key_id
        self._endpoint_url = endpoint_url
        self._public: bytes | None = None

    def public(self) -> bytes:
        """The public key, 32 bytes; asked of KMS once."""
        if self._public is None:
            answer = _ask(self._endpoint_url, "get_public_key", KeyId=self._key_id)
            key = serialization.load_der_public_key(answer["PublicKey"])
            if not isinstance(key, ed25519.Ed25519PublicKey):
                raise TypeError(f"the KMS key {self._key_id} is not of the kind ECC_NIST_EDWARDS25519")
            self._public = key.public_bytes_raw()
        return self._public

    def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature of a message of at most 4,096 bytes, 64 bytes."""
        arguments = {"MessageType": "RAW", "SigningAlgorithm": "ED25519_SHA_512"}
        signature: bytes = _ask(self._endpoint_url, "sign", KeyId=self._key_id, Message=message, **arguments)[
            "Signature"
        ]
        return signature


class KmsMaster:
    """The master secrets that a key of the kind HMAC_256 gives, one an epoch, each asked of KMS once."""

    def __init__(self, key_id: str, *, epoch: str, endpoint_url: str | None = None) -> None:
        self._key_id = key_id
        self._epoch = epoch
        self._endpoint_url = endpoint_url
        self._secrets: dict[str, bytes] = {}

    @property
    def epoch(self) -> str:
        """The epoch that new rounds use."""
        return self._epoch

    def secret(self, epoch: str) -> bytes:
        """The master of an epoch, 32 bytes. Raises KeysUnavailable."""
        if epoch not in self._secrets:
            answer = _ask(
                self._endpoint_url,
                "generate_mac",
                KeyId=self._key_id,
                Message=f"cardroom/master/v1/{epoch}".encode(),
                MacAlgorithm="HMAC_SHA_256",
            )
            self._secrets[epoch] = answer["Mac"]
        return self._secrets[epoch]


def _ask(endpoint_url: str | None, operation: str, **arguments: Any) -> Any:
    try:
        return getattr(kms_client(endpoint_url), operation)(**arguments)
    except ClientError as error:
        lost = error.response["Error"]["Code"] in _LOST
        raise KeysUnavailable(f"KMS {operation} failed: {error}", lost=lost) from error
    except BotoCoreError as error:
        raise KeysUnavailable(f"KMS {operation} failed: {error}") from error
