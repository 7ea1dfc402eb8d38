"""Checkpoints of the log: signed notes (C2SP signed-note, tlog-checkpoint) that state its size and its root."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cardroom.log.tree import HASH_BYTES

MAX_NOTE_BYTES: Final = 1_000_000
_ED25519: Final = b"\x01"  # the signature type, C2SP signed-note
_NAME: Final = re.compile(r"[^\s+\x00-\x1f\ud800-\udfff]+")
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_DASH: Final = "\u2014 "  # an em dash begins each signature line


class CheckpointFault(Exception):
    """What is wrong with a checkpoint or the log behind it; every leaf class is one kind of fault, `code` its slug."""

    code: ClassVar[str]


class KeyMalformed(CheckpointFault):
    """The text is no verifier key of the kind Ed25519."""

    code = "checkpoint-key-malformed"


class CheckpointMalformed(CheckpointFault):
    """The file is neither a signed checkpoint nor an operator's file with one."""

    code = "checkpoint-malformed"


class CheckpointUnsigned(CheckpointFault):
    """The note carries no signature of the known key."""

    code = "checkpoint-unsigned"


class CheckpointForged(CheckpointFault):
    """A signature in the known key's name is not of that key over this text."""

    code = "checkpoint-forged"


class OriginForeign(CheckpointFault):
    """The checkpoint is of another log than the key's."""

    code = "origin-foreign"


class LeafAstray(CheckpointFault):
    """A leaf is opened in the file of another day, or stands in the log before one of an earlier day."""

    code = "leaf-astray"


class LeafAbsent(CheckpointFault):
    """An opened leaf is not in the log at this checkpoint."""

    code = "leaf-absent"


class LogForked(CheckpointFault):
    """Two checkpoints of one log contradict each other: what was published once was changed later."""

    code = "log-forked"


class LogGap(CheckpointFault):
    """Nothing shows that a checkpoint continues the one before it: the files between are missing."""

    code = "log-gap"


class CheckpointKey(Protocol):
    """The key that signs checkpoints. Both methods raise KeysUnavailable when it is out of reach."""

    def public(self) -> bytes:
        """The public Ed25519 key, 32 bytes (RFC 8032)."""

    def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature of a message, 64 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierKey:
    """A log's public key with the name that it signs in: the log's origin."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        """What a signature line names the key by, four bytes."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:4]

    @property
    def text(self) -> str:
        """The key as verifiers take it: `name+id+key`."""
        return f"{self.name}+{self.id.hex()}+{to_base64(_ED25519 + self.public)}"

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """The key of its text. Raises KeyMalformed.

        >>> VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW").name
        'PeterNeumann'
        """
        name, _, rest = text.strip().partition("+")
        key_id, _, encoded = rest.partition("+")
        try:
            material = from_base64(encoded)
        except ValueError:
            material = b""
        found = cls(name=name, public=material[1:])
        if not _NAME.fullmatch(name) or material[:1] != _ED25519 or len(found.public) != 32:
            raise KeyMalformed("the text is no verifier key name+id+key of the kind Ed25519")
        if found.id.hex() != key_id:
            raise KeyMalformed(f"the verifier key says that its id is {key_id!a}: it is {found.id.hex()}")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A log at one moment: whose it is, how many leaves it has, and the root over them."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The note's text, which is what is signed."""
        return f"{self.origin}\n{self.size}\n{to_base64(self.root)}\n"


def sign_checkpoint(checkpoint: Checkpoint, key: CheckpointKey) -> str:
    """The signed note of a checkpoint, signed in the name of its origin."""
    signer = VerifierKey(name=checkpoint.origin, public=key.public())
    if not _NAME.fullmatch(checkpoint.origin):
        raise ValueError(f"{checkpoint.origin!a} is no origin: no spaces, no plus")
    signature = key.sign(checkpoint.text.encode())
    return f"{checkpoint.text}\n{_DASH}{signer.name} {to_base64(signer.id + signature)}\n"


def open_checkpoint(note: bytes, key: VerifierKey) -> Checkpoint:
    """The checkpoint of a note that the key signed.

    Signatures of other keys are let stand; one in this key's name and id must hold. Raises CheckpointMalformed,
    CheckpointUnsigned, CheckpointForged or OriginForeign.
    """
    text, signatures = _split_note(note)
    public = Ed25519PublicKey.from_public_bytes(key.public)
    mine = [blob[4:] for name, blob in signatures if name == key.name and blob[:4] == key.id]
    if not mine:
        names = ", ".join(f"{name}+{blob[:4].hex()}" for name, blob in signatures)
        raise CheckpointUnsigned(f"signed by {names}, not by {key.name}+{key.id.hex()}")
    for signature in mine:
        try:
            public.verify(signature, text.encode())
        except InvalidSignature:
            raise CheckpointForged(f"the signature of {key.name} does not fit the text") from None
    checkpoint = read_checkpoint(text)
    if checkpoint.origin != key.name:
        raise OriginForeign(f"a checkpoint of the log {checkpoint.origin!a}, not of {key.name!a}")
    return checkpoint


def read_checkpoint(text: str) -> Checkpoint:
    """The checkpoint of a note's text, or of a whole note, its signatures unchecked. Raises CheckpointMalformed."""
    lines = text.partition("\n\n")[0].removesuffix("\n").split("\n")
    if len(lines) < 3 or not all(lines):
        raise CheckpointMalformed("a checkpoint has three lines, none of them empty: origin, size and root")
    if not _SIZE.fullmatch(lines[1]):
        raise CheckpointMalformed(f"the size is {lines[1]!a}: a decimal number without leading zeros")
    try:
        root = from_base64(lines[2])
    except ValueError:
        root = b""
    if len(root) != HASH_BYTES:
        raise CheckpointMalformed("the root is not 32 bytes in base64")
    return Checkpoint(origin=lines[0], size=int(lines[1]), root=root)


def _split_note(note: bytes) -> tuple[str, list[tuple[str, bytes]]]:
    """A note's text and its signatures: name, and id with signature."""
    if len(note) > MAX_NOTE_BYTES:
        raise CheckpointMalformed(f"a note of {len(note)} bytes: at most {MAX_NOTE_BYTES}")
    try:
        whole = note.decode()
    except UnicodeDecodeError:
        raise CheckpointMalformed("the note is not UTF-8") from None
    if any(ord(char) < 0x20 and char != "\n" for char in whole):
        raise CheckpointMalformed("the note holds a control character")
    text, blank, signed = whole.rpartition("\n\n")
    if not blank or not signed.endswith("\n"):
        raise CheckpointMalformed("a note is its text, an empty line, and one line or more of signatures")
    return text + "\n", [_signature_line(line) for line in signed[:-1].split("\n")]


def _signature_line(line: str) -> tuple[str, bytes]:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    try:
        blob = from_base64(encoded)
    except ValueError:
        blob = b""
    if not line.startswith(_DASH) or not _NAME.fullmatch(name) or len(blob) <= 4:
        raise CheckpointMalformed(f"{line[:80]!a} is no line of a signature")
    return name, blob


def to_base64(data: bytes) -> str:
    """Base64 text, padded, as C2SP's notes have it."""
    return base64.b64encode(data).decode()


def from_base64(text: str) -> bytes:
    """The bytes of base64 text, which must be the one text for them. Raises ValueError."""
    data = binascii.a2b_base64(text.encode("ascii"), strict_mode=True)
    if to_base64(data) != text:
        raise ValueError("base64 that does not re-encode to itself")
    return data
