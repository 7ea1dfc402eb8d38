"""A misread card put right: before the settlement what follows uses it, after it the round is settled again.

Nothing is rewritten. A correction is a record of its own, which names what it corrects by hash and repeats all that it
is made from; what a hand is worth is judged again by the same rules, and who is owed what is posted as due.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from cardroom.cards import parse_card
from cardroom.game import Ruleset, Staging, Told
from cardroom.money import Why, transfers
from cardroom.refusals import FieldFault, Refusal, at, refuse, refuse_at
from cardroom.rounds.sets import Dealing, deal_repeated, dealing, sets_repeated, settling
from cardroom.rounds.steps import Before, Call, Kind, Last, Secrets, opened_terms
from cardroom.shapes.parts import GameJson, Nets, TableState, Terms, is_committed
from cardroom.shapes.records import Corrected, DealCorrected

MOST: Final = 20
"""How often one round may be corrected."""

_CARD_FIELDS: Final = ("front", "one", "two", "low")  # where a set names cards of its hand


class CorrectionNotOffered(Refusal):
    """A correction of a round whose cards nobody read: the service dealt them, or nobody banked."""


class CorrectionStale(Refusal):
    """A correction of a record that is not the last one of its kind: another came in between."""


class CorrectionEmpty(Refusal):
    """A correction that changes nothing."""


class CorrectionLate(Refusal):
    """A correction after more settled hands than the open allows."""


class CorrectionElsewhere(Refusal):
    """A correction id that another correction has."""


class CorrectionsSpent(Refusal):
    """More corrections of one round than there may be."""


class HandUntold(Refusal):
    """A correction of a hand whose cards were never told."""


class SetNotAsLaid(Refusal):
    """A set in a correction for a hand that was not set so: another way is a new choice."""


def correction_round_id(correction_id: str) -> str:
    """The key under which a correction's own state is kept; no round can have such an id."""
    return f"correction:{correction_id}"


def _staging(ruleset: Ruleset, terms: Terms) -> Staging[Any, Any, Any, Any, Any, Any]:
    staging = ruleset.game.staging
    if staging is None or is_committed(terms):
        why = "nobody banks, and no card is told" if staging is None else "the service dealt its cards"
        raise CorrectionNotOffered(f"round {terms['round_id']} of {ruleset.id} cannot be corrected: {why}")
    return staging


def _check_corrects(request: GameJson, sha256: str) -> None:
    """Refuse a correction of another record than the last one. Raises CorrectionStale."""
    if request["corrects"] != sha256:
        message = f"must be {sha256}, the record that stands now"
        raise CorrectionStale("another record came since the one that is corrected", FieldFault("corrects", message))


# The cards as they lie


def _as_they_lie(
    ruleset: Ruleset, staging: Staging[Any, Any, Any, Any, Any, Any], opening: Any, deal: Dealing, request: GameJson
) -> Dealing:
    """A deal with the hands that a correction tells in the place of those that were read.

    Raises HandUntold, or what is wrong with the cards.
    """
    told = request.get("hands", [])
    known = {hand["seat"]: hand for hand in deal.body["hands"]}
    untold = [hand["seat"] for hand in told if hand["seat"] not in known]
    message = "must be left out: nobody has told this hand; it comes with the sets or the settlement"
    refuse(HandUntold, [FieldFault(at("hands", seat), message) for seat in untold])
    seats = {hand["seat"] for hand in told}
    others = [hand for seat, hand in known.items() if seat not in seats]
    rest = {**deal.body, "hands": others}
    rules = ruleset.rules_for(opening)
    return deal._replace(body=rest).with_hands(staging.hidden(rules, opening, deal.request, rest, Told(), told))


def _named(one: GameJson) -> set[int]:
    """The cards that a set names."""
    return {parse_card(card) for part in _CARD_FIELDS for card in one.get(part, ())}


def _cards(hands: Iterable[GameJson]) -> dict[int, set[int]]:
    return {hand["seat"]: {parse_card(card) for card in hand["cards"]} for hand in hands}


def _check_laid(before: Sequence[GameJson], now: Sequence[GameJson], *, allowed: Collection[int] | None) -> None:
    """Refuse sets of a correction that are not each for a hand that was set, in the same way.

    `allowed` are the seats whose sets may come (None: any that was set). Raises SetNotAsLaid.
    """
    sets = {one["seat"]: one for one in before}
    faults = []
    for one in now:
        seat = one["seat"]
        if seat not in sets or (allowed is not None and seat not in allowed):
            faults.append(FieldFault(at("sets", seat), "must be left out: this set lies as it was told"))
        elif one["how"] != sets[seat]["how"]:
            message = f"must be {sets[seat]['how']}, as the hand was set: another way would be a new choice"
            faults.append(FieldFault(at("sets", seat, "how"), message))
    refuse(SetNotAsLaid, faults)


def _check_missing(sets: Sequence[GameJson], hands: Mapping[int, set[int]], now: Collection[int]) -> None:
    """Refuse a correction without the set, as it lies, of a hand that names a card no longer there."""
    gone = [one["seat"] for one in sets if not _named(one) <= hands.get(one["seat"], set()) and one["seat"] not in now]
    message = "must be given as it lies: it names a card that is not in the hand"
    refuse(SetNotAsLaid, [FieldFault(at("sets", seat), message) for seat in gone])


# Before the settlement


def _deal_corrected(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """The deal as it lies, and the locked hands judged anew.

    Raises CorrectionNotOffered, CorrectionStale, CorrectionEmpty, HandUntold, SetNotAsLaid, or what the game refuses.
    """
    del secrets
    ruleset, last, request = before.rules, before.payload, call.request
    terms = opened_terms(last)
    staging, opening = _staging(ruleset, terms), terms["request"]
    _check_corrects(request, before.record.sha256)
    deal = dealing(last)
    corrected = _as_they_lie(ruleset, staging, opening, deal, request)
    given = request.get("sets", [])
    body: dict[str, Any] = {"opened": last["body"]["opened"]}
    kept = deal_repeated(last, before.record.sha256)
    body["dealt"] = {**kept, "body": {**kept["body"], "hands": corrected.body["hands"]}}
    if "drawn_cards" in request:
        refuse_at(SetNotAsLaid, "drawn_cards", "must be left out: they come with the settlement")
    if deal.locked is None:
        told = [at("sets", one["seat"]) for one in given] + (["misplayed"] if "misplayed" in request else [])
        refuse(SetNotAsLaid, [FieldFault(field, "must be left out: no hand is locked") for field in told])
    else:
        hands = _cards(corrected.body["hands"])
        affected = [one["seat"] for one in deal.locked["sets"] if not _named(one) <= hands.get(one["seat"], set())]
        _check_laid(deal.locked["sets"], given, allowed=affected)
        _check_missing(deal.locked["sets"], hands, {one["seat"] for one in given})
        locking = _request_after(deal.locked, request)
        body["set"] = {**sets_repeated(last, before.record.sha256), "request": locking}
        judged = {name: value for name, value in locking.items() if name != "hands"}
        body["sets"] = staging.lock(ruleset.rules_for(opening), opening, deal.request, corrected.body, judged)
    if corrected.body["hands"] == deal.body["hands"] and not given:
        raise CorrectionEmpty("the hands are as they were told: there is nothing to correct")
    return body


def _stays(_call: Call, before: Before, _body: GameJson) -> TableState:
    return before.table


DEAL_CORRECTED: Final = Kind(
    shapes=(DealCorrected,),
    follows=("dealt", "set"),
    body=_deal_corrected,
    leaves=_stays,
    of_round=True,
    ends=False,
    stays=True,
)


# After the settlement


def basis_of(ruleset: Ruleset, records: Sequence[Last]) -> GameJson:
    """What a settled round is settled from, by its last record and, unless that is a correction, the one before it."""
    last, sha256 = records[-1]
    if last["kind"] == "corrected":
        basis, request = last["body"]["basis"], last["request"]
        hands = {hand["seat"]: hand["cards"] for hand in request.get("hands", [])}
        settled = basis["settled"]
        again = {"request": _request_after(settled["request"], request), **_standing(last["body"]["settlement"])}
        return {
            "opened": basis["opened"],
            "dealt": _with_cards(basis["dealt"], hands),
            "settled": {**settled, **again},
            "corrected": {"seq": last["seq"], "sha256": sha256},
        }
    before = records[-2]
    deal, kept = dealing(before.payload), deal_repeated(*before)
    hands_now = deal.with_hands(last["body"].get("hands", [])).body["hands"]
    return {
        "opened": before.payload["body"]["opened"],
        "dealt": {**kept, "body": {**kept["body"], "hands": hands_now}},
        "settled": {
            "seq": last["seq"],
            "sha256": sha256,
            "hand_no": last["table_after"]["hand_no"],
            "request": settling(ruleset, deal, last["request"]),
            **_standing(last["body"]),
        },
    }


def _standing(settlement: GameJson) -> GameJson:
    """What of a settlement a later correction is measured against: the money by account, and who earned what."""
    earned = [one["wager_id"] for one in settlement["results"] if one.get("free_collection", False)]
    return {"net": settlement["net"], "earned": sorted(earned)}


def _with_cards(dealt: GameJson, hands: Mapping[int, Sequence[str]]) -> GameJson:
    body = dealt["body"]
    new = [{**hand, "cards": hands.get(hand["seat"], hand["cards"])} for hand in body["hands"]]
    return {**dealt, "body": {**body, "hands": new}}


def _request_after(before: GameJson, request: GameJson) -> GameJson:
    """A settlement's request with what a correction tells in its place; what is of one seat together."""
    after = dict(before)
    for name in ("sets", "drawn_cards", "misplayed"):
        if name in request:
            seats = {one["seat"] for one in request[name]}
            kept = [one for one in before.get(name, []) if one["seat"] not in seats]
            after[name] = sorted([*kept, *request[name]], key=itemgetter("seat"))
    return after


def _corrected(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """The round settled again, what each account is owed, and where the table would stand otherwise.

    Raises CorrectionNotOffered, CorrectionStale, CorrectionLate, CorrectionEmpty, HandUntold, SetNotAsLaid, or what the
    game refuses.
    """
    del secrets
    ruleset, request, basis = before.rules, call.request, before.basis
    if basis is None:
        raise ValueError("a correction that is made from nothing")
    terms: Terms = basis["opened"]["terms"]
    staging, opening, settled = _staging(ruleset, terms), terms["request"], basis["settled"]
    stands = basis.get("corrected", settled)
    _check_corrects(request, stands["sha256"])
    _check_window(opening, settled["hand_no"], before.table)
    deal = Dealing(basis["dealt"]["request"], basis["dealt"]["body"])
    _check_laid(settled["request"]["sets"], request.get("sets", []), allowed=None)
    corrected = _as_they_lie(ruleset, staging, opening, deal, request)
    after = _request_after(settled["request"], request)
    _check_missing(after["sets"], _cards(corrected.body["hands"]), {one["seat"] for one in request.get("sets", [])})
    if corrected.body["hands"] == deal.body["hands"] and after == settled["request"]:
        raise CorrectionEmpty("all is as it was settled: there is nothing to correct")
    rules = ruleset.rules_for(opening)
    settlement = ruleset.game.settle(rules, opening, deal.request, corrected.body, after, Told())
    net = _difference(settled["net"], settlement["net"])
    earned = set(_standing(settlement)["earned"])
    return {
        "basis": basis,
        "settlement": settlement,
        "postings": [posting.to_json() for posting in transfers(net, Why.CORRECTION)],
        "net": [{"account": account, "amount": amount} for account, amount in net.items()],
        "would_differ": {
            "free_collections": {
                "more": sorted(earned - {*settled["earned"]}),
                "less": sorted({*settled["earned"]} - earned),
            }
        },
    }


def _check_window(opening: GameJson, hand_no: int, table: TableState) -> None:
    """Refuse a correction after too many settled hands. Raises CorrectionLate."""
    window, since = opening.get("correction_hands", 0), table["hand_no"] - hand_no
    if since >= window:
        allowed = f"the open allows one before {window} more hands are settled" if window else "the open allows none"
        raise CorrectionLate(f"{since} hands were settled at the table since this one: {allowed}")


def _difference(before: Nets, after: Nets) -> dict[str, int]:
    """What each account gains or loses by another settlement, sorted; those that stay are left out."""
    net = {one["account"]: one["amount"] for one in after}
    for one in before:
        net[one["account"]] = net.get(one["account"], 0) - one["amount"]
    return {account: amount for account, amount in sorted(net.items()) if amount}


CORRECTED: Final = Kind(
    shapes=(Corrected,), follows=("settled",), body=_corrected, leaves=_stays, while_live=True, from_itself=True
)
