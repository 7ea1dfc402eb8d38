"""What is published of the log each day: an operator's own leaves, opened, with the proofs that they are in it.

An operator's file of one day holds the checkpoint, the openings of that operator's own leaves with their proofs, and
the proof that the log continues the checkpoint before:

{"cardroom_checkpoint":1,"day":"2026-11-29","note":"…","since":{"size":N,"proof":[…]},"leaves":[{"index":I,"opening":{…},"proof":[…]}]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from cardroom import canonical
from cardroom.log.checkpoint import (
    Checkpoint,
    CheckpointFault,
    CheckpointMalformed,
    LeafAbsent,
    LeafAstray,
    LogForked,
    LogGap,
    VerifierKey,
    from_base64,
    open_checkpoint,
    to_base64,
)
from cardroom.log.tree import ProofInvalid, check_consistency, check_inclusion, entry_of
from cardroom.shapes.audits import LeafOpening, OpenedLeaf, OperatorDay
from cardroom.shapes.check import Checker, checker
from cardroom.shapes.forms import form_of

VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """An opened leaf: its place in the log, what it says, and the proof that it is there."""

    index: int
    opening: LeafOpening
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
            {"index": leaf.index, "opening": leaf.opening, "proof": [to_base64(one) for one in leaf.proof]}
            for leaf in self.leaves
        ]
        since = {"size": self.since_size, "proof": [to_base64(one) for one in self.since_proof]}
        content = {"cardroom_checkpoint": VERSION, "day": self.day, "note": self.note, "since": since, "leaves": leaves}
        return canonical.dumps(content) + b"\n"

    @classmethod
    def parse(cls, content: bytes) -> OperatorFile:
        """The file of its bytes. Raises CheckpointMalformed."""
        try:
            value: Any = canonical.loads(content)
            fault = _form()(value)
            if fault is not None:
                raise ValueError(str(fault))
            day: OperatorDay = value
            since, leaves = day["since"], [_leaf(leaf) for leaf in day["leaves"]]
            proof = [from_base64(one) for one in since["proof"]]
            return cls(day=day["day"], note=day["note"], since_size=since["size"], since_proof=proof, leaves=leaves)
        except ValueError as error:
            raise CheckpointMalformed(f"not an operator's file with a checkpoint: {error}") from None


@cache
def _form() -> Checker:
    return checker(form_of(OperatorDay))


def _leaf(leaf: OpenedLeaf) -> Leaf:
    entry_of(leaf["opening"])  # refuses what no leaf says
    return Leaf(index=leaf["index"], opening=leaf["opening"], proof=[from_base64(one) for one in leaf["proof"]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What a set of checkpoints proves: the last of them, how many there are, and the leaves shown to be in the log."""

    last: Checkpoint
    checkpoints: int
    leaves: Sequence[LeafOpening]


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
    placed = [
        (leaf.index, leaf.opening)
        for name, checkpoint, operator_file in read
        if operator_file is not None
        for leaf in _proven(name, checkpoint, operator_file)
    ]
    _check_days(placed)
    leaves = [opening.copy() for _, opening in placed]
    leaves.sort(key=lambda opening: (opening["day"], opening["operator"], opening["table_id"]))
    return Published(last=before[1], checkpoints=len(roots), leaves=leaves)


_Read = tuple[str, Checkpoint, OperatorFile | None]


def _named(name: str, content: bytes, key: VerifierKey) -> tuple[Checkpoint, OperatorFile | None]:
    try:
        if not content.lstrip().startswith(b"{"):
            return open_checkpoint(content, key), None
        operator_file = OperatorFile.parse(content)
        checkpoint = open_checkpoint(operator_file.note.encode(), key)
        if operator_file.since_size > checkpoint.size:
            message = f"the log had {operator_file.since_size} leaves before, and {checkpoint.size} now"
            raise CheckpointMalformed(message)
        return checkpoint, operator_file
    except CheckpointFault as fault:
        raise type(fault)(f"{name}: {fault}") from None


def _check_continues(before: _Read, after: _Read) -> None:
    """That the log of one checkpoint is that of the one before, with or without more leaves."""
    (old_name, old, _), (name, new, operator_file) = before, after
    if old.size == new.size:
        if old.root != new.root:
            message = f"two roots for {new.size} leaves: {to_base64(old.root)} and {to_base64(new.root)}"
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


def _check_days(placed: Sequence[tuple[int, LeafOpening]]) -> None:
    """That the log grew day by day: no leaf stands before one of an earlier day. Raises LeafAstray."""
    before: tuple[int, str] = (-1, "")
    for index, opening in sorted(placed, key=lambda one: one[0]):
        if opening["day"] < before[1]:
            raise LeafAstray(f"leaf {index} is of {opening['day']}, leaf {before[0]} before it of {before[1]}")
        before = index, opening["day"]


def _proven(name: str, checkpoint: Checkpoint, operator_file: OperatorFile) -> Iterator[Leaf]:
    for leaf in operator_file.leaves:
        if leaf.opening["day"] != operator_file.day:
            raise LeafAstray(f"{name}: leaf {leaf.index} is of {leaf.opening['day']}, the file of {operator_file.day}")
        entry = entry_of(leaf.opening)
        try:
            check_inclusion(entry=entry, index=leaf.index, size=checkpoint.size, root=checkpoint.root, proof=leaf.proof)
        except ProofInvalid as error:
            table = f"table {leaf.opening['table_id']}, record {leaf.opening['seq']}"
            raise LeafAbsent(f"{name}: {table}: {error}") from None
        yield leaf
