"""The root of every refusal: bad input is refused clearly and changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, NoReturn


class FieldFault(NamedTuple):
    """One faulty field of a request: its path (`wagers[2].amount`) and what would be right."""

    field: str
    message: str


class Refusal(Exception):
    """A request that cannot be carried out, and why.

    Every leaf subclass is one kind of refusal; `cardroom.wire.problems` gives each its slug and HTTP status.
    The message says what was wrong, with what value, and what would be right.
    """

    def __init__(self, message: str, *faults: FieldFault) -> None:
        super().__init__(message)
        self.message = message
        self.faults = faults


def at(items: str, key: object, field: str = "") -> str:
    """The path of an item of a list, by its id, seat or place, or of a field of it.

    >>> at("seats", 3), at("wagers", "w1", "amount")
    ('seats[3]', 'wagers[w1].amount')
    """
    return f"{items}[{key}].{field}" if field else f"{items}[{key}]"


def refuse(kind: type[Refusal], faults: Iterable[FieldFault]) -> None:
    """Raise the refusal if there are faults; its message tells the first."""
    found = tuple(faults)
    if found:
        raise kind(f"{found[0].field}: {found[0].message}", *found)


def refuse_at(kind: type[Refusal], field: str, message: str) -> NoReturn:
    """Raise the refusal of one field."""
    raise kind(f"{field}: {message}", FieldFault(field, message))


def listed(items: Iterable[object]) -> str:
    """Things as a message names them.

    >>> listed([1, 2, 3])
    '1, 2, 3'
    """
    return ", ".join(map(str, items))
