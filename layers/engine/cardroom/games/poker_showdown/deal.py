"""Opening and dealing a poker showdown: antes, a stud deal or the hands of a physical table, the life of a deck.

The functions take the requests and give the body as they stand in the records.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from cardroom.cards import Card, deck, format_cards, parse_card
from cardroom.game import Shuffled, Source
from cardroom.games.poker_showdown.rules import SHEET, ShowdownRules
from cardroom.games.poker_showdown.shapes import (
    Deal,
    DealtCards,
    Deck,
    DeckWarning,
    Opening,
    Settlement,
    Wagering,
    Warned,
)
from cardroom.games.poker_showdown.stud import cards_needed, deal_stud
from cardroom.physical import HandSizeWrong, check_cards, check_source
from cardroom.potted.antes import ANTE, AnteInvalid, ButtonInvalid, Stakes, check_antes, check_players, check_stakes
from cardroom.potted.pots import left_of_button
from cardroom.refusals import FieldFault, Refusal, at, refuse, refuse_at
from cardroom.seats import SeatUnknown, check_places
from cardroom.shapes.handed import TableChange
from cardroom.shapes.parts import DeckInUse, TableState
from cardroom.table import check_fields, members_of

_OPENING_FIELDS: Final = members_of(Opening)
_DECK_FIELDS: Final = members_of(Deck)
_WAGERING_FIELDS: Final = members_of(Wagering)
DECK_CHANGES: Final = ("defective", "machine")


class JokersNotOffered(Refusal):
    """More or fewer jokers than the rules of a showdown allow."""


class StudPlayersTooMany(Refusal):
    """More players than a deck can be dealt to."""


class CommunityNotWanted(Refusal):
    """Community cards named in a round that the service deals."""


class DeckChangeUnknown(Refusal):
    """A reason for changing the deck that is none of those in the rules."""


# Opening


def check_open(rules: ShowdownRules, opening: Opening, _table: TableState) -> None:
    """Refuse a round that the rules do not allow (§4, §5, §7, §8, §9)."""
    check_fields(opening, _OPENING_FIELDS, what=rules.ruleset_id)
    check_players(opening, places=rules.seats, least=2)
    button = opening.get("button")
    if button is None or not 1 <= button <= rules.seats:
        refuse_at(ButtonInvalid, "button", f"must be 1 to {rules.seats}: odd units go out from its left")
    jokers = _jokers(rules, opening)
    if not rules.least_jokers <= jokers <= rules.most_jokers:
        message = f"must be {rules.least_jokers} to {rules.most_jokers}, not {jokers}"
        refuse_at(JokersNotOffered, "jokers", message)
    if opening.get("ante") == 0:
        refuse_at(AnteInvalid, "ante", "must be 1 or more, or left out")
    players, cards = len(opening["seats"]), 52 + jokers
    if opening["source"] == "shuffle" and cards_needed(players) > cards:
        message = f"{players} players need {cards_needed(players)} cards before the last one, the deck has {cards}"
        refuse_at(StudPlayersTooMany, "seats", message)


def _jokers(rules: ShowdownRules, opening: Opening) -> int:
    jokers: int = opening.get("jokers", rules.default_jokers)
    return jokers


def cards_in_use(rules: ShowdownRules, opening: Opening) -> tuple[Card, ...]:
    """The deck of a round before the shuffle (§7)."""
    return deck(_jokers(rules, opening))


# Dealing


def deal(rules: ShowdownRules, opening: Opening, wagering: Wagering, table: TableState, source: Source) -> Deal:
    """The body of the deal: the order of the deal, the hands, and what is wrong with the deck's life (§7 to §10)."""
    check_fields(wagering, _WAGERING_FIELDS, what=rules.ruleset_id)
    check_source(wagering, source)
    stakes = Stakes.read(opening, wagering)
    bettors = stakes.bettors
    kinds = (ANTE,) if "ante" in opening else ()
    check_stakes(stakes, wagering, kinds=kinds, what=rules.ruleset_id)
    if kinds:
        check_antes(stakes.by_seat, ante=opening["ante"], seats=bettors)
    order = left_of_button(bettors, opening["button"], places=rules.seats)
    if isinstance(source, Shuffled):
        cards = _shuffled(rules, opening, wagering, order, source)
    else:
        cards = _physical(rules, opening, wagering, bettors)
    warned: Warned = {}
    if "deck" in wagering:
        warned["warnings"] = deck_warnings(rules, wagering["deck"], table["deck"])
    return {"order": list(order), **cards, **warned, "postings": []}


def check_seats(rules: ShowdownRules, seats: Sequence[int], bettors: Collection[int], field: str) -> None:
    """Refuse seats that nobody plays at, or that come twice."""
    check_places(seats, places=rules.seats, field=field)
    strange = [seat for seat in seats if seat not in bettors]
    refuse(SeatUnknown, [FieldFault(at(field, seat), "nobody plays at this seat") for seat in strange])


def _physical(rules: ShowdownRules, opening: Opening, wagering: Wagering, bettors: Collection[int]) -> DealtCards:
    """The hands that were read from a physical table: those that are shown, and the cards that play in each (§7)."""
    given = sorted(wagering.get("hands", []), key=lambda hand: hand["seat"])
    check_seats(rules, [hand["seat"] for hand in given], bettors, "hands")
    community = [parse_card(text) for text in wagering.get("community", [])]
    hands = {hand["seat"]: [parse_card(text) for text in hand["cards"]] for hand in given}
    sizes = {seat: len(cards) + len(community) for seat, cards in hands.items()}
    between = f"must be {rules.least_cards} to {rules.most_cards} cards with those in the middle"
    wrong = [seat for seat, size in sizes.items() if not rules.least_cards <= size <= rules.most_cards]
    refuse(HandSizeWrong, [FieldFault(at("hands", seat, "cards"), f"{between}, not {sizes[seat]}") for seat in wrong])
    fields = {at("hands", seat, "cards"): cards for seat, cards in hands.items()}
    check_cards(fields | {"community": community}, cards_in_use(rules, opening))
    body: DealtCards = {"hands": [{"seat": seat, "cards": format_cards(cards)} for seat, cards in hands.items()]}
    return {**body, "community": format_cards(community)} if community else body


def _shuffled(
    rules: ShowdownRules, opening: Opening, wagering: Wagering, order: Sequence[int], source: Shuffled
) -> DealtCards:
    """Six cards of stud to each player, the first to the left of the button; the last one comes later (§9)."""
    if "community" in wagering:
        refuse_at(CommunityNotWanted, "community", "must be left out: the service deals this round")
    stud = deal_stud(source.cards(cards_in_use(rules, opening)), len(order))
    hands = dict(zip(order, stud.hands, strict=True))
    return {
        "hands": [{"seat": seat, "cards": format_cards(hands[seat])} for seat in sorted(hands)],
        "burned": format_cards(stud.burned),
    }


# The life of a deck


def deck_warnings(rules: ShowdownRules, named: Deck, last: DeckInUse | None) -> list[DeckWarning]:
    """What is wrong with changing from the table's last deck to the one named, if anything (§10).

    A cycle is that of the most players that the last deck was dealt to: a round of fewer makes it no shorter.
    """
    check_fields(named, _DECK_FIELDS, what=rules.ruleset_id, path="deck.")
    why = named.get("changed")
    if why is not None and why not in DECK_CHANGES:
        refuse_at(DeckChangeUnknown, "deck.changed", f"must be one of {', '.join(DECK_CHANGES)}")
    if last is None:
        return []
    if last["deck_id"] == named["deck_id"]:
        message = f"deck {named['deck_id']} was {last['colour']} before, now it is {named['colour']}"
        return [_warning("deck_colour_changed", message)] if last["colour"] != named["colour"] else []
    warnings = []
    life = rules.deck_life_hands or last["players"]
    if last["hands"] < life and why is None:
        message = f"deck {last['deck_id']} was changed after {last['hands']} hands of at least {life}"
        warnings.append(_warning("deck_changed_early", message))
    if last["colour"] == named["colour"]:
        message = f"decks {last['deck_id']} and {named['deck_id']} are both {named['colour']}"
        warnings.append(_warning("deck_colour_same", message))
    return warnings


def _warning(code: str, message: str) -> DeckWarning:
    return {"code": code, "message": message, "rule": f"{SHEET} §10"}


def after_deal(
    _rules: ShowdownRules, opening: Opening, wagering: Wagering, _body: Deal, table: TableState
) -> TableChange:
    """The deck in use and the most players it was dealt to, whatever becomes of the hand (§10)."""
    named, last = wagering.get("deck"), table["deck"]
    if named is None:
        return {}
    hands, players = 0, len(opening["seats"])
    if last is not None and last["deck_id"] == named["deck_id"]:
        hands, players = last["hands"], max(players, last["players"])
    return {"deck": {"deck_id": named["deck_id"], "colour": named["colour"], "hands": hands, "players": players}}


def after_settle(
    _rules: ShowdownRules, _opening: Opening, body: Settlement, _round_id: str, table: TableState
) -> TableChange:
    """One hand more of play with the deck that was named; a voided hand is none (§10)."""
    deck_ = table["deck"]
    if "deck" not in body or deck_ is None:
        return {}
    return {"deck": {**deck_, "hands": deck_["hands"] + 1}}
