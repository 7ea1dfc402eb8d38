"""What a record is changed to, in one place: every member, within its shape and without."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple, Protocol

from cardroom.services.catalogue import published
from cardroom.signing.signature import plain_json

Path = tuple[str | int, ...]

OF_ANY_SHAPE: Final = 0.1
"""How likely a mutation is made that no record has the shape of."""


class Records(Protocol):
    """The records of a table: their payloads, what each is in its round, and the game."""

    payloads: list[bytes]
    roles: list[str]
    game: str


class Mutation(NamedTuple):
    """One change: of which record, at which place, how, the members that differ, and the payload with it."""

    number: int
    role: str
    path: Path
    how: str
    old: Any
    new: Any
    members: frozenset[str]
    payload: bytes

    def __str__(self) -> str:
        place, change = dotted(self.path), f"{_short(self.old)} -> {_short(self.new)}"
        return f"record {self.number} {self.role} {place} ({self.how}): {change}"


ABSENT: Final = object()
Members = Mapping[str, Sequence[Any]]


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every member of a JSON value, at any depth, with its path."""
    items: Sequence[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        items = [*value.items()]
    elif isinstance(value, list):
        items = [*enumerate(value)]
    for key, item in items:
        yield (*path, key), item
        yield from places(item, (*path, key))


def pattern(path: Path) -> str:
    """A path whose items of lists are all the same.

    >>> pattern(("body", "hands", 3, "cards"))
    'body.hands[].cards'
    """
    return "".join("[]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


def dotted(path: Path) -> str:
    """A path as findings write it, items by their index."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


def changed(old: Any, new: Any, path: Path = ()) -> Iterator[str]:
    """The members in which two JSON values differ; a list of the same items in another order is one, as `list (order)`.

    One in which a hand was left to the house way, or is no more, is one too, as `list[] (house way)`.

    >>> [*changed({"seats": [1, 2], "cut": 3}, {"seats": [2, 1]})]
    ['cut', 'seats (order)']
    >>> [*changed({"sets": []}, {"sets": [{"seat": 1, "how": "house_way"}]})]
    ['sets[] (house way)']
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key in old and key in new:
                yield from changed(old[key], new[key], (*path, key))
            else:
                yield pattern((*path, key))
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            longer, shorter = sorted((old, new), key=len, reverse=True)
            more = [one for one in longer if one not in shorter]
            by_house = [one for one in more if isinstance(one, dict) and one == {**one, "how": "house_way"}]
            plain = len(more) == len(by_house) == len(longer) - len(shorter) and all(len(one) == 2 for one in by_house)
            yield pattern((*path, 0)) + (" (house way)" if plain else "")
        elif old != new and sorted(map(plain_json, old)) == sorted(map(plain_json, new)):
            yield pattern(path) + " (order)"
        else:
            for index, (one, other) in enumerate(zip(old, new, strict=True)):
                yield from changed(one, other, (*path, index))
    elif plain_json(old) != plain_json(new):
        yield pattern(path)


def mutated(table: Records, random: Random, known: Mapping[str, Members], only: str = "") -> Mutation | None:
    """One change of a table's records; every member of every kind is as likely as any other.

    `only` is the one member, with its record's role, that may change; None if there is none of it.
    """
    members: dict[str, list[tuple[int, Path, Any]]] = defaultdict(list)
    for index, payload in enumerate(table.payloads):
        for path, value in places(json.loads(payload)):
            members[f"{table.roles[index]}:{pattern(path)}"].append((index, path, value))
    if only:
        members = {name: found for name, found in members.items() if name == only or name.endswith(f":{only}")}
    for _ in range(1_000 if members else 0):
        index, path, old = random.choice(members[random.choice([*members])])
        payload = json.loads(table.payloads[index])
        seen = known.get(f"{table.game}/{payload['kind']}", {})
        how, new = random.choice([*_others(old, random, seen, path)])
        data = _with(payload, path, new)
        if data != table.payloads[index] and (random.random() < OF_ANY_SHAPE or _has_a_shape(data)):
            names = frozenset(changed(json.loads(table.payloads[index]), json.loads(data)))
            return Mutation(index + 1, table.roles[index], path, how, old, new, names, data)
    return None


def _has_a_shape(payload: bytes) -> bool:
    """Whether a payload has the shape of a record, so that it is more than its form that an audit must look at."""
    return published().shapes.fault(json.loads(payload)) is None


def _with(payload: Any, path: Path, new: Any) -> bytes:
    """A payload with another value at a place."""
    parent = payload
    for key in path[:-1]:
        parent = parent[key]
    if new is ABSENT:
        del parent[path[-1]]
    else:
        parent[path[-1]] = new
    return plain_json(payload)


def _others(value: Any, random: Random, seen: Members, path: Path) -> Iterator[tuple[str, Any]]:
    """What a value is changed to, each with a word for how; some of it may be the value itself."""
    named = pattern(path)
    if isinstance(path[-1], str):
        yield "left out", ABSENT
    yield "null", None
    yield "nested", random.choice([[value], {"more": value}])
    if named in seen:
        for _ in range(3):
            yield "another's", random.choice(seen[named])
    if isinstance(value, bool):
        yield "flipped", not value
        yield "a number", int(value)
    elif isinstance(value, int):
        yield from _other_integers(value, random)
    elif isinstance(value, str):
        yield from _other_texts(value, random)
    elif isinstance(value, list):
        yield from _other_lists(value, random, seen, named)
    elif isinstance(value, dict):
        yield from _other_objects(value, random, seen, named)
    else:
        yield "something", random.choice([0, "", False, [], {}])


def _other_integers(value: int, random: Random) -> Iterator[tuple[str, Any]]:
    yield "one more", value + 1
    yield "one less", value - 1
    yield "doubled", value * 2
    yield "far", random.choice([0, 1, -value, 2**53 - 1, 2**53, -(2**53), value + 0.5])
    yield "text", str(value)
    if value in (0, 1):
        yield "a boolean", bool(value)


def _other_texts(value: str, random: Random) -> Iterator[tuple[str, Any]]:
    yield "empty", ""
    yield "longer", value + random.choice("a0 é")
    yield "another character", _another_character(value, random)
    yield "no text", random.choice([0, 1, True, [], {}])
    if len(value) == 2 or value.startswith("Jk"):
        yield "another card", random.choice("23456789TJQKA") + random.choice("cdhs")


def _another_character(value: str, random: Random) -> str:
    if not value:
        return "x"
    at = random.randrange(len(value))
    kinds = ("0123456789", "abcdef" if value[at] in "abcdef" else "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHJKQT")
    alphabet = next((kind for kind in kinds if value[at] in kind), "x-_")
    return value[:at] + random.choice(alphabet) + value[at + 1 :]


def _other_lists(value: list[Any], random: Random, seen: Members, named: str) -> Iterator[tuple[str, Any]]:
    yield "emptied", []
    yield "one more item", [*value, random.choice(seen.get(f"{named}[]", [None]))]
    if value:
        at = random.randrange(len(value))
        yield "an item twice", [*value[:at], value[at], *value[at:]]
        yield "an item dropped", [*value[:at], *value[at + 1 :]]
        yield "in another order", random.sample(value, len(value))
        yield "reversed", value[::-1]


def _other_objects(value: dict[str, Any], random: Random, seen: Members, named: str) -> Iterator[tuple[str, Any]]:
    yield "emptied", {}
    yield "an unknown member", {**value, "more": random.choice([1, None, "x", {}])}
    deeper = len(named) + 1
    lacks = [
        one for one in seen
        if one.startswith(f"{named}.") and not {".", "["} & {*one[deeper:]} and one[deeper:] not in value
    ]  # fmt: skip
    for _ in lacks and range(3):
        member = random.choice(lacks)
        yield "a known member", {**value, member[deeper:]: random.choice(seen[member])}


def _short(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    text = json.dumps(value)
    return text if len(text) <= 120 else f"{text[:120]}…"
