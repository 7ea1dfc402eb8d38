"""Play records again: from the requests, the rule sets and the revealed seeds to what the records should say."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from cardroom.audit.replayer import Difference, Live, Replayed
from cardroom.cards import Card
from cardroom.game import Ruleset
from cardroom.refusals import Refusal
from cardroom.rounds.record import Step, differences
from cardroom.rounds.shoes import open_at
from cardroom.rounds.steps import (
    NEW_TABLE,
    Before,
    Call,
    Kinds,
    Last,
    Secrets,
    SeedSecrets,
    body_of,
    call_of,
    opened_terms,
    step,
    table_after,
)
from cardroom.shapes.parts import Commitment, GameJson, OpenShoe, Posting, RulesetReference, SeedTerms, TableState
from cardroom.shapes.records import Record
from cardroom.signing.signature import plain_json

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


class _NotRevealed(Exception):
    """What a step needs is not revealed yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shoe:
    """A shoe whose seed is known: its cards as they were shuffled, and in the order dealt."""

    uncut: tuple[Card, ...]
    cards: tuple[Card, ...]


class _Revealed(SeedSecrets):
    """The secrets as a record reveals them: its own commitment, or the seed of the round that it ends.

    `shoe` are the cards of the round's shoe, None as long as nobody can know them.
    """

    def __init__(self, payload: Record, shoe: Sequence[Card] | None = None) -> None:
        self._body = payload["body"]
        self._shoe = shoe

    def commit(self, call: Call) -> Commitment:
        """The commitment that was recorded."""
        del call
        body = self._body
        return {"commitment": body["commitment"], "salt": body["salt"], "epoch": body["epoch"]}

    def seed(self, terms: SeedTerms) -> bytes:
        """The seed that was revealed. Raises _NotRevealed."""
        seed = self.seed_to_reveal(terms)
        if seed is None:
            raise _NotRevealed
        return seed

    def seed_to_reveal(self, terms: SeedTerms) -> bytes | None:
        """The seed that was revealed, None where it was lost."""
        del terms
        return _seed(self._body)

    def terms_sha256(self, terms: SeedTerms) -> bytes:
        """The hash of terms from a verified record, which are canonical: they are not written with checks again."""
        return hashlib.sha256(plain_json(terms)).digest()

    def shoe_cards(self, shoe: OpenShoe, deck: Sequence[Card]) -> Sequence[Card]:
        """The cards of the shoe. Raises _NotRevealed."""
        del shoe, deck
        if self._shoe is None:
            raise _NotRevealed
        return self._shoe


class Replay:
    """Replays records with the step that wrote them, by what a catalogue knows."""

    def __init__(self, catalogue: Known) -> None:
        self._catalogue = catalogue

    @property
    def kinds(self) -> Kinds:
        """The kinds of records."""
        return self._catalogue.kinds

    def check(self, table: TableState | None, live: Live | None, payload: Record) -> Replayed:
        """What a record says against what the rules give; a settlement and a void apart from the deal they end.

        Where a seed is not revealed yet, only the table is looked at: the cards are checked when it is.
        """
        if payload["seq"] == 1:
            table = NEW_TABLE.copy()
        try:
            before = self._before(table, live, payload)
            return Replayed() if before is None else self._checked(before, payload)
        except Refusal as refusal:
            return _refused(refusal)

    def _checked(self, before: Before, payload: Record) -> Replayed:
        kinds, call = self._catalogue.kinds, call_of(payload)
        try:
            return _compared(step(kinds, call, before, _Revealed(payload)), payload)
        except _NotRevealed:
            left = table_after(kinds, call, before, payload["body"])
            return Replayed(_table_faults(left, payload), left)

    def _before(self, table: TableState | None, live: Live | None, payload: Record) -> Before | None:
        """What the record was made from, None if it is not known: a record before it is not there."""
        if table is None:
            return None
        reference, kind = payload["ruleset"], self._catalogue.kinds[payload["kind"]]
        if reference is None:
            return Before(table=table, last=None, ruleset=None)
        last = None
        if live is not None and live.dealt is not None:
            last = Last(live.dealt, "")
        elif live is not None and live.opened is not None:
            last = Last(live.opened, live.opened_sha256 or "")
        follows = [one for one in kind.follows if one is not None]
        if kind.of_round and follows and (last is None or last.payload["kind"] not in follows):
            return None
        return Before(table=table, last=last, ruleset=self._catalogue.pinned(reference))

    def _ruleset(self, payload: Record) -> Ruleset:
        """The rule set of a record, where there must be one."""
        if payload["ruleset"] is None:
            raise ValueError(f"a {payload['kind']} record without a rule set")
        return self._catalogue.pinned(payload["ruleset"])

    def check_deal(self, live: Live, payload: Record, shoe: _Shoe | None) -> Replayed:
        """The deal of a round against the seed that `payload`, its end, reveals."""
        opened, dealt, table = live.opened, live.dealt, live.before_deal
        if opened is None or dealt is None or table is None or _seed(payload["body"]) is None:
            return Replayed()
        before = Before(table=table, last=Last(opened, live.opened_sha256 or ""), ruleset=self._ruleset(opened))

        def again(request: GameJson, cards: Sequence[Card] | None) -> GameJson:
            call = call_of({**dealt, "request": request})
            return body_of(self._catalogue.kinds, call, before, _Revealed(payload, cards))

        try:
            body = again(dealt["request"], None if shoe is None else shoe.cards)
        except Refusal as refusal:
            return _refused(refusal)
        if body == dealt["body"]:
            return Replayed()

        def recut(cut: int | None) -> GameJson:
            if shoe is not None:
                return again(dealt["request"], shoe.uncut[cut:] + shoe.uncut[:cut] if cut else shoe.uncut)
            request = {name: value for name, value in dealt["request"].items() if name != "cut"}
            return again(request if cut is None else {**request, "cut": cut}, None)

        rules = before.rules
        size = len(rules.game.deck(rules.rules, opened["request"]) if shoe is None else shoe.uncut)
        return Replayed(_deal_faults(body, dealt, ((cut, recut(cut)) for cut in (None, *range(1, size)))))

    def shoe(self, closed: Record, table: TableState) -> _Shoe:
        """The cards of a shoe that is closed, by the table before."""
        shoe, ruleset = open_at(table), self._ruleset(closed)
        luck = _Revealed(closed).luck(shoe["terms"], shoe["client_seed"])
        deck = ruleset.game.deck(ruleset.rules, shoe["terms"]["request"])
        return _Shoe(uncut=luck.shuffle(deck, None), cards=luck.shuffle(deck, shoe["cut"]))

    def check_shoe_settlement(self, table: TableState, live: Live, payload: Record, shoe: _Shoe) -> Replayed:
        """A settlement that takes cards from a shoe; its table has been looked at before."""
        try:
            body = self._settled(table, live, payload["request"], _Revealed(payload, shoe.cards))
        except Refusal as refusal:
            return _refused(refusal)
        return Replayed() if body == payload["body"] else Replayed(_by_kind(body, payload["body"], _settled_code))

    def _settled(self, table: TableState, live: Live, request: GameJson, secrets: Secrets) -> GameJson:
        dealt = live.dealt
        assert dealt is not None  # noqa: S101 - the callers looked
        before = Before(table=table, last=Last(dealt, ""), ruleset=self._ruleset(dealt))
        call = call_of({**dealt, "kind": "settled", "request": request})
        return body_of(self._catalogue.kinds, call, before, secrets)

    def avoided(self, live: Live, voided: Record, shoe: _Shoe | None) -> GameJson | None:
        """The body of the settlement that a void avoided, by the house way; None if there is none."""
        dealt = live.dealt
        if dealt is None or "action_order" not in dealt["body"]:
            return None
        secrets = _Revealed(voided, None if shoe is None else shoe.cards)
        playing = set(dealt["body"]["action_order"])
        banker = opened_terms(dealt)["request"].get("banker")
        banking = [banker["seat"]] if isinstance(banker, dict) else []
        idle = sorted({hand["seat"] for hand in dealt["body"]["hands"]} - playing)  # the house banks at one of them
        for seats in (playing.union(banking), playing, *(playing | {seat} for seat in idle)):
            sets = {"sets": [{"seat": seat, "how": "house_way"} for seat in sorted(seats)]}
            try:
                return self._settled(dealt["table_after"], live, sets, secrets)
            except Refusal:
                continue
        return None


class Known(Protocol):
    """What a replay must know: rule sets by what records name of them, and the kinds of records."""

    @property
    def kinds(self) -> Kinds:
        """The kinds of records."""

    def pinned(self, reference: RulesetReference) -> Ruleset:
        """The rule set that a record names, exactly as it was then. Raises a Refusal."""


def _seed(body: GameJson) -> bytes | None:
    seed = body.get("seed")
    return None if seed is None else bytes.fromhex(seed)


def _refused(refusal: Refusal) -> Replayed:
    code = "setting-wrong" if any(fault.field.startswith("sets[") for fault in refusal.faults) else "request-refused"
    what = f"the rules refuse it: {refusal.message}"
    field = refusal.faults[0].field if refusal.faults else ""
    return Replayed([Difference(f"request.{field}" if field else "request", "refused", "recorded", code, what)])


def _compared(step: Step, payload: Record) -> Replayed:
    """The faults of a record, the cause before what follows from it."""
    if step.body == payload["body"] and step.table_after == payload["table_after"]:
        return Replayed()
    faults = _by_kind(step.body, payload["body"], _CODES.get(payload["kind"], _other_code))
    return Replayed([*faults, *_table_faults(step.table_after, payload)], step.table_after)


def _table_faults(expected: TableState, payload: Record) -> list[Difference]:
    if expected == payload["table_after"]:
        return []
    return [
        _difference(*found, code="table-after-wrong")
        for found in differences(expected, payload["table_after"], "table_after")
    ]


def _difference(field: str, expected: Any, found: Any, *, code: str) -> Difference:
    words = _WORDS.get(code)
    return Difference(field, expected, found, code, words and f"{words}: {field}")


# A deal


def _deal_faults(expected: GameJson, dealt: Record, recuts: Iterator[tuple[int | None, GameJson]]) -> list[Difference]:
    """What is wrong with a deal, and why: cards changed, or all of them from another deck than the seeds give."""
    body = dealt["body"]
    theirs, ours = _hands(body), _hands(expected)
    if theirs != ours:
        return _card_faults(ours, theirs, dealt, recuts)
    return _by_kind(expected, body, _deal_code)


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
    return "card-wrong" if path.startswith(("body.hands", "body.community", "body.burned")) else "replay-differs"


def _drawn_code(path: str) -> str:
    return "card-wrong" if path.startswith(("body.cards", "body.seat")) else "replay-differs"


def _other_code(path: str) -> str:
    del path
    return "replay-differs"


# A settlement


# The cards of a hand as the deck gave them, those that were drawn to it among them: no setting changes which they are.
_GIVEN: Final = re.compile(r"body\.(sets|hands)\[[^]]+\]\.(cards|drawn)\b")


def _settled_code(path: str) -> str:
    if _GIVEN.match(path):
        return "card-wrong"
    if path.startswith(("body.sets", "body.hands")):
        return "setting-wrong"
    if path.endswith(".commission"):
        return "commission-wrong"
    return "net-wrong" if path.startswith("body.net") else "payout-wrong"


_CODES: Final[Mapping[str, Callable[[str], str]]] = {
    "dealt": _deal_code,
    "drawn": _drawn_code,
    "settled": _settled_code,
}
_RANKS: Final = (
    "card-wrong", "dice-wrong", "action-order-wrong", "setting-wrong", "payout-wrong", "commission-wrong", "fee-wrong",
    "replay-differs", "net-wrong",
)  # fmt: skip


def _by_kind(expected: GameJson, body: GameJson, code_of: Callable[[str], str]) -> list[Difference]:
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
    if expected == found:
        return
    for index, (should, is_) in enumerate(_pairs(expected, found)):
        if should != is_:
            moved: Mapping[str, Any] = should or is_ or {}
            why = moved.get("why", "")
            code = _PUSHED_TO.get(why, "payout-wrong")
            yield _difference(f"body.postings[{index}]", should, is_, code=code)


def _pairs(ours: Sequence[_Item], theirs: Sequence[_Item]) -> Iterator[tuple[_Item | None, _Item | None]]:
    for index in range(max(len(ours), len(theirs))):
        yield ours[index] if index < len(ours) else None, theirs[index] if index < len(theirs) else None
