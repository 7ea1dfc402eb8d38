"""The log's tree: the reference tree of Certificate Transparency, proofs of every kind, tiles that only come anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardroom.log.tree import ProofInvalid, Tree, check_consistency, check_inclusion, entry_of, leaf_hash, tile_path

VECTORS = Path(__file__).parents[2] / "vectors/rfc6962"
REFERENCE: dict[str, Any] = json.loads((VECTORS / "reference_tree.json").read_text())
FAIL: dict[str, Any] = json.loads((VECTORS / "proofs_fail.json").read_text())
ENTRIES = [bytes.fromhex(entry) for entry in REFERENCE["entries"]]
ROOTS = [bytes.fromhex(root) for root in REFERENCE["roots"]]


def hashes(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def tree_of(entries: list[bytes]) -> Tree:
    tree = Tree()
    for entry in entries:
        tree.append(entry)
    return tree


class Stored:
    """A log whose tiles are kept, each written once, and read again by a new tree for every batch."""

    def __init__(self) -> None:
        self.tiles: dict[str, bytes] = {}
        self.size = 0

    def tree(self) -> Tree:
        return Tree(self.tiles.__getitem__, self.size)

    def grow(self, entries: list[bytes]) -> Tree:
        tree = self.tree()
        for entry in entries:
            tree.append(entry)
        for path, content in tree.new_tiles():
            assert path not in self.tiles
            self.tiles[path] = content
        self.size = tree.size
        return tree


def test_roots_and_nodes_of_the_reference_tree() -> None:
    tree = tree_of(ENTRIES)
    assert [tree.root(size) for size in range(9)] == ROOTS
    assert [leaf_hash(entry).hex() for entry in ENTRIES] == REFERENCE["nodes"][0]


@pytest.mark.parametrize("case", REFERENCE["inclusion"], ids=lambda case: f"{case['index']} of {case['size']}")
def test_inclusion_in_the_reference_tree(case: dict[str, Any]) -> None:
    proof = hashes(case["proof"])
    index, size = case["index"], case["size"]
    assert tree_of(ENTRIES).inclusion(index, size) == proof
    check_inclusion(entry=ENTRIES[index], index=index, size=size, root=ROOTS[size], proof=proof)


@pytest.mark.parametrize("case", REFERENCE["consistency"], ids=lambda case: f"{case['old']} to {case['size']}")
def test_consistency_in_the_reference_tree(case: dict[str, Any]) -> None:
    proof = hashes(case["proof"])
    old, size = case["old"], case["size"]
    assert tree_of(ENTRIES).consistency(old, size) == proof
    check_consistency(old=old, old_root=ROOTS[old], size=size, root=ROOTS[size], proof=proof)


@pytest.mark.parametrize("case", FAIL["inclusion"], ids=lambda case: case["why"])
def test_wrong_inclusion_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ProofInvalid, match=r"leaf"):
        check_inclusion(
            entry=bytes.fromhex(case["entry"]),
            index=case["index"],
            size=case["size"],
            root=bytes.fromhex(case["root"]),
            proof=hashes(case["proof"]),
        )


@pytest.mark.parametrize("case", FAIL["consistency"], ids=lambda case: case["why"])
def test_wrong_consistency_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ProofInvalid, match=r"proof|proved|continue|two roots"):
        check_consistency(
            old=case["old"],
            old_root=bytes.fromhex(case["old_root"]),
            size=case["size"],
            root=bytes.fromhex(case["root"]),
            proof=hashes(case["proof"]),
        )


def test_every_proof_of_small_trees_holds_and_any_other_does_not() -> None:
    entries = [bytes([number]) for number in range(20)]
    tree = tree_of(entries)
    roots = [tree.root(size) for size in range(21)]
    for size in range(1, 21):
        for index in range(size):
            proof = tree.inclusion(index, size)
            check_inclusion(entry=entries[index], index=index, size=size, root=roots[size], proof=proof)
            with pytest.raises(ProofInvalid):
                check_inclusion(entry=b"x", index=index, size=size, root=roots[size], proof=proof)
            with pytest.raises(ProofInvalid):
                check_inclusion(entry=entries[index], index=index, size=size, root=roots[size], proof=[*proof, b"x"])
        for old in range(size + 1):
            proof = tree.consistency(old, size)
            check_consistency(old=old, old_root=roots[old], size=size, root=roots[size], proof=proof)
            if 0 < old < size:
                with pytest.raises(ProofInvalid):
                    check_consistency(old=old, old_root=roots[old - 1], size=size, root=roots[size], proof=proof)


@given(st.lists(st.integers(0, 300), max_size=5), st.data())
def test_a_stored_log_is_the_tree_in_memory(batches: list[int], data: st.DataObject) -> None:
    stored, entries, sizes = Stored(), [], [0]
    for batch in batches:
        fresh = [f"{len(entries) + number}".encode() for number in range(batch)]
        entries += fresh
        stored.grow(fresh)
        sizes.append(stored.size)
    whole, again = tree_of(entries), stored.tree()
    assert again.size == len(entries)
    assert [again.root(size) for size in sizes] == [whole.root(size) for size in sizes]
    old = data.draw(st.sampled_from(sizes))
    assert again.consistency(old) == whole.consistency(old)
    if entries:
        index = data.draw(st.integers(0, len(entries) - 1))
        assert again.inclusion(index) == whole.inclusion(index)


def test_tiles_are_those_of_the_specification() -> None:
    """A tree of 70,000 leaves, the example of C2SP tlog-tiles."""
    stored = Stored()
    stored.grow([number.to_bytes(3) for number in range(70_000)])
    paths = list(stored.tiles)
    assert sum(path.startswith("tile/0/") and ".p/" not in path for path in paths) == 273
    assert {path for path in paths if ".p/" in path} == {
        "tile/entries/273.p/112",
        "tile/0/273.p/112",
        "tile/1/001.p/17",
        "tile/2/000.p/1",
    }
    assert stored.tiles["tile/entries/000"][:10] == b"\x00\x03\x00\x00\x00\x00\x03\x00\x00\x01"
    assert stored.tree().root() == tree_of([number.to_bytes(3) for number in range(70_000)]).root()


def test_a_full_tile_makes_the_level_above() -> None:
    stored = Stored()
    stored.grow([b"%d" % number for number in range(256)])
    assert list(stored.tiles) == ["tile/entries/000", "tile/0/000", "tile/1/000.p/1"]
    assert stored.tiles["tile/1/000.p/1"] == stored.tree().root()


def test_a_tile_that_was_cut_is_noticed() -> None:
    stored = Stored()
    stored.grow([b"a", b"b", b"c"])
    stored.tiles["tile/0/000.p/3"] = stored.tiles["tile/0/000.p/3"][:-1]
    with pytest.raises(ValueError, match=r"^tile tile/0/000\.p/3 has 95 bytes: 96 belong there$"):
        stored.tree().root()


@pytest.mark.parametrize(("tile", "path"), [(0, "tile/0/000"), (999, "tile/0/999"), (1_000, "tile/0/x001/000")])
def test_tile_paths(tile: int, path: str) -> None:
    assert tile_path(0, tile, 256) == path


def opening(**changes: Any) -> dict[str, Any]:
    leaf = {"v": 1, "day": "2026-11-29", "operator": "op", "table_id": "t1", "seq": 9, "sha256": "ab" * 32}
    return {**leaf, "salt": "cd" * 16, **changes}


def test_an_entry_is_salted() -> None:
    assert len(entry_of(opening())) == 32
    assert entry_of(opening()) != entry_of(opening(salt="ce" * 16))
    with pytest.raises(ValueError, match=r"^the opening has the fields "):
        entry_of({**opening(), "note": ""})


@pytest.mark.parametrize("size", [-1, 4])
def test_beyond_the_tree(size: int) -> None:
    with pytest.raises(ValueError, match=r"^a tree of -?\d leaves: there are 3$"):
        tree_of([b"a", b"b", b"c"]).root(size)
