"""Makes vectors/leaves anew: `python -m tests.audit.leaves`. An export, days of a log, and what contradicts them."""

from __future__ import annotations

import json
from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from cardroom import canonical
from cardroom.log.checkpoint import Checkpoint, VerifierKey, sign_checkpoint
from cardroom.log.published import Leaf, OperatorFile
from cardroom.log.tree import Tree, entry_of
from cardroom.rounds.record import record_sha256
from tests.audit.play import BICYCLE, Json
from tests.audit.vectors import ROOT, room_of
from tests.unit.test_checkpoint import MemoryKey

FOLDER = Path(__file__).parents[2] / "vectors/leaves"
ORIGIN, DAYS = "cardroom/vectors", ("2026-11-29", "2026-11-30")


KEY = MemoryKey()


def leaf(day: str, seq: int, sha256: str) -> Json:
    salt = canonical.sha256_hex(f"{day} {seq}".encode())[:32]
    return {"v": 1, "day": day, "operator": "op", "table_id": "t1", "seq": seq, "sha256": sha256, "salt": salt}


def days(*openings: list[Json]) -> list[bytes]:
    """The operator's files of days that append these leaves, one after the other."""
    tree, files = Tree({}.__getitem__, 0), []
    for day, new in zip(DAYS, openings, strict=True):
        before = tree.size
        indices = [tree.append(entry_of(one)) for one in new]
        note = sign_checkpoint(Checkpoint(origin=ORIGIN, size=tree.size, root=tree.root()), KEY)
        leaves = [Leaf(index=i, opening=one, proof=tree.inclusion(i)) for i, one in zip(indices, new, strict=True)]
        since = tree.consistency(before)
        made = OperatorFile(day=day, note=note, since_size=before, since_proof=since, leaves=leaves)
        files.append(made.to_bytes())
    return files


def main() -> None:
    """Write the folder: the export, its root, the log's key, days of the log, and the verdicts."""
    FOLDER.mkdir(exist_ok=True)
    room = room_of(BICYCLE)
    lines, hashes = room.export(), [record_sha256(record) for record in room.records]
    first, last = leaf(DAYS[0], 3, hashes[2]), leaf(DAYS[1], 6, hashes[5])
    genuine = days([first], [last])
    forked = days([first], [leaf(DAYS[1], 3, "ab" * 32), last])
    back = days([leaf(DAYS[0], 6, hashes[5])], [leaf(DAYS[1], 3, hashes[2])])
    astray = canonical.dumps({**json.loads(genuine[1]), "day": DAYS[0]}) + b"\n"
    hidden = canonical.dumps({**json.loads(lines[0]), "round_id": "t1-r1"}) + b"\n"
    content = {
        "export.jsonl": b"".join(lines),
        "hidden_fail.jsonl": b"".join([hidden, *lines[1:4], lines[-1]]),
        "day_1.json": genuine[0],
        "day_2.json": genuine[1],
        "contradictory_fail.json": forked[1],
        "back_1.json": back[0],
        "back_fail.json": back[1],
        "astray_fail.json": astray,
        "root.pem": ROOT._key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        "key.txt": VerifierKey(name=ORIGIN, public=KEY.public()).text.encode() + b"\n",
    }
    cases = [
        (["day_1.json", "day_2.json"], "export.jsonl", None),
        (["day_1.json", "contradictory_fail.json"], "export.jsonl", "leaf-contradicted"),
        (["back_1.json", "back_fail.json"], "export.jsonl", "leaf-contradicted"),
        (["day_1.json", "astray_fail.json"], "export.jsonl", "leaf-astray"),
        (["day_1.json", "day_2.json"], "hidden_fail.jsonl", "record-missing"),
    ]
    told = [{"checkpoints": names, "export": export, "code": code} for names, export, code in cases]
    source = "made by us (tests/audit/leaves.py); signed by keys that are gone. One finding or fault each, null: none."
    content["verdicts.json"] = (json.dumps({"source": source, "cases": told}, indent=1) + "\n").encode()
    for name, data in content.items():
        (FOLDER / name).write_bytes(data)


if __name__ == "__main__":
    main()
