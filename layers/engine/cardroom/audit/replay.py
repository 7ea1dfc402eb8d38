"""Play records again: from the requests, the rule sets and the revealed seeds to what the records should say."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cardroom import canonical
from cardroom.audit.causes import by_kind, compared, deal_faults, settled_code, table_faults
from cardroom.audit.replayer import UNKNOWN, Difference, Live, Replayed
from cardroom.cards import Card
from cardroom.game import Ruleset
from cardroom.refusals import Refusal
from cardroom.rounds.corrections import basis_of
from cardroom.rounds.life import seen
from cardroom.rounds.sets import dealing
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
from cardroom.shapes.parts import (
    Commitment,
    GameJson,
    OpenShoe,
    RulesetReference,
    SeedTerms,
    TableState,
    is_committed,
)
from cardroom.shapes.records import Record
from cardroom.shuffle import Cut
from cardroom.signing.signature import plain_json


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
            return UNKNOWN if before is None else self._checked(before, payload)
        except Refusal as refusal:
            return _refused(refusal)

    def _checked(self, before: Before, payload: Record) -> Replayed:
        kinds, call = self._catalogue.kinds, call_of(payload)
        try:
            return compared(step(kinds, call, before, _Revealed(payload)), payload)
        except _NotRevealed:
            left = table_after(kinds, call, before, payload["body"])
            return Replayed(table_faults(left, payload), left)

    def _before(self, table: TableState | None, live: Live | None, payload: Record) -> Before | None:
        """What the record was made from, None if it is not known: a record before it is not there."""
        if table is None:
            return None
        reference, kind = payload["ruleset"], self._catalogue.kinds[payload["kind"]]
        if reference is None:
            return Before(table=table, last=None, ruleset=None, reasons=self._catalogue.void_reasons)
        last = None if live is None else live.latest
        follows = [one for one in kind.follows if one is not None]
        if kind.of_round and follows and (live is None or last is None or live.state not in follows):
            return None
        basis = payload["body"]["basis"] if kind.from_itself else None
        return Before(table=table, last=last, ruleset=self._catalogue.pinned(reference), basis=basis)

    def _ruleset(self, payload: Record) -> Ruleset:
        """The rule set of a record, where there must be one."""
        if payload["ruleset"] is None:
            raise ValueError(f"a {payload['kind']} record without a rule set")
        return self._catalogue.pinned(payload["ruleset"])

    def check_deal(self, live: Live, payload: Record, shoe: _Shoe | None) -> Replayed:
        """The deal of a round against the seed that `payload`, its end, reveals."""
        opened, dealt, table = live.opened, live.dealt, live.before_deal
        if dealt is not None and not is_committed(opened_terms(dealt)):
            return Replayed()  # whose cards were told with its own request
        if opened is None or dealt is None or table is None or _seed(payload["body"]) is None:
            return UNKNOWN
        before = Before(table=table, last=Last(opened, live.opened_sha256 or ""), ruleset=self._ruleset(opened))

        def again(request: GameJson, cards: Sequence[Card] | None) -> GameJson:
            call = call_of({**dealt, "request": request})
            return body_of(self._catalogue.kinds, call, before, _Revealed(payload, cards))

        try:
            body = again(dealt["request"], None if shoe is None else shoe.cards)
        except Refusal as refusal:
            return _refused(refusal)
        if canonical.same(body, dealt["body"]):
            return Replayed()

        def recut(cut: int | None) -> GameJson:
            if shoe is not None:
                return again(dealt["request"], shoe.uncut[cut:] + shoe.uncut[:cut] if cut else shoe.uncut)
            request = {name: value for name, value in dealt["request"].items() if name != "cut"}
            return again(request if cut is None else {**request, "cut": cut}, None)

        rules = before.rules
        size = len(rules.game.deck(rules.rules, opened["request"]) if shoe is None else shoe.uncut)
        none, told = [None], [*range(1, size)]
        cuts = {Cut.NONE: none, Cut.HOUSE: [*none, *told], Cut.PLAYERS: told if shoe is None else [*none, *told]}
        return Replayed(deal_faults(body, dealt, ((cut, recut(cut)) for cut in cuts[rules.rules.cut])))

    def check_sets(self, live: Live, payload: Record, shoe: _Shoe | None) -> Replayed:
        """The sets of a round, and the hands shown with them, against the seed that `payload`, its end, reveals."""
        dealt, locked = live.dealt, live.locked
        if dealt is None or locked is None:
            return UNKNOWN
        if not is_committed(opened_terms(locked)):
            return Replayed()  # whose cards were told with its own request
        if _seed(payload["body"]) is None:
            return UNKNOWN
        ruleset = self._ruleset(dealt)
        before = Before(table=dealt["table_after"], last=Last(dealt, live.dealt_sha256 or ""), ruleset=ruleset)
        secrets = _Revealed(payload, None if shoe is None else shoe.cards)
        try:
            body = body_of(self._catalogue.kinds, call_of(locked), before, secrets)
        except Refusal as refusal:
            return _refused(refusal)
        if canonical.same(body, locked["body"]):
            return Replayed()
        return Replayed(by_kind(body, locked["body"], settled_code))

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
        if canonical.same(body, payload["body"]):
            return Replayed()
        return Replayed(by_kind(body, payload["body"], settled_code))

    def _settled(self, table: TableState, live: Live, request: GameJson, secrets: Secrets) -> GameJson:
        last = live.latest
        assert last is not None  # noqa: S101 - the callers looked
        before = Before(table=table, last=last, ruleset=self._ruleset(last.payload))
        call = call_of({**last.payload, "kind": "settled", "request": request})
        return body_of(self._catalogue.kinds, call, before, secrets)

    def bank_turn(self, table: TableState, live: Live) -> str | None:
        """How the bank of a round came to who has it, as the record tells; None where nobody banks."""
        terms = live.terms()
        if terms is None:
            return None
        try:
            ruleset = self._catalogue.pinned(terms["ruleset"])
        except Refusal:
            return None
        return ruleset.game.bank_turn(ruleset.rules, terms["request"], seen(table, ruleset))

    def basis(self, live: Live | None, payload: Record, sha256: str) -> GameJson | None:
        """What a correction of a record, whose hash is `sha256`, must be made from; None if there can be none."""
        if payload["kind"] == "corrected":
            return basis_of(self._ruleset(payload), [Last(payload, sha256)])
        if payload["kind"] != "settled" or live is None or live.latest is None:
            return None
        if "correction_hands" not in opened_terms(live.latest.payload)["request"]:
            return None
        return basis_of(self._ruleset(payload), [live.latest, Last(payload, sha256)])

    def avoided(self, live: Live, voided: Record, shoe: _Shoe | None) -> GameJson | None:
        """The body of the settlement that a void avoided; None if there is none.

        What was locked before it stands; all other hands are set by the house way.
        """
        if live.state == "opened" or live.last is None or "action_order" not in dealing(live.last[0]).body:
            return None
        last = live.last[0]
        secrets = _Revealed(voided, None if shoe is None else shoe.cards)
        deal, opening, ruleset = dealing(last), opened_terms(last)["request"], self._ruleset(last)
        given = set() if deal.locked is None else {one["seat"] for one in deal.locked["sets"]}
        playing = set(deal.body["action_order"])
        banker = opening.get("banker")
        banks = banker["seat"] if isinstance(banker, dict) else ruleset.document.get("house_seat")
        for seats in (playing if banks is None else playing | {banks}, playing):
            sets = {"sets": [{"seat": seat, "how": "house_way"} for seat in sorted(seats - given)]}
            try:
                return self._settled(last["table_after"], live, sets, secrets)
            except Refusal:
                continue
        return None


class Known(Protocol):
    """What a replay must know: rule sets by what records name of them, and the kinds of records."""

    @property
    def kinds(self) -> Kinds:
        """The kinds of records."""

    @property
    def void_reasons(self) -> Sequence[str]:
        """Why a round that nobody knows may be voided."""

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
