"""What is played for at a table: wagers on hands, what becomes of them, and what a void gives back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from operator import itemgetter
from typing import Any, Final, NamedTuple

from cardroom.money import Posting, Why
from cardroom.refusals import FieldFault, Refusal, at, refuse
from cardroom.shapes.handed import Posted, Returned, Wagered, WagerT

VOID_REASONS: Final = ("wrong_number_of_cards", "exposed_card", "seat_out_of_turn", "equipment", "other")
"""Why a round may be voided, where a game has no list of its own (pai-gow-poker §11)."""


class FieldNotUsed(Refusal):
    """A request with a field that means nothing to the game it is for."""


class WagerDuplicate(Refusal):
    """Two wagers with one id."""


class WagerKindNotOffered(Refusal):
    """A wager of a kind that the rules do not offer."""


class BettorNotSeated(Refusal):
    """A wager on circle 1 by another bettor than the one at the seat, or one of the house's away from its place."""


class CircleTaken(Refusal):
    """Two wagers of one kind on one circle."""


class Verdict(StrEnum):
    """How one of a player's hands compares with the banker's."""

    HIGHER = "higher"
    COPY = "copy"
    LOWER = "lower"


_HIGHER, _COPY, _LOWER = Verdict  # in CPython 3.11 reading a member from its class calls a function


class Outcome(StrEnum):
    """What became of a wager."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    NO_ACTION = "no_action"  # a main wager that was reached with no cover left
    RETURNED = "returned"  # a side bet that was reached with no cover left, or after its cap


class Wager(NamedTuple):
    """A bet on one hand by one bettor.

    `circle` 1 is the seated player's, 2 and up are back-line; `placed` is its place in time on the hand (None where it
    was not told); `kind` is `main` or the name of a side bet; the amount is in minor units.
    """

    wager_id: str
    seat: int
    bettor: str
    circle: int
    placed: int | None
    kind: str
    amount_minor: int

    def at(self, field: str) -> str:
        """The path of a field of it in a request.

        >>> Wager("w1", 3, "ann", 1, None, "main", 500).at("amount")
        'wagers[w1].amount'
        """
        return at("wagers", self.wager_id, field)


def by_id(wagering: Wagered[WagerT]) -> list[WagerT]:
    """The wagers of a deal's request, in order of their ids."""
    return sorted(wagering.get("wagers", []), key=itemgetter("wager_id"))


def check_wager_ids(wagers: Sequence[Wager]) -> None:
    """Refuse wagers with one id; raises WagerDuplicate."""
    twice = [wager_id for wager_id, times in Counter(wager.wager_id for wager in wagers).items() if times > 1]
    refuse(WagerDuplicate, [FieldFault(at("wagers", wager_id), "must come once") for wager_id in twice])


def returned(wagering: Wagered[WagerT], dealt_body: Posted) -> Returned:
    """What a void after the deal gives back: every wager, and every fee that was paid (pai-gow-poker §7.2, §11)."""
    fees = [posting for posting in dealt_body["postings"] if posting["why"] == Why.FEE.value]
    return {
        "returned": [{"wager_id": wager["wager_id"], "amount": wager["amount"]} for wager in by_id(wagering)],
        "postings": [
            Posting(p["to"], p["from"], p["amount"], Why.FEE_RETURNED, p.get("wager_id")).to_json() for p in fees
        ],
    }


def compare(value: int, banker_value: int) -> Verdict:
    """The verdict on a hand's value against the banker's.

    >>> compare(7, 7)
    <Verdict.COPY: 'copy'>
    """
    if value > banker_value:
        return _HIGHER
    return _COPY if value == banker_value else _LOWER


def members_of(shape: Any) -> frozenset[str]:
    """The names of a TypedDict's members, whether it must have them or may.

    >>> sorted(members_of(Posted))
    ['postings']
    """
    members: frozenset[str] = shape.__required_keys__ | shape.__optional_keys__
    return members


def check_fields(request: Mapping[str, object], used: Collection[str], *, what: str, path: str = "") -> None:
    """Refuse the fields of a request that `what` (a rule set, a kind of set) has no use for; raises FieldNotUsed.

    >>> check_fields({"seats": [], "ante": 100}, {"seats"}, what="hi-hi-lo/redding-1995")
    Traceback (most recent call last):
    cardroom.table.FieldNotUsed: ante: must be left out: hi-hi-lo/redding-1995 has no use for it
    """
    unused = [name for name in request if name not in used]
    if unused:
        message = f"must be left out: {what} has no use for it"
        refuse(FieldNotUsed, [FieldFault(f"{path}{name}", message) for name in sorted(unused)])
