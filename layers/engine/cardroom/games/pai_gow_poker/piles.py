"""Who gets which pile, and which cards are in it: the action, its dice or number, the deck dealt out (§1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cardroom.cards import Card, deck, format_cards, parse_cards
from cardroom.game import Shuffled, Source, Told
from cardroom.games.pai_gow_poker.rules import HAND_SIZE, Draw, PaiGowRules, Piles
from cardroom.games.pai_gow_poker.shapes import DiceAction, DrawnFrom, Kept, NumberAction, Opening, PileHand, Wagering
from cardroom.money import HOUSE
from cardroom.physical import DrawMissing, check_dice, check_hand, read_hands, read_rest
from cardroom.refusals import Refusal, refuse_at
from cardroom.seats import count_to, walk
from cardroom.shapes.parts import Hand


class DrawNotOffered(Refusal):
    """Dice or a number that these rules do not draw the action hand by, or both at once."""


class NumberInvalid(Refusal):
    """A number that names no place."""


class PileInvalid(Refusal):
    """A pile that is not dealt."""


def jokers_of(rules: PaiGowRules, opening: Opening) -> int:
    """How many jokers are in the deck (§1.1)."""
    return opening.get("jokers", rules.jokers.default)


def cards_in_use(rules: PaiGowRules, opening: Opening) -> tuple[Card, ...]:
    """The deck of a round before the shuffle (§1.1)."""
    return deck(jokers_of(rules, opening))


def places(rules: PaiGowRules, opening: Opening) -> tuple[int, ...]:
    """The places that get a pile, clockwise (§1.3)."""
    table = rules.bank
    players = table.places if rules.piles is Piles.ALL else sorted(seat["seat"] for seat in opening["seats"])
    house_plays = rules.piles is Piles.ALL or opening["banker"] == HOUSE
    return (*players, table.house_seat) if house_plays and table.house_seat is not None else tuple(players)


class Action(NamedTuple):
    """The seat of the action hand, and what named it: the dice, or a number."""

    seat: int
    told: DrawnFrom
    drawn: list[int] | int


def draw_action(
    rules: PaiGowRules, ring: Sequence[int], banker_seat: int, wagering: Wagering, source: Source
) -> Action:
    """The place of the action hand among those of a ring, and what named it (§1.4)."""
    given = [draw for draw in Draw if draw.value in wagering]
    for draw in given:
        if draw not in rules.action_draw or len(given) > 1:
            ways = " or ".join(rules.action_draw)
            message = f"must be left out or be the only one: {rules.ruleset_id} draws the action hand by {ways}"
            refuse_at(DrawNotOffered, draw, message)
    if not given and isinstance(source, Told):
        ways = " or ".join(rules.action_draw)
        refuse_at(DrawMissing, rules.action_draw[0], f"a physical table must tell the {ways}")
    draw = given[0] if given else rules.action_draw[0]
    told: DrawnFrom = "request" if given else "seed"
    if draw is Draw.DICE:
        dice = wagering["dice"] if isinstance(source, Told) or given else list(source.luck.dice())
        return Action(count_to(ring, banker_seat, sum(check_dice(dice)), rules.dice_direction), told, dice)
    number = wagering["number"] if isinstance(source, Told) or given else source.luck.seat(len(ring))
    if not 1 <= number <= len(ring):
        refuse_at(NumberInvalid, "number", f"must be 1 to {len(ring)}, not {number}")
    return Action(count_to(ring, banker_seat, number, rules.number_direction), told, number)


def action_json(action: Action, pile: int) -> DiceAction | NumberAction:
    """The action as a body tells it; `pile` is what its seat gets."""
    if not isinstance(action.drawn, int):
        return {"seat": action.seat, "by": "dice", "from": action.told, "dice": action.drawn, "pile": pile}
    return {"seat": action.seat, "by": "number", "from": action.told, "number": action.drawn, "pile": pile}


def piles_of(rules: PaiGowRules, ring: Sequence[int], wagering: Wagering, action_seat: int) -> dict[int, int]:
    """The pile of each place, from the chosen one at the action seat on (§1.5)."""
    most, first = len(ring), wagering.get("pile", 1)
    if not 1 <= first <= most:
        refuse_at(PileInvalid, "pile", f"must be 1 to {most}, not {first}")
    turns = enumerate(walk(ring, action_seat, rules.deal_direction))
    return {seat: (first - 1 + turn) % most + 1 for turn, seat in turns}


def hands_of(
    rules: PaiGowRules,
    opening: Opening,
    wagering: Wagering,
    source: Source,
    *,
    piles: Mapping[int, int],
    playing: Sequence[int],
) -> dict[int, tuple[Card, ...]]:
    """The hand of each place: pile p of n gets the deck's cards p, p + n, p + 2n, … (§1.6).

    A physical table tells the hands that bettors play, and any others that were dealt.
    """
    in_use = cards_in_use(rules, opening)
    if not isinstance(source, Shuffled):
        return read_hands(wagering, playing=playing, size=HAND_SIZE, deck=in_use, also=piles)
    cards = source.cards(in_use)[: HAND_SIZE * len(piles)]
    return {seat: cards[pile - 1 :: len(piles)] for seat, pile in piles.items()}


def read_hand(texts: Sequence[str], field: str, *, jokers: int) -> tuple[Card, ...]:
    """Seven cards of a deck with so many jokers.

    Raises CardInvalid, CardDuplicate, HandSizeWrong, CardNotInDeck.
    """
    cards = parse_cards(texts)
    check_hand(cards, field, size=HAND_SIZE, deck=deck(jokers))
    return cards


def hidden(
    rules: PaiGowRules,
    opening: Opening,
    wagering: Wagering,
    dealt_body: Kept,
    source: Source,
    told: Sequence[Hand],
) -> list[PileHand]:
    """The hands that the deal does not show: dealt again by its action, or told since by a physical table (§1.6).

    Raises HandToldTwice, or what is wrong with the cards.
    """
    ring = places(rules, opening)
    piles = piles_of(rules, ring, wagering, dealt_body["action"]["seat"])
    shown = {hand["seat"] for hand in dealt_body["hands"]}
    if isinstance(source, Shuffled):
        cards = hands_of(rules, opening, wagering, source, piles=piles, playing=())
    else:
        in_use = cards_in_use(rules, opening)
        before: list[Any] = [*dealt_body["hands"]]
        cards = read_rest(told, shown=before, places=ring, size=HAND_SIZE, deck=in_use)
    return [hand_json(seat, piles, hand) for seat, hand in sorted(cards.items()) if seat not in shown]


def hand_json(seat: int, piles: Mapping[int, int], cards: Sequence[Card]) -> PileHand:
    """A hand as a body tells it."""
    return {"seat": seat, "pile": piles[seat], "cards": format_cards(cards)}
