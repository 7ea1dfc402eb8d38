"""The payload of a record, the hash by which the next one names it, and where two of them differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from cardroom import canonical
from cardroom.shapes.parts import GameJson, RulesetReference, TableState
from cardroom.shapes.records import Engine, Record

RECORD_VERSION: Final = 2
_LIST_KEYS: Final = ("wager_id", "seat", "account")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What the next record of a table says, before it is numbered, dated and signed."""

    kind: str
    ruleset: RulesetReference | None
    request: GameJson
    body: GameJson
    table_after: TableState


def payload_of(
    step: Step, *, engine: Engine, operator: str, table_id: str, round_id: str, seq: int, prev: str | None, at: str
) -> Record:
    """The payload of the record that writes a step down."""
    return {
        "v": RECORD_VERSION,
        "kind": step.kind,
        "engine": engine,
        "operator": operator,
        "table_id": table_id,
        "round_id": round_id,
        "seq": seq,
        "prev": prev,
        "at": at,
        "ruleset": step.ruleset,
        "request": step.request,
        "body": step.body,
        "table_after": step.table_after,
    }


def record_sha256(jws: str) -> str:
    """The hash by which the next record of the chain names this one."""
    return canonical.sha256_hex(jws.encode("ascii"))


def differences(expected: object, found: object, path: str = "") -> Iterator[tuple[str, object, object]]:
    """Where two JSON values differ: (path, expected, found), None for what is absent.

    Items of a list are matched by their id where they have one; a list of the same items in another order differs
    as a whole.

    >>> list(differences({"wagers": [{"wager_id": "w1", "amount": 5}]}, {"wagers": [{"wager_id": "w1", "amount": 6}]}))
    [('wagers[w1].amount', 5, 6)]
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys()):
            name = f"{path}.{key}" if path else key
            if key in expected and key in found:
                yield from differences(expected[key], found[key], name)
            else:  # null is not absent
                yield name, expected.get(key), found.get(key)
    elif isinstance(expected, list) and isinstance(found, list):
        yield from _list_differences(expected, found, path)
    elif expected != found or type(expected) is not type(found):
        yield path, expected, found


def _list_differences(expected: list[Any], found: list[Any], path: str) -> Iterator[tuple[str, object, object]]:
    ours, theirs = _by_id(expected), _by_id(found)
    if ours is None or theirs is None:
        ours, theirs = dict(enumerate(expected)), dict(enumerate(found))
    elif ours.keys() == theirs.keys() and list(ours) != list(theirs):
        yield path, list(ours), list(theirs)
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        if name in ours and name in theirs:
            yield from differences(ours[name], theirs[name], f"{path}[{name}]")
        else:
            yield f"{path}[{name}]", ours.get(name), theirs.get(name)


def _by_id(items: list[Any]) -> dict[Any, Any] | None:
    for key in _LIST_KEYS:
        if all(isinstance(item, dict) and key in item for item in items):
            named = {item[key]: item for item in items}
            return named if len(named) == len(items) else None
    return None
