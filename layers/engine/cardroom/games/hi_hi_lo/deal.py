"""Drawing for the first banker, three equal bets a hand, and six cards each (hi-hi-lo §1 to §4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cardroom.banked.bets import Bets, check_amounts, check_banker_wager, check_wagers, the_say
from cardroom.banked.fees import fees_of
from cardroom.banked.opening import check_opening
from cardroom.cards import Card
from cardroom.fees import fee_postings
from cardroom.game import Shuffled, Source
from cardroom.games.hi_hi_lo.house_way import HAND_SIZE
from cardroom.games.hi_hi_lo.rules import DECK, KINDS, HiHiLoRules
from cardroom.games.hi_hi_lo.shapes import Deal, Kept, Opening
from cardroom.hands.hi_hi_lo import one
from cardroom.physical import check_source, hands_json, read_hands, read_rest
from cardroom.refusals import FieldFault, Refusal, refuse
from cardroom.seats import Direction, check_draw, check_places, draw_highest, walk_among
from cardroom.shapes.banked import BankedWagering
from cardroom.shapes.handed import DrawnHighest
from cardroom.shapes.parts import Hand, TableState
from cardroom.shuffle import Luck
from cardroom.table import Wager, check_fields, members_of

FIRST_BANKER: Final = "first_banker"
_WAGERING_FIELDS: Final = members_of(BankedWagering)


class BetsUnequal(Refusal):
    """A hand whose three bets (one card, two cards, low) are not all there, or not of one amount."""


def check_open(rules: HiHiLoRules, opening: Opening, table: TableState) -> None:
    """Refuse a round that the rules do not allow at the table as it stands."""
    check_opening(rules.bank, opening, table)


def cards_in_use(_rules: HiHiLoRules, _opening: Opening) -> tuple[Card, ...]:
    """The cards before the shuffle (§1)."""
    return DECK


def draw(rules: HiHiLoRules, kind: str, seats: Sequence[int], luck: Luck) -> DrawnHighest:
    """The draw for first banker: one card each, the highest has the option; `{cards: [{seat, cards}], seat}` (§3).

    Raises FirstDrawNotOffered, SeatUnknown, SeatDuplicate.
    """
    check_draw(kind, offered=FIRST_BANKER, what=rules.ruleset_id)
    check_places(sorted(seats), places=rules.bank.seats, field="seats")
    return draw_highest(seats, luck.shuffle(DECK, None), one)


def deal(rules: HiHiLoRules, opening: Opening, wagering: BankedWagering, table: TableState, source: Source) -> Deal:
    """The body of the deal: bets are closed, hands dealt, fees due (§2, §4)."""
    check_fields(wagering, _WAGERING_FIELDS, what=rules.ruleset_id)
    bets = Bets.read(rules.bank, opening, wagering)
    check_wagers(bets)
    refuse(BetsUnequal, _unequal_bets(bets.wagers))
    check_banker_wager(bets)
    check_source(wagering, source)
    on_hands, banker = bets.by_seat(), bets.banker_seat
    order = list(walk_among(rules.bank.places, banker, Direction.CLOCKWISE, among=on_hands))
    if isinstance(source, Shuffled):
        hands = _dealt([*order, banker], source.cards(DECK))
    else:
        hands = read_hands(wagering, playing=order, size=HAND_SIZE, deck=DECK, also=[banker])
    fees = fees_of(bets, table)
    check_amounts(bets, fees)
    return {
        "action": {"seat": order[0], "by": "banker"},
        "hands": hands_json(hands),
        "action_order": order,
        "say": the_say(on_hands),
        "fees": fees,
        "postings": fee_postings(fees),
    }


def hidden(
    _rules: HiHiLoRules,
    opening: Opening,
    _wagering: BankedWagering,
    dealt_body: Kept,
    source: Source,
    told: Sequence[Hand],
) -> list[Hand]:
    """The banker's hand, dealt again, or told since by a physical table (§4).

    Raises HandToldTwice, or what is wrong with the cards.
    """
    banker, shown = opening["banker"]["seat"], {hand["seat"] for hand in dealt_body["hands"]}
    if isinstance(source, Shuffled):
        hands = _dealt([*dealt_body["action_order"], banker], source.cards(DECK))
        return hands_json({seat: cards for seat, cards in hands.items() if seat not in shown})
    places = [*dealt_body["action_order"], banker]
    return hands_json(read_rest(told, shown=dealt_body["hands"], places=places, size=HAND_SIZE, deck=DECK))


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
                yield FieldFault(bet.at("amount"), f"seat {seat} bets {told}: must be three equal bets of one bettor")
