"""The root of every refusal: bad input is refused clearly and changes nothing."""

from __future__ import annotations

from typing import NamedTuple


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
