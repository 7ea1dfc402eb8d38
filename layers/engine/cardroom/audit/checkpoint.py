"""Checkpoints of the log: signed notes (C2SP signed-note, tlog-checkpoint), and an export held against them.

A checkpoint states the log's size and root. An operator's file of one day holds the checkpoint, the openings of that
operator's own leaves with their proofs, and the proof that the log continues the checkpoint before:

{"cardroom_checkpoint":1,"day":"2026-11-29","note":"…","since":{"size":N,"proof":[…]},"leaves":[{"index":I,"opening":{…},"proof":[…]}]}
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cardroom import canonical
from cardroom.audit.chain import Finding
from cardroom.audit.export import ExportHeader
from cardroom.audit.log import HASH_BYTES, ProofInvalid, check_consistency, check_inclusion, entry_of
from cardroom.audit.signature import Json, Malformed, split

VERSION: Final = 1
MAX_NOTE_BYTES: Final = 1_000_000
_ED25519: Final = b"\x01"  # the signature type, C2SP signed-note
_NAME: Final = re.compile(r"[^\s+\x00-\x1f]+")
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
        return f"{self.name}+{self.id.hex()}+{_base64(_ED25519 + self.public)}"

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """The key of its text. Raises KeyMalformed.

        >>> VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW").name
        'PeterNeumann'
        """
        name, _, rest = text.strip().partition("+")
        key_id, _, encoded = rest.partition("+")
        try:
            material = _unbase64(encoded)
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
        return f"{self.origin}\n{self.size}\n{_base64(self.root)}\n"


def sign_checkpoint(checkpoint: Checkpoint, key: CheckpointKey) -> str:
    """The signed note of a checkpoint, signed in the name of its origin."""
    signer = VerifierKey(name=checkpoint.origin, public=key.public())
    if not _NAME.fullmatch(checkpoint.origin):
        raise ValueError(f"{checkpoint.origin!a} is no origin: no spaces, no plus")
    signature = key.sign(checkpoint.text.encode())
    return f"{checkpoint.text}\n{_DASH}{signer.name} {_base64(signer.id + signature)}\n"


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
        root = _unbase64(lines[2])
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
        blob = _unbase64(encoded)
    except ValueError:
        blob = b""
    if not line.startswith(_DASH) or not _NAME.fullmatch(name) or len(blob) <= 4:
        raise CheckpointMalformed(f"{line[:80]!a} is no line of a signature")
    return name, blob


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """An opened leaf: its place in the log, what it says, and the proof that it is there."""

    index: int
    opening: Json
    proof: Sequence[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorFile:
    """What an operator gets each day: the checkpoint, its own leaves opened, the proof since the checkpoint before."""

    day: str
    note: str
    since_size: int
    since_proof: Sequence[bytes]
    leaves: Sequence[Leaf]

    def to_bytes(self) -> bytes:
        """The file, one line of canonical JSON."""
        leaves = [
            {"index": leaf.index, "opening": leaf.opening, "proof": [_base64(one) for one in leaf.proof]}
            for leaf in self.leaves
        ]
        since = {"size": self.since_size, "proof": [_base64(one) for one in self.since_proof]}
        content = {"cardroom_checkpoint": VERSION, "day": self.day, "note": self.note, "since": since, "leaves": leaves}
        return canonical.dumps(content) + b"\n"

    @classmethod
    def parse(cls, content: bytes) -> OperatorFile:
        """The file of its bytes. Raises CheckpointMalformed."""
        try:
            value = canonical.loads(content)
            if value.pop("cardroom_checkpoint") != VERSION or value.keys() != {"day", "note", "since", "leaves"}:
                raise ValueError("other fields than a file of this version has")
            since, leaves = value["since"], [_leaf(leaf) for leaf in value["leaves"]]
            if not isinstance(value["note"], str) or type(since["size"]) is not int:
                raise ValueError("note or since")
            proof = [_unbase64(one) for one in since["proof"]]
            return cls(day=value["day"], note=value["note"], since_size=since["size"], since_proof=proof, leaves=leaves)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointMalformed(f"not an operator's file with a checkpoint: {error}") from None


def _leaf(value: Json) -> Leaf:
    opening = value["opening"]
    entry_of(opening)  # refuses other fields
    texts = (opening["operator"], opening["table_id"], opening["sha256"], opening["day"])
    if not all(isinstance(text, str) for text in texts) or {type(value["index"]), type(opening["seq"])} != {int}:
        raise ValueError("a leaf's opening")
    return Leaf(index=value["index"], opening=opening, proof=[_unbase64(one) for one in value["proof"]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What a set of checkpoints proves: the last of them, how many there are, and the leaves shown to be in the log."""

    last: Checkpoint
    checkpoints: int
    leaves: Sequence[Json]


def published(files: Mapping[str, bytes], key: VerifierKey) -> Published:
    """What files with checkpoints prove: all genuine, each log continuing the one before, each opened leaf in it.

    `files` are operators' files or bare notes by name. Raises a CheckpointFault that names the file.
    """
    if not files:
        raise CheckpointMalformed("no checkpoint was given")
    read = [(name, *_named(name, content, key)) for name, content in files.items()]
    read.sort(key=lambda one: (one[1].size, one[2] is not None))
    roots = {read[0][1].size: (read[0][0], read[0][1].root)}
    before = read[0]
    for one in read[1:]:
        _check_continues(before, one)
        roots[one[1].size] = (one[0], one[1].root)
        before = one
    leaves = [
        dict(opening)
        for name, checkpoint, operator_file in read
        if operator_file is not None
        for opening in _proven(name, checkpoint, operator_file)
    ]
    leaves.sort(key=lambda opening: (opening["day"], opening["operator"], opening["table_id"]))
    return Published(last=before[1], checkpoints=len(roots), leaves=leaves)


_Read = tuple[str, Checkpoint, OperatorFile | None]


def _named(name: str, content: bytes, key: VerifierKey) -> tuple[Checkpoint, OperatorFile | None]:
    try:
        if not content.lstrip().startswith(b"{"):
            return open_checkpoint(content, key), None
        operator_file = OperatorFile.parse(content)
        return open_checkpoint(operator_file.note.encode(), key), operator_file
    except CheckpointFault as fault:
        raise type(fault)(f"{name}: {fault}") from None


def _check_continues(before: _Read, after: _Read) -> None:
    """That the log of one checkpoint is that of the one before, with or without more leaves."""
    (old_name, old, _), (name, new, operator_file) = before, after
    if old.size == new.size:
        if old.root != new.root:
            message = f"two roots for {new.size} leaves: {_base64(old.root)} and {_base64(new.root)}"
            raise LogForked(f"{old_name} and {name}: {message}")
        return
    if operator_file is None or operator_file.since_size != old.size:
        raise LogGap(
            f"{name}: no proof that its log of {new.size} leaves continues the {old.size} of {old_name}: "
            "the files of the days between are needed"
        )
    try:
        check_consistency(
            old=old.size, old_root=old.root, size=new.size, root=new.root, proof=operator_file.since_proof
        )
    except ProofInvalid as error:
        raise LogForked(f"{old_name} and {name}: {error}") from None


def _proven(name: str, checkpoint: Checkpoint, operator_file: OperatorFile) -> Iterator[Json]:
    for leaf in operator_file.leaves:
        entry = entry_of(leaf.opening)
        try:
            check_inclusion(entry=entry, index=leaf.index, size=checkpoint.size, root=checkpoint.root, proof=leaf.proof)
        except ProofInvalid as error:
            table = f"table {leaf.opening['table_id']}, record {leaf.opening['seq']}"
            raise LeafAbsent(f"{name}: {table}: {error}") from None
        yield leaf.opening


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How an export stands to the published leaves: what contradicts them, and up to where each table agrees."""

    findings: tuple[Finding, ...]
    leaves: int
    tables: Mapping[str, int]

    @property
    def ok(self) -> bool:
        """Whether nothing contradicts; that no leaf was met is no agreement."""
        return not self.findings and self.leaves > 0


def against_leaves(lines: Iterable[bytes], leaves: Sequence[Json]) -> Agreement:
    """Hold an export's records against leaves that are proven to be in the log.

    Looks at hashes and links only: whether the records are genuine and right is for `verify_export` to say. A table's
    first contradiction is its one finding.
    """
    held = _Held(leaves)
    for number, line in enumerate(lines, start=1):
        held.take(number, line)
    return held.agreement()


@dataclass(slots=True)
class _Table:
    """A table's chain in the export so far."""

    seq: int = 0
    sha256: str | None = None
    found: Finding | None = None
    agreed: int = 0


_Place = tuple[str, str, int]  # operator, table, number


@dataclass(slots=True)
class _Held:
    published: Sequence[Json]
    tables: dict[str, _Table] = field(default_factory=dict)
    _wanted: dict[_Place, Json] = field(default_factory=dict)
    _line: int = 0
    _records: int = 0
    _met: int = 0
    _skipped: int = 0  # records up to this number are left out on purpose
    _gaps: bool = False
    _one_table: bool = False
    _operator: str | None = None

    def __post_init__(self) -> None:
        for opening in self.published:
            place = (opening["operator"], opening["table_id"], opening["seq"])
            self._wanted.setdefault(place, opening)  # an idle table's head is published again each day

    def take(self, number: int, line: bytes) -> None:
        """Take the next line of the export."""
        self._line = number
        try:
            value = canonical.loads(line)
            if "record" not in value:
                if number == 1:
                    header = ExportHeader.from_json(value)
                    self._operator, self._skipped = header.operator, header.after
                    self._one_table, self._gaps = header.table_id is not None, header.round_id is not None
                return
            payload = canonical.loads(split(value["record"]).payload)
            place = (payload["operator"], payload["table_id"], payload["seq"])
            prev = payload["prev"]
        except (ValueError, KeyError, TypeError, AttributeError, Malformed):
            return  # a line that cannot be read breaks the chain, which is told at the next record
        self._records += 1
        table = self.tables.setdefault(place[1], _Table())
        sha256 = canonical.sha256_hex(value["record"].encode())
        self._compare(table, place, prev, sha256)

    def _compare(self, table: _Table, place: _Place, prev: Any, sha256: str) -> None:
        opening, seq = self._wanted.pop(place, None), place[2]
        linked = table.seq + 1 == seq and prev == table.sha256
        begins = table.seq == 0 and seq == self._skipped + 1
        if table.found is None and not (linked or begins or self._gaps):
            message = f"record {seq} of table {place[1]} does not continue the one before it"
            self._find(table, place, "chain-broken", message, field="prev", expected=table.sha256, found=prev)
        if opening is not None and table.found is None:
            if opening["sha256"] == sha256:
                self._met += 1
                table.agreed = seq
            else:
                message = (
                    f"another record {seq} of table {place[1]} than the one published on {opening['day']}: "
                    "its history was rewritten"
                )
                details = {"field": "sha256", "expected": opening["sha256"], "found": sha256}
                self._find(table, place, "chain-forked", message, **details)
        table.seq, table.sha256 = seq, sha256

    def _find(self, table: _Table, place: _Place, code: str, message: str, **details: Any) -> None:
        where: Json = {"line": self._line, "record": self._records, "table_id": place[1], "seq": place[2]}
        table.found = Finding(code=code, message=message, **where, **details)

    def agreement(self) -> Agreement:
        """Close the file: a published record that never came is missing."""
        for place, opening in sorted(self._wanted.items()):
            operator, table_id, seq = place
            if operator != self._operator or self._gaps or seq <= self._skipped:
                continue
            if table_id not in self.tables and self._one_table:
                continue
            table = self.tables.setdefault(table_id, _Table())
            if table.found is None:
                message = f"record {seq} of table {table_id} was published on {opening['day']} and is not here"
                self._find(table, place, "record-missing", message, field="seq", expected=seq, found=table.seq)
        findings = [table.found for table in self.tables.values() if table.found]
        return Agreement(
            findings=tuple(sorted(findings, key=lambda finding: finding.line or 0)),
            leaves=self._met,
            tables={name: table.agreed for name, table in sorted(self.tables.items())},
        )


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _unbase64(text: str) -> bytes:
    """The bytes of base64 text, which must be the one text for them. Raises ValueError."""
    data = binascii.a2b_base64(text.encode("ascii"), strict_mode=True)
    if _base64(data) != text:
        raise ValueError("base64 that does not re-encode to itself")
    return data
