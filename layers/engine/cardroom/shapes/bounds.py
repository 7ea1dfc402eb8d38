"""What `Annotated` says of a text, an integer or a list in a shape, besides that it is one.

`Default` and `Several` are about requests as they come: records hold them in their normal form, where both are done.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Pattern(NamedTuple):
    """What a whole text must match, and the same in words: a regular expression that ECMA 262 reads alike."""

    text: str
    words: str


class Between(NamedTuple):
    """The least and the greatest integer."""

    low: int
    high: int


class Length(NamedTuple):
    """How many characters a text has, or how many members a list."""

    least: int
    most: int


class Sorted(NamedTuple):
    """A list whose order says nothing: records hold it by a member of its items, or (None) by the items themselves.

    A list without this is in an order that means something, and is left as it is.
    """

    by: str | None = None

    @property
    def words(self) -> str:
        """By what, in words that follow `order`."""
        return "" if self.by is None else f" of {self.by}"

    def sort(self, items: list[Any]) -> None:
        """Put items into the order in which records hold them."""
        items.sort(key=self._key)

    def holds(self, items: list[Any]) -> bool:
        """Whether items stand in that order.

        >>> Sorted("seat").holds([{"seat": 1}, {"seat": 3}]), Sorted().holds(["Kd", "As"])
        (True, False)
        """
        keys = [*map(self._key, items)]
        return keys == sorted(keys)

    def _key(self, item: Any) -> Any:
        return item if self.by is None else item[self.by]


class Default(NamedTuple):
    """What a request means that leaves the member out; its record says so where that is `held`, else leaves it out."""

    value: Any
    held: bool = False


class Several(NamedTuple):
    """A member that a request may also give as a list of such: more than one has a refusal of its own."""

    length: Length
