"""Reading a rule set's document field by field, gathering everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self, TypeVar

from cardroom.refusals import FieldFault, Refusal

Document = Mapping[str, Any]
"""A rule set, or a table of one, before anything is known of what it holds."""

_E = TypeVar("_E", bound=StrEnum)


class RulesetInvalid(Refusal):
    """A rule set's document has a field unknown, missing, of the wrong type or of a value that is not offered."""


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

    def __init__(
        self, table: Mapping[str, Any], *, what: str, path: str = "", faults: list[FieldFault] | None = None
    ) -> None:
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
        """Raise RulesetInvalid if anything was wrong, or if there are fields that nobody read."""
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
