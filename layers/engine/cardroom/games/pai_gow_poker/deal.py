"""Opening and dealing a round: who may bank and wager, who gets which pile, who has the say, what fees are due.

The functions take the requests and give the body as they stand in the records. A request with faults of several
kinds is refused for the first kind in the order of the checks here, naming every fault of that kind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from cardroom.banking import Coverage, FeeBand, FeeBandMissing, action_order, check_full_cover, fee_bands, fee_for
from cardroom.cards import Card, CardDuplicate, deck, format_card, format_cards, parse_cards
from cardroom.games.pai_gow_poker.rules import (
    HAND_SIZE,
    Draw,
    FeesFrom,
    HandOrder,
    PaiGowRules,
    Piles,
    Say,
)
from cardroom.money import HOUSE, MAX_MINOR, Posting, Why, account_of
from cardroom.player_banked import (
    BackLineBySeated,
    BackLineWithoutSeated,
    BankerMissing,
    BankerNotSeated,
    BankerTurnOver,
    BankerWagerBelowMinimum,
    BankerWagerMissing,
    BankerWagers,
    BettorNotSeated,
    BettorReserved,
    CardNotInDeck,
    CircleTaken,
    CircleUnknown,
    DiceInvalid,
    DrawMissing,
    FeesNotAllowed,
    FreeCollectionInvalid,
    HandSizeWrong,
    HandsMissing,
    HandsNotWanted,
    HouseCannotBank,
    LimitsInvalid,
    SeatDuplicate,
    SeatUnknown,
    ShuffleInputNotWanted,
    StakesTooLarge,
    WagerDuplicate,
    WagerMissing,
    WagerOutsideLimits,
    refuse,
)
from cardroom.refusals import FieldFault, Refusal
from cardroom.shuffle import Luck
from cardroom.table import Wager, check_fields, count_to, walk

Json = dict[str, Any]

MAIN: Final = "main"
_DICE: Final = 3
_OPEN_FIELDS: Final = frozenset(
    {"table_id", "ruleset", "currency", "seats", "banker", "jokers", "limits", "fees", "source", "shoe_id", "draw_id"}
)
_DEAL_FIELDS: Final = frozenset({"wagers", "banker_wager", "client_seed", "cut", "dice", "number", "pile", "hands"})


class JokersOutOfRange(Refusal):
    """More or fewer jokers than the rules allow."""


class DeckTooSmall(Refusal):
    """The deck has too few cards for the hands."""


class SideBetNotOffered(Refusal):
    """A side bet that the rules do not offer to that bettor."""


class SideBetWithoutMain(Refusal):
    """A side bet whose bettor has no main wager on that circle."""


class PlacedMissing(Refusal):
    """A wager without its place in time where that decides."""


class PlacedDuplicate(Refusal):
    """Two main wagers on one hand with one place in time."""


class BankerWagerNotWanted(Refusal):
    """A banker's wager where the house banks without one."""


class DrawNotOffered(Refusal):
    """Dice or a number that these rules do not draw the action hand by, or both at once."""


class NumberInvalid(Refusal):
    """A number that names no place."""


class PileInvalid(Refusal):
    """A pile that is not dealt."""


# Opening


def check_open(rules: PaiGowRules, opening: Json, table: Json) -> None:
    """Refuse a round that the rules do not allow at the table as it stands (§1.1, §1.2, §7.1, §8.0 to §8.2)."""
    check_fields(opening, _OPEN_FIELDS, what=rules.ruleset_id)
    _check_seats(rules, opening)
    _check_banker(rules, opening)
    _check_deck(rules, opening)
    limits = opening.get("limits", {})
    if limits.get("minimum", 0) > limits.get("maximum", MAX_MINOR):
        message = f"must not be below the minimum, {limits['minimum']}"
        refuse(LimitsInvalid, [FieldFault("limits.maximum", message)])
    _check_fees(rules, opening)
    _check_turn(rules, opening, table)


def _check_seats(rules: PaiGowRules, opening: Json) -> None:
    seats = opening["seats"]
    known = f"must be 1 to {rules.seats}"
    refuse(SeatUnknown, [FieldFault(f"seats[{s['seat']}]", known) for s in seats if not 1 <= s["seat"] <= rules.seats])
    twice = [seat for seat, times in Counter(s["seat"] for s in seats).items() if times > 1]
    refuse(SeatDuplicate, [FieldFault(f"seats[{seat}]", "must be named once") for seat in twice])
    reserved = [s["seat"] for s in seats if s["bettor"] == HOUSE]
    refuse(BettorReserved, [FieldFault(f"seats[{s}].bettor", "must not be the house's name") for s in reserved])


def _check_banker(rules: PaiGowRules, opening: Json) -> None:
    banker: Any = opening.get("banker")
    if banker is None:
        refuse(BankerMissing, [FieldFault("banker", "must be given: a seated player, or the house where it may bank")])
    if banker == HOUSE:
        if not rules.house_bank:
            message = f"must be a seated player: the house never banks under {rules.ruleset_id}"
            refuse(HouseCannotBank, [FieldFault("banker", message)])
    elif not any(s["seat"] == banker["seat"] and s["bettor"] == banker["bettor"] for s in opening["seats"]):
        message = f"seat {banker['seat']} is not {banker['bettor']}'s: the banker must be seated"
        refuse(BankerNotSeated, [FieldFault("banker", message)])


def _check_deck(rules: PaiGowRules, opening: Json) -> None:
    jokers, allowed = _jokers(rules, opening), rules.jokers
    if not allowed.minimum <= jokers <= allowed.maximum:
        message = f"must be {allowed.minimum} to {allowed.maximum}, not {jokers}"
        refuse(JokersOutOfRange, [FieldFault("jokers", message)])
    hands = len(_places(rules, opening))
    if 52 + jokers < HAND_SIZE * hands:
        message = f"{hands} hands need {HAND_SIZE * hands} cards, the deck has {52 + jokers}"
        refuse(DeckTooSmall, [FieldFault("jokers", f"{message}: must be at least {HAND_SIZE * hands - 52}")])


def _check_fees(rules: PaiGowRules, opening: Json) -> None:
    fees = opening.get("fees", {})
    refused = [name for name in fees if name not in rules.fees_from]
    allowed = " and ".join(rules.fees_from) or "none"
    message = f"must be left out: {rules.ruleset_id} has fees from: {allowed}"
    refuse(FeesNotAllowed, [FieldFault(f"fees.{name}", message) for name in refused])
    for name in fees:
        fee_bands(fees[name], f"fees.{name}")


def _check_turn(rules: PaiGowRules, opening: Json, table: Json) -> None:
    banker, last, most = opening["banker"], table["banker"], rules.banker_turns
    if banker == HOUSE or last is None or most is None or banker.get("others_passed", False):
        return
    if banker["bettor"] == last["bettor"] and last["turns"] >= most:
        message = f"{banker['bettor']} has banked {last['turns']} of at most {most} in a row; another must bank"
        refuse(BankerTurnOver, [FieldFault("banker", f"{message}, or others_passed be true")])


def _jokers(rules: PaiGowRules, opening: Json) -> int:
    jokers: int = opening.get("jokers", rules.jokers.default)
    return jokers


def cards_in_use(rules: PaiGowRules, opening: Json) -> tuple[Card, ...]:
    """The deck of a round before the shuffle (§1.1)."""
    return deck(_jokers(rules, opening))


def _places(rules: PaiGowRules, opening: Json) -> tuple[int, ...]:
    """The places that get a pile, clockwise (§1.3)."""
    if rules.piles is Piles.ALL:
        players = list(range(1, rules.seats + 1))
        house_plays = rules.house_seat is not None
    else:
        players = sorted(seat["seat"] for seat in opening["seats"])
        house_plays = opening["banker"] == HOUSE
    return (*players, rules.house_seat) if house_plays and rules.house_seat is not None else tuple(players)


def banker_seat(rules: PaiGowRules, opening: Json) -> int:
    """The place of the banker; the house banks from its own."""
    if opening["banker"] != HOUSE:
        seat: int = opening["banker"]["seat"]
        return seat
    if rules.house_seat is None:
        raise ValueError("a house that may bank has a place")
    return rules.house_seat


# Wagers


def wagers_of(wagering: Json) -> tuple[Wager, ...]:
    """The wagers of a deal's request, in order of their ids."""
    wagers = (
        Wager(w["wager_id"], w["seat"], w["bettor"], w["circle"], w.get("placed"), w["kind"], w["amount"])
        for w in wagering["wagers"]
    )
    return tuple(sorted(wagers, key=lambda wager: wager.wager_id))


def main_by_seat(rules: PaiGowRules, wagers: Sequence[Wager]) -> dict[int, list[Wager]]:
    """The main wagers on each hand, in their settling order (§6.1), by seat in ascending order."""
    by_seat: dict[int, list[Wager]] = {}
    for wager in sorted(wagers, key=lambda wager: wager.seat):
        if wager.kind == MAIN:
            by_seat.setdefault(wager.seat, []).append(wager)
    for hand in by_seat.values():
        if rules.order_on_hand is HandOrder.CIRCLE:
            hand.sort(key=lambda wager: wager.circle)
        else:
            hand.sort(key=lambda wager: wager.placed or 0)
    return by_seat


def _check_wagers(rules: PaiGowRules, opening: Json, wagers: Sequence[Wager]) -> None:
    twice = [wager_id for wager_id, times in Counter(w.wager_id for w in wagers).items() if times > 1]
    refuse(WagerDuplicate, [FieldFault(f"wagers[{wager_id}]", "must come once") for wager_id in twice])
    if all(wager.kind != MAIN for wager in wagers):
        refuse(WagerMissing, [FieldFault("wagers", "must have at least one main wager")])
    for kind, found in (
        (SeatUnknown, _unknown_seats(rules, opening, wagers)),
        (CircleUnknown, _unknown_circles(rules, wagers)),
        (BankerWagers, _banker_wagers(rules, opening, wagers)),
        (BettorNotSeated, _not_seated(rules, opening, wagers)),
        (BackLineBySeated, _back_line_by_seated(rules, opening, wagers)),
        (CircleTaken, _taken_circles(wagers)),
        (BackLineWithoutSeated, _back_line_alone(rules, wagers)),
        (SideBetNotOffered, _side_bets_not_offered(rules, wagers)),
        (SideBetWithoutMain, _side_bets_alone(wagers)),
        (WagerOutsideLimits, _outside_limits(opening, wagers)),
        (PlacedDuplicate, _placed_twice(rules, wagers)),
        (PlacedMissing, _not_placed(rules, wagers)),
    ):
        refuse(kind, list(found))


def _bettors(rules: PaiGowRules, opening: Json) -> dict[int, str]:
    """Who has circle 1 of each place that plays: the seated players, and the house at its own place."""
    bettors = {seat["seat"]: seat["bettor"] for seat in opening["seats"]}
    if rules.house_seat is not None and rules.house_seat in _places(rules, opening):
        bettors[rules.house_seat] = HOUSE
    return bettors


def _at(wager: Wager, field: str) -> str:
    return f"wagers[{wager.wager_id}].{field}"


def _unknown_seats(rules: PaiGowRules, opening: Json, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    bettors = _bettors(rules, opening)
    for wager in wagers:
        if wager.seat not in bettors:
            yield FieldFault(_at(wager, "seat"), f"nobody plays at seat {wager.seat}: must be one of {_list(bettors)}")


def _unknown_circles(rules: PaiGowRules, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for wager in wagers:
        if wager.circle < 1 or (rules.circles is not None and wager.circle > rules.circles):
            offered = "at least 1" if rules.circles is None else f"1 to {rules.circles}"
            yield FieldFault(_at(wager, "circle"), f"must be {offered}, not {wager.circle}")


def _banker_wagers(rules: PaiGowRules, opening: Json, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    banker = opening["banker"]
    bettor, seat = HOUSE if banker == HOUSE else banker["bettor"], banker_seat(rules, opening)
    for wager in wagers:
        if wager.bettor == bettor:
            yield FieldFault(_at(wager, "bettor"), f"{bettor} banks and wagers on no hand")
        elif wager.seat == seat:
            yield FieldFault(_at(wager, "seat"), f"seat {seat} is the banker's: nobody wagers on it")


def _not_seated(rules: PaiGowRules, opening: Json, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    bettors = _bettors(rules, opening)
    for wager in wagers:
        if wager.circle == 1 and wager.bettor != bettors[wager.seat]:
            message = f"circle 1 of seat {wager.seat} is {bettors[wager.seat]}'s, not {wager.bettor}'s"
            yield FieldFault(_at(wager, "bettor"), message)
        elif wager.circle > 1 and wager.bettor == HOUSE:
            yield FieldFault(_at(wager, "bettor"), "the house wagers on circle 1 of its own place only")


def _back_line_by_seated(rules: PaiGowRules, opening: Json, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    bettors = _bettors(rules, opening)
    for wager in wagers:
        if rules.back_line_others_only and wager.circle > 1 and wager.bettor == bettors[wager.seat]:
            message = f"circle {wager.circle} is for others than the player at seat {wager.seat}"
            yield FieldFault(_at(wager, "bettor"), message)


def _taken_circles(wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    taken: dict[tuple[int, int, str], Wager] = {}
    for wager in wagers:
        first = taken.setdefault((wager.seat, wager.circle, wager.kind), wager)
        if first is not wager:
            message = f"circle {wager.circle} of seat {wager.seat} has the {wager.kind} wager {first.wager_id} already"
            yield FieldFault(_at(wager, "circle"), message)


def _back_line_alone(rules: PaiGowRules, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    seated = {wager.seat for wager in wagers if wager.kind == MAIN and wager.circle == 1}
    for wager in wagers:
        if rules.back_line_needs_seated and wager.kind == MAIN and wager.seat not in seated:
            message = f"circle {wager.circle} needs a wager on circle 1 of seat {wager.seat}"
            yield FieldFault(_at(wager, "circle"), message)


def _side_bets_not_offered(rules: PaiGowRules, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for wager in wagers:
        if wager.kind != MAIN and wager.kind not in rules.side_bets:
            offered = _list([MAIN, *rules.side_bets])
            yield FieldFault(_at(wager, "kind"), f"{rules.ruleset_id} offers {offered}, not {wager.kind}")
        elif wager.kind != MAIN and wager.bettor == HOUSE:
            yield FieldFault(_at(wager, "kind"), "the house has no side bets")


def _side_bets_alone(wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    main = {(wager.seat, wager.circle, wager.bettor) for wager in wagers if wager.kind == MAIN}
    for wager in wagers:
        if wager.kind != MAIN and (wager.seat, wager.circle, wager.bettor) not in main:
            message = f"{wager.bettor} has no main wager on circle {wager.circle} of seat {wager.seat}"
            yield FieldFault(_at(wager, "kind"), message)


def _outside_limits(opening: Json, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    limits = opening.get("limits", {})
    low, high = limits.get("minimum", 1), limits.get("maximum", MAX_MINOR)
    for wager in wagers:
        if wager.kind == MAIN and not low <= wager.amount_minor <= high:
            yield FieldFault(_at(wager, "amount"), f"must be {low} to {high}, not {wager.amount_minor}")


def _placed_twice(rules: PaiGowRules, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for seat, hand in main_by_seat(rules, wagers).items():
        times = Counter(wager.placed for wager in hand)
        for wager in hand:
            if wager.placed is not None and times[wager.placed] > 1:
                message = f"must come once among the main wagers of seat {seat}, not {wager.placed} again"
                yield FieldFault(_at(wager, "placed"), message)


def _not_placed(rules: PaiGowRules, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for seat, hand in main_by_seat(rules, wagers).items():
        deciding: Sequence[Wager] = hand
        if rules.order_on_hand is not HandOrder.PLACED:
            most = max(wager.amount_minor for wager in hand)
            deciding = [w for w in hand if w.amount_minor == most] if rules.say is Say.LARGEST else ()
        for wager in deciding:
            if len(deciding) > 1 and wager.placed is None:
                message = f"must be given: several wagers on seat {seat}, and the earlier one goes first"
                yield FieldFault(_at(wager, "placed"), message)


def _list(items: Any) -> str:
    return ", ".join(str(item) for item in items)


def _check_banker_wager(rules: PaiGowRules, opening: Json, wagering: Json, wagers: Sequence[Wager]) -> None:
    wager: Any = wagering.get("banker_wager")
    field = "banker_wager"
    if opening["banker"] == HOUSE:
        if wager is not None:
            refuse(BankerWagerNotWanted, [FieldFault(field, "must be left out: the house banks without a limit")])
        return
    if wager is None:
        refuse(BankerWagerMissing, [FieldFault(field, "must be given: a player banks")])
    minimum = max(rules.banker_minimum_minor, opening.get("limits", {}).get("minimum", 1), 1)
    if wager < minimum:
        refuse(BankerWagerBelowMinimum, [FieldFault(field, f"must be at least {minimum}, not {wager}")])
    if rules.coverage is Coverage.FULL:
        check_full_cover(wagers, wager)


def _the_say(rules: PaiGowRules, main: Mapping[int, Sequence[Wager]]) -> list[Json]:
    """Which wager decides how each hand is set (§3.3)."""
    say = []
    for seat, hand in main.items():
        deciding = hand[0]  # where the seated player decides, his wager is the first by circle
        if rules.say is Say.LARGEST:
            deciding = min(hand, key=lambda wager: (-wager.amount_minor, wager.placed or 0))
        elif rules.order_on_hand is not HandOrder.CIRCLE:
            deciding = min(hand, key=lambda wager: wager.circle)
        say.append({"seat": seat, "wager_id": deciding.wager_id, "bettor": deciding.bettor})
    return say


# Piles and hands


def _draw_action(rules: PaiGowRules, opening: Json, wagering: Json, luck: Luck | None) -> Json:
    """The place of the action hand, and what named it (§1.4)."""
    given = [draw for draw in Draw if draw.value in wagering]
    for draw in given:
        if draw not in rules.action_draw or len(given) > 1:
            ways = " or ".join(rules.action_draw)
            message = f"must be left out or be the only one: {rules.ruleset_id} draws the action hand by {ways}"
            refuse(DrawNotOffered, [FieldFault(draw, message)])
    places = _places(rules, opening)
    if not given and luck is None:
        ways = " or ".join(rules.action_draw)
        refuse(DrawMissing, [FieldFault(rules.action_draw[0], f"a physical table must tell the {ways}")])
    draw = given[0] if given else rules.action_draw[0]
    drawn: Any = wagering.get(draw.value)
    if not given and luck is not None:
        drawn = list(luck.dice()) if draw is Draw.DICE else luck.seat(len(places))
    if draw is Draw.DICE:
        if len(drawn) != _DICE or not all(1 <= die <= 6 for die in drawn):
            refuse(DiceInvalid, [FieldFault("dice", f"must be three of 1 to 6, not {_list(drawn)}")])
        number, direction = sum(drawn), rules.dice_direction
    else:
        if not 1 <= drawn <= len(places):
            refuse(NumberInvalid, [FieldFault("number", f"must be 1 to {len(places)}, not {drawn}")])
        number, direction = drawn, rules.number_direction
    seat = count_to(places, banker_seat(rules, opening), number, direction)
    return {"seat": seat, "by": draw.value, "from": "request" if given else "seed", draw.value: drawn}


def _piles(rules: PaiGowRules, opening: Json, wagering: Json, action_seat: int) -> dict[int, int]:
    """The pile of each place, from the chosen one at the action seat on (§1.5)."""
    places = _places(rules, opening)
    first = wagering.get("pile", 1)
    if not 1 <= first <= len(places):
        refuse(PileInvalid, [FieldFault("pile", f"must be 1 to {len(places)}, not {first}")])
    ring = walk(places, action_seat, rules.deal_direction)
    return {seat: (first - 1 + turn) % len(places) + 1 for turn, seat in enumerate(ring)}


def _shuffled_hands(
    rules: PaiGowRules, opening: Json, wagering: Json, luck: Luck, piles: Mapping[int, int]
) -> dict[int, tuple[Card, ...]]:
    """The hand of each place: pile p of n gets the deck's cards p, p + n, p + 2n, … (§1.6)."""
    if "hands" in wagering:
        refuse(HandsNotWanted, [FieldFault("hands", "must be left out: the service deals this round")])
    cards = luck.shuffle(cards_in_use(rules, opening), wagering.get("cut"))[: HAND_SIZE * len(piles)]
    return {seat: cards[pile - 1 :: len(piles)] for seat, pile in piles.items()}


def _physical_hands(
    rules: PaiGowRules, opening: Json, wagering: Json, playing: Sequence[int], piles: Mapping[int, int]
) -> dict[int, tuple[Card, ...]]:
    """The hands that were read from a physical table: those that play, and any others that were dealt."""
    unwanted = [name for name in ("client_seed", "cut") if name in wagering]
    message = "must be left out: the cards of a physical table are not shuffled here"
    refuse(ShuffleInputNotWanted, [FieldFault(name, message) for name in unwanted])
    given = wagering.get("hands", [])
    places = f"no pile goes to this seat: must be one of {_list(sorted(piles))}"
    refuse(SeatUnknown, [FieldFault(f"hands[{h['seat']}]", places) for h in given if h["seat"] not in piles])
    twice = [seat for seat, times in Counter(h["seat"] for h in given).items() if times > 1]
    refuse(SeatDuplicate, [FieldFault(f"hands[{seat}]", "must come once") for seat in twice])
    missing = sorted(set(playing) - {h["seat"] for h in given})
    refuse(HandsMissing, [FieldFault(f"hands[{seat}]", "must be given: this hand plays") for seat in missing])
    hands = {
        hand["seat"]: read_hand(hand["cards"], f"hands[{hand['seat']}].cards", jokers=_jokers(rules, opening))
        for hand in sorted(given, key=lambda hand: hand["seat"])
    }
    seats_of = defaultdict(list)
    for seat, hand in hands.items():
        for card in hand:
            seats_of[card].append(seat)
    for card, seats in seats_of.items():
        if len(seats) > 1:
            name = format_card(card)
            faults = [FieldFault(f"hands[{seat}].cards", f"{name} must come once") for seat in seats]
            raise CardDuplicate(f"{name} comes in the hands of seats {_list(seats)}; each card may come once", *faults)
    return hands


def read_hand(texts: Sequence[str], field: str, *, jokers: int) -> tuple[Card, ...]:
    """Seven cards of a deck with so many jokers.

    Raises CardInvalid, CardDuplicate, HandSizeWrong, CardNotInDeck.
    """
    cards = parse_cards(texts)
    if len(cards) != HAND_SIZE:
        refuse(HandSizeWrong, [FieldFault(field, f"must be {HAND_SIZE} cards, not {len(cards)}")])
    known = set(deck(jokers))
    strange = [format_card(card) for card in cards if card not in known]
    in_deck = "no joker" if jokers == 0 else f"{jokers} joker{'s' * (jokers > 1)}"
    refuse(CardNotInDeck, [FieldFault(field, f"{name} is not of this deck, which has {in_deck}") for name in strange])
    return cards


# Fees


def _fees(opening: Json, wagering: Json, wagers: Sequence[Wager], table: Json) -> list[Json]:
    """The fees of the round, by wager in order of their ids, then the banker's (§7)."""
    posted = opening.get("fees", {})
    collections = _free_collections(wagering, table, has_fees=FeesFrom.WAGER in posted)
    fees: list[Json] = []
    if FeesFrom.WAGER in posted:
        bands = fee_bands(posted["wager"], "fees.wager")
        main = [wager for wager in wagers if wager.kind == MAIN and wager.bettor != HOUSE]
        no_band = [FieldFault(_at(w, "amount"), _no_band(w.amount_minor)) for w in main if _no_fee(w, bands)]
        refuse(FeeBandMissing, no_band)
        for wager in main:
            fee: Json = {
                "wager_id": wager.wager_id,
                "bettor": wager.bettor,
                "amount": fee_for(wager.amount_minor, bands),
            }
            if wager.wager_id in collections:
                fee["free_collection"] = collections[wager.wager_id]
            fees.append(fee)
    if FeesFrom.BANKER in posted and opening["banker"] != HOUSE:
        amount = fee_for(wagering["banker_wager"], fee_bands(posted["banker"], "fees.banker"))
        if amount is None:
            refuse(FeeBandMissing, [FieldFault("banker_wager", _no_band(wagering["banker_wager"]))])
        fees.append({"banker": True, "bettor": opening["banker"]["bettor"], "amount": amount})
    return fees


def _no_fee(wager: Wager, bands: Sequence[FeeBand]) -> bool:
    return fee_for(wager.amount_minor, bands) is None


def _no_band(amount: int) -> str:
    return f"must lie in a band of the posted fees; {amount} is in none"


def _free_collections(wagering: Json, table: Json, *, has_fees: bool) -> dict[str, Json]:
    """The free collection that each wager uses (§6.4); raises FreeCollectionInvalid."""
    owners = {(held["round_id"], held["wager_id"]): held["bettor"] for held in table["free_collections"]}
    used: dict[str, Json] = {}
    seen = set()
    faults = []
    for wager in sorted(wagering["wagers"], key=lambda wager: wager["wager_id"]):
        named = wager.get("free_collection")
        if named is None:
            continue
        key = (named["round_id"], named["wager_id"])
        message = ""
        if wager["kind"] != MAIN:
            message = "must be left out: a side bet pays no fee"
        elif not has_fees:
            message = "must be left out: no fee is posted for wagers"
        elif key not in owners:
            message = f"the table's last round gave none for wager {key[1]} of round {key[0]}"
        elif owners[key] != wager["bettor"]:
            message = f"it is {owners[key]}'s, not {wager['bettor']}'s"
        elif key in seen:
            message = "must be used once"
        seen.add(key)
        used[wager["wager_id"]] = named
        if message:
            faults.append(FieldFault(f"wagers[{wager['wager_id']}].free_collection", message))
    refuse(FreeCollectionInvalid, faults)
    return used


def _check_amounts(rules: PaiGowRules, wagering: Json, wagers: Sequence[Wager], fees: Sequence[Json]) -> None:
    most = wagering.get("banker_wager", 0) + sum(fee["amount"] for fee in fees)
    for wager in wagers:
        odds = 1 if wager.kind == MAIN else 1 + rules.side_bets[wager.kind].highest_pays
        most += wager.amount_minor * odds
    if most > MAX_MINOR:
        message = f"up to {most} could move in this round: must be at most {MAX_MINOR}"
        refuse(StakesTooLarge, [FieldFault("wagers", message)])


# The deal


def deal(rules: PaiGowRules, opening: Json, wagering: Json, table: Json, luck: Luck | None) -> Json:
    """The body of the deal: bets are closed, hands dealt, fees due (§1, §3.3, §6.1, §7, §8).

    `luck` is None at a physical table, whose cards come with the request.
    """
    check_fields(wagering, _DEAL_FIELDS, what=rules.ruleset_id)
    wagers = wagers_of(wagering)
    _check_wagers(rules, opening, wagers)
    _check_banker_wager(rules, opening, wagering, wagers)
    main = main_by_seat(rules, wagers)
    action = _draw_action(rules, opening, wagering, luck)
    piles = _piles(rules, opening, wagering, action["seat"])
    if luck is None:
        playing = [*main, banker_seat(rules, opening)]
        hands = _physical_hands(rules, opening, wagering, playing, piles)
    else:
        hands = _shuffled_hands(rules, opening, wagering, luck, piles)
    fees = _fees(opening, wagering, wagers, table)
    _check_amounts(rules, wagering, wagers, fees)
    order = action_order(sorted(piles), action["seat"], rules.settle_direction, with_wager=main)
    return {
        "action": {**action, "pile": piles[action["seat"]]},
        "hands": [
            {"seat": seat, "pile": piles[seat], "cards": format_cards(cards)} for seat, cards in sorted(hands.items())
        ],
        "action_order": list(order),
        "say": _the_say(rules, main),
        "fees": fees,
        "postings": [posting.to_json() for posting in _fee_postings(fees)],
    }


def _fee_postings(fees: Sequence[Json]) -> Iterator[Posting]:
    for fee in fees:
        if fee["amount"] and "free_collection" not in fee:
            yield Posting(account_of(fee["bettor"]), HOUSE, fee["amount"], Why.FEE, fee.get("wager_id"))


def returned(wagering: Json, dealt_body: Json) -> Json:
    """What a void after the deal gives back: every wager, and every fee that was paid (§7.2, §11)."""
    fees = (p for p in dealt_body["postings"] if p["why"] == Why.FEE)
    postings = (Posting(p["to"], p["from"], p["amount"], Why.FEE_RETURNED, p.get("wager_id")) for p in fees)
    return {
        "returned": [{"wager_id": w.wager_id, "amount": w.amount_minor} for w in wagers_of(wagering)],
        "postings": [posting.to_json() for posting in postings],
    }
