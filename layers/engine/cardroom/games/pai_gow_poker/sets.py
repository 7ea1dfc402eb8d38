"""How hands are set: as their players ask, by the house way, or by it because they fouled (§3, §4, §8.3, §9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from cardroom.banked.bets import Bets
from cardroom.banked.sets import CardNotDealt, chosen_sets
from cardroom.cards import Card, format_card, format_cards, parse_card, parse_cards
from cardroom.games.pai_gow_poker import shapes
from cardroom.games.pai_gow_poker.deal import bets_of, is_co_banked, main_by_seat
from cardroom.games.pai_gow_poker.dragon import dragon_of
from cardroom.games.pai_gow_poker.house_way import is_foul, set_hand
from cardroom.games.pai_gow_poker.piles import places, read_hand
from cardroom.games.pai_gow_poker.rules import FRONT_SIZE, SHEET, BankerSets, Foul, PaiGowRules
from cardroom.games.pai_gow_poker.shapes import FrontSet, Kept, Locking, Opening, Wagering
from cardroom.games.pai_gow_poker.side_bets import SetHand
from cardroom.refusals import FieldFault, Refusal, at, refuse, refuse_at
from cardroom.shapes.parts import HouseWaySet
from cardroom.table import Wager, check_fields, members_of

_LOCKING_FIELDS: Final = members_of(Locking)


class HouseWayRequired(Refusal):
    """A hand that the rules let nobody set otherwise than by the house way."""


class CoBankedByHand(Refusal):
    """A hand of a player who banks with the house that is set otherwise than by the house way."""


class AsSet(NamedTuple):
    """How a hand came to be set: what was asked, what plays, the rule, and whether it was fouled.

    `foul_front` is the front that was asked for, where another one plays.
    """

    how: Literal["front", "house_way"]
    hand: SetHand
    rule: str
    foul: bool
    foul_front: tuple[Card, ...] | None = None


def lock(
    rules: PaiGowRules, opening: Opening, wagering: Wagering, dealt_body: Kept, request: Locking
) -> list[shapes.SetHand]:
    """The players' hands as they are locked, the house's own among them, and which are fouls (§3, §8.3, §9).

    Raises what `settle` does about them; `dealt_body` has all hands that are told so far.
    """
    check_fields(request, _LOCKING_FIELDS, what=rules.ruleset_id)
    bets = bets_of(rules, opening, wagering, places(rules, opening))
    dragon = dragon_of(rules, opening, wagering, dealt_body, request, bets=bets)
    on_hands = {*main_by_seat(rules, bets), *(() if dragon is None else (dragon.seat,))}
    sets = sets_of(rules, opening, dealt_body, request, bets=bets, playing=on_hands, dragon=dragon)
    return [set_json(rules, seat, chosen) for seat, chosen in sorted(sets.items())]


def sets_of(
    rules: PaiGowRules,
    opening: Opening,
    dealt_body: Kept,
    request: Locking,
    *,
    bets: Bets,
    playing: Collection[int],
    dragon: Wager | None,
) -> dict[int, AsSet]:
    """How each hand that plays is set, as far as its cards are told; refuses what cannot be (§3, §8.3, §8.4, §9).

    The banker's is among those that play when the round is settled.
    """
    by_house_way = set() if dragon is None else {dragon.seat}
    needed = set(playing) - by_house_way
    bank_seat = bets.banker_seat
    chosen = chosen_sets(
        request.get("sets", []),
        needed=needed,
        also=by_house_way,
        offered={"front": {"front"}, "house_way": ()},
        banker=None if bank_seat in playing else bank_seat,
    )
    if is_co_banked(rules, opening) and bank_seat in chosen and chosen[bank_seat]["how"] != "house_way":
        message = "must be house_way: he who banks with the house sets his hand by it"
        refuse_at(CoBankedByHand, at("sets", bank_seat, "how"), message)
    # The house's hand and the dragon hand, and a banker's where the rules say so.
    forced = {rules.bank.house_seat, *by_house_way}
    if rules.banker_sets is BankerSets.HOUSE_WAY:
        forced.add(bank_seat)
    others = [seat for seat in sorted(chosen) if seat in forced and chosen[seat]["how"] != "house_way"]
    message = f"must be house_way: {rules.ruleset_id} lets nobody set this hand otherwise"
    refuse(HouseWayRequired, [FieldFault(at("sets", seat, "how"), message) for seat in others])
    hands = {hand["seat"]: parse_cards(hand["cards"]) for hand in dealt_body["hands"] if hand["seat"] in playing}
    fronts = _fronts(chosen, hands)
    return {
        seat: _set(rules, hands[seat], fronts.get(seat), foul_loses=rules.foul is Foul.LOSE and seat != bank_seat)
        for seat in sorted(hands)
    }


def _fronts(
    chosen: Mapping[int, FrontSet | HouseWaySet], hands: Mapping[int, Sequence[Card]]
) -> dict[int, tuple[Card, ...]]:
    """The fronts that were asked for, their cards in the order they were dealt in; raises CardNotDealt (§3.2)."""
    fronts = {}
    faults = []
    for seat, asked in sorted(chosen.items()):
        if asked["how"] == "house_way":
            continue
        cards = [parse_card(text) for text in asked["front"]]
        field = at("sets", seat, "front")
        for card, times in Counter(cards).items():
            if card not in hands[seat]:
                faults.append(FieldFault(field, f"{format_card(card)} was not dealt to seat {seat}"))
            elif times > 1:
                faults.append(FieldFault(field, f"{format_card(card)} must come once"))
        fronts[seat] = tuple(card for card in hands[seat] if card in cards)
    refuse(CardNotDealt, faults)
    return fronts


def _set(rules: PaiGowRules, cards: tuple[Card, ...], front: tuple[Card, ...] | None, *, foul_loses: bool) -> AsSet:
    """A hand set by its front, or by the house way: asked for, or because the front is foul (§3.2)."""
    fouled, first_three = False, cards[:3]
    if front is not None:
        back = tuple(card for card in cards if card not in front)
        fouled = len(front) != FRONT_SIZE or is_foul(front, back, rules.ranking)
        if not fouled:
            return AsSet("front", SetHand(front, back, False, first_three), f"{SHEET} §3.1", foul=False)
        if foul_loses:
            return AsSet("front", SetHand(front, back, True, first_three), f"{SHEET} §3.2", foul=True)
    setting = set_hand(cards, rules.house_way, rules.ranking)
    how: Literal["front", "house_way"] = "house_way" if front is None else "front"
    hand = SetHand(setting.front, setting.back, False, first_three)
    return AsSet(how, hand, setting.rule, foul=fouled, foul_front=front if fouled else None)


def set_json(rules: PaiGowRules, seat: int, chosen: AsSet) -> shapes.SetHand:
    """A hand as a body tells it."""
    shown = _shown(rules, chosen.hand)
    told: shapes.SetHand = {
        "seat": seat,
        "how": chosen.how,
        "front": shown["front"],
        "back": shown["back"],
        "front_category": shown["front_category"],
        "back_category": shown["back_category"],
        "rule": chosen.rule,
        "foul": chosen.foul,
    }
    if chosen.foul_front is not None:
        told["foul_front"] = format_cards(chosen.foul_front)
    return told


def _shown(rules: PaiGowRules, hand: SetHand) -> shapes.Shown:
    """A set hand and its categories; a front that is not two cards has none."""
    ranking = rules.ranking
    front = back = None
    if len(hand.front) == FRONT_SIZE:
        front, back = ranking.category(ranking.two(hand.front)), ranking.category(ranking.five(hand.back))
    return {
        "front": format_cards(hand.front),
        "back": format_cards(hand.back),
        "front_category": None if front is None else front.value,
        "back_category": None if back is None else back.value,
    }


def set_hands(rules: PaiGowRules, hands: Sequence[Sequence[str]], _role: str) -> list[shapes.Setting]:
    """Each hand of seven cards set by the house way, with the rule that set it (§4).

    Raises CardInvalid, CardDuplicate, HandSizeWrong, CardNotInDeck.
    """
    settings: list[shapes.Setting] = []
    for index, texts in enumerate(hands):
        cards = read_hand(texts, at("hands", index), jokers=rules.jokers.maximum)
        setting = set_hand(cards, rules.house_way, rules.ranking)
        settings.append({**_shown(rules, SetHand(setting.front, setting.back)), "rule": setting.rule})
    return settings
