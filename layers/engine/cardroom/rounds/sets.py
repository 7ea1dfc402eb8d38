"""Hands in their order: what a deal shows, the players' hands locked, and only then the others shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from cardroom.banked.sets import bettors_hands
from cardroom.fees import fee_postings
from cardroom.game import Ruleset, Source
from cardroom.physical import check_source
from cardroom.refusals import FieldFault, Refusal, at, refuse
from cardroom.rounds import shoes
from cardroom.rounds.steps import Before, Call, Kind, Secrets, opened_terms, with_live
from cardroom.shapes.parts import GameJson, TableState, Terms, is_committed
from cardroom.shapes.records import Record, Set

_NOT_KEPT: Final = frozenset({"opened", "say", "postings"})  # what of a deal no settlement needs


class HandHidden(Refusal):
    """A set for a hand that is not shown yet, otherwise than by the house way."""


class SetsNotOffered(Refusal):
    """Hands to lock in a game without a banker, whose hands are all shown with the deal."""


class Dealing(NamedTuple):
    """A round's deal as its settlement sees it: what was asked, what it gave, with all hands shown since.

    `locked` is the request of the set, None where the players' hands are not locked.
    """

    request: GameJson
    body: GameJson
    locked: GameJson | None = None

    def with_hands(self, shown: Sequence[GameJson]) -> Dealing:
        """The deal with more hands."""
        hands = sorted([*self.body["hands"], *shown], key=itemgetter("seat"))
        return self._replace(body={**self.body, "hands": hands}) if shown else self

    @property
    def wagering(self) -> GameJson:
        """What was asked, with the cut wherever that came from."""
        return {**self.request, "cut": self.body["cut"]} if "cut" in self.body else self.request


def dealing(last: Record) -> Dealing:
    """A round's deal, by its record or by a later one before its end, which repeats what is needed of it."""
    if last["kind"] == "dealt":
        return Dealing(last["request"], last["body"])
    deal = last["body"]["dealt"]
    body = {**deal["body"], "postings": fee_postings(deal["body"]["fees"])}
    if last["kind"] == "set":
        return Dealing(deal["request"], body, last["request"]).with_hands(last["body"]["hands"])
    return Dealing(deal["request"], body, last["body"].get("set", {}).get("request"))


def hides(ruleset: Ruleset, terms: Terms) -> bool:
    """Whether a round's deal shows the bettors' hands alone."""
    return ruleset.game.staging is not None and is_committed(terms) and terms["request"].get("shown") != "all"


def shown_of(ruleset: Ruleset, terms: Terms, wagering: Any, body: GameJson) -> GameJson:
    """The body of a deal without the hands that are not to be seen yet."""
    if not hides(ruleset, terms):
        return body
    seats = bettors_hands(wagering)
    return {**body, "hands": [hand for hand in body["hands"] if hand["seat"] in seats]}


def check_hidden(ruleset: Ruleset, last: Record, request: GameJson) -> None:
    """Refuse a set for a hidden hand that looks at its cards: what is wrong with it would tell them.

    Raises HandHidden.
    """
    if last["kind"] != "dealt" or not hides(ruleset, opened_terms(last)):
        return
    shown = {hand["seat"] for hand in last["body"]["hands"]}
    message = "must be house_way: this hand is not shown before the players' hands are locked"
    by_hand = [one["seat"] for one in request["sets"] if one["seat"] not in shown and one["how"] != "house_way"]
    refuse(HandHidden, [FieldFault(at("sets", seat, "how"), message) for seat in by_hand])


def hands_shown(ruleset: Ruleset, last: Record, request: GameJson, source: Source) -> list[Any]:
    """The hands that a call is the first to show: the hidden ones of a shuffle, or those that it tells itself.

    Raises HandsNotWanted, or what is wrong with the hands that are told.
    """
    terms, told = opened_terms(last), request.get("hands", [])
    check_source({"hands": told} if told else {}, source)
    if ruleset.game.staging is None or not (told or (last["kind"] == "dealt" and hides(ruleset, terms))):
        return []
    rules, deal = ruleset.rules_for(terms["request"]), dealing(last)
    return ruleset.game.staging.hidden(rules, terms["request"], deal.request, deal.body, source, told)


def settling(ruleset: Ruleset, deal: Dealing, request: GameJson) -> GameJson:
    """The request of a settlement as its game takes it: with what was locked before, without the hands."""
    request = {name: value for name, value in request.items() if name != "hands"}
    if deal.locked is None or ruleset.game.staging is None:
        return request
    joined: Mapping[str, Any] = ruleset.game.staging.joined(deal.locked, request)
    return joined


def staked(ruleset: Ruleset, last: Record) -> list[Any]:
    """What was staked with the sets, which a void gives back besides the wagers."""
    locked = dealing(last).locked
    return [] if locked is None or ruleset.game.staging is None else ruleset.game.staging.staked(locked)


def sets_repeated(last: Record, sha256: str | None) -> GameJson:
    """What a round's next record repeats of its sets, by the last one, whose hash is `sha256`."""
    if last["kind"] == "set":
        return {"seq": last["seq"], "sha256": sha256, "request": last["request"]}
    repeated: GameJson = last["body"]["set"]
    return repeated


def deal_repeated(last: Record, sha256: str | None) -> GameJson:
    """What a round's next record repeats of its deal, by the last one, whose hash is `sha256`."""
    if last["kind"] != "dealt":
        repeated: GameJson = last["body"]["dealt"]
        return repeated
    body = {name: value for name, value in last["body"].items() if name not in _NOT_KEPT}
    return {"seq": last["seq"], "sha256": sha256, "request": last["request"], "body": body}


def _set(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """The hands that are shown now, and the players' hands as they are locked.

    Raises SetsNotOffered, HandHidden, or what the game refuses.
    """
    ruleset, dealt = before.rules, before.payload
    staging, terms = ruleset.game.staging, opened_terms(dealt)
    if staging is None:
        raise SetsNotOffered(f"{ruleset.id} has no banker, and all hands are shown with the deal: settle the round")
    check_hidden(ruleset, dealt, call.request)
    deal = dealing(dealt)
    source = shoes.source_of(terms, deal.wagering, before.table, before, secrets)
    shown = hands_shown(ruleset, dealt, call.request, source)
    body = deal.with_hands(shown).body
    sets = staging.lock(ruleset.rules_for(terms["request"]), terms["request"], deal.request, body, call.request)
    kept = deal_repeated(dealt, before.record.sha256)
    return {"opened": dealt["body"]["opened"], "dealt": kept, "hands": shown, "sets": sets}


def _is_set(call: Call, before: Before, _body: GameJson) -> TableState:
    return with_live(before.table, {"round_id": call.round_id, "state": "set"})


SET = Kind(shapes=(Set,), follows=("dealt",), body=_set, leaves=_is_set, of_round=True, ends=False)
