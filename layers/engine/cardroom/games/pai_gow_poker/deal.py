"""Opening and dealing a round: who may bank and wager, who gets which pile, who has the say, what fees are due.

The functions take the requests and give the body as they stand in the records. A request with faults of several
kinds is refused for the first kind in the order of the checks here, naming every fault of that kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cardroom.banked.bets import Bets, check_banker_wager, check_wagers
from cardroom.banked.bets import check_amounts as check_all_amounts
from cardroom.banked.fees import fees_of
from cardroom.banked.opening import check_opening
from cardroom.banked.sets import bettors_hands
from cardroom.fees import fee_postings
from cardroom.game import Source
from cardroom.games.pai_gow_poker.piles import (
    action_json,
    draw_action,
    hand_json,
    hands_of,
    jokers_of,
    piles_of,
    places,
)
from cardroom.games.pai_gow_poker.rules import HAND_SIZE, MAIN, HandOrder, PaiGowRules, Say
from cardroom.games.pai_gow_poker.shapes import (
    Deal,
    Opening,
    Wagering,
)
from cardroom.money import HOUSE, WHOLE_BPS
from cardroom.physical import check_source
from cardroom.refusals import FieldFault, Refusal, refuse, refuse_at
from cardroom.seats import walk_among
from cardroom.shapes import banked
from cardroom.shapes.parts import TableState
from cardroom.table import Wager, check_fields, members_of

_WAGERING_FIELDS: Final = members_of(Wagering)


class JokersOutOfRange(Refusal):
    """More or fewer jokers than the rules allow."""


class DeckTooSmall(Refusal):
    """The deck has too few cards for the hands."""


class SideBetNotOffered(Refusal):
    """A side bet that the rules do not offer to that bettor."""


class SideBetWithoutMain(Refusal):
    """A side bet whose bettor has no main wager on that circle."""


class SideBetAmountInvalid(Refusal):
    """A side bet of another amount than the only one that the rules take."""


class MeterMissing(Refusal):
    """A side bet that may pay from a meter, without the meter."""


class MeterUnknown(Refusal):
    """A meter that no side bet of the rules pays from."""


class MeterBelowReseed(Refusal):
    """A meter told to stand below the value that the rules reseed it to."""


class CoBankShareInvalid(Refusal):
    """A banking player's share of a bank with the house that is nothing or all of it."""


class PlacedMissing(Refusal):
    """A wager without its place in time where that decides."""


class PlacedDuplicate(Refusal):
    """Two main wagers on one hand with one place in time."""


# Opening


def check_open(rules: PaiGowRules, opening: Opening, table: TableState) -> None:
    """Refuse a round that the rules do not allow at the table as it stands (§1.1, §1.2, §7.1, §8.0 to §8.2, §10.4)."""
    shares = () if rules.co_bank_bps is None else ("co_bank_bps",)
    posted = ("maximum_payout",) if rules.posts_maximum else ()
    check_opening(rules.bank, opening, table, also=("jokers", *posted), also_banker=shares)
    share = banker_share_bps(rules, opening)
    if is_co_banked(rules, opening) and not 0 < share < WHOLE_BPS:
        message = f"must be 1 to {WHOLE_BPS - 1}, not {share}"
        refuse_at(CoBankShareInvalid, "banker.co_bank_bps", message)
    _check_deck(rules, opening)


def is_co_banked(rules: PaiGowRules, opening: Opening) -> bool:
    """Whether a player banks together with the house (§8.3)."""
    return rules.co_bank_bps is not None and opening["banker"] != HOUSE


def banker_share_bps(rules: PaiGowRules, opening: Opening) -> int:
    """The banker's share of the bank's net: all of it, unless he banks with the house (§8.4)."""
    banker = opening["banker"]
    if rules.co_bank_bps is None or banker == HOUSE:
        return WHOLE_BPS
    return banker.get("co_bank_bps", rules.co_bank_bps)


def _check_deck(rules: PaiGowRules, opening: Opening) -> None:
    jokers, allowed = jokers_of(rules, opening), rules.jokers
    if not allowed.minimum <= jokers <= allowed.maximum:
        message = f"must be {allowed.minimum} to {allowed.maximum}, not {jokers}"
        refuse_at(JokersOutOfRange, "jokers", message)
    hands = len(places(rules, opening))
    if 52 + jokers < HAND_SIZE * hands:
        message = f"{hands} hands need {HAND_SIZE * hands} cards, the deck has {52 + jokers}"
        refuse_at(DeckTooSmall, "jokers", f"{message}: must be at least {HAND_SIZE * hands - 52}")


# Wagers


def bets_of(rules: PaiGowRules, opening: Opening, wagering: Wagering, ring: Sequence[int]) -> Bets:
    """The bets of a round; the house may wager on its own hand, where it is among the places (§1.3, §8.0)."""
    return Bets.read(rules.bank, opening, wagering, house_plays=rules.bank.house_seat in ring)


def main_by_seat(rules: PaiGowRules, bets: Bets) -> dict[int, list[Wager]]:
    """The main wagers on each hand, in their settling order (§6.1), by seat in ascending order."""
    return bets.by_seat(_by_time if rules.order_on_hand is HandOrder.PLACED else None)


def _by_time(wager: Wager) -> int:
    return wager.placed or 0


def _check_side_bets(rules: PaiGowRules, wagers: Sequence[Wager]) -> None:
    refuse(SideBetNotOffered, _side_bets_of_house(wagers))
    refuse(SideBetWithoutMain, _side_bets_alone(wagers))
    refuse(SideBetAmountInvalid, _side_bets_of_other_amounts(rules, wagers))


def _check_placed(rules: PaiGowRules, main: Mapping[int, Sequence[Wager]]) -> None:
    refuse(PlacedDuplicate, _placed_twice(main))
    refuse(PlacedMissing, _not_placed(rules, main))


def _side_bets_of_house(wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for wager in wagers:
        if wager.kind != MAIN and wager.bettor == HOUSE:
            yield FieldFault(wager.at("kind"), "the house has no side bets")


def _side_bets_alone(wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    main = {(wager.seat, wager.circle, wager.bettor) for wager in wagers if wager.kind == MAIN}
    for wager in wagers:
        if wager.kind != MAIN and (wager.seat, wager.circle, wager.bettor) not in main:
            message = f"{wager.bettor} has no main wager on circle {wager.circle} of seat {wager.seat}"
            yield FieldFault(wager.at("kind"), message)


def _side_bets_of_other_amounts(rules: PaiGowRules, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for wager in wagers:
        if wager.kind != MAIN:
            stake = rules.side_bets[wager.kind].stake_minor
            if stake is not None and wager.amount_minor != stake:
                yield FieldFault(wager.at("amount"), f"must be {stake}, not {wager.amount_minor}")


def _check_meters(rules: PaiGowRules, wagering: Wagering, wagers: Sequence[Wager]) -> None:
    """Refuse meters that no side bet pays from, that are missing, or that stand too low (§10.8)."""
    with_meter = {kind: meter.reseed_minor for kind, meter in rules.meters.items()}
    given = wagering.get("meters", {})
    known = f"no side bet pays from it: must be one of {', '.join(with_meter)}"
    refuse(MeterUnknown, [FieldFault(f"meters.{name}", known) for name in sorted(given) if name not in with_meter])
    needed = sorted({wager.kind for wager in wagers} & with_meter.keys() - given.keys())
    refuse(
        MeterMissing, [FieldFault(f"meters.{name}", "must be given: a wager may be paid from it") for name in needed]
    )
    low = [name for name in sorted(given) if given[name] < with_meter[name]]
    message = "must be at least {}, to which it is reseeded, not {}"
    refuse(
        MeterBelowReseed,
        [FieldFault(f"meters.{name}", message.format(with_meter[name], given[name])) for name in low],
    )


def _placed_twice(main: Mapping[int, Sequence[Wager]]) -> Iterator[FieldFault]:
    for seat, hand in main.items():
        times = Counter(wager.placed for wager in hand)
        for wager in hand:
            if wager.placed is not None and times[wager.placed] > 1:
                message = f"must come once among the main wagers of seat {seat}, not {wager.placed} again"
                yield FieldFault(wager.at("placed"), message)


def _not_placed(rules: PaiGowRules, main: Mapping[int, Sequence[Wager]]) -> Iterator[FieldFault]:
    for seat, hand in main.items():
        deciding = hand
        if rules.order_on_hand is not HandOrder.PLACED:
            most = max(wager.amount_minor for wager in hand)
            deciding = [w for w in hand if w.amount_minor == most] if rules.say is Say.LARGEST else ()
        for wager in deciding:
            if len(deciding) > 1 and wager.placed is None:
                message = f"must be given: several wagers on seat {seat}, and the earlier one goes first"
                yield FieldFault(wager.at("placed"), message)


def _the_say(rules: PaiGowRules, main: Mapping[int, Sequence[Wager]]) -> list[banked.Say]:
    """Which wager decides how each hand is set (§3.3)."""
    say: list[banked.Say] = []
    for seat, hand in main.items():
        deciding = hand[0]  # where the seated player decides, his wager is the first by circle
        if rules.say is Say.LARGEST:
            deciding = min(hand, key=lambda wager: (-wager.amount_minor, wager.placed or 0))
        elif rules.order_on_hand is not HandOrder.CIRCLE:
            deciding = min(hand, key=lambda wager: wager.circle)
        say.append({"seat": seat, "wager_id": deciding.wager_id, "bettor": deciding.bettor})
    return say


# Piles and hands


# The deal


def deal(rules: PaiGowRules, opening: Opening, wagering: Wagering, table: TableState, source: Source) -> Deal:
    """The body of the deal: bets are closed, hands dealt, fees due (§1, §3.3, §6.1, §7, §8)."""
    unused = set() if rules.meters else {"meters"}
    check_fields(wagering, _WAGERING_FIELDS - unused, what=rules.ruleset_id)
    ring = places(rules, opening)
    bets = bets_of(rules, opening, wagering, ring)
    check_wagers(bets)
    _check_side_bets(rules, bets.wagers)
    main = main_by_seat(rules, bets)
    _check_placed(rules, main)
    _check_meters(rules, wagering, bets.wagers)
    check_banker_wager(bets)
    check_source(wagering, source)
    action = draw_action(rules, ring, bets.banker_seat, wagering, source)
    piles = piles_of(rules, ring, wagering, action.seat)
    playing = bettors_hands(wagering)
    hands = hands_of(rules, opening, wagering, source, piles=piles, playing=playing)
    fees = fees_of(bets, table)
    check_amounts(rules, bets, wagering, fees)
    order = walk_among(ring, action.seat, rules.settle_direction, among=main)
    return {
        "action": action_json(action, piles[action.seat]),
        "hands": [hand_json(seat, piles, cards) for seat, cards in sorted(hands.items())],
        "action_order": list(order),
        "say": _the_say(rules, main),
        "fees": fees,
        "postings": fee_postings(fees),
    }


def check_amounts(
    rules: PaiGowRules, bets: Bets, wagering: Wagering, fees: Sequence[banked.WagerFee | banked.BankerFee]
) -> None:
    """Refuse a round in which more money could move than an amount can say: bonuses, envy and meters too."""
    odds = {kind: bet.highest_pays for kind, bet in rules.side_bets.items()}
    besides = sum(wagering.get("meters", {}).values())
    hands = len({wager.seat for wager in bets.wagers})
    for wager in bets.wagers:
        bet = rules.side_bets.get(wager.kind)
        if bet is not None and bet.envy is not None:
            besides += hands * max(bet.envy.pays_minor.values(), default=0)
        if bet is not None and bet.meter is not None:
            besides += bet.meter.reseed_minor  # what it adds is less than its stake
    check_all_amounts(bets, fees, odds=odds, besides=besides)
