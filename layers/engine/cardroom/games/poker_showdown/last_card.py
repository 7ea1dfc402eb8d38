"""The last card: at stud from the deck, to whoever is still in (§9); at a physical table as the settlement tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from cardroom.cards import Card, format_card, format_cards, parse_card, parse_cards
from cardroom.game import Shuffled, Source
from cardroom.games.poker_showdown.deal import cards_in_use
from cardroom.games.poker_showdown.rules import SHEET, ShowdownRules
from cardroom.games.poker_showdown.shapes import Besides, Deal, Fold, Opening, Settling, ShortProcedure
from cardroom.games.poker_showdown.stud import FIRST_CARDS, SINGLE_CARDS, UP_CARDS, Procedure, cards_needed, last_cards
from cardroom.physical import HandSizeWrong, check_cards
from cardroom.potted.pots import best_of
from cardroom.refusals import FieldFault, Refusal, at, refuse, refuse_at
from cardroom.seats import check_places

_BEFORE_LAST: Final = FIRST_CARDS + SINGLE_CARDS


class FoldStreetInvalid(Refusal):
    """A fold at stud that does not say after which card it was, or out of order; or one elsewhere that says so."""


class LastCardNotWanted(Refusal):
    """A last card that is told where the service deals it, or for a hand that was not told."""


class AllCards(NamedTuple):
    """The last cards by seat, all cards that play in each hand, and what a body says of the last card besides."""

    drawn: Mapping[int, Card]
    hands: Mapping[int, Sequence[Card]]
    told: Besides


def seat_of(fold: int | Fold) -> int:
    """Who folded."""
    return fold if isinstance(fold, int) else fold["seat"]


def streets(folded: Sequence[int | Fold], source: Source) -> dict[int, int]:
    """After how many cards each seat folded at stud, the first to leave first; raises FoldStreetInvalid (§9)."""
    told = {fold["seat"]: fold["after"] for fold in folded if not isinstance(fold, int)}
    if not isinstance(source, Shuffled):
        message = "must be the seat alone: the cards of a physical table are told"
        refuse(FoldStreetInvalid, [FieldFault(at("folded", seat), message) for seat in told])
        return {}
    message = "must be {seat, after}: after how many cards of stud, 3 to 7, it folded"
    refuse(FoldStreetInvalid, [FieldFault(at("folded", fold), message) for fold in folded if isinstance(fold, int)])
    afters = list(told.values())
    early = [seat for place, (seat, after) in enumerate(told.items()) if after < max(afters[:place], default=0)]
    message = "must not be less than that of a seat that left before"
    refuse(FoldStreetInvalid, [FieldFault(at("folded", seat, "after"), message) for seat in early])
    return told


def deal_last(
    rules: ShowdownRules,
    opening: Opening,
    dealt_body: Deal,
    request: Settling,
    source: Source,
    after: Mapping[int, int],
) -> AllCards:
    """The last card of each seat that is still in, or the one that plays in every hand (§9).

    `after` says after how many cards seats folded at stud. Raises LastCardNotWanted, HandSizeWrong, CardNotInDeck,
    CardDuplicate.
    """
    hands = {hand["seat"]: parse_cards(hand["cards"]) for hand in dealt_body["hands"]}
    if not isinstance(source, Shuffled):
        return _told(rules, opening, dealt_body, request, hands)
    message = "must be left out: the service deals the last card"
    unwanted = [name for name in ("drawn_cards", "turned") if name in request]
    refuse(LastCardNotWanted, [FieldFault(name, message) for name in unwanted])
    live = [seat for seat in dealt_body["order"] if after.get(seat, _BEFORE_LAST + 1) > _BEFORE_LAST]
    if len(live) == 1:  # who has won, and gets no other card
        return AllCards({}, hands, {})
    stub = source.cards(cards_in_use(rules, opening))[cards_needed(len(dealt_body["order"])) :]
    last = last_cards(stub, parse_cards(dealt_body["burned"]), len(live), source.luck.scramble)
    told: Besides = {}
    procedure: ShortProcedure | Literal["enough"] = last.procedure.value
    if procedure != Procedure.ENOUGH.value:
        told["short_deck"] = {"procedure": procedure, "rule": f"{SHEET} §9"}
    if (turned := last.community) is not None:
        told["community"] = [format_card(turned)]
        boards = {seat: (*hands[seat][UP_CARDS], turned) for seat in live}
        # Of equals on board the first to the left of the button opens.
        told["short_deck"]["opens"] = best_of(live, lambda seat: rules.ranking.five(boards[seat]))[0]
        return AllCards({}, {seat: (*cards, turned) for seat, cards in hands.items()}, told)
    drawn = dict(zip(live, last.cards, strict=True))
    return AllCards(drawn, _with(hands, drawn), told)


def _with(hands: Mapping[int, Sequence[Card]], drawn: Mapping[int, Card]) -> dict[int, Sequence[Card]]:
    """Hands with the cards that they drew."""
    return {seat: (*cards, drawn[seat]) if seat in drawn else cards for seat, cards in hands.items()}


def _told(
    rules: ShowdownRules, opening: Opening, dealt_body: Deal, request: Settling, hands: Mapping[int, Sequence[Card]]
) -> AllCards:
    """The last cards as a physical table tells them, if its deal did not, and all cards that play in each hand (§7)."""
    given, turned = request.get("drawn_cards", []), request.get("turned")
    check_places([item["seat"] for item in given], places=rules.seats, field="drawn_cards")
    message = "must be left out: the cards of this hand were not told"
    strange = [item["seat"] for item in given if item["seat"] not in hands]
    refuse(LastCardNotWanted, [FieldFault(at("drawn_cards", seat), message) for seat in strange])
    drawn = {item["seat"]: parse_card(item["card"]) for item in given}
    middle, added = parse_cards(dealt_body.get("community", [])), parse_cards([] if turned is None else [turned])
    fields: dict[str, Sequence[Card]] = {at("hands", seat, "cards"): cards for seat, cards in hands.items()}
    fields |= {at("drawn_cards", seat, "card"): (card,) for seat, card in drawn.items()}
    check_cards(fields | {"community": middle, "turned": added}, cards_in_use(rules, opening))
    playing = {seat: (*cards, *middle, *added) for seat, cards in _with(hands, drawn).items()}
    most = max(map(len, playing.values()), default=0)
    if (drawn or added) and most > rules.most_cards:
        field = "turned" if added else "drawn_cards"
        refuse_at(HandSizeWrong, field, f"makes a hand of {most} cards: must be {rules.most_cards} at most")
    return AllCards(drawn, playing, {"community": format_cards(added)} if added else {})
