"""Play records again: from the requests, the rule sets and the revealed seeds to what the records should say."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from cardroom import rounds
from cardroom.audit.chain import Difference, Live, Replayed
from cardroom.audit.signature import plain_json
from cardroom.cards import Card
from cardroom.refusals import Refusal
from cardroom.rounds import Json, Ruleset, Step
from cardroom.shuffle import Luck

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shoe:
    """A shoe whose seed is known: its luck, its cards before the shuffle, and in the order dealt."""

    luck: Luck
    deck: Sequence[Card]
    cards: Sequence[Card]


class Replay:
    """Replays records with the same pure steps that wrote them.

    `pinned` finds a rule set by the id and hash that a record names.
    """

    def __init__(self, pinned: Callable[[Mapping[str, Any]], Ruleset]) -> None:
        self._pinned = pinned

    def check(self, table: Json | None, live: Live | None, payload: Json) -> Replayed:
        """What a record says against what the rules give; a settlement and a void apart from the deal they end.

        Of a round from a shoe only the table is looked at: its cards are known when the shoe is closed.
        """
        if payload["seq"] == 1:
            table = dict(rounds.NEW_TABLE)
        if table is None:
            return Replayed()  # the record before is not there: what the table was is not known
        try:
            if (live is not None and live.shoe_id is not None) or "shoe_id" in payload["request"]:
                return self._from_a_shoe(table, live, payload)
            step = self._step(table, live, payload) or self._between_rounds(table, payload)
        except Refusal as refusal:
            return _refused(refusal)
        return Replayed() if step is None else _compared(step, payload)

    def _step(self, table: Json, live: Live | None, payload: Json) -> Step | None:
        """The record again, None if what it was made from is not known, or no seed yet."""
        match payload["kind"]:
            case "opened":
                return self._opened(table, payload)
            case "dealt" if live is not None and live.opened is not None and not live.opened["body"]:
                return self._deal(live.opened, payload, table, seed=None)
            case "settled" if live is not None and live.dealt is not None:
                return rounds.settle_step(
                    dealt=live.dealt,
                    request=payload["request"],
                    table=table,
                    ruleset=self._pinned(payload["ruleset"]),
                    server_seed=_seed(payload),
                )
            case "voided":
                return self._void(table, live, payload)
        return None

    def _between_rounds(self, table: Json, payload: Json) -> Step | None:
        match payload["kind"]:
            case "drawn":
                return self._drawn(table, payload)
            case "shoe_opened":
                return rounds.open_shoe_step(
                    operator=payload["operator"],
                    shoe_id=payload["round_id"].removeprefix("shoe:"),
                    request=payload["request"],
                    table=table,
                    ruleset=self._pinned(payload["ruleset"]),
                    body=payload["body"],
                )
            case "shoe_closed":
                return rounds.close_shoe_step(
                    shoe_id=payload["round_id"].removeprefix("shoe:"),
                    request=payload["request"],
                    table=table,
                    server_seed=_seed(payload),
                )
        return None

    def _opened(self, table: Json, payload: Json) -> Step:
        return rounds.open_step(
            round_id=payload["round_id"],
            request=payload["request"],
            table=table,
            ruleset=self._pinned(payload["ruleset"]),
            body=payload["body"],
        )

    def _void(self, table: Json, live: Live | None, payload: Json) -> Step | None:
        reference = payload["ruleset"]
        last = None if reference is None or live is None else live.dealt or live.opened
        if reference is not None and last is None:
            return None
        game = None if reference is None else self._pinned(reference).game
        return rounds.void_step(
            last=last, request=payload["request"], table=table, game=game, server_seed=_seed(payload)
        )

    def _drawn(self, table: Json, payload: Json) -> Step:
        body = {name: value for name, value in payload["body"].items() if name in ("commitment", "salt", "epoch")}
        return rounds.draw_step(
            draw_id=payload["round_id"].removeprefix("draw:"),
            request=payload["request"],
            table=table,
            ruleset=self._pinned(payload["ruleset"]),
            terms={**rounds.terms_of(payload), "body": body},
            server_seed=bytes.fromhex(payload["body"]["seed"]),
        )

    def _deal(self, opened: Json, dealt: Json, table: Json, *, seed: bytes | None) -> Step:
        return rounds.deal_step(
            opened=opened,
            opened_sha256=dealt["body"]["opened"]["sha256"],
            request=dealt["request"],
            table=table,
            ruleset=self._pinned(opened["ruleset"]),
            server_seed=seed,
        )

    def check_deal(self, live: Live, payload: Json, shoe: _Shoe | None) -> Replayed:
        """The deal of a round against the seed that `payload`, its end, reveals."""
        opened, dealt, table, seed = live.opened, live.dealt, live.before_deal, _seed(payload)
        if opened is None or dealt is None or table is None or seed is None:
            return Replayed()
        try:
            cards = None if shoe is None else shoe.cards
            body, table_after = self._dealt_again(live, dealt["request"], seed, cards)
            if body == dealt["body"]:
                return Replayed(_table_faults(table_after, dealt) if shoe is None else (), table_after)
        except Refusal as refusal:
            return _refused(refusal)

        def again(cut: int | None) -> Json:
            if shoe is not None:
                return self._dealt_again(live, dealt["request"], seed, shoe.luck.shuffle(shoe.deck, cut))[0]
            request = {name: value for name, value in dealt["request"].items() if name != "cut"}
            return self._dealt_again(live, request if cut is None else {**request, "cut": cut}, seed, None)[0]

        return Replayed(_deal_faults(body, dealt, again), table_after)

    def _dealt_again(self, live: Live, request: Json, seed: bytes, cards: Sequence[Card] | None) -> tuple[Json, Json]:
        """The body of a deal and the table after it, as `rounds.deal_step` makes them.

        What comes from a verified record is canonical, so it is hashed without another look.
        """
        opened, table, terms = live.opened, live.before_deal, live.terms()
        assert opened is not None and table is not None  # noqa: S101 - check_deal looked
        ruleset, client_seed = self._pinned(opened["ruleset"]), request.get("client_seed")
        luck = Luck(
            server_seed=seed,
            terms_sha256=hashlib.sha256(plain_json(terms)).digest(),
            client_seed=None if client_seed is None else bytes.fromhex(client_seed),
        )
        body = rounds.dealt_body(ruleset, opened["request"], request, table, luck=luck, shoe=cards)
        changed = {}
        if cards is None:
            changed = ruleset.game.after_deal(ruleset.rules, opened["request"], request, body, table)
        opened_as = {"seq": opened["seq"], "sha256": live.opened_sha256, "terms": terms}
        table_after = {**table, **changed, "live": {"round_id": live.round_id, "state": "dealt"}}
        return {"opened": opened_as, **body}, table_after

    def shoe(self, closed: Json, table: Json) -> _Shoe:
        """The cards of a shoe that is closed, by the table before."""
        shoe, ruleset = table["shoe"], self._pinned(closed["ruleset"])
        seed = bytes.fromhex(closed["body"]["seed"])
        luck = rounds.luck_of(shoe["terms"], server_seed=seed, client_seed=shoe["client_seed"])
        deck = ruleset.game.deck(ruleset.rules, shoe["terms"]["request"])
        return _Shoe(luck=luck, deck=deck, cards=luck.shuffle(deck, shoe["cut"]))

    def check_shoe_settlement(self, table: Json, live: Live, payload: Json, shoe: _Shoe) -> Replayed:
        """A settlement that takes cards from a shoe; its table has been looked at before."""
        del table
        try:
            body = self._settled_body(live, payload["request"], shoe)
        except Refusal as refusal:
            return _refused(refusal)
        expected = {**body, "seed": payload["body"]["seed"]}
        return (
            Replayed() if expected == payload["body"] else Replayed(_by_kind(expected, payload["body"], _settled_code))
        )

    def _settled_body(self, live: Live, request: Json, shoe: _Shoe | None) -> Json:
        dealt = live.dealt
        assert dealt is not None  # noqa: S101 - the callers looked
        return rounds.settled_body(self._pinned(dealt["ruleset"]), dealt, request, None if shoe is None else shoe.cards)

    def _from_a_shoe(self, table: Json, live: Live | None, payload: Json) -> Replayed:
        """The records of a round from a shoe, its cards apart: they are known when the shoe is closed."""
        match payload["kind"]:
            case "opened":
                return _compared(self._opened(table, payload), payload)
            case "voided" if (step := self._void(table, live, payload)) is not None:
                return _compared(step, payload)
            case "dealt" if live is not None and live.opened is not None:
                ruleset, request = self._pinned(payload["ruleset"]), payload["request"]
                shoe = table["shoe"]
                if shoe["position"] == 0:
                    shoe = {**shoe, "client_seed": request.get("client_seed"), "cut": request.get("cut")}
                begun = {**table, "shoe": shoe}
                changed = ruleset.game.after_deal(
                    ruleset.rules, live.opened["request"], request, payload["body"], begun
                )
                left = {**begun, **changed, "live": {"round_id": payload["round_id"], "state": "dealt"}}
            case "settled" if live is not None and live.dealt is not None:
                ruleset, dealt = self._pinned(payload["ruleset"]), live.dealt
                opening = dealt["body"]["opened"]["terms"]["request"]
                changed = ruleset.game.after_settle(
                    ruleset.rules,
                    opening,
                    payload["body"],
                    payload["round_id"],
                    table,
                )
                left = {**table, **changed, "hand_no": table["hand_no"] + 1, "draw": None, "live": None}
            case _:
                return Replayed()
        return Replayed(_table_faults(left, payload), left)

    def avoided(self, live: Live, shoe: _Shoe | None) -> Json | None:
        """The body of the settlement that a void avoided, by the house way; None if there is none."""
        dealt = live.dealt
        if dealt is None or "action_order" not in dealt["body"]:
            return None
        playing = set(dealt["body"]["action_order"])
        banker = dealt["body"]["opened"]["terms"]["request"].get("banker")
        banking = [banker["seat"]] if isinstance(banker, dict) else []
        idle = sorted({hand["seat"] for hand in dealt["body"]["hands"]} - playing)  # the house banks at one of them
        for seats in (playing.union(banking), playing, *(playing | {seat} for seat in idle)):
            try:
                return self._settled_body(
                    live, {"sets": [{"seat": seat, "how": "house_way"} for seat in sorted(seats)]}, shoe
                )
            except Refusal:
                continue
        return None


def _seed(payload: Json) -> bytes | None:
    seed = payload["body"].get("seed")
    return None if seed is None else bytes.fromhex(seed)


def _refused(refusal: Refusal) -> Replayed:
    code = "setting-wrong" if any(fault.field.startswith("sets[") for fault in refusal.faults) else "request-refused"
    what = f"the rules refuse it: {refusal.message}"
    field = refusal.faults[0].field if refusal.faults else ""
    return Replayed([Difference(f"request.{field}" if field else "request", "refused", "recorded", code, what)])


def _compared(step: Step, payload: Json) -> Replayed:
    """The faults of a record, the cause before what follows from it."""
    if step.body == payload["body"] and step.table_after == payload["table_after"]:
        return Replayed()
    faults = _by_kind(step.body, payload["body"], _CODES.get(payload["kind"], _other_code))
    return Replayed([*faults, *_table_faults(step.table_after, payload)], step.table_after)


def _table_faults(expected: Json, payload: Json) -> list[Difference]:
    if expected == payload["table_after"]:
        return []
    return [
        _difference(*found, code="table-after-wrong")
        for found in rounds.differences(expected, payload["table_after"], "table_after")
    ]


def _difference(field: str, expected: Any, found: Any, *, code: str) -> Difference:
    words = _WORDS.get(code)
    return Difference(field, expected, found, code, words and f"{words}: {field}")


# A deal


def _deal_faults(expected: Json, dealt: Json, recut: Callable[[int | None], Json]) -> list[Difference]:
    """What is wrong with a deal, and why: cards changed, or all of them from another deck than the seeds give."""
    body = dealt["body"]
    theirs, ours = _hands(body), _hands(expected)
    if theirs != ours:
        return _card_faults(ours, theirs, dealt, recut)
    return _by_kind(expected, body, _deal_code)


def _card_faults(
    ours: Mapping[str, Sequence[str]],
    theirs: Mapping[str, Sequence[str]],
    dealt: Json,
    recut: Callable[[int | None], Json],
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
    cut = _other_cut(theirs, recut)
    if cut is not _NONE:
        return [_difference("request.cut", cut, request.get("cut"), code="cut-changed")]
    return [_difference("request.client_seed", None, request.get("client_seed"), code="client-seed-changed")]


_NONE: Final = object()


def _other_cut(theirs: Mapping[str, Sequence[str]], recut: Callable[[int | None], Json]) -> Any:
    """The cut that gives the cards of the record, `_NONE` if none does."""
    for cut in [None, *range(1, 424)]:
        try:
            if _hands(recut(cut)) == theirs:
                return cut
        except Refusal:  # beyond the deck
            break
    return _NONE


def _hands(body: Json) -> dict[str, Sequence[str]]:
    return {str(hand["seat"]): hand["cards"] for hand in body["hands"]}


def _deal_code(path: str) -> str:
    if path.startswith("body.fees"):
        return "fee-wrong"
    if path.startswith("body.action.") or "dice" in path:
        return "dice-wrong"
    if path.startswith(("body.action_order", "body.order", "body.say", "body.button")):
        return "action-order-wrong"
    return "card-wrong" if path.startswith(("body.hands", "body.stud", "body.last")) else "replay-differs"


def _drawn_code(path: str) -> str:
    return "card-wrong" if path.startswith(("body.cards", "body.seat")) else "replay-differs"


def _other_code(path: str) -> str:
    del path
    return "replay-differs"


# A settlement


def _settled_code(path: str) -> str:
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


def _by_kind(expected: Json, body: Json, code_of: Callable[[str], str]) -> list[Difference]:
    """The differences of two bodies, causes first; postings after what they follow from."""
    found = [
        _difference(path, should, is_, code=code_of(path))
        for path, should, is_ in rounds.differences(_without_postings(expected), _without_postings(body), "body")
    ]
    moved = list(_posting_faults(expected.get("postings", []), body.get("postings", [])))
    return sorted([*found, *moved], key=lambda one: (_RANKS.index(one.code), one.field.startswith("body.postings")))


def _without_postings(body: Json) -> Json:
    return {name: value for name, value in body.items() if name != "postings"}


def _posting_faults(expected: Sequence[Json], found: Sequence[Json]) -> Iterator[Difference]:
    if expected == found:
        return
    for index, (should, is_) in enumerate(_pairs(expected, found)):
        if should != is_:
            why = (should or is_ or {}).get("why", "")
            code = _PUSHED_TO.get(why, "payout-wrong")
            yield _difference(f"body.postings[{index}]", should, is_, code=code)


def _pairs(ours: Sequence[_Item], theirs: Sequence[_Item]) -> Iterator[tuple[_Item | None, _Item | None]]:
    for index in range(max(len(ours), len(theirs))):
        yield ours[index] if index < len(ours) else None, theirs[index] if index < len(theirs) else None
