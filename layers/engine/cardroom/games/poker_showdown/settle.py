"""Settling a poker showdown: pots are made of what was put in, and shared among the best hands, high, low or both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from cardroom.cards import Card, format_card, format_cards
from cardroom.game import Source
from cardroom.games.poker_showdown.deal import check_seats
from cardroom.games.poker_showdown.last_card import AllCards, deal_last, seat_of, streets
from cardroom.games.poker_showdown.rules import SHEET, Form, ShowdownRules
from cardroom.games.poker_showdown.shapes import (
    Besides,
    DeadHand,
    Deal,
    Opening,
    Settlement,
    Settling,
    ShownHand,
    Wagering,
    WonBy,
)
from cardroom.games.poker_showdown.shapes import Pot as PotTold
from cardroom.hands.low import Best, best_five, low, low_name, qualifies
from cardroom.money import Posting, Why, account_of, nets_of
from cardroom.physical import HandsMissing
from cardroom.potted.antes import Stakes
from cardroom.potted.pots import Pot, Pots, best_of, check_total, halves, left_of_button, make_pots, pot_account, share
from cardroom.refusals import FieldFault, Refusal, at, listed, refuse, refuse_at
from cardroom.shapes.parts import Hand
from cardroom.shapes.potted import PlayerResult
from cardroom.table import Outcome, Wager, check_fields, members_of

HIGH: Final = "high"
LOW: Final = "low"
WHOLE: Final = "whole"
_SETTLING_FIELDS: Final = members_of(Settling) - {"sets"}  # which may be there, but empty
_DEAD_HAND_FIELDS: Final = members_of(DeadHand)
_RANKED: Final = {Form.HIGH: 1, Form.LOW: 2, Form.HIGH_LOW: 6}  # the section by which a hand was not the best


class ContributionInvalid(Refusal):
    """A contribution to the pot that is missing, or less than the ante that was put in."""


class NobodyLeft(Refusal):
    """A hand in which every player is said to have folded; the last one left has won and does not fold."""


class DeadHandFolded(Refusal):
    """A hand that is said to be dead and to have folded."""


class DeadOrderInvalid(Refusal):
    """An order of dead hands that does not name each of them once."""


class DeadOrderMissing(Refusal):
    """Dead hands alone in a pot, without the order in which they were declared dead."""


class AnteNotReturnable(Refusal):
    """An ante to return to a player who put none in."""


class Shown(NamedTuple):
    """What a hand is worth: its best five cards for high, and for low if they qualify; None where that wins nothing."""

    high: Best | None
    low: Best | None


class Share(NamedTuple):
    """What a seat gets of a pot, in minor units, and for what: its `high` or `low` hand, or the `whole` uncontested."""

    seat: int
    amount_minor: int
    won_by: WonBy


class AtShowdown(NamedTuple):
    """A hand at its showdown; `out` are the seats that folded, then those whose hands are dead, in their order.

    `after` says after how many cards seats folded at stud; `shown` are the hands that contest a pot.
    """

    form: Form
    account: str
    bettors: Mapping[int, str]
    antes: Mapping[int, Wager]
    put_in: Mapping[int, int]
    out: tuple[int, ...]
    after: Mapping[int, int]
    cards: AllCards
    antes_returned: Mapping[int, int]
    pots: Pots
    shown: Mapping[int, Shown]


def settle(
    rules: ShowdownRules, opening: Opening, wagering: Wagering, dealt_body: Deal, request: Settling, source: Source
) -> Settlement:
    """The settled record's body: hands, pots with their shares, results (§1 to §8)."""
    given = {name: value for name, value in request.items() if value != []}
    check_fields(given, _SETTLING_FIELDS, what=rules.ruleset_id)
    played = _play(rules, opening, wagering, dealt_body, request, source)
    shared = [(pot, _shares(rules, opening["button"], pot, played)) for pot in played.pots.pots]
    postings = list(_postings(played, [share_ for _, shares in shared for share_ in shares]))
    besides: Besides = {**played.cards.told}
    if "deck" in wagering:
        besides["deck"] = wagering["deck"]["deck_id"]
    if dead_order := request.get("dead_order"):  # no card shows it: it is as the floor told it
        besides["dead_order"] = {"seats": dead_order, "from": "request"}
    return {
        "hands": [_hand(rules, hand, played) for hand in dealt_body["hands"]],
        "pots": [_pot(number, pot, shares, played) for number, (pot, shares) in enumerate(shared)],
        "results": list(_results(played, shared)),
        "postings": [posting.to_json() for posting in postings],
        "net": nets_of(postings),
        **besides,
    }


def _play(
    rules: ShowdownRules, opening: Opening, wagering: Wagering, dealt_body: Deal, request: Settling, source: Source
) -> AtShowdown:
    stakes = Stakes.read(opening, wagering)
    bettors = stakes.bettors
    antes = {wager.seat: wager.amount_minor for wager in stakes.wagers}
    put_in = _contributions(rules, request, bettors, antes)
    folded, dead = _leaving(rules, request, bettors)
    after = streets(request.get("folded", []), source)
    cards = deal_last(rules, opening, dealt_body, request, source, after)
    returned = _antes_returned(request.get("dead_hands", []), antes)
    pots = make_pots(put_in, out=(*folded, *dead), taken_back=returned)
    # The order of dead hands must be told where it decides who has a pot: where the reverse makes other pots.
    told = request.get("dead_order") or len(dead) < 2
    if not told and pots != make_pots(put_in, out=(*folded, *reversed(dead)), taken_back=returned):
        _refuse_dead_alone(put_in, folded, dead)
    contested = {seat for pot in pots.pots if len(pot.eligible) > 1 for seat in pot.eligible}
    return AtShowdown(
        form=rules.form,
        account=pot_account(dealt_body),
        bettors=bettors,
        antes=stakes.by_seat,
        put_in=put_in,
        out=(*folded, *dead),
        after=after,
        cards=cards,
        antes_returned=returned,
        pots=pots,
        shown=_showdown(rules, cards, contested),
    )


def _leaving(
    rules: ShowdownRules, request: Settling, bettors: Mapping[int, str]
) -> tuple[Sequence[int], Sequence[int]]:
    """The seats that folded, then those found dead at the showdown, each in the order of leaving (§5).

    Dead hands whose order is not told are in that of their seats.
    """
    folded, dead = [*map(seat_of, request.get("folded", []))], request.get("dead_hands", [])
    for item in dead:
        check_fields(item, _DEAD_HAND_FIELDS, what=rules.ruleset_id, path=f"{at('dead_hands', item['seat'])}.")
    check_seats(rules, folded, bettors, "folded")
    seats = sorted(item["seat"] for item in dead)
    check_seats(rules, seats, bettors, "dead_hands")
    message = "must not be in folded too: a hand that is dead did not fold"
    refuse(DeadHandFolded, [FieldFault(at("dead_hands", seat), message) for seat in seats if seat in folded])
    if set(folded) >= bettors.keys():
        refuse_at(NobodyLeft, "folded", "must leave one hand that can win")
    order = request.get("dead_order") or seats
    if sorted(order) != seats:
        message = f"must name each dead hand once, seats {listed(seats)} in some order, not {listed(order)}"
        refuse_at(DeadOrderInvalid, "dead_order", message if seats else "must be left out: no hand is dead")
    return folded, order


def _refuse_dead_alone(put_in: Mapping[int, int], folded: Sequence[int], dead: Sequence[int]) -> None:
    """Refuse dead hands that have put in more than anyone who is still in, so that their order says who has won."""
    most = max((amount for seat, amount in put_in.items() if seat not in (*folded, *dead)), default=0)
    alone = listed([seat for seat in dead if put_in[seat] > most])
    message = f"must be given: the hands of seats {alone} are dead in a pot that nobody else is in"
    refuse_at(DeadOrderMissing, "dead_order", message)


def _contributions(
    rules: ShowdownRules, request: Settling, bettors: Mapping[int, str], antes: Mapping[int, int]
) -> dict[int, int]:
    """All that each player put in, the ante included, in minor units by seat."""
    contributions = request.get("contributions", [])
    check_seats(rules, [item["seat"] for item in contributions], bettors, "contributions")
    told = {item["seat"]: item["amount"] for item in contributions}
    missing = [
        FieldFault(at("contributions", seat), "must be given, 0 if nothing") for seat in bettors if seat not in told
    ]
    refuse(ContributionInvalid, missing)
    short = [(seat, ante) for seat, ante in sorted(antes.items()) if told[seat] < ante]
    refuse(
        ContributionInvalid,
        [
            FieldFault(at("contributions", seat, "amount"), f"must be at least the ante, {ante}, not {told[seat]}")
            for seat, ante in short
        ],
    )
    check_total(told.values(), "contributions")
    return dict(sorted(told.items()))


def _antes_returned(dead: Sequence[DeadHand], antes: Mapping[int, int]) -> dict[int, int]:
    """The antes of hands that are dead through no fault of their players, where they are given back (§8)."""
    returned = [item["seat"] for item in dead if item.get("ante_returned", False)]
    message = "must be left out: this player has no ante in the pot"
    none = [FieldFault(at("dead_hands", seat, "ante_returned"), message) for seat in returned if seat not in antes]
    refuse(AnteNotReturnable, none)
    return {seat: antes[seat] for seat in sorted(returned)}


def _showdown(rules: ShowdownRules, cards: AllCards, seats: set[int]) -> dict[int, Shown]:
    """What the hands are worth that contest a pot."""
    message = "must have been given: this hand plays"
    refuse(HandsMissing, [FieldFault(at("hands", seat), message) for seat in sorted(seats - set(cards.hands))])
    return {seat: show(rules, cards.hands[seat]) for seat in sorted(seats)}


def show(rules: ShowdownRules, cards: Sequence[Card]) -> Shown:
    """The best five of some cards for what the rules let win (§6)."""
    high = None if rules.form is Form.LOW else best_five(cards, rules.ranking.five)
    low_ = None if rules.form is Form.HIGH else best_five(cards, low)
    if low_ is not None and rules.low_highest is not None and not qualifies(low_.value, rules.low_highest):
        low_ = None
    return Shown(high, low_)


def _shares(rules: ShowdownRules, button: int, pot: Pot, played: AtShowdown) -> list[Share]:
    """Who gets what of a pot: halves where high and low both win, odd units from the left of the button (§5, §6)."""
    if len(pot.eligible) == 1:
        return [Share(pot.eligible[0], pot.amount_minor, WHOLE)]
    order = left_of_button(pot.eligible, button, places=rules.seats)
    highs = {seat: best.value for seat in order if (best := played.shown[seat].high) is not None}
    lows = {seat: best.value for seat in order if (best := played.shown[seat].low) is not None}
    unit = rules.chip_unit_minor
    high_half, low_half = halves(pot.amount_minor, unit_minor=unit) if highs and lows else (pot.amount_minor,) * 2
    shares = []
    ways: tuple[tuple[WonBy, dict[int, int], int], ...] = ((HIGH, highs, high_half), (LOW, lows, low_half))
    for won_by, values, amount in ways:
        if values:
            winners = best_of(values, values.__getitem__)
            parts = share(amount, winners, unit_minor=unit)
            shares += [Share(seat, part, won_by) for seat, part in parts.items() if part]
    return shares


def _postings(played: AtShowdown, shares: Sequence[Share]) -> Iterator[Posting]:
    """Money into the pots, without what came back, and out of them to the winners."""
    for seat, amount in played.put_in.items():
        back = played.pots.returned.get(seat, 0) + played.antes_returned.get(seat, 0)
        if amount > back:
            yield Posting(account_of(played.bettors[seat]), played.account, amount - back, Why.POT)
    for won in shares:
        yield Posting(played.account, account_of(played.bettors[won.seat]), won.amount_minor, Why.WIN)


def _hand(rules: ShowdownRules, hand: Hand, played: AtShowdown) -> ShownHand:
    seat = hand["seat"]
    told: ShownHand = {"seat": seat, "cards": hand["cards"], "out": seat in played.out}
    if seat in played.cards.drawn:
        told["drawn"] = format_card(played.cards.drawn[seat])
    if seat in played.after:
        told["folded_after"] = played.after[seat]
    if seat in played.shown:
        high, low_ = played.shown[seat]
        if high is not None:
            category = rules.ranking.category(high.value).value
            told["high"] = {"category": category, "cards": format_cards(high.cards)}
        if low_ is not None:
            told["low"] = {"ranks": low_name(low_.value), "cards": format_cards(low_.cards)}
    return told


def _why(shares: Sequence[Share], form: Form) -> tuple[str, str]:
    """Why a pot, or what a seat has of it, was won, and the section that says so."""
    ways = {won.won_by for won in shares}
    if ways == {WHOLE}:
        return "others_folded", f"{SHEET} §5"
    if len(ways) == 2:
        return "high_low", f"{SHEET} §6"
    if form is Form.HIGH_LOW:
        return "no_low_qualifies", f"{SHEET} §6"
    way = ways.pop()
    if len(shares) > 1:
        return f"tied_{way}", f"{SHEET} §5"
    return f"best_{way}", f"{SHEET} §1" if way == HIGH else f"{SHEET} §2"


def _pot(number: int, pot: Pot, shares: Sequence[Share], played: AtShowdown) -> PotTold:
    reason, rule = _why(shares, played.form)
    return {
        "pot": f"side_{number}" if number else "main",
        "account": played.account,
        "amount": pot.amount_minor,
        "eligible": list(pot.eligible),
        "winners": sorted({won.seat for won in shares}),
        "shares": [
            {"seat": won.seat, "bettor": played.bettors[won.seat], "amount": won.amount_minor, "won_by": won.won_by}
            for won in shares
        ],
        "reason": reason,
        "rule": rule,
    }


def _results(played: AtShowdown, shared: Sequence[tuple[Pot, Sequence[Share]]]) -> Iterator[PlayerResult]:
    """What became of each player: all that he put in, what of it the pots kept or came back, what he won."""
    for seat, bettor in played.bettors.items():
        won = [(shares, own) for _, shares in shared if (own := [each for each in shares if each.seat == seat])]
        if won:
            reason, rule = _why(won[0][0], played.form)
        elif seat in played.out:
            reason, rule = "out", f"{SHEET} §5"
        else:
            reason, rule = "not_best", f"{SHEET} §{_RANKED[played.form]}"
        ante_returned = played.antes_returned.get(seat, 0)
        returned = played.pots.returned.get(seat, 0) + ante_returned
        result: PlayerResult = {
            "seat": seat,
            "bettor": bettor,
            "amount": played.put_in[seat],
            "result": Outcome.WIN.value if won else Outcome.LOSE.value,
            "paid": sum(each.amount_minor for _, own in won for each in own),
            "collected": played.put_in[seat] - returned,
            "returned": returned,
            "reason": "dead_hand_ante_returned" if ante_returned else reason,
            "rule": f"{SHEET} §8" if ante_returned else rule,
        }
        ante = played.antes.get(seat)
        yield result if ante is None else {"wager_id": ante.wager_id, "kind": ante.kind, **result}
