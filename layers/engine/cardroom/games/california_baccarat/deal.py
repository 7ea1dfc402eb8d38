"""Two cards each from the shoe, singly, from the seat that the banker's dice name (california-baccarat §1, §4)."""

from __future__ import annotations

from typing import Any, Final

from cardroom import player_banked
from cardroom.cards import Card, format_cards
from cardroom.game import FromShoe, Source
from cardroom.games.california_baccarat.rules import HAND_SIZE, BaccaratRules
from cardroom.refusals import FieldFault, Refusal
from cardroom.table import Direction, check_fields, count_to, walk

Json = dict[str, Any]

_WAGERING_FIELDS: Final = frozenset({"wagers", "banker_wager", "client_seed", "cut", "dice", "hands"})


class ShoeExhausted(Refusal):
    """The cut card is out: fewer cards are left in the shoe than the largest round needs."""


def check_open(rules: BaccaratRules, opening: Json, table: Json) -> None:
    """Refuse a round that the rules do not allow at the table as it stands, or for which the shoe is too short (§1)."""
    player_banked.check_open(rules.table, opening, table)
    shoe = table["shoe"]
    if opening["source"] == "shuffle" and shoe is not None:
        left = shoe["size"] - shoe["position"]
        if left < rules.largest_round:
            message = f"{left} cards are left in shoe {shoe['shoe_id']}, a round may need {rules.largest_round}"
            raise ShoeExhausted(f"{message}: close it and open another", FieldFault("shoe_id", message))


def shoe_in_use(rules: BaccaratRules, _opening: Json) -> tuple[Card, ...]:
    """The cards of the shoe before its shuffle, whether a round or the shoe itself is opened (§1)."""
    return rules.shoe


def deal(rules: BaccaratRules, opening: Json, wagering: Json, table: Json, source: Source) -> Json:
    """The body of the deal: bets are closed, the action placed, two cards dealt to each hand, fees due (§4).

    Of a shoe, `shoe` tells which of its cards were dealt: from position `first` up to before position `last`, the
    shoe's first card being at 0.
    """
    at_table, banker = rules.table, opening["banker"]["seat"]
    check_fields(wagering, _WAGERING_FIELDS, what=rules.ruleset_id)
    wagers = player_banked.wagers_of(wagering)
    player_banked.check_wagers(at_table, opening, wagers)
    player_banked.check_banker_wager(at_table, opening, wagering, wagers)
    player_banked.check_source(wagering, source)
    bets = player_banked.by_seat(at_table, wagers)
    dice, told = player_banked.three_dice(wagering, source)
    action = count_to(at_table.places, banker, sum(dice), Direction.CLOCKWISE)
    ring = [seat for seat in walk(at_table.places, action, Direction.CLOCKWISE) if seat in bets or seat == banker]
    dealt: Json = {}
    if isinstance(source, FromShoe):
        cards = source.next(HAND_SIZE * len(ring))
        hands = {seat: cards[turn :: len(ring)] for turn, seat in enumerate(ring)}
        dealt["shoe"] = source.spent(len(cards))
    else:
        hands = player_banked.read_hands(wagering, playing=ring, size=HAND_SIZE, deck=rules.shoe)
    fees = player_banked.fees_of(at_table, opening, wagering, wagers, table)
    player_banked.check_amounts(wagering, wagers, fees)
    return {
        "action": {"seat": action, "by": "dice", "from": told, "dice": list(dice)},
        **dealt,
        "hands": [{"seat": seat, "cards": format_cards(cards)} for seat, cards in sorted(hands.items())],
        "action_order": [seat for seat in ring if seat != banker],
        "say": player_banked.the_say(bets),
        "fees": fees,
        "postings": player_banked.fee_postings(fees),
    }


def after_deal(_rules: BaccaratRules, _opening: Json, _wagering: Json, body: Json, table: Json) -> Json:
    """The shoe's position: cards that were dealt are spent, whatever becomes of the round (§1)."""
    return shoe_after(body, table)


def shoe_after(body: Json, table: Json) -> Json:
    """The table's shoe once the cards that a body tells of are spent; nothing at a physical table (§1)."""
    if "shoe" not in body:
        return {}
    return {"shoe": {**table["shoe"], "position": body["shoe"]["last"]}}
