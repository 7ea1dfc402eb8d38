"""The log of table heads: one Merkle tree of RFC 6962 that only grows, kept as the tiles of C2SP tlog-tiles.

A leaf's entry is the salted hash of what it says, so the log can be shown to everyone: only who has a leaf's opening
learns whose table it is and where that table stood.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from cardroom import canonical
from cardroom.shapes.audits import LeafOpening

HASH_BYTES: Final = 32
SALT_BYTES: Final = 16
WIDTH: Final = 256
"""How many hashes a full tile has."""

_HEIGHT: Final = 8  # of a full tile
_OPENING: Final = frozenset({"v", "day", "operator", "table_id", "seq", "sha256", "salt"})
_LEAF: Final = b"cardroom/leaf/v1\n"


class ProofInvalid(ValueError):
    """A proof that does not lead from what it starts at to the root."""


def entry_of(opening: LeafOpening) -> bytes:
    """The log's entry for an opened leaf `{v, day, operator, table_id, seq, sha256, salt}`, 32 bytes.

    Raises ValueError for other fields.
    """
    if opening.keys() != _OPENING:
        raise ValueError(f"the opening has the fields {', '.join(opening)}: {', '.join(sorted(_OPENING))} belong here")
    return hashlib.sha256(_LEAF + canonical.dumps(opening)).digest()


def leaf_hash(entry: bytes) -> bytes:
    """The hash of a leaf (RFC 6962 §2.1).

    >>> leaf_hash(b"").hex()[:8]
    '6e340b9c'
    """
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node (RFC 6962 §2.1); its prefix keeps it apart from any leaf's."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A log's tree: of its stored part it reads the tiles that it needs, what is appended it holds in memory.

    `read` gives the content of a stored tile by its path; `size` is how many leaves are stored.
    """

    def __init__(self, read: Callable[[str], bytes] | None = None, size: int = 0) -> None:
        self._read = read
        self._stored = size
        self._entries: list[bytes] = []
        self._nodes: dict[tuple[int, int], bytes] = {}
        self._tiles: dict[str, bytes] = {}

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return self._stored + len(self._entries)

    def append(self, entry: bytes) -> int:
        """Append a leaf; answers its index."""
        index = self.size
        self._nodes[0, index] = leaf_hash(entry)
        self._entries.append(entry)
        return index

    def root(self, size: int | None = None) -> bytes:
        """The root of the first `size` leaves (all, if not given)."""
        size = self._in_tree(self.size if size is None else size)
        return self._hash(0, size) if size else hashlib.sha256().digest()

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """The audit path of a leaf in the tree of the first `size` leaves (RFC 6962 §2.1.1)."""
        size = self._in_tree(self.size if size is None else size)
        if not 0 <= index < size:
            raise ValueError(f"leaf {index} of {size}")
        return self._path(index, 0, size)

    def consistency(self, old: int, size: int | None = None) -> list[bytes]:
        """The proof that the tree of `size` leaves continues the one of `old` leaves (RFC 6962 §2.1.2)."""
        size = self._in_tree(self.size if size is None else size)
        if not 0 <= old <= size:
            raise ValueError(f"the first {old} of {size} leaves")
        return self._subproof(old, 0, size, known=True) if 0 < old < size else []

    def new_tiles(self) -> Iterator[tuple[str, bytes]]:
        """The tiles that the appended leaves make or widen, entries first, each with its path."""
        for level in ("entries", *range((max(self.size, 1).bit_length() - 1) // _HEIGHT + 1)):
            shift = 0 if level == "entries" else int(level) * _HEIGHT
            old, new = self._stored >> shift, self.size >> shift
            for tile in range(old // WIDTH, -(-new // WIDTH)):
                width = min(new - tile * WIDTH, WIDTH)
                if tile * WIDTH + width > old:
                    path = tile_path(level, tile, width)
                    yield path, self._bundle(tile, width) if level == "entries" else self._tile(shift, tile, width)

    def _tile(self, height: int, tile: int, width: int) -> bytes:
        return b"".join(self._node(height, tile * WIDTH + place) for place in range(width))

    def _bundle(self, tile: int, width: int) -> bytes:
        """Entries, each after its length in two bytes; those of a stored partial bundle come first."""
        first = tile * WIDTH
        known = max(self._stored - first, 0)
        before = self._stored_tile("entries", tile, known) if known else b""
        begin = first + known - self._stored
        fresh = self._entries[begin : begin + width - known]
        return before + b"".join(len(entry).to_bytes(2) + entry for entry in fresh)

    def _in_tree(self, size: int) -> int:
        if not 0 <= size <= self.size:
            raise ValueError(f"a tree of {size} leaves: there are {self.size}")
        return size

    def _hash(self, begin: int, end: int) -> bytes:
        """The hash of the leaves from `begin` up to `end`, where `begin` is a multiple of the power of two above."""
        width = end - begin
        if width & (width - 1) == 0:
            return self._node(width.bit_length() - 1, begin // width)
        middle = begin + _split(width)
        return node_hash(self._hash(begin, middle), self._hash(middle, end))

    def _path(self, index: int, begin: int, end: int) -> list[bytes]:
        if end - begin == 1:
            return []
        middle = begin + _split(end - begin)
        if index < middle:
            return [*self._path(index, begin, middle), self._hash(middle, end)]
        return [*self._path(index, middle, end), self._hash(begin, middle)]

    def _subproof(self, old: int, begin: int, end: int, *, known: bool) -> list[bytes]:
        if old == end:
            return [] if known else [self._hash(begin, end)]
        middle = begin + _split(end - begin)
        if old <= middle:
            return [*self._subproof(old, begin, middle, known=known), self._hash(middle, end)]
        return [*self._subproof(old, middle, end, known=False), self._hash(begin, middle)]

    def _node(self, height: int, index: int) -> bytes:
        """The hash of a complete subtree of 2**height leaves."""
        found = self._nodes.get((height, index))
        if found is None:
            if (index + 1) << height <= self._stored and height % _HEIGHT == 0:
                found = self._from_tile(height // _HEIGHT, index)
            else:
                found = node_hash(self._node(height - 1, 2 * index), self._node(height - 1, 2 * index + 1))
            self._nodes[height, index] = found
        return found

    def _from_tile(self, level: int, index: int) -> bytes:
        tile = index // WIDTH
        width = min((self._stored >> (level * _HEIGHT)) - tile * WIDTH, WIDTH)
        place = index % WIDTH * HASH_BYTES
        return self._stored_tile(level, tile, width)[place : place + HASH_BYTES]

    def _stored_tile(self, level: int | str, tile: int, width: int) -> bytes:
        path = tile_path(level, tile, width)
        if path not in self._tiles:
            if self._read is None:
                raise ValueError(f"no stored tile {path}")
            content = self._read(path)
            if level != "entries" and len(content) != width * HASH_BYTES:
                raise ValueError(f"tile {path} has {len(content)} bytes: {width * HASH_BYTES} belong there")
            self._tiles[path] = content
        return self._tiles[path]


def tile_path(level: int | str, tile: int, width: int) -> str:
    """Where a tile lies (C2SP tlog-tiles); one that is not full yet says how wide it is.

    >>> tile_path(0, 1234067, 256), tile_path("entries", 0, 3)
    ('tile/0/x001/x234/067', 'tile/entries/000.p/3')
    """
    digits = f"{tile:03}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    parts = [digits[place : place + 3] for place in range(0, len(digits), 3)]
    number = "/".join([*(f"x{part}" for part in parts[:-1]), parts[-1]])
    return f"tile/{level}/{number}" + ("" if width == WIDTH else f".p/{width}")


def check_inclusion(*, entry: bytes, index: int, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """Check that an entry is the leaf of that index in a tree of that size and root (RFC 9162 §2.1.3.2).

    Raises ProofInvalid.
    """
    if not 0 <= index < size:
        raise ProofInvalid(f"there is no leaf {index} in a tree of {size}")
    found, place, last = leaf_hash(entry), index, size - 1
    for sibling in proof:
        if last == 0:
            raise ProofInvalid(f"the proof of leaf {index} is too long")
        if place & 1 or place == last:
            found = node_hash(sibling, found)
            while place & 1 == 0 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        place, last = place >> 1, last >> 1
    if last != 0:
        raise ProofInvalid(f"the proof of leaf {index} is too short")
    if found != root:
        raise ProofInvalid(f"leaf {index} is not in the tree of {size} leaves with this root")


def check_consistency(*, old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """Check that a tree continues an older one: nothing in it was changed, only appended to (RFC 9162 §2.1.4.2).

    Raises ProofInvalid.
    """
    if not 0 <= old <= size:
        raise ProofInvalid(f"a tree of {size} leaves cannot continue one of {old}")
    if old in (0, size):
        if proof:
            raise ProofInvalid(f"nothing is to be proved between {old} and {size} leaves")
        if old_root != (root if old else hashlib.sha256().digest()):
            raise ProofInvalid(f"two roots for {old} leaves")
        return
    before, after = _both_roots(old, size, old_root, proof)
    if before != old_root or after != root:
        raise ProofInvalid(f"the tree of {size} leaves does not continue the one of {old}")


def _both_roots(old: int, size: int, old_root: bytes, proof: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The roots of the old and the new tree that a proof leads to."""
    path = list(proof) if old & (old - 1) else [old_root, *proof]
    if not path:
        raise ProofInvalid("the proof is too short")
    place, last = old - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    before = after = path[0]
    for sibling in path[1:]:
        if last == 0:
            raise ProofInvalid("the proof is too long")
        if place & 1 or place == last:
            before, after = node_hash(sibling, before), node_hash(sibling, after)
            while place & 1 == 0 and place:
                place, last = place >> 1, last >> 1
        else:
            after = node_hash(after, sibling)
        place, last = place >> 1, last >> 1
    if last != 0:
        raise ProofInvalid("the proof is too short")
    return before, after


def _split(width: int) -> int:
    """The largest power of two below a width of at least two."""
    return 1 << ((width - 1).bit_length() - 1)
