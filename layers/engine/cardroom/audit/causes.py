"""Where a record differs from what replay gives, the cause before what follows from it, each by its kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from cardroom import canonical
from cardroom.audit.replayer import Difference, Replayed
from cardroom.rounds.record import Step, differences
from cardroom.shapes.parts import GameJson, Posting, TableState
from cardroom.shapes.records import Record

_Item = TypeVar("_Item")
_FOREIGN_DECK: Final = 4  # where less than one card in four agrees, they are not from this deck
_PUSHED_TO: Final[Mapping[str, str]] = {
    "commission": "commission-wrong",
    "fee": "fee-wrong",
    "fee_returned": "fee-wrong",
}
_WORDS: Final[Mapping[str, str]] = {
    "card-wrong": "not the cards that the seed deals",
    "cut-changed": "the cards are those of another cut",
    "client-seed-changed": "the cards are not of the deck that these seeds shuffle: the client's seed was another one",
    "dice-wrong": "not the dice that the seed throws, or not the seat that they give",
    "action-order-wrong": "not the order that the rules give",
    "fee-wrong": "not the fee that was posted",
    "setting-wrong": "not how the hand was, or may be, set",
    "payout-wrong": "not what the rules pay",
    "commission-wrong": "not the commission of the rules",
    "net-wrong": "not what the postings add up to",
    "table-after-wrong": "not the table as this record leaves it",
}


def compared(step: Step, payload: Record) -> Replayed:
    """The faults of a record, the cause before what follows from it."""
    same = canonical.same
    if same(step.body, payload["body"]) and same(step.table_after, payload["table_after"]):
        return Replayed(table_after=step.table_after)
    faults = by_kind(step.body, payload["body"], _CODES.get(payload["kind"], _other_code))
    faults += table_faults(step.table_after, payload)
    return Replayed(faults or [_difference("body", None, None, code="replay-differs")], step.table_after)


def table_faults(expected: TableState, payload: Record) -> list[Difference]:
    """Where the table after a record differs from what that should be."""
    if canonical.same(expected, payload["table_after"]):
        return []
    return [
        _difference(*found, code="table-after-wrong")
        for found in differences(expected, payload["table_after"], "table_after")
    ]


def _difference(field: str, expected: Any, found: Any, *, code: str) -> Difference:
    words = _WORDS.get(code)
    return Difference(field, expected, found, code, words and f"{words}: {field}")


# A deal


def deal_faults(expected: GameJson, dealt: Record, recuts: Iterator[tuple[int | None, GameJson]]) -> list[Difference]:
    """What is wrong with a deal, and why: cards changed, or all of them from another deck than the seeds give."""
    body = dealt["body"]
    theirs, ours = _hands(body), _hands(expected)
    if theirs != ours:
        return _card_faults(ours, theirs, dealt, recuts)
    return by_kind(expected, body, _deal_code)


def _card_faults(
    ours: Mapping[str, Sequence[str]],
    theirs: Mapping[str, Sequence[str]],
    dealt: Record,
    recuts: Iterator[tuple[int | None, GameJson]],
) -> list[Difference]:
    request = dealt["request"]
    changed = [
        _difference(f"body.hands[{seat}].cards[{index}]", should, card, code="card-wrong")
        for seat in sorted({*ours, *theirs}, key=int)
        for index, (should, card) in enumerate(_pairs(ours.get(seat, ()), theirs.get(seat, ())))
        if should != card
    ]
    total = sum(map(len, theirs.values()))
    if not changed or (total - len(changed)) * _FOREIGN_DECK >= total:
        return changed
    if Counter(map(tuple, ours.values())) == Counter(map(tuple, theirs.values())):
        action = dealt["body"].get("action")
        return [_difference("body.action", None, action, code="dice-wrong")]
    for cut, body in recuts:
        if _hands(body) == theirs:
            return [_difference("request.cut", cut, request.get("cut"), code="cut-changed")]
    return [_difference("request.client_seed", None, request.get("client_seed"), code="client-seed-changed")]


def _hands(body: GameJson) -> dict[str, Sequence[str]]:
    return {str(hand["seat"]): hand["cards"] for hand in body["hands"]}


def _deal_code(path: str) -> str:
    if path.startswith("body.fees"):
        return "fee-wrong"
    if path.startswith("body.action.") or "dice" in path:
        return "dice-wrong"
    if path.startswith(("body.action_order", "body.order", "body.say", "body.button")):
        return "action-order-wrong"
    if path == "body.cut":
        return "cut-changed"
    return "card-wrong" if path.startswith(("body.hands", "body.community", "body.burned")) else "replay-differs"


def _drawn_code(path: str) -> str:
    return "card-wrong" if path.startswith(("body.cards", "body.seat")) else "replay-differs"


def _other_code(path: str) -> str:
    del path
    return "replay-differs"


# A settlement


# The cards of a hand as the deck gave them, those that were drawn to it among them: no setting changes which they are.
_GIVEN: Final = re.compile(r"body\.(sets|hands)\[[^]]+\]\.(cards|drawn)\b")


def settled_code(path: str) -> str:
    """Which kind of fault it is if a settlement differs at a path."""
    if _GIVEN.match(path) or path.startswith("body.community"):
        return "card-wrong"
    if path.startswith(("body.sets", "body.hands")):
        return "setting-wrong"
    if path.endswith(".commission"):
        return "commission-wrong"
    return "net-wrong" if path.startswith("body.net") else "payout-wrong"


_CODES: Final[Mapping[str, Callable[[str], str]]] = {
    "dealt": _deal_code,
    "drawn": _drawn_code,
    "set": settled_code,
    "settled": settled_code,
}
_RANKS: Final = (
    "cut-changed", "card-wrong", "dice-wrong", "action-order-wrong", "setting-wrong", "payout-wrong",
    "commission-wrong", "fee-wrong", "replay-differs", "net-wrong",
)  # fmt: skip


def by_kind(expected: GameJson, body: GameJson, code_of: Callable[[str], str]) -> list[Difference]:
    """The differences of two bodies, causes first; postings after what they follow from."""
    found = [
        _difference(path, should, is_, code=code_of(path))
        for path, should, is_ in differences(_without_postings(expected), _without_postings(body), "body")
    ]
    moved = list(_posting_faults(expected.get("postings", []), body.get("postings", [])))
    return sorted([*found, *moved], key=lambda one: (_RANKS.index(one.code), one.field.startswith("body.postings")))


def _without_postings(body: GameJson) -> GameJson:
    return {name: value for name, value in body.items() if name != "postings"}


def _posting_faults(expected: Sequence[Posting], found: Sequence[Posting]) -> Iterator[Difference]:
    for index, (should, is_) in enumerate(_pairs(expected, found)):
        if not canonical.same(should, is_):
            moved: Mapping[str, Any] = should or is_ or {}
            why = moved.get("why", "")
            code = _PUSHED_TO.get(why, "payout-wrong")
            yield _difference(f"body.postings[{index}]", should, is_, code=code)


def _pairs(ours: Sequence[_Item], theirs: Sequence[_Item]) -> Iterator[tuple[_Item | None, _Item | None]]:
    for index in range(max(len(ours), len(theirs))):
        yield ours[index] if index < len(ours) else None, theirs[index] if index < len(theirs) else None
