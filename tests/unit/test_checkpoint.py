"""Checkpoints: the note's form to the letter, ten days of a log, and every way in which history can be rewritten."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ClientError
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardroom import canonical
from cardroom.adapters.folder import FolderArchive
from cardroom.adapters.key_files import KeyFileCheckpointKey, KeyFileRoot
from cardroom.adapters.s3 import S3Archive
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.published_leaves import against_leaves
from cardroom.log.checkpoint import (
    Checkpoint,
    CheckpointFault,
    CheckpointForged,
    CheckpointMalformed,
    CheckpointUnsigned,
    KeyMalformed,
    LeafAbsent,
    LeafAstray,
    LogForked,
    LogGap,
    OriginForeign,
    VerifierKey,
    open_checkpoint,
    sign_checkpoint,
)
from cardroom.log.published import OperatorFile, published
from cardroom.log.tree import Tree, check_consistency
from cardroom.services.ports import ArchiveConflict, Head, Operator, StoreUnavailable
from cardroom.services.publish_checkpoint import ClockBehind, LogDamaged, Publisher, operator_file, publish_checkpoint
from cardroom.signing.certificate import EphemeralSigner, KeysUnavailable, RootVerifier
from cardroom.signing.signature import b64url
from tests.functional.command import cardroom

Json = dict[str, Any]
ORIGIN = "cardroom/test"
DAYS = [f"2026-11-{day:02}" for day in range(20, 30)]

# The reference note of golang.org/x/mod/sumdb/note; its text is no checkpoint.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETERS = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)


class MemoryKey:
    """A checkpoint key in memory."""

    def __init__(self) -> None:
        self._key = Ed25519PrivateKey.generate()

    def public(self) -> bytes:
        return self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


class DayClock:
    """A clock that a test sets."""

    day = DAYS[0]

    def now(self) -> str:
        return f"{self.day}T12:00:00.000Z"

    def pause(self, attempt: int) -> None:
        raise AssertionError("nothing here waits")


KEY, CLOCK = MemoryKey(), DayClock()
VERIFIER = VerifierKey(name=ORIGIN, public=KEY.public())


class Book:
    """Chains of signed records, without the rest of a ledger."""

    def __init__(self, folder: Path) -> None:
        self.chains: dict[tuple[str, str], list[str]] = {}
        self.signer = EphemeralSigner(root=KeyFileRoot(folder), audience="test")

    def write(self, operator: str, table_id: str, texts: Sequence[str]) -> None:
        chain = self.chains.setdefault((operator, table_id), [])
        for text in texts:
            prev = canonical.sha256_hex(chain[-1].encode()) if chain else None
            payload = {"operator": operator, "table_id": table_id, "seq": len(chain) + 1, "prev": prev, "text": text}
            chain.append(self.signer.sign({**payload, "at": CLOCK.now()}))

    def rewrite(self, operator: str, table_id: str, seq: int) -> None:
        """Write a record otherwise, and all after it anew, with the genuine key."""
        old = self.chains[operator, table_id][seq - 1 :]
        del self.chains[operator, table_id][seq - 1 :]
        self.write(operator, table_id, [f"rewritten {number}" for number, _ in enumerate(old)])

    def tables(self, operator: str) -> list[str]:
        return sorted(table for owner, table in self.chains if owner == operator)

    def head(self, operator: str, table_id: str) -> Head:
        chain = self.chains[operator, table_id]
        return Head(seq=len(chain), sha256=canonical.sha256_hex(chain[-1].encode()), at=CLOCK.now(), table_after={})

    def export(self, operator: str = "op", **header: Any) -> list[bytes]:
        chains = [chain for (owner, _), chain in sorted(self.chains.items()) if owner == operator]
        records = [record for chain in chains for record in chain]
        made = export_lines(records, signer=self.signer, clock=CLOCK, header=ExportHeader(operator=operator, **header))
        return [line.encode() for line in made]


class Names:
    """The operators by name alone."""

    def list(self) -> list[Operator]:
        return [Operator(operator=name, scopes=frozenset(), secrets=()) for name in ("op", "other")]


class Room:
    """A room whose tables are played on day after day, its log in a folder."""

    def __init__(self, folder: Path) -> None:
        self.book = Book(folder)
        self.archive = FolderArchive(folder / "archive")
        self.publisher = Publisher(
            archive=self.archive,
            ledger=self.book,  # type: ignore[arg-type]  (of a ledger, publishing reads heads alone)
            operators=Names(),  # type: ignore[arg-type]
            key=KEY,
            clock=CLOCK,
            entropy=os.urandom,
            origin=ORIGIN,
        )

    def play(self, days: Sequence[str] = DAYS) -> Room:
        for day in days:
            CLOCK.day = day
            for operator, table in (("op", "t1"), ("op", "t2"), ("other", "t1")):
                self.book.write(operator, table, [f"{day} {number}" for number in range(3)])
            publish_checkpoint(self.publisher)
        return self

    def files(self, days: Sequence[str] = DAYS, operator: str = "op") -> dict[str, bytes]:
        return {day: operator_file(self.archive, operator, day) for day in days}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Room:
    """Ten days of a room; only read."""
    return Room(tmp_path_factory.mktemp("room")).play()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    yield Room(tmp_path)
    CLOCK.day = DAYS[0]


def test_keys_and_notes_of_the_reference() -> None:
    key = VerifierKey.parse(PETER)
    assert (key.name, key.id.hex(), key.text) == ("PeterNeumann", "c74f20a3", PETER)
    with pytest.raises(CheckpointMalformed, match=r"^a checkpoint has three lines, none of them empty"):
        open_checkpoint(PETERS.encode(), key)  # its signature holds
    with pytest.raises(CheckpointForged, match=r"^the signature of PeterNeumann does not fit the text$"):
        open_checkpoint(PETERS.replace("think", "thing").encode(), key)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no verifier key"),
        ("PeterNeumann+c74f20a3", "no verifier key"),
        (PETER.replace("ARpc", "Axpc"), "no verifier key"),  # another kind of key
        (PETER + "AA", "no verifier key"),
        (PETER[:-1] + "X", "it is a79e8a0c"),
        (PETER.replace("c74f", "c74e"), "says that its id is 'c74e20a3': it is c74f20a3"),
        (PETER.replace("Peter", "Peter "), "no verifier key"),
        (PETER.replace("Peter", "Peter\udcff"), "no verifier key"),  # as an argument that is not UTF-8 is read
    ],
)
def test_keys_that_are_none(text: str, message: str) -> None:
    with pytest.raises(KeyMalformed, match=message):
        VerifierKey.parse(text)


def note_of(origin: str = ORIGIN, size: int = 3, root: bytes = b"r" * 32) -> str:
    return sign_checkpoint(Checkpoint(origin=origin, size=size, root=root), KEY)


def signed(text: str) -> str:
    """Any text, signed by the log's key."""
    blob = VERIFIER.id + KEY.sign(text.encode())
    return f"{text}\n— {ORIGIN} {base64.b64encode(blob).decode()}\n"


def test_a_checkpoint_reads_back() -> None:
    assert open_checkpoint(note_of().encode(), VERIFIER) == Checkpoint(origin=ORIGIN, size=3, root=b"r" * 32)
    assert note_of(size=0).split("\n")[1] == "0"


def test_signatures_of_others_are_let_stand() -> None:
    witness = PETERS.rpartition("\n\n")[2]
    assert open_checkpoint((note_of() + witness).encode(), VERIFIER).size == 3
    same_name = note_of() + f"— {ORIGIN} {base64.b64encode(b'idid' + b's' * 64).decode()}\n"
    assert open_checkpoint(same_name.encode(), VERIFIER).size == 3


def test_extension_lines_are_let_stand() -> None:
    text = f"{ORIGIN}\n3\n{base64.b64encode(b'r' * 32).decode()}\nmore\n"
    assert open_checkpoint(signed(text).encode(), VERIFIER).size == 3


ROOT_LINE = base64.b64encode(b"r" * 32).decode()


@pytest.mark.parametrize(
    ("note", "fault", "message"),
    [
        (lambda: PETERS, CheckpointUnsigned, r"^signed by PeterNeumann\+c74f20a3, not by cardroom/test\+"),
        (lambda: note_of().replace("\n3\n", "\n4\n"), CheckpointForged, "does not fit"),
        (lambda: note_of() + signed("x\n").rpartition("\n\n")[2], CheckpointForged, "does not fit"),
        (lambda: signed("cardroom/other\n3\n" + ROOT_LINE + "\n"), OriginForeign, "of the log 'cardroom/other'"),
        (lambda: signed(f"{ORIGIN}\n03\n{ROOT_LINE}\n"), CheckpointMalformed, "the size is '03'"),
        (lambda: signed(f"{ORIGIN}\n+3\n{ROOT_LINE}\n"), CheckpointMalformed, r"the size is '\+3'"),
        (lambda: signed(f"{ORIGIN}\n-1\n{ROOT_LINE}\n"), CheckpointMalformed, "the size is '-1'"),
        (lambda: signed(f"{ORIGIN}\n٣\n{ROOT_LINE}\n"), CheckpointMalformed, "the size is "),
        (lambda: signed(f"{ORIGIN}\n3\n{ROOT_LINE[:-4]}\n"), CheckpointMalformed, "the root is not 32 bytes"),
        (lambda: signed(f"{ORIGIN}\n3\n{ROOT_LINE[:-1]}\n"), CheckpointMalformed, "the root is not 32 bytes"),
        (lambda: signed(f"{ORIGIN}\n3\n"), CheckpointMalformed, "three lines"),
        (lambda: signed(f"\n3\n{ROOT_LINE}\n"), CheckpointMalformed, "three lines"),
        (lambda: note_of().rpartition("\n\n")[0], CheckpointMalformed, "a note is its text"),
        (lambda: note_of()[:-1], CheckpointMalformed, "a note is its text"),
        (lambda: note_of().replace("— ", "- "), CheckpointMalformed, "is no line of a signature"),
        (lambda: note_of().replace("— ", "—  "), CheckpointMalformed, "is no line of a signature"),
        (lambda: note_of() + "\n", CheckpointMalformed, "a note is its text"),
        (lambda: note_of().replace("\n3\n", "\r\n3\n"), CheckpointMalformed, "control character"),
        (lambda: note_of() + "x" * 1_000_000, CheckpointMalformed, "at most 1000000"),
        (lambda: "", CheckpointMalformed, "a note is its text"),
    ],
)
def test_notes_that_are_refused(note: Callable[[], str], fault: type[CheckpointFault], message: str) -> None:
    with pytest.raises(fault, match=message):
        open_checkpoint(note().encode(), VERIFIER)


def test_a_note_that_is_no_text() -> None:
    with pytest.raises(CheckpointMalformed, match=r"^the note is not UTF-8$"):
        open_checkpoint(b"\xff" + note_of().encode(), VERIFIER)


def test_an_origin_that_cannot_sign() -> None:
    with pytest.raises(ValueError, match=r"^'card room' is no origin: no spaces, no plus$"):
        note_of(origin="card room")


def test_ten_days_of_a_log(played: Room) -> None:
    proven = published(played.files(), VERIFIER)
    assert (proven.checkpoints, proven.last.size, len(proven.leaves)) == (10, 30, 20)
    agreement = against_leaves(played.book.export(), proven.leaves)
    assert agreement.findings == ()
    assert (agreement.leaves, agreement.tables) == (20, {"t1": 30, "t2": 30})


def test_the_log_only_grows(played: Room) -> None:
    """Between every two of the ten checkpoints, by the tiles that everyone may read."""
    notes = [played.archive.get(f"log/checkpoints/{day}") for day in DAYS]
    checkpoints = [open_checkpoint(note, VERIFIER) for note in notes]
    tree = Tree(lambda path: played.archive.get("log/" + path), checkpoints[-1].size)
    for number, new in enumerate(checkpoints):
        assert tree.root(new.size) == new.root
        for old in checkpoints[:number]:
            proof = tree.consistency(old.size, new.size)
            check_consistency(old=old.size, old_root=old.root, size=new.size, root=new.root, proof=proof)


def test_an_operator_learns_nothing_of_others(played: Room) -> None:
    for day, content in played.files().items():
        assert b'"operator":"op"' in content
        assert b'"other"' not in content, day
    salts = [leaf["salt"] for leaf in published(played.files(), VERIFIER).leaves]
    assert len(set(salts)) == len(salts)
    heads = {canonical.sha256_hex(jws.encode()) for chain in played.book.chains.values() for jws in chain}
    for name in played.archive.list("log/tile/"):
        assert not any(bytes.fromhex(head) in played.archive.get(name) for head in heads)


def test_bare_checkpoints_count_too(played: Room) -> None:
    bare = {"kept": played.archive.get(f"log/checkpoints/{DAYS[0]}")}
    proven = published({**bare, **played.files(DAYS[1:])}, VERIFIER)
    assert (proven.checkpoints, len(proven.leaves)) == (10, 18)


def test_a_missing_day_leaves_a_gap(played: Room) -> None:
    files = played.files([*DAYS[:4], *DAYS[5:]])
    with pytest.raises(LogGap, match=r"^2026-11-25: no proof that its log of 18 leaves continues the 12 of 2026-11-23"):
        published(files, VERIFIER)


def test_history_rewritten_with_the_genuine_keys(room: Room) -> None:
    """All signatures hold and each link fits; the checkpoint of the day before the rewriting stands against it."""
    room.play(DAYS[:5])
    honest = room.book.export()
    assert against_leaves(honest, published(room.files(DAYS[:5]), VERIFIER).leaves).ok
    was = canonical.sha256_hex(room.book.chains["op", "t1"][2].encode())
    room.book.rewrite("op", "t1", 2)
    room.play(DAYS[5:])
    agreement = against_leaves(room.book.export(), published(room.files(), VERIFIER).leaves)
    (fork,) = agreement.findings
    assert (fork.code, fork.table_id, fork.seq, fork.line) == ("chain-forked", "t1", 3, 4)
    assert fork.message == (
        "another record 3 of table t1 than the one published on 2026-11-20: its history was rewritten"
    )
    assert (fork.expected, fork.found) == (was, canonical.sha256_hex(room.book.chains["op", "t1"][2].encode()))
    assert agreement.tables == {"t1": 0, "t2": 30}
    after = against_leaves(room.book.export(), published(room.files(DAYS[5:]), VERIFIER).leaves)
    assert after.ok  # which is why old checkpoints are kept


def test_a_log_rewritten_with_the_genuine_key(room: Room, tmp_path: Path) -> None:
    """Whoever rewrites the log, too, contradicts every checkpoint that was handed out."""
    kept = room.play(DAYS[:5]).files(DAYS[:5])
    second = Room(tmp_path / "second")
    second.play()
    with pytest.raises(LogForked, match=r"2026-11-24 and 2026-11-25: the tree of 18 leaves does not continue the one"):
        published({**kept, **second.files(DAYS[5:])}, VERIFIER)
    with pytest.raises(LogForked, match=r"^kept and 2026-11-24: two roots for 15 leaves: "):
        published({"kept": kept[DAYS[4]], **second.files(DAYS[4:])}, VERIFIER)


def test_what_an_export_lacks(played: Room) -> None:
    leaves = published(played.files(), VERIFIER).leaves
    whole = played.book.export()
    (short,) = against_leaves([*whole[:29], *whole[31:]], leaves).findings  # records 29 and 30 of t1
    assert (short.code, short.table_id, short.seq, short.found) == ("record-missing", "t1", 30, 28)
    assert short.message == "record 30 of table t1 was published on 2026-11-29 and is not here"
    (gap,) = against_leaves([*whole[:10], *whole[11:]], leaves).findings
    assert (gap.code, gap.table_id, gap.seq) == ("chain-broken", "t1", 11)
    (headless,) = against_leaves([*whole[1:29], *whole[31:]], leaves).findings  # nor does the header say whose they are
    assert (headless.code, headless.table_id, headless.seq) == ("record-missing", "t1", 30)
    without = against_leaves([line for line in whole if b"record" not in line or line in whole[:31]], leaves)
    assert {finding.table_id for finding in without.findings} == {"t2"}


def roots_of(room: Room) -> RootVerifier:
    return RootVerifier(room.book.signer.roots())


def cut_export(room: Room, records: Sequence[str], **header: Any) -> list[bytes]:
    """An export whose genuine trailer says that it leaves out the rest."""
    named = ExportHeader(**{"operator": "op", "table_id": "t1", **header})
    return [line.encode() for line in export_lines(records, signer=room.book.signer, clock=CLOCK, header=named)]


def test_exports_that_leave_out_on_purpose(played: Room) -> None:
    """What a genuine trailer signs is known to be left out; without a root key nobody vouches for it."""
    leaves, roots = published(played.files(), VERIFIER).leaves, roots_of(played)
    chain = played.book.chains["op", "t1"]
    for records, header, met in (
        (chain, {}, 10),
        (chain[15:], {"after": 15}, 5),
        ([chain[2], chain[5]], {"round_id": "r1"}, 2),
    ):
        export = cut_export(played, records, **header)
        with_root = against_leaves(export, leaves, roots)
        assert with_root.ok and with_root.leaves == met
        without = against_leaves(export, leaves)
        assert not without.ok
        assert any("nobody vouches for without a root key" in one.message for one in without.findings)
    nothing = against_leaves(cut_export(played, [chain[3]], round_id="r1"), leaves, roots)
    assert not nothing.findings
    assert not nothing.ok


@pytest.mark.parametrize(
    "lie",
    [
        {"round_id": "r1"},
        {"table_id": "t1"},
        {"after": 20, "table_id": "t1"},
        {"operator": "other"},
        {"operator": "nobody", "table_id": "t9", "round_id": "r"},
    ],
)
@pytest.mark.parametrize("rooted", [False, True])
def test_an_edited_header_hides_no_missing_record(played: Room, lie: Json, rooted: bool) -> None:
    leaves = published(played.files(), VERIFIER).leaves
    whole = played.book.export()
    header = canonical.dumps({**json.loads(whole[0]), **lie}) + b"\n"
    lines = [header, *whole[1:20], *whole[31:]]  # records 20 to 30 of t1 are gone
    agreement = against_leaves(lines, leaves, roots_of(played) if rooted else None)
    found = {one.code for one in agreement.findings}
    assert "record-missing" in found and ("trailer-invalid" in found) == rooted
    assert not agreement.ok
    if rooted:
        complete = against_leaves([header, *whole[1:]], leaves, roots_of(played))
        assert [one.code for one in complete.findings] == ["header-changed"]


def test_another_trailer_vouches_for_nothing(played: Room, tmp_path: Path) -> None:
    leaves = published(played.files(), VERIFIER).leaves
    chain = played.book.chains["op", "t1"]
    stranger = EphemeralSigner(root=KeyFileRoot(tmp_path), audience="test")
    header = ExportHeader(operator="op", table_id="t1")
    lines = [line.encode() for line in export_lines(chain, signer=stranger, clock=CLOCK, header=header)]
    found = {one.code for one in against_leaves(lines, leaves, roots_of(played)).findings}
    assert found == {"trailer-invalid", "record-missing"}


@pytest.mark.parametrize("header", [{"round_id": "r1"}, {"after": 28}, {"table_id": "t2"}])
def test_the_genuine_trailer_of_another_export_vouches_for_nothing(played: Room, header: Json) -> None:
    """Whoever may export one round could else put its first and last line around what is left of a cut export."""
    leaves, chain = published(played.files(), VERIFIER).leaves, played.book.chains["op", "t1"]
    other = cut_export(played, chain[28:] if "after" in header else chain[2:3], **header)
    whole = played.book.export()
    spliced = [other[0], *whole[1:20], other[-1]]  # records 20 to 30 of t1, and all of t2, are gone
    found = against_leaves(spliced, leaves, roots_of(played)).findings
    assert {"trailer-invalid", "record-missing"} <= {one.code for one in found}
    twice = against_leaves([*whole, other[-1]], leaves, roots_of(played)).findings
    assert [one.code for one in twice] == ["trailer-invalid"]


def test_records_of_two_operators(played: Room) -> None:
    leaves = published(played.files(), VERIFIER).leaves
    foreign = played.book.export("other")[1]
    (finding,) = against_leaves([*played.book.export(), foreign], leaves).findings
    assert (finding.code, finding.expected, finding.found) == ("operator-foreign", "op", "other")


def test_leaves_that_contradict_each_other(played: Room) -> None:
    """Both are in the log, signed by its genuine key; no chain has both."""
    leaves, export = list(published(played.files(), VERIFIER).leaves), played.book.export()
    one = next(leaf for leaf in leaves if leaf["table_id"] == "t1" and leaf["day"] == DAYS[4])
    forked = {**one, "sha256": "ab" * 32}
    back = {**one, "day": DAYS[7], "seq": 1, "sha256": canonical.sha256_hex(played.book.chains["op", "t1"][0].encode())}
    for more in (forked, back):
        found = against_leaves(export, [*leaves, more]).findings
        assert [finding.code for finding in found if finding.line is None][:1] == ["leaf-contradicted"]
    last = max((leaf for leaf in leaves if leaf["table_id"] == "t1"), key=lambda leaf: leaf["day"])
    assert against_leaves(export, [*leaves, {**last, "day": "2026-12-24"}]).ok  # an idle table's head, again


def test_a_leaf_belongs_to_its_day(played: Room) -> None:
    files = played.files()
    astray = {**json.loads(files[DAYS[3]]), "day": DAYS[2]}
    with pytest.raises(LeafAstray, match=f"leaf [0-9]+ is of {DAYS[3]}, the file of {DAYS[2]}"):
        published({**files, DAYS[3]: canonical.dumps(astray)}, VERIFIER)


def _anything(random: Random) -> Any:
    return random.choice([None, True, 0, -1, 2**53 - 1, "", "x", [], ["x"], {}, {"x": 1}])


def _mutated(value: Any, random: Random) -> Any:
    """A JSON value with another one in one place."""
    places = [((), value)]
    for path, item in places:
        if isinstance(item, dict | list):
            pairs = item.items() if isinstance(item, dict) else enumerate(item)
            places += [((*path, key), inner) for key, inner in pairs]
    path, _ = random.choice(places[1:])
    made = json.loads(json.dumps(value))
    parent = made
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = _anything(random)
    return made


def test_whatever_a_file_holds_is_refused_by_name_or_found(played: Room) -> None:
    random, files, export = Random("files"), played.files(), played.book.export()
    leaves, roots = published(files, VERIFIER).leaves, roots_of(played)
    refused = 0
    for _ in range(300):
        day = random.choice(DAYS)
        changed = {**files, day: canonical.dumps(_mutated(json.loads(files[day]), random))}
        try:
            assert published(changed, VERIFIER).leaves
        except CheckpointFault:
            refused += 1
    assert refused > 200
    for _ in range(100):
        number = random.randrange(len(export))
        line = json.loads(export[number])
        odd = random.choice([canonical.dumps(_mutated(line, random)), b"[" * 9_000, b"\xff{}", b"", b'{"record":1}\n'])
        against_leaves([*export[:number], odd, *export[number + 1 :]], leaves, roots)
    for payload in ({"operator": ["op"], "table_id": "t1", "seq": 1, "prev": None}, {"operator": "op"}, {"seq": {}}):
        odd = canonical.dumps({"record": f"e30.{b64url(canonical.dumps(payload))}.AA"})
        assert against_leaves([*export, odd], leaves, roots).ok  # which says nothing, as `verify` tells


def with_leaf(content: bytes, **more: object) -> Json:
    """The file with its first leaf changed."""
    value: Json = json.loads(content)
    value["leaves"][0] |= more
    return value


def test_what_an_operators_file_may_not_say(played: Room) -> None:
    content = played.files()[DAYS[0]]
    value = json.loads(content)
    value["leaves"][0]["opening"]["sha256"] = "00" * 32
    with pytest.raises(LeafAbsent, match=r"^day: table t1, record 3: leaf 0 is not in the tree of 3 leaves"):
        published({"day": canonical.dumps(value)}, VERIFIER)
    for changed in (
        {**json.loads(content), "more": 1},
        {**json.loads(content), "cardroom_checkpoint": 2},
        {**json.loads(content), "leaves": [{"index": 0}]},
        {**json.loads(content), "cardroom_checkpoint": True},
        {**json.loads(content), "since": {"size": "0", "proof": []}},
        {**json.loads(content), "since": {"size": True, "proof": []}},
        {**json.loads(content), "since": {"size": 0, "proof": [], "more": 1}},
        {**json.loads(content), "since": {"size": 0, "proof": {}}},
        with_leaf(content, proof=""),
        with_leaf(content, proof={}),
        with_leaf(content, more=1),
    ):
        with pytest.raises(CheckpointMalformed, match=r"^day: not an operator's file with a checkpoint: "):
            published({"day": canonical.dumps(changed)}, VERIFIER)
    beyond = {**json.loads(content), "since": {"size": 4, "proof": []}}
    with pytest.raises(CheckpointMalformed, match=r"^day: the log had 4 leaves before, and 3 now"):
        published({"day": canonical.dumps(beyond)}, VERIFIER)
    with pytest.raises(CheckpointMalformed, match=r"^no checkpoint was given$"):
        published({}, VERIFIER)
    assert OperatorFile.parse(content).to_bytes() == content


class Interrupted(Exception):
    """The publisher is stopped here."""


class Brittle:
    """An archive that fails before the n-th file is put, or after it, its reply lost."""

    def __init__(self, archive: FolderArchive, puts: int, *, lands: bool) -> None:
        self._archive, self._puts, self._lands = archive, puts, lands
        self.names: list[str] = []

    def put(self, name: str, content: bytes) -> None:
        self.names.append(name)
        if len(self.names) > self._puts:
            if self._lands:
                self._archive.put(name, content)
            raise Interrupted(name)
        self._archive.put(name, content)

    def get(self, name: str) -> bytes:
        return self._archive.get(name)

    def list(self, prefix: str) -> Sequence[str]:
        return self._archive.list(prefix)


@pytest.mark.parametrize("lands", [False, True])
@pytest.mark.parametrize("puts", range(7))
@pytest.mark.parametrize("later", [DAYS[2], DAYS[4]])
def test_an_interrupted_day_is_finished(room: Room, puts: int, lands: bool, later: str) -> None:
    """Stopped at any file, and gone on from on that day or later: one log, and no file written twice."""
    room.play(DAYS[:2])
    CLOCK.day = DAYS[2]
    room.book.write("op", "t1", ["x"])
    whole = room.publisher
    brittle = Brittle(room.archive, puts, lands=lands)
    with pytest.raises(Interrupted):
        publish_checkpoint(Publisher(**{**fields(whole), "archive": brittle}))
    assert not any(name.startswith("log/checkpoints") for name in brittle.names[:-1])  # the last of all
    CLOCK.day = later
    room.book.write("op", "t1", ["y"])
    answer = publish_checkpoint(whole)
    # A day that had not begun is not made up for, and a checkpoint that landed is not published anew.
    begun = later if not brittle.names[1:] and not lands else DAYS[2]
    days = sorted({*DAYS[:2], begun, later})
    assert [name.rpartition("/")[2] for name in room.archive.list("log/checkpoints/")] == days
    assert answer["size"] == 3 * len(days)
    landed = lands and brittle.names[-1].startswith("log/checkpoints/")
    assert answer["published"] is (later != DAYS[2] or not landed)
    proven = published(room.files(days), VERIFIER)
    assert against_leaves(room.book.export(), proven.leaves).ok


def fields(publisher: Publisher) -> Json:
    return {name: getattr(publisher, name) for name in Publisher.__slots__}


def test_a_second_time_on_one_day(room: Room) -> None:
    room.play(DAYS[:1])
    before = {name: room.archive.get(name) for name in room.archive.list("log/")}
    room.book.write("op", "t1", ["later that day"])
    assert publish_checkpoint(room.publisher) == {"day": DAYS[0], "origin": ORIGIN, "size": 3, "published": False}
    assert {name: room.archive.get(name) for name in room.archive.list("log/")} == before


@pytest.mark.parametrize("begun", [False, True])
def test_a_clock_that_goes_back_over_midnight(room: Room, begun: bool) -> None:
    """A day before one that is published, or begun, gets no place behind it: the log goes on when the clock does."""
    room.play([DAYS[0]])
    if begun:
        brittle = Brittle(room.archive, 2, lands=False)
        CLOCK.day = DAYS[2]
        with pytest.raises(Interrupted):
            publish_checkpoint(Publisher(**{**fields(room.publisher), "archive": brittle}))
    else:
        room.play([DAYS[2]])
    CLOCK.day = DAYS[1]
    room.book.write("op", "t1", ["by the clock that went back"])
    message = f"the clock says {DAYS[1]}, and the log stands at {DAYS[2]} already: nothing is published before then"
    with pytest.raises(ClockBehind, match=f"^{message}$"):
        publish_checkpoint(room.publisher)
    assert room.archive.list("log/days/") == [f"log/days/{day}" for day in (DAYS[0], DAYS[2])]
    room.play([DAYS[3]])
    proven = published(room.files((DAYS[0], DAYS[2], DAYS[3])), VERIFIER)
    assert (proven.checkpoints, against_leaves(room.book.export(), proven.leaves).findings) == (3, ())


def test_two_publishers_at_once(room: Room) -> None:
    """The second begins when the first has settled the day: it writes the first one's day."""
    other = Publisher(**{**fields(room.publisher), "archive": Racing(room.archive, room.publisher)})
    room.play(DAYS[:1])
    CLOCK.day = DAYS[1]
    assert publish_checkpoint(other)["size"] == 6
    assert published(room.files(DAYS[:2]), VERIFIER).checkpoints == 2


class Racing:
    """An archive on which another publisher is faster, just before the first put."""

    def __init__(self, archive: FolderArchive, rival: Publisher) -> None:
        self._archive = archive
        self._rival: Publisher | None = rival
        self.get, self.list = archive.get, archive.list

    def put(self, name: str, content: bytes) -> None:
        rival, self._rival = self._rival, None
        if rival is not None:
            publish_checkpoint(rival)
        self._archive.put(name, content)


def test_a_log_that_was_damaged(room: Room) -> None:
    room.play(DAYS[:1])
    (tile,) = room.archive.list("log/tile/0/")
    path = room.archive._folder / tile
    path.write_bytes(bytes(path.stat().st_size))
    CLOCK.day = DAYS[1]
    with pytest.raises(LogDamaged, match=r"^the tiles of the log do not give the root of the checkpoint of 2026"):
        publish_checkpoint(room.publisher)


def test_no_tables_yet(room: Room) -> None:
    CLOCK.day = DAYS[0]
    assert publish_checkpoint(room.publisher)["size"] == 0
    room.play(DAYS[1:3])
    proven = published(room.files(DAYS[:3]), VERIFIER)
    assert (proven.checkpoints, proven.last.size) == (3, 6)


def test_an_archive_never_writes_over(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path)
    archive.put("a/b", b"1")
    archive.put("a/b", b"1")
    with pytest.raises(ArchiveConflict, match=r"a/b is there with other content$"):
        archive.put("a/b", b"2")
    assert (archive.get("a/b"), archive.list("a/"), archive.list("x/")) == (b"1", ["a/b"], [])
    with pytest.raises(KeyError, match="a/c"):
        archive.get("a/c")


class Bucket:
    """A client of S3 that gives two names a page, and fails as it is told."""

    def __init__(self, names: Sequence[str] = (), error: str = "", status: int = 400) -> None:
        self._names, self._error, self._status = names, error, status

    def list_objects_v2(self, **asked: str) -> Json:
        begin = int(asked.get("ContinuationToken", 0))
        page: Json = {"Contents": [{"Key": name} for name in self._names[begin : begin + 2]]}
        more = begin + 2 < len(self._names)
        return page | {"IsTruncated": more} | ({"NextContinuationToken": str(begin + 2)} if more else {})

    def put_object(self, **_asked: Any) -> None:
        raise self._failure("PutObject")

    def get_object(self, **asked: Any) -> Json:
        if self._error == "PreconditionFailed":
            return {"Body": BytesIO(b"1")}
        raise self._failure("GetObject")

    def _failure(self, operation: str) -> ClientError:
        answer: Any = {"Error": {"Code": self._error}, "ResponseMetadata": {"HTTPStatusCode": self._status}}
        return ClientError(answer, operation)


def test_a_bucket_as_an_archive() -> None:
    assert S3Archive(Bucket(["a", "b", "c", "d", "e"]), "bucket").list("") == ["a", "b", "c", "d", "e"]
    assert S3Archive(Bucket([]), "bucket").list("") == []
    there = S3Archive(Bucket(error="PreconditionFailed", status=412), "bucket")
    there.put("log/x", b"1")
    with pytest.raises(ArchiveConflict, match=r"^s3://bucket/log/x is there with other content$"):
        there.put("log/x", b"2")
    with pytest.raises(KeyError, match="log/x"):
        S3Archive(Bucket(error="NoSuchKey", status=404), "bucket").get("log/x")
    for error, status in (("SlowDown", 503), ("ConditionalRequestConflict", 409)):
        with pytest.raises(StoreUnavailable, match=rf"^S3 put_object failed: .*{error}"):
            S3Archive(Bucket(error=error, status=status), "bucket").put("log/x", b"1")
    with pytest.raises(ClientError, match="AccessDenied"):  # nothing that another attempt cures
        S3Archive(Bucket(error="AccessDenied", status=403), "bucket").put("log/x", b"1")


def test_a_key_in_a_file(tmp_path: Path) -> None:
    key = KeyFileCheckpointKey(tmp_path)
    note = sign_checkpoint(Checkpoint(origin=ORIGIN, size=1, root=b"r" * 32), key)
    again = KeyFileCheckpointKey(tmp_path)
    assert open_checkpoint(note.encode(), VerifierKey(name=ORIGIN, public=again.public())).size == 1
    path = tmp_path / "checkpoint-key.pem"
    assert path.stat().st_mode & 0o777 == 0o600
    KeyFileRoot(tmp_path / "root").jwks()
    path.write_bytes((tmp_path / "root/root-key.pem").read_bytes())
    with pytest.raises(KeysUnavailable, match=r"checkpoint-key\.pem is no Ed25519 key: put the file back"):
        again.public()
    path.chmod(0o644)
    with pytest.raises(KeysUnavailable, match="may be read by others than its owner"):
        again.public()


def test_the_command(played: Room, tmp_path: Path) -> None:
    key, export = tmp_path / "log.key", tmp_path / "export.jsonl"
    key.write_text(VERIFIER.text + "\n")
    export.write_bytes(b"".join(played.book.export()))
    options: list[str | Path] = ["--export", export, "--key", key]
    for day, content in played.files().items():
        (tmp_path / day).write_bytes(content)
        options += ["--checkpoint", tmp_path / day]
    ran = cardroom("checkpoint", "verify", *options)
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == (
        "10 checkpoints of cardroom/test up to 30 leaves: the export agrees, t1 up to record 30, t2 up to record 30.\n"
    )
    export.write_bytes(b"".join(line for line in played.book.export() if line not in played.book.export()[5:7]))
    broken = cardroom("checkpoint", "verify", *options)
    assert broken.status == 1
    assert [(found["code"], found["table_id"], found["seq"]) for found in broken.lines] == [("chain-broken", "t1", 7)]
    assert broken.err.endswith("the export contradicts them at table t1.\n")
    wrong = cardroom("checkpoint", "verify", *options[:3], PETER, *options[4:])
    assert wrong.status == 1
    assert wrong.lines[0]["code"] == "checkpoint-unsigned"


def test_publishing_by_command(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert cardroom("operators", "add", "op", "--data", data).status == 0
    first, second = (cardroom("checkpoint", "publish", "--data", data) for _ in range(2))
    assert (first.lines[0]["origin"], first.lines[0]["size"], first.lines[0]["published"]) == (
        "cardroom/local",
        0,
        True,
    )
    assert second.lines[0] == {**first.lines[0], "published": False}
    shown = cardroom("checkpoint", "key", "--data", data).out
    key = VerifierKey.parse(shown)
    checkpoint = next((data / "archive/log/checkpoints").iterdir())
    assert open_checkpoint(checkpoint.read_bytes(), key).size == 0
    checkpoint.rename(checkpoint.with_name("2999-01-01"))
    behind = cardroom("checkpoint", "publish", "--data", data)
    assert (behind.status, behind.err.count("\n")) == (1, 1)
    assert re.match(r"cardroom: the clock says 20..-..-.., and the log stands at 2999-01-01 already", behind.err)
