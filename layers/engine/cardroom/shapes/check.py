"""Whether a value is of a shape, and where it is not.

Two readers of one form. `fault_of` walks the value and says what is wrong; it is the truth. Before it is asked, a
function compiled from the form says quickly that nothing is: every record that is verified comes through here.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from cardroom.shapes.bounds import Length, Sorted
from cardroom.shapes.forms import Either, Form, Integer, List, Null, Object, OneOf, Table, Text

_SHOWN: Final = 60
_LONGEST: Final = 1_000_000  # longer than any record
_REMEMBERED: Final = 4_096  # texts of each pattern: ids, cards and words come again and again


class Fault(NamedTuple):
    """Where a value is not of its shape (`body.results[3].amount`), and what would be right."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


Checker = Callable[[Any], Fault | None]


@cache
def checker(form: Form) -> Checker:
    """A function that says where a value is not of a form, None if it is; made once for each form."""
    is_of = _FAST.function(form)

    def check(value: Any) -> Fault | None:
        try:
            if is_of(value):
                return None
        except (KeyError, TypeError):  # a member is not there, or something else stands where an object or text belongs
            pass
        return fault_of(form, value)

    return check


def fault_of(form: Form, value: Any, path: str = "") -> Fault | None:
    """The first member, by name, that is unknown, missing or of another form, at any depth; None if there is none."""
    match form:
        case Object():
            return _fault_of_object(form, value, path)
        case Table():
            return _fault_of_table(form, value, path)
        case List():
            return _fault_of_list(form, value, path)
        case Either():
            return _fault_of_either(form, value, path)
    return None if _is_plainly(form, value) else Fault(path, f"must be {words_of(form)}, not {_shown(value)}")


def _is_plainly(form: Text | Integer | OneOf | Null, value: Any) -> bool:
    match form:
        case Text():
            if type(value) is not str:
                return False
            if form.pattern is not None:
                return re.fullmatch(form.pattern.text, value) is not None
            return form.length is None or form.length.least <= len(value) <= form.length.most
        case Integer():
            return type(value) is int and form.low <= value <= form.high
        case OneOf():
            return any(type(value) is type(one) and value == one for one in form.values)
        case Null():
            return value is None


def words_of(form: Form) -> str:
    """What a form is, in words."""
    match form:
        case Text(pattern=None, length=None):
            words = "a text"
        case Text(pattern=None, length=length) if length:
            words = f"a text of {length.least} to {length.most} characters"
        case Text(pattern=pattern) if pattern:
            words = pattern.words
        case Integer():
            words = f"an integer from {form.low} to {form.high}"
        case OneOf():
            words = " or ".join(map(_shown, form.values))
        case List():
            words = f"a list of {form.length.least} to {form.length.most} items"
        case Either():
            words = " or ".join(dict.fromkeys(map(words_of, form.options)))
        case _:
            words = "null" if isinstance(form, Null) else "an object"
    return words


def _shown(value: Any) -> str:
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
    shown = ascii(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _fault_of_object(form: Object, value: Any, path: str) -> Fault | None:
    if type(value) is not dict:
        return Fault(path, f"must be an object, not {_shown(value)}")
    for name in sorted(value.keys() | form.held):
        if name not in form.members:
            told = name if name.isidentifier() and len(name) <= _SHOWN else _shown(name)
            return Fault(_inside(path, told), f"is unknown: must be one of {', '.join(form.members)}")
        inner = _inside(path, name)
        if name not in value:
            return Fault(inner, "is missing")
        if (fault := fault_of(form.members[name], value[name], inner)) is not None:
            return fault
        if name in form.unsaid and value[name] == form.unsaid[name]:
            return Fault(inner, f"must be left out where it is {_shown(value[name])}")
    return None


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _fault_of_table(form: Table, value: Any, path: str) -> Fault | None:
    if type(value) is not dict or not form.length.least <= len(value) <= form.length.most:
        return Fault(path, f"must be an object of {form.length.least} to {form.length.most} members")
    for name in sorted(value):
        if not _is_plainly(form.name, name):
            return Fault(path, f"must have names that are {words_of(form.name)}, not {_shown(name)}")
        if (fault := fault_of(form.value, value[name], _inside(path, name))) is not None:
            return fault
    return None


def _fault_of_list(form: List, value: Any, path: str) -> Fault | None:
    if type(value) is not list or not form.length.least <= len(value) <= form.length.most:
        found = f"{len(value)}" if type(value) is list else _shown(value)
        return Fault(path, f"must be {words_of(form)}, not {found}")
    for index, item in enumerate(value):
        if (fault := fault_of(form.item, item, f"{path}[{index}]")) is not None:
            return fault
    if form.order is not None and not form.order.holds(value):
        return Fault(path, f"must be in ascending order{form.order.words}")
    return None


def _fault_of_either(form: Either, value: Any, path: str) -> Fault | None:
    """Of what an object should be one or the other, the one that it is most like: by the members that name a kind."""
    faults: list[tuple[int, Fault]] = []
    for option in form.options:
        fault = fault_of(option, value, path)
        if fault is None:
            return None
        if isinstance(option, Object) and type(value) is dict:
            faults.append((_likeness(option, value), fault))
    if faults:
        return max(faults, key=lambda found: found[0])[1]
    return Fault(path, f"must be {words_of(form)}, not {_shown(value)}")


def _likeness(form: Object, value: dict[str, Any]) -> int:
    kinds = [
        fault_of(member, value[name]) for name, member in form.members.items() if _names_a_kind(member, name, value)
    ]
    right = sum(1 if fault is None else -1 for fault in kinds)
    return 1_000 * right + len(value.keys() & form.members.keys()) - len(form.required - value.keys())


def _names_a_kind(member: Form, name: str, value: dict[str, Any]) -> bool:
    return name in value and isinstance(member, OneOf | Null)


# The quick reader


class _Remembered:
    """The texts of a pattern that were met, and the look at one that was not."""

    def __init__(self, pattern: str) -> None:
        self.texts: set[str] = set()
        self._matches = re.compile(pattern).fullmatch

    def learn(self, value: Any) -> bool:
        """Whether a text that was not met before matches."""
        if type(value) is not str or self._matches(value) is None:
            return False
        if len(self.texts) >= _REMEMBERED:
            self.texts.clear()
        self.texts.add(value)
        return True


class _Compiler:
    """Writes the expression that is true where a value is of a form; what it refers to has a name here.

    An expression may raise KeyError or TypeError instead of being false, which saves asking whether an object is one.
    """

    def __init__(self) -> None:
        self._names: dict[str, Any] = {"_never": object()}
        self._made: dict[Form, str] = {}
        self._patterns: dict[str, str] = {}
        self._held = 0
        self._writing = threading.Lock()  # two threads may not write at once

    def function(self, form: Form) -> Callable[[Any], bool]:
        """The expression as a function of the value."""
        with self._writing:
            told = self._is_of(form, "value")
        found: Callable[[Any], bool] = eval(f"lambda value: {told}", self._names)  # noqa: S307 - our text
        return found

    def _is_of(self, form: Form, value: str) -> str:
        match form:
            case Object():
                return self._is_object(form, value)
            case List():
                return f"{self._named(form, lambda: self._list(form))}({value})"
            case Table():
                return f"{self._named(form, lambda: lambda found: fault_of(form, found) is None)}({value})"
            case Null():
                return f"{value} is None"
        held = self._hold()
        return self._is_plain(form, held, f"({held} := {value})")

    def _is_plain(self, form: Text | Integer | OneOf | Either, held: str, first: str) -> str:
        """`first` takes the value that `held` then holds."""
        match form:
            case Text(pattern=pattern) if pattern:
                name = self._remembered(pattern.text)
                return f"({first} in {name}_texts or {name}_learn({held}))"
            case Text():
                length = form.length or Length(0, _LONGEST)
                return f"(type({first}) is str and {length.least} <= len({held}) <= {length.most})"
            case Integer():
                return f"(type({first}) is int and {form.low} <= {held} <= {form.high})"
            case OneOf():
                return self._is_one_of(form, held, first)
            case Either():
                return self._is_either(form, held, first)

    def _is_object(self, form: Object, value: str) -> str:
        """As many members as there should be, and each of those that should be there; no text and no list has one."""
        held = self._hold()
        optional = [name for name in form.members if name not in form.held]
        count = " + ".join([f"{len(form.held)}", *(f"({name!r} in {held})" for name in optional)])
        told = [f"len({held} := {value}) == {count}"]
        told += [] if form.held else [f"type({held}) is dict"]
        told += [self._is_of(form.members[name], f"{held}[{name!r}]") for name in form.members if name in form.held]
        for name in optional:
            item = f"{held}[{name!r}]"
            unsaid = f" and {item} != {form.unsaid[name]!r}" if name in form.unsaid else ""
            told.append(f"({name!r} not in {held} or {self._is_of(form.members[name], item)}{unsaid})")
        return f"({' and '.join(told)})"

    def _is_either(self, form: Either, held: str, first: str) -> str:
        """Texts last, as only what is neither an object nor a list can be looked up among them."""
        told = [f"{first} is {None if any(isinstance(option, Null) for option in form.options) else '_never'}"]
        for option in form.options:
            if isinstance(option, Object):
                names = [f"{name!r} in {held} and " for name in sorted(option.required)]
                told.append(f"(type({held}) is dict and {''.join(names)}{self._is_of(option, held)})")
        told += [self._is_of(option, held) for option in form.options if not isinstance(option, Object | Null)]
        return f"({' or '.join(told)})"

    def _is_one_of(self, form: OneOf, held: str, first: str) -> str:
        if all(isinstance(one, bool) for one in form.values):
            return f"({' or '.join(f'{who} is {one}' for who, one in zip((first, held), form.values, strict=False))})"
        if all(isinstance(one, str) for one in form.values):
            return f"{first} in {self._named(form, lambda: frozenset(form.values))}"
        return f"(type({first}) is int and {held} in {form.values})"

    def _list(self, form: List) -> Callable[[Any], bool]:
        lines = [
            "def is_list(value):",
            f"    if type(value) is not list or not {form.length.least} <= len(value) <= {form.length.most}:",
            "        return False",
            "    for item in value:",
            f"        if not {self._is_of(form.item, 'item')}:",
            "            return False",
        ]
        if isinstance(form.item, Text) and form.item.pattern:
            name = self._remembered(form.item.pattern.text)
            lines[3:] = [f"    if not {name}_texts.issuperset(value):", *(f"    {line}" for line in lines[3:])]
        lines.append(f"    return {'True' if form.order is None else f'{self._order(form.order)}(value)'}")
        here: dict[str, Any] = {}
        exec("\n".join(lines), self._names, here)  # noqa: S102 - our text
        found: Callable[[Any], bool] = here["is_list"]
        return found

    def _order(self, order: Sorted) -> str:
        name = f"in_order_of_{order.by or 'items'}"
        self._names[name] = order.holds
        return name

    def _hold(self) -> str:
        """A name for a value within an expression."""
        self._held += 1
        return f"h{self._held}"

    def _named(self, form: Form, make: Callable[[], Any]) -> str:
        if form not in self._made:
            name = f"f{len(self._made)}"
            self._made[form] = name
            self._names[name] = make()
        return self._made[form]

    def _remembered(self, pattern: str) -> str:
        if pattern not in self._patterns:
            name = self._patterns[pattern] = f"p{len(self._patterns)}"
            known = _Remembered(pattern)
            self._names |= {f"{name}_texts": known.texts, f"{name}_learn": known.learn}
        return self._patterns[pattern]


_FAST: Final = _Compiler()
