"""Two cards each from the shoe, singly, from the seat that the banker's dice name (california-baccarat §1, §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cardroom.banked.bets import Bets, check_amounts, check_banker_wager, check_wagers, the_say
from cardroom.banked.fees import fees_of
from cardroom.banked.opening import check_opening
from cardroom.cards import Card
from cardroom.fees import fee_postings
from cardroom.game import FromShoe, Source
from cardroom.games.california_baccarat.rules import HAND_SIZE, BaccaratRules, BankerSits, Misdeal
from cardroom.games.california_baccarat.shapes import Deal, FromTheShoe, Kept, Opening, Settlement
from cardroom.physical import check_source, hands_json, read_hands, read_rest, three_dice
from cardroom.refusals import FieldFault, Refusal, at, refuse
from cardroom.seats import Direction, count_to, walk_among
from cardroom.shapes.banked import DicedWagering
from cardroom.shapes.handed import TableChange
from cardroom.shapes.parts import Hand, TableState
from cardroom.table import check_fields, members_of

_WAGERING_FIELDS: Final = members_of(DicedWagering)


class ShoeExhausted(Refusal):
    """The cut card is out: fewer cards are left in the shoe than the largest round needs."""


class Misdealt(Refusal):
    """Hands of a wrong number of cards that make the deal a misdeal: the banker's, or two players'."""


def check_open(rules: BaccaratRules, opening: Opening, table: TableState) -> None:
    """Refuse a round that the rules do not allow at the table as it stands, or for which the shoe is too short (§1)."""
    anywhere = rules.banker_sits is BankerSits.ANY_POSITION
    check_opening(rules.bank, opening, table, banker_anywhere=anywhere)
    shoe = table["shoe"]
    if opening["source"] == "shuffle" and shoe is not None:
        left = shoe["size"] - shoe["position"]
        if left < rules.largest_round:
            message = f"{left} cards are left in shoe {shoe['shoe_id']}, a round may need {rules.largest_round}"
            raise ShoeExhausted(f"{message}: close it and open another", FieldFault("shoe_id", message))


def shoe_in_use(rules: BaccaratRules, _opening: Opening) -> tuple[Card, ...]:
    """The cards of the shoe before its shuffle, whether a round or the shoe itself is opened (§1)."""
    return rules.shoe


def deal(rules: BaccaratRules, opening: Opening, wagering: DicedWagering, table: TableState, source: Source) -> Deal:
    """The body of the deal: bets are closed, the action placed, two cards dealt to each hand, fees due (§4).

    Of a shoe, `shoe` tells which of its cards were dealt: from position `first` up to before position `last`, the
    shoe's first card being at 0.
    """
    check_fields(wagering, _WAGERING_FIELDS, what=rules.ruleset_id)
    bets = Bets.read(rules.bank, opening, wagering)
    check_wagers(bets)
    check_banker_wager(bets)
    check_source(wagering, source)
    on_hands, banker, places = bets.by_seat(), bets.banker_seat, rules.bank.places
    dice, told = three_dice(wagering, source)
    action = count_to(places, banker, sum(dice), Direction.CLOCKWISE)
    ring = walk_among(places, action, Direction.CLOCKWISE, among=[*on_hands, banker])
    dealt: FromTheShoe = {}
    if isinstance(source, FromShoe):
        cards = source.next(HAND_SIZE * len(ring))
        hands = {seat: cards[turn :: len(ring)] for turn, seat in enumerate(ring)}
        dealt["shoe"] = source.spent(len(cards))
    else:
        hands = read_hands(wagering, playing=on_hands, size=None, deck=rules.shoe, also=[banker])
        _check_sizes(rules, hands, banker)
    fees = fees_of(bets, table)
    check_amounts(bets, fees)
    return {
        "action": {"seat": action, "by": "dice", "from": told, "dice": list(dice)},
        **dealt,
        "hands": hands_json(hands),
        "action_order": [seat for seat in ring if seat != banker],
        "say": the_say(on_hands),
        "fees": fees,
        "postings": fee_postings(fees),
    }


def hidden(
    rules: BaccaratRules,
    opening: Opening,
    _wagering: DicedWagering,
    dealt_body: Kept,
    source: Source,
    told: Sequence[Hand],
) -> list[Hand]:
    """The banker's hand, dealt again from the same cards of the shoe, or told since by a physical table (§4).

    Raises HandToldTwice, Misdealt, or what is wrong with the cards.
    """
    banker, shown = opening["banker"]["seat"], {hand["seat"] for hand in dealt_body["hands"]}
    playing = [*dealt_body["action_order"], banker]
    if isinstance(source, FromShoe) and "shoe" in dealt_body:
        ring = list(walk_among(rules.bank.places, dealt_body["action"]["seat"], Direction.CLOCKWISE, among=playing))
        cards = source.cards[dealt_body["shoe"]["first"] : dealt_body["shoe"]["last"]]
        return hands_json({seat: cards[turn :: len(ring)] for turn, seat in enumerate(ring) if seat not in shown})
    hands = read_rest(told, shown=dealt_body["hands"], places=playing, size=None, deck=rules.shoe)
    _check_sizes(rules, hands, banker)
    return hands_json(hands)


def _check_sizes(rules: BaccaratRules, hands: Mapping[int, Sequence[Card]], banker: int) -> None:
    sizes = {seat: len(hand) for seat, hand in hands.items() if len(hand) != HAND_SIZE}
    said = {seat: (at("hands", seat, "cards"), f"must be {HAND_SIZE} cards, not {n}") for seat, n in sizes.items()}
    check_misdeal(rules, said, banker)


def check_misdeal(rules: BaccaratRules, wrong: Mapping[int, tuple[str, str]], banker: int) -> None:
    """Refuse hands of a wrong number of cards that make a misdeal; one player's hand alone is none (§6, §7).

    `wrong` are those hands by seat, each as the field that tells it and what is wrong with it.
    """
    if banker in wrong:
        hands, reason, unless = [banker], Misdeal.BANKER_WRONG_NUMBER_OF_CARDS, ""
    elif len(wrong) >= rules.misdeal_hands:
        hands, reason = sorted(wrong), Misdeal.PLAYERS_WRONG_NUMBER_OF_CARDS
        unless = " unless the cards are put right"
    else:
        return
    way_out = f"a misdeal{unless}: void the round for {reason.value}"
    faults = [FieldFault(wrong[seat][0], f"{wrong[seat][1]}, {way_out}") for seat in hands]
    refuse(Misdealt, faults)


def after_deal(
    _rules: BaccaratRules, _opening: Opening, _wagering: DicedWagering, body: Deal, table: TableState
) -> TableChange:
    """The shoe's position: cards that were dealt are spent, whatever becomes of the round (§1)."""
    return shoe_after(body, table)


def shoe_after(body: Deal | Settlement, table: TableState) -> TableChange:
    """The table's shoe once the cards that a body tells of are spent; nothing at a physical table (§1)."""
    shoe = table["shoe"]
    if shoe is None or "shoe" not in body:
        return {}
    return {"shoe": {**shoe, "position": body["shoe"]["last"]}}
