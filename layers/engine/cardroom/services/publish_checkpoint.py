"""Once a day: every table's head becomes a leaf of the log, and a signed checkpoint says how far the log has grown.

All files are written once. Their names, in the order of writing:

    log/keys/<id>                       the key that verifies the checkpoints, as text
    log/days/<day>                      what that day appends, with the salts; for the publisher alone
    log/tile/…                          the tree and its entries (C2SP tlog-tiles), for everyone
    log/operators/<operator>/<day>      the operator's leaves, opened, with proofs and the checkpoint
    log/checkpoints/<day>               the checkpoint (C2SP tlog-checkpoint), for everyone

A day is settled by its second file: whoever comes later, after an interruption or beside another, goes on from it and
writes the same. The signatures of Ed25519 are deterministic, so that is true of the checkpoint, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

from cardroom import canonical
from cardroom.log.checkpoint import Checkpoint, CheckpointKey, VerifierKey, read_checkpoint, sign_checkpoint
from cardroom.log.published import Leaf, OperatorFile
from cardroom.log.tree import SALT_BYTES, Tree, entry_of
from cardroom.services.ports import Archive, ArchiveConflict, Clock, Entropy, Ledger, Operators
from cardroom.shapes.audits import LeafOpening, LogDay

LOG: Final = "log/"
_DAYS: Final = LOG + "days/"
_CHECKPOINTS: Final = LOG + "checkpoints/"


class LogDamaged(Exception):
    """The stored log contradicts itself; a person must look."""


class ClockBehind(Exception):
    """The clock says an earlier day than the log's last one: it is wrong, or was when that day was published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """What publishing works with; `origin` names the log."""

    archive: Archive
    ledger: Ledger
    operators: Operators
    key: CheckpointKey
    clock: Clock
    entropy: Entropy
    origin: str


class DayPublished(TypedDict):
    """A day's checkpoint: how far the log has grown, and whether it was published by this call."""

    day: str
    origin: str
    size: int
    published: bool


def publish_checkpoint(publisher: Publisher) -> DayPublished:
    """Publish today's checkpoint, after those of earlier days that were begun and not ended.

    Answers `{day, origin, size, published}`; a second time today makes no difference to what is stored. Raises
    ClockBehind where a later day has begun: the log grows day by day.
    """
    archive, today = publisher.archive, publisher.clock.now()[:10]
    done = [name.removeprefix(_CHECKPOINTS) for name in archive.list(_CHECKPOINTS)]
    begun = [name.removeprefix(_DAYS) for name in archive.list(_DAYS)]
    last = max([today, *done, *begun])
    if last != today:
        message = f"the clock says {today}, and the log stands at {last} already: nothing is published before then"
        raise ClockBehind(message)
    size = _size_at(archive, done[-1]) if done else 0
    published = today not in done
    for day in (day for day in begun if day not in done):
        size = _finish(publisher, day, size)
        done.append(day)
    if today not in done:
        _begin(publisher, today, size)
        size = _finish(publisher, today, size)
    return {"day": today, "origin": publisher.origin, "size": size, "published": published}


def operator_file(archive: Archive, operator: str, day: str) -> bytes:
    """An operator's file of one day; raises KeyError if there is none."""
    return archive.get(f"{LOG}operators/{operator}/{day}")


def _size_at(archive: Archive, day: str) -> int:
    """How many leaves the log has; its tiles must give the root that was signed."""
    checkpoint = read_checkpoint(archive.get(_CHECKPOINTS + day).decode())
    if _stored(archive, checkpoint.size).root() != checkpoint.root:
        raise LogDamaged(f"the tiles of the log do not give the root of the checkpoint of {day}")
    return checkpoint.size


def _stored(archive: Archive, size: int) -> Tree:
    return Tree(lambda path: archive.get(LOG + path), size)


def _begin(publisher: Publisher, day: str, size: int) -> None:
    """Settle what the day appends: the heads as they are now, each with a salt of its own."""
    operators = [one.operator for one in publisher.operators.list()]
    leaves = [leaf for operator in operators for leaf in _heads(publisher, operator, day)]
    plan: LogDay = {"v": 1, "day": day, "size": size, "operators": operators, "leaves": leaves}
    try:
        publisher.archive.put(_DAYS + day, canonical.dumps(plan))
    except ArchiveConflict:
        return  # another publisher was faster: its day is the day


def _heads(publisher: Publisher, operator: str, day: str) -> Iterator[LeafOpening]:
    for table_id in publisher.ledger.tables(operator):
        head = publisher.ledger.head(operator, table_id)
        if head is None:
            raise LogDamaged(f"table {table_id} of {operator} is listed and has no record")
        yield {
            "v": 1,
            "day": day,
            "operator": operator,
            "table_id": table_id,
            "seq": head.seq,
            "sha256": head.sha256,
            "salt": publisher.entropy(SALT_BYTES).hex(),
        }


def _finish(publisher: Publisher, day: str, size: int) -> int:
    """Write what is missing of a day that was begun; answers how many leaves the log then has."""
    archive = publisher.archive
    plan: LogDay = canonical.loads_canonical(archive.get(_DAYS + day))
    if plan["size"] != size:
        raise LogDamaged(f"the day {day} was begun on a log of {plan['size']} leaves, which has {size}")
    tree = _stored(archive, size)
    indices = [tree.append(entry_of(opening)) for opening in plan["leaves"]]
    checkpoint = Checkpoint(origin=publisher.origin, size=tree.size, root=tree.root())
    key = VerifierKey(name=publisher.origin, public=publisher.key.public())
    note = sign_checkpoint(checkpoint, publisher.key)
    archive.put(f"{LOG}keys/{key.id.hex()}", key.text.encode() + b"\n")
    for path, content in tree.new_tiles():
        archive.put(LOG + path, content)
    opened: dict[str, list[tuple[int, LeafOpening]]] = {operator: [] for operator in plan["operators"]}
    for index, leaf in zip(indices, plan["leaves"], strict=True):
        opened[leaf["operator"]].append((index, leaf))
    for operator, leaves in opened.items():
        archive.put(f"{LOG}operators/{operator}/{day}", _file_of(tree, leaves, day=day, note=note, since=size))
    archive.put(_CHECKPOINTS + day, note.encode())
    return tree.size


def _file_of(tree: Tree, leaves: Sequence[tuple[int, LeafOpening]], *, day: str, note: str, since: int) -> bytes:
    opened = [Leaf(index=index, opening=leaf, proof=tree.inclusion(index)) for index, leaf in leaves]
    file = OperatorFile(day=day, note=note, since_size=since, since_proof=tree.consistency(since), leaves=opened)
    return file.to_bytes()
