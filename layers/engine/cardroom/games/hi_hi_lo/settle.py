"""Comparing each of the three hands with the banker's, and settling its own bet (hi-hi-lo §5 to §10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from cardroom.banked.bets import Bets
from cardroom.banked.cover import Claim
from cardroom.banked.sets import CardNotDealt, chosen_sets
from cardroom.banked.settlement import Judged, settled
from cardroom.cards import Card, format_card, format_cards, parse_card, parse_cards
from cardroom.game import Source
from cardroom.games.hi_hi_lo.house_way import HAND_SIZE, RULE, Arrangement, Role, arrange, set_hand
from cardroom.games.hi_hi_lo.rules import DECK, HIGH_ONE, KINDS, SHEET, HiHiLoRules
from cardroom.games.hi_hi_lo.shapes import (
    Arranged,
    ArrangedSet,
    Deal,
    Kept,
    Locking,
    Opening,
    SetHand,
    Setting,
    Settlement,
    Settling,
)
from cardroom.hands.hi_hi_lo import ACE, low, one, two
from cardroom.physical import check_hand, check_told
from cardroom.refusals import FieldFault, Refusal, at, refuse
from cardroom.shapes.banked import BankedWagering
from cardroom.shapes.parts import HouseWaySet
from cardroom.table import Outcome, Verdict, check_fields, compare, members_of

_PARTS: Final[tuple[Literal["one", "two", "low"], ...]] = ("one", "two", "low")
_PART_OF: Final = dict(zip(KINDS, _PARTS, strict=True))
_SIZES: Final = dict(zip(_PARTS, (1, 2, 3), strict=True))
_WAYS: Final[Mapping[str, Sequence[str]]] = {"arranged": _PARTS, "house_way": ()}
_SETTLING_FIELDS: Final = members_of(Settling)
_COVER_RULE: Final = f"{SHEET} §10"


class ArrangementInvalid(Refusal):
    """An arrangement that is not one card, two cards and three cards (hi-hi-lo §5)."""


class Values(NamedTuple):
    """What the three hands of an arrangement are worth; bigger is better."""

    one: int
    two: int
    low: int


def values_of(hand: Arrangement) -> Values:
    """The values of the three hands (§6)."""
    return Values(one(hand.one[0]), two(hand.two), low(hand.low))


def judge(kind: str, value: int, banker: int) -> tuple[Outcome, str, str]:
    """What becomes of a bet on one of the three hands: the outcome, the reason and the rule (§7 to §9).

    The player wins a tie but with the single card: there an ace each is the banker's, another tie a push.

    >>> [judge(kind, 14, 14)[0].value for kind in KINDS]
    ['lose', 'win', 'win']
    """
    verdict = compare(value, banker)
    if verdict is Verdict.HIGHER:
        return Outcome.WIN, "better", f"{SHEET} §7"
    if verdict is Verdict.LOWER:
        return Outcome.LOSE, "worse", f"{SHEET} §7"
    if kind != HIGH_ONE:
        return Outcome.WIN, "tie_to_player", f"{SHEET} §8"
    if value == ACE:
        return Outcome.LOSE, "ace_tie_to_banker", f"{SHEET} §8"
    return Outcome.PUSH, "tie", f"{SHEET} §8"


def settle(
    rules: HiHiLoRules, opening: Opening, wagering: BankedWagering, dealt_body: Deal, request: Settling, _source: Source
) -> Settlement:
    """The body of the settlement of a dealt round (§5 to §10).

    Raises SeatSetTwice, SeatWithoutWager, SeatNotSet, SetNotOffered, FieldNotUsed, ArrangementInvalid, CardNotDealt.
    """
    check_fields(request, _SETTLING_FIELDS, what=rules.ruleset_id)
    bets = Bets.read(rules.bank, opening, wagering)
    banker = bets.banker_seat
    playing = [*dealt_body["action_order"], banker]
    check_told(dealt_body["hands"], playing)
    chosen, hands = _hands(dealt_body, request, playing, banker)
    values = {seat: values_of(hand) for seat, hand in hands.items()}
    on_hands = bets.by_seat()
    judged = []
    for seat in dealt_body["action_order"]:
        for wager in on_hands[seat]:
            part = _PART_OF[wager.kind]
            outcome, reason, rule = judge(wager.kind, getattr(values[seat], part), getattr(values[banker], part))
            judged.append(Judged(Claim(wager, outcome, wager.amount_minor), reason, rule))
    return {
        "sets": _sets_json(chosen, hands),
        **settled(bets, judged, cover_rule=_COVER_RULE),
    }


def lock(
    rules: HiHiLoRules, opening: Opening, _wagering: BankedWagering, dealt_body: Kept, request: Locking
) -> list[SetHand]:
    """The players' hands as they are locked (§5). Raises what `settle` does about them."""
    check_fields(request, _SETTLING_FIELDS, what=rules.ruleset_id)
    return _sets_json(*_hands(dealt_body, request, dealt_body["action_order"], opening["banker"]["seat"]))


Chosen = Mapping[int, ArrangedSet | HouseWaySet]


def _hands(
    dealt_body: Kept, request: Settling, playing: Sequence[int], banker: int
) -> tuple[Chosen, dict[int, Arrangement]]:
    """How each of the hands was to be set, and how it is."""
    chosen = chosen_sets(request.get("sets", []), needed=playing, offered=_WAYS, banker=banker)
    dealt = {hand["seat"]: parse_cards(hand["cards"]) for hand in dealt_body["hands"]}
    arranged = _arranged(chosen, dealt)
    hands = {
        seat: arranged.get(seat) or set_hand(dealt[seat], Role.BANKER if seat == banker else Role.PLAYER)
        for seat in sorted(playing)
    }
    return chosen, hands


def _sets_json(chosen: Chosen, hands: Mapping[int, Arrangement]) -> list[SetHand]:
    return [
        {
            "seat": seat,
            "how": chosen[seat]["how"],
            **_shown(hand),
            "rule": RULE if chosen[seat]["how"] == "house_way" else f"{SHEET} §5",
        }
        for seat, hand in hands.items()
    ]


def _shown(hand: Arrangement) -> Arranged:
    return {"one": format_cards(hand.one), "two": format_cards(hand.two), "low": format_cards(hand.low)}


def _arranged(chosen: Chosen, dealt: Mapping[int, Sequence[Card]]) -> dict[int, Arrangement]:
    """The arrangements that were asked for; raises ArrangementInvalid, CardNotDealt (§5)."""
    wrong, strange, arranged = [], [], {}
    for seat, asked in chosen.items():
        if asked["how"] == "house_way":
            continue
        parts = {part: [parse_card(text) for text in asked.get(part, [])] for part in _PARTS}
        for part, cards in parts.items():
            if len(cards) != _SIZES[part]:
                message = f"must be {_SIZES[part]} of the six cards, not {len(cards)}"
                wrong.append(FieldFault(at("sets", seat, part), message))
        times = Counter(card for cards in parts.values() for card in cards)
        for part, cards in parts.items():
            for card in cards:
                if card not in dealt[seat]:
                    message = f"{format_card(card)} was not dealt to seat {seat}"
                    strange.append(FieldFault(at("sets", seat, part), message))
                elif times[card] > 1:
                    strange.append(FieldFault(at("sets", seat, part), f"{format_card(card)} must come once"))
        if not wrong:
            arranged[seat] = arrange(*parts.values())
    refuse(ArrangementInvalid, wrong)
    refuse(CardNotDealt, strange)
    return arranged


def set_hands(rules: HiHiLoRules, hands: Sequence[Sequence[str]], role: str) -> list[Setting]:
    """Each hand of six cards set by the house way for a role: `{one, two, low, rule}` (§11).

    Raises CardInvalid, CardDuplicate, HandSizeWrong, CardNotInDeck.
    """
    del rules  # there is one house way
    settings: list[Setting] = []
    for index, texts in enumerate(hands):
        cards, field = parse_cards(texts), at("hands", index)
        check_hand(cards, field, size=HAND_SIZE, deck=DECK)
        settings.append({**_shown(set_hand(cards, Role(role))), "rule": RULE})
    return settings
