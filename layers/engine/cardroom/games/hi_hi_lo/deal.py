"""Drawing for the first banker, three equal bets a hand, and six cards each (hi-hi-lo §1 to §4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from cardroom import player_banked
from cardroom.cards import Card, format_cards
from cardroom.game import Shuffled, Source
from cardroom.games.hi_hi_lo.house_way import HAND_SIZE
from cardroom.games.hi_hi_lo.rules import DECK, KINDS, HiHiLoRules
from cardroom.hands.hi_hi_lo import one
from cardroom.player_banked import SeatDuplicate, SeatUnknown, refuse
from cardroom.refusals import FieldFault, Refusal
from cardroom.shuffle import Luck
from cardroom.table import Direction, FirstDrawNotOffered, Wager, check_fields, walk

Json = dict[str, Any]

FIRST_BANKER: Final = "first_banker"
_WAGERING_FIELDS: Final = frozenset({"wagers", "banker_wager", "client_seed", "cut", "hands"})


class BetsUnequal(Refusal):
    """A hand whose three bets (one card, two cards, low) are not all there, or not of one amount."""


def check_open(rules: HiHiLoRules, opening: Json, table: Json) -> None:
    """Refuse a round that the rules do not allow at the table as it stands."""
    player_banked.check_open(rules.table, opening, table)


def cards_in_use(_rules: HiHiLoRules, _opening: Json) -> tuple[Card, ...]:
    """The cards before the shuffle (§1)."""
    return DECK


def draw(rules: HiHiLoRules, kind: str, seats: Sequence[int], luck: Luck) -> Json:
    """The draw for first banker: one card each, the highest has the option; `{cards: [{seat, cards}], seat}` (§3).

    Tied seats get another card each from the same deck; should it run out, the first of them clockwise has the
    option. Raises FirstDrawNotOffered, SeatUnknown, SeatDuplicate.
    """
    if kind != FIRST_BANKER:
        message = f"must be {FIRST_BANKER}"
        raise FirstDrawNotOffered(f"{rules.ruleset_id} has no draw for {kind}: {message}", FieldFault("kind", message))
    places = rules.table.places
    known = f"must be 1 to {len(places)}"
    refuse(SeatUnknown, [FieldFault(f"seats[{seat}]", known) for seat in seats if seat not in places])
    twice = sorted({seat for seat in seats if list(seats).count(seat) > 1})
    refuse(SeatDuplicate, [FieldFault(f"seats[{seat}]", "must be named once") for seat in twice])
    cards = list(luck.shuffle(DECK, None))
    tied = sorted(seats)
    drawn: dict[int, list[Card]] = {seat: [] for seat in tied}
    while len(cards) >= len(tied):
        for seat in tied:
            drawn[seat].append(cards.pop(0))
        highest = max(one(drawn[seat][-1]) for seat in tied)
        tied = [seat for seat in tied if one(drawn[seat][-1]) == highest]
        if len(tied) == 1:
            break
    return {
        "cards": [{"seat": seat, "cards": format_cards(cards)} for seat, cards in drawn.items()],
        "seat": tied[0],
    }


def deal(rules: HiHiLoRules, opening: Json, wagering: Json, table: Json, source: Source) -> Json:
    """The body of the deal: bets are closed, hands dealt, fees due (§2, §4)."""
    at_table, banker = rules.table, opening["banker"]["seat"]
    check_fields(wagering, _WAGERING_FIELDS, what=rules.ruleset_id)
    wagers = player_banked.wagers_of(wagering)
    player_banked.check_wagers(at_table, opening, wagers)
    refuse(BetsUnequal, list(_unequal_bets(wagers)))
    player_banked.check_banker_wager(at_table, opening, wagering, wagers)
    player_banked.check_source(wagering, source)
    bets = player_banked.by_seat(at_table, wagers)
    *order, _ = [seat for seat in _rotation(at_table.places, banker) if seat in bets or seat == banker]
    if isinstance(source, Shuffled):
        hands = _dealt([*order, banker], source.cards(DECK))
    else:
        hands = player_banked.read_hands(wagering, playing=[*order, banker], size=HAND_SIZE, deck=DECK)
    fees = player_banked.fees_of(at_table, opening, wagering, wagers, table)
    player_banked.check_amounts(wagering, wagers, fees)
    return {
        "action": {"seat": order[0], "by": "banker"},
        "hands": [{"seat": seat, "cards": format_cards(cards)} for seat, cards in sorted(hands.items())],
        "action_order": order,
        "say": player_banked.the_say(bets),
        "fees": fees,
        "postings": player_banked.fee_postings(fees),
    }


def _rotation(places: Sequence[int], banker: int) -> tuple[int, ...]:
    """All places clockwise from the banker's left, the banker's own last."""
    ring = walk(places, banker, Direction.CLOCKWISE)
    return (*ring[1:], ring[0])


def _dealt(rotation: Sequence[int], cards: Sequence[Card]) -> dict[int, tuple[Card, ...]]:
    """Six cards to each seat, one at a time in rotation (§4)."""
    hands = len(rotation)
    return {seat: tuple(cards[turn : hands * HAND_SIZE : hands]) for turn, seat in enumerate(rotation)}


def _unequal_bets(wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    """The hands whose bets are not one of each kind, by one bettor and for one amount (§2)."""
    hands: dict[tuple[int, int], list[Wager]] = {}
    for wager in wagers:
        hands.setdefault((wager.seat, wager.circle), []).append(wager)
    for (seat, _), bets in sorted(hands.items()):
        found = {bet.kind: bet.amount_minor for bet in sorted(bets, key=lambda bet: KINDS.index(bet.kind))}
        if len(found) < len(KINDS) or len(set(found.values())) > 1 or len({bet.bettor for bet in bets}) > 1:
            told = ", ".join(f"{kind} {found.get(kind, 'missing')}" for kind in KINDS)
            for bet in bets:
                field = f"wagers[{bet.wager_id}].amount"
                yield FieldFault(field, f"seat {seat} bets {told}: must be three equal bets of one bettor")
