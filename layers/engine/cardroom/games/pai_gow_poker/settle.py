"""Settling a round: hands are compared in action order, paid and collected as far as the banker's wager reaches.

`settle_hands` is the engine, in cards and integers; `settle` reads the records' requests for it and writes its body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from cardroom.banked.bets import Bets
from cardroom.banked.cover import Banked, Claim, Move, settle_claims
from cardroom.banked.settlement import banker_of, mark_earned, postings_of, result_of, share_of
from cardroom.game import Source
from cardroom.games.pai_gow_poker import shapes
from cardroom.games.pai_gow_poker.deal import banker_share_bps, bets_of, is_co_banked, main_by_seat
from cardroom.games.pai_gow_poker.dragon import check_cards_told, dragon_of
from cardroom.games.pai_gow_poker.meters import MeterMoved, pay_meters
from cardroom.games.pai_gow_poker.piles import places
from cardroom.games.pai_gow_poker.rules import (
    DRAGON,
    MAIN,
    SHEET,
    Copies,
    PaiGowRules,
)
from cardroom.games.pai_gow_poker.sets import set_json, sets_of
from cardroom.games.pai_gow_poker.shapes import Deal, Opening, Settling, Wagering
from cardroom.games.pai_gow_poker.side_bets import (
    ENVY_RULE,
    Bonuses,
    EnvyPaid,
    Judgement,
    SetHand,
    Worth,
    envy_paid,
)
from cardroom.money import HOUSE, WHOLE_BPS, Posting, Why, account_of, nets_of
from cardroom.physical import check_told
from cardroom.seats import walk_among
from cardroom.table import Outcome, Verdict, Wager, check_fields, compare, members_of

_SETTLING_FIELDS: Final = members_of(Settling)


# The engine


class Settlement(NamedTuple):
    """A settled round: claims, judgements and commissions run parallel to the moves, in settling order."""

    claims: tuple[Claim, ...]
    judgements: tuple[Judgement, ...]
    banked: Banked
    postings: tuple[Posting, ...]
    commissions: tuple[int, ...]
    banker_commission: int
    envy: tuple[EnvyPaid, ...]
    meters: Mapping[str, MeterMoved]


def judge(front: Verdict, back: Verdict, copies: Copies) -> Judgement:
    """What becomes of a main wager whose two hands compare like this with the banker's (§5.1, §5.2).

    >>> judge(Verdict.COPY, Verdict.HIGHER, Copies.BANKER).outcome  # a copy and a win
    <Outcome.PUSH: 'push'>
    """
    won = (Verdict.HIGHER,) if copies is Copies.BANKER else (Verdict.HIGHER, Verdict.COPY)
    outcome = (Outcome.LOSE, Outcome.PUSH, Outcome.WIN)[(front in won) + (back in won)]
    reason = f"both_{front.value}" if front is back else f"front_{front.value}_back_{back.value}"
    return Judgement(outcome, reason, f"{SHEET} §5.2", front, back)


_JUDGEMENTS: Final = {
    (front, back, copies): judge(front, back, copies) for front in Verdict for back in Verdict for copies in Copies
}
_ON_HAND: Final = (MAIN, DRAGON)
_FOUL: Final = Judgement(Outcome.LOSE, "foul", f"{SHEET} §3.2")


def settle_hands(
    rules: PaiGowRules,
    *,
    banker: SetHand,
    banker_account: str,
    banker_wager_minor: int | None,
    hands: Sequence[tuple[SetHand, Sequence[Wager]]],
    banker_share_bps: int = WHOLE_BPS,
    meters: Mapping[str, int] | None = None,
    maximum_payout_minor: int | None = None,
) -> Settlement:
    """Settle hands in action order, each with its wagers in settling order, side bets last (§5, §6, §10.4).

    `banker_wager_minor` None is the house's bank, without limit; `banker_share_bps` is a banking player's part of
    what the bank wins or loses; `meters` are the amounts that side bets may pay from, by their kind;
    `maximum_payout_minor` is what the table has posted for its bonuses, if it has (§10.4).
    """
    ranking = rules.ranking
    banker_front, banker_back = ranking.two(banker.front), ranking.five(banker.back)
    bonuses = Bonuses(rules.side_bets, banker, maximum_payout_minor=maximum_payout_minor)
    claims: list[Claim] = []
    shares: dict[int, int] = {}  # of a meter, by the place of the claim that won it
    judgements: list[Judgement] = []
    for hand, wagers in hands:
        if hand.forfeits:
            judgement = _FOUL
        else:
            front = compare(ranking.two(hand.front), banker_front)
            back = compare(ranking.five(hand.back), banker_back)
            judgement = _JUDGEMENTS[front, back, rules.copies]
        worth: dict[str, Worth] = {}
        for wager in wagers:
            kind, stake = wager.kind, wager.amount_minor
            if kind in _ON_HAND:
                claims.append(Claim(wager, judgement.outcome, stake))
                judgements.append(judgement)
                continue
            bonus = worth.get(kind)
            if bonus is None:
                bonus = worth[kind] = bonuses.of_hand(kind, wager.seat, hand)
            if bonus.meter_bps:
                shares[len(claims)] = bonus.meter_bps
            claims.append(Claim(wager, bonus.judgement.outcome, bonus.pays * stake, True, bonus.by_house, bonus.caps))
            judgements.append(bonus.judgement)
    moved = pay_meters(rules.meters, meters or {}, claims, shares)
    banked = settle_claims(
        claims, coverage=rules.bank.coverage, banker_wager_minor=banker_wager_minor, caps=bonuses.caps
    )
    postings, commissions, banker_commission = postings_of(
        claims,
        banked,
        banker_account=banker_account,
        commission=rules.commission,
        banker_share_bps=banker_share_bps,
    )
    envy = envy_paid(rules.side_bets, hands)
    if envy:
        postings += tuple(Posting(HOUSE, account_of(e.bettor), e.paid_minor, Why.ENVY, e.wager_id) for e in envy)
    return Settlement(tuple(claims), tuple(judgements), banked, postings, commissions, banker_commission, envy, moved)


def why(judgement: Judgement, move: Move, *, side: bool) -> tuple[str, str]:
    """The reason for a result and the rule that it follows, once the banker's wager was looked at."""
    if move.cut is None:
        return judgement.reason, judgement.rule
    limit = move.cut.partition("/")[0]
    if move.outcome is Outcome.NO_ACTION:
        return "no_action", f"{SHEET} §6.4"
    rule = f"{SHEET} §10.4" if side else f"{SHEET} §6.3"
    if move.outcome is Outcome.RETURNED:
        return f"{limit}_used_up", rule
    return f"{judgement.reason}_up_to_{limit}", rule


# From the records' requests to the record's body


def settle(
    rules: PaiGowRules, opening: Opening, wagering: Wagering, dealt_body: Deal, request: Settling, _source: Source
) -> shapes.Settlement:
    """The body of the settlement of a dealt round (§3, §5, §6, §10.3, §10.4).

    Raises SeatSetTwice, SeatWithoutWager, SeatNotSet, HouseWayRequired, CoBankedByHand, CardNotDealt, or what
    `dragon_of` does.
    """
    check_fields(request, _SETTLING_FIELDS, what=rules.ruleset_id)
    ring = places(rules, opening)
    bets = bets_of(rules, opening, wagering, ring)
    dragon = dragon_of(rules, opening, wagering, dealt_body, request, bets=bets)
    on_hands, side = main_by_seat(rules, bets), bets.side_by_seat()
    if dragon is not None:
        on_hands[dragon.seat] = [dragon]
        check_cards_told(dealt_body, dragon)
    check_told(dealt_body["hands"], [*on_hands, bets.banker_seat])
    order = walk_among(ring, dealt_body["action"]["seat"], rules.settle_direction, among=on_hands)
    sets = sets_of(rules, opening, dealt_body, request, bets=bets, playing={*order, bets.banker_seat}, dragon=dragon)
    settlement = settle_hands(
        rules,
        banker=sets[bets.banker_seat].hand,
        banker_account=account_of(bets.banker),
        banker_wager_minor=bets.banker_wager,
        hands=[(sets[seat].hand, _settling_order(on_hands[seat], side.get(seat, ()))) for seat in order],
        banker_share_bps=banker_share_bps(rules, opening),
        meters=wagering.get("meters", {}),
        maximum_payout_minor=opening.get("maximum_payout"),
    )
    return {
        "sets": [set_json(rules, seat, chosen) for seat, chosen in sorted(sets.items())],
        "banker": _banker_json(rules, opening, bets, settlement),
        "results": _results(rules, settlement),
        **_meters_json(wagering, settlement),
        "postings": [posting.to_json() for posting in settlement.postings],
        "net": nets_of(settlement.postings),
    }


def _banker_json(rules: PaiGowRules, opening: Opening, bets: Bets, settlement: Settlement) -> shapes.BankerSettled:
    """The `banker` of the body; where he banks with the house, `co_bank` says who gets what of the net (§8.4)."""
    banked = settlement.banked
    shared: shapes.CoBanked = {}
    if is_co_banked(rules, opening):
        bps = banker_share_bps(rules, opening)
        share = share_of(banked.net_minor, bps)
        shared["co_bank"] = {"share_bps": bps, "banker": share, "house": banked.net_minor - share}
    return {**banker_of(bets, banked, commission=settlement.banker_commission), **shared}


def _meters_json(wagering: Wagering, settlement: Settlement) -> shapes.Metered:
    """Each meter before, what moved it, and after (§10.8); nothing where the deal told none."""
    if "meters" not in wagering:
        return {}
    return {"meters": [moved.to_json(name) for name, moved in settlement.meters.items()]}


def _settling_order(main: Sequence[Wager], side: Sequence[Wager]) -> list[Wager]:
    """All main wagers of a hand, then its side bets in the order of the main wagers they go with (§10.4)."""
    turn = {wager.circle: place for place, wager in enumerate(main)}
    return [*main, *sorted(side, key=lambda wager: (turn[wager.circle], wager.kind))]


def _results(rules: PaiGowRules, settlement: Settlement) -> list[shapes.Result]:
    results: list[shapes.Result] = []
    for claim, judgement, move, commission in zip(
        settlement.claims, settlement.judgements, settlement.banked.moves, settlement.commissions, strict=True
    ):
        wager = claim.wager
        reason, rule = why(judgement, move, side=claim.side)
        result: shapes.Result = result_of(  # type: ignore[assignment]  # what only this game tells of it comes below
            wager, move, commission=commission, reason=reason, rule=rule
        )
        if judgement.front is not None and judgement.back is not None:
            result |= {"front": judgement.front.value, "back": judgement.back.value}
        if claim.side:
            result["line"] = judgement.line
        envied = [envy for envy in settlement.envy if envy.wager_id == wager.wager_id]
        if envied:
            result["envy"] = [
                {"seat": envy.seat, "line": envy.line, "paid": envy.paid_minor, "rule": ENVY_RULE} for envy in envied
            ]
        results.append(result)
    mark_earned(results, rules.bank)
    return results
