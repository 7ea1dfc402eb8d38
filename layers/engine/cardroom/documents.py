"""Reading a rule set's document field by field, gathering everything that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, Self, TypeVar

from cardroom.refusals import FieldFault, Refusal

Document = Mapping[str, Any]
"""A rule set, or a table of one, before anything is known of what it holds."""

_E = TypeVar("_E", bound=StrEnum)
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


class RulesetInvalid(Refusal):
    """A rule set's document has a field unknown, missing, of the wrong type or of a value that is not offered."""


def fixed_sums(document: Document) -> dict[str, int]:
    """The sums of money that a document fixes, in minor units, by their paths.

    Each is above 1: 0 stands for none, and 1 for the smallest amount of any currency.

    >>> fixed_sums({"unit_minor": 1, "envy": {"least_minor": 500, "lines": [{"line": "flush", "pays_minor": 20}]}})
    {'envy.least_minor': 500, 'envy.lines.flush.pays_minor': 20}
    """
    return dict(_sums(document, ""))


def _sums(value: object, path: str) -> Iterator[tuple[str, int]]:
    for name, inner in _members(value):
        if name.endswith("_minor") and type(inner) is int and inner > 1:
            yield f"{path}{name}", inner
        yield from _sums(inner, f"{path}{name}.")


def with_sums(document: Document, sums: Mapping[str, object]) -> Document:
    """The document with other sums at some of the paths that `fixed_sums` tells.

    >>> with_sums({"lines": [{"line": "flush", "pays_minor": 20}]}, {"lines.flush.pays_minor": 3_000})
    {'lines': [{'line': 'flush', 'pays_minor': 3000}]}
    """
    changed: Document = _with(document, "", sums)
    return changed


def _with(value: Any, path: str, sums: Mapping[str, object]) -> Any:
    members = _members(value)
    if not members:
        return sums.get(path.removesuffix("."), value)
    inner = [(name, _with(one, f"{path}{name}.", sums)) for name, one in members]
    return [one for _, one in inner] if isinstance(value, list) else dict(inner)


def _members(value: object) -> list[tuple[str, Any]]:
    """What a table holds by its names, or a list by its items' lines, or else their places."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list):
        return [(str(one.get("line", at) if isinstance(one, dict) else at), one) for at, one in enumerate(value)]
    return []


class Reader:
    """Reads a table of a document, and notes what is wrong with it.

    A faulty field reads as some value of its type, so that the rest can be looked at too; `refuse` then raises.

    >>> read = Reader({"seats": 9, "colour": "green"}, what="a rule set")
    >>> read.integer("seats", 2, 8)
    2
    >>> read.refuse()
    Traceback (most recent call last):
    cardroom.documents.RulesetInvalid: not a rule set: seats must be 2 to 8
    """

    def __init__(self, table: Document, *, what: str, path: str = "", faults: list[FieldFault] | None = None) -> None:
        self._table = table
        self._what = what
        self._path = path
        self._tables: dict[str, Self] = {}
        self._read: set[str] = set()
        self.faults: list[FieldFault] = [] if faults is None else faults

    def fault(self, name: str, message: str) -> None:
        """Note that a field is wrong."""
        self.faults.append(FieldFault(f"{self._path}{name}", message))

    def refuse(self) -> None:
        """Raise RulesetInvalid if anything was wrong, or if there are fields that nobody read.

        A document that fixes sums of money names their `currency`; no other has one.
        """
        self._check_currency()
        self._note_unknown()
        if self.faults:
            first = self.faults[0]
            raise RulesetInvalid(f"not {self._what}: {first.field} {first.message}", *self.faults)

    def names(self) -> list[str]:
        """The names of all fields."""
        return sorted(self._table)

    def text(self, name: str) -> str:
        """A text."""
        value = self._value(name)
        return value if self._is(name, value, str, "a text") else ""

    def exactly(self, name: str, wanted: str) -> None:
        """A text that can only be this one."""
        if self.text(name) != wanted:
            self.fault(name, f"must be {wanted}")

    def integer(self, name: str, low: int, high: int) -> int:
        """An integer from `low` to `high`."""
        value = self._value(name)
        if not self._is(name, value, int, "an integer"):
            return low
        if not low <= value <= high:
            self.fault(name, f"must be {low} to {high}")
            return low
        return int(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._value(name)
        return bool(value) if self._is(name, value, bool, "true or false") else False

    def one_of(self, name: str, kind: type[_E]) -> _E:
        """One of the values of an enumeration."""
        value = self._value(name)
        if self._is(name, value, str, "a text"):
            if value in set(kind):
                return kind(value)
            self.fault(name, f"must be one of {', '.join(kind)}")
        return next(iter(kind))

    def some_of(self, name: str, kind: type[_E], *, at_least: int) -> tuple[_E, ...]:
        """A list of values of an enumeration, each once."""
        value = self._value(name)
        if not self._is(name, value, list, "a list"):
            return ()
        chosen = [kind(item) for item in value if isinstance(item, str) and item in set(kind)]
        if len(chosen) != len(value) or len(set(chosen)) != len(chosen) or len(chosen) < at_least:
            self.fault(name, f"must be a list of {at_least} or more of {', '.join(kind)}, each once")
        return tuple(chosen)

    def texts(self, name: str) -> dict[str, str]:
        """A table of texts."""
        table = self.table(name)
        return {key: table.text(key) for key in table.names()}

    def table(self, name: str) -> Self:
        """A table inside this one."""
        if name not in self._tables:
            value = self._value(name)
            known = value if self._is(name, value, dict, "a table") else {}
            self._tables[name] = type(self)(known, what=self._what, path=f"{self._path}{name}.", faults=self.faults)
        return self._tables[name]

    def _check_currency(self) -> None:
        currency, sums = self._value("currency"), fixed_sums(self._table)
        if sums and not (isinstance(currency, str) and _CURRENCY.fullmatch(currency)):
            self.fault("currency", f"must be three capital letters: what {', '.join(sums)} are in")
        elif currency is not None and not sums:
            self.fault("currency", "must be left out where no sum is fixed")

    def _value(self, name: str) -> Any:
        self._read.add(name)
        return self._table.get(name)

    def _is(self, name: str, value: object, kind: type, words: str) -> bool:
        if name not in self._table:
            self.fault(name, "is missing")
        elif type(value) is not kind:
            self.fault(name, f"must be {words}")
        else:
            return True
        return False

    def _note_unknown(self) -> None:
        for name in self._table:
            if name not in self._read:
                self.fault(name, "is unknown")
        for table in self._tables.values():
            table._note_unknown()
