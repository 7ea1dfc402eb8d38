"""The dragon hand: a vacant seat's pile, played by one bettor besides his own hand (§9)."""

from __future__ import annotations

from typing import Any

from cardroom.banked.bets import Bets, check_cover
from cardroom.games.pai_gow_poker.deal import check_amounts
from cardroom.games.pai_gow_poker.piles import places
from cardroom.games.pai_gow_poker.rules import DRAGON, MAIN, PaiGowRules
from cardroom.games.pai_gow_poker.shapes import Kept, Locking, Opening, Wagering
from cardroom.money import HOUSE
from cardroom.refusals import Refusal, refuse_at
from cardroom.seats import walk
from cardroom.shapes.parts import ReturnedWager
from cardroom.table import Wager, WagerDuplicate


class DragonNotOffered(Refusal):
    """A dragon hand where the rules have none."""


class DragonTwice(Refusal):
    """A second dragon hand in a round."""


class DragonSeatInvalid(Refusal):
    """A dragon hand at another seat than the first vacant one in the order of action."""


class DragonBettorInvalid(Refusal):
    """A dragon hand for somebody without a main wager on circle 1."""


class DragonAmountInvalid(Refusal):
    """A dragon hand for less than the table's minimum, or for more than its bettor's own main wager."""


class DragonCardsMissing(Refusal):
    """A dragon hand whose cards a physical table did not tell."""


def dragon_of(
    rules: PaiGowRules, opening: Opening, wagering: Wagering, dealt_body: Kept, request: Locking, *, bets: Bets
) -> Wager | None:
    """The dragon hand's wager, which comes once the hands are set; None if nobody plays it.

    Raises DragonNotOffered, DragonTwice, WagerDuplicate, DragonSeatInvalid, DragonBettorInvalid, DragonAmountInvalid,
    WagersExceedBanker, StakesTooLarge.
    """
    asked = request.get("dragon")
    if asked is None:
        return None
    if not rules.dragon_hand:
        message = f"must be left out: {rules.ruleset_id} has no dragon hand"
        refuse_at(DragonNotOffered, "dragon", message)
    if isinstance(asked, list):
        refuse_at(DragonTwice, "dragon", f"must be one: {len(asked)} were asked for, a round has one at most")
    dragon = Wager(asked["wager_id"], asked["seat"], asked["bettor"], 1, None, DRAGON, asked["amount"])
    if any(wager.wager_id == dragon.wager_id for wager in bets.wagers):
        refuse_at(WagerDuplicate, "dragon.wager_id", f"must not be a wager of the deal: {dragon.wager_id} is")
    _check_seat(rules, opening, dealt_body, dragon)
    _check_bettor(bets, dragon)
    with_dragon = bets.plus(dragon)
    check_cover(with_dragon)
    check_amounts(rules, with_dragon, wagering, dealt_body["fees"])
    return dragon


def staked(request: Locking) -> list[ReturnedWager]:
    """The dragon hand's bet, where it came with the sets."""
    dragon: Any = request.get("dragon")
    return [] if dragon is None else [{"wager_id": dragon["wager_id"], "amount": dragon["amount"]}]


def check_cards_told(dealt_body: Kept, dragon: Wager) -> None:
    """Refuse a settlement without the cards of the dragon hand; raises DragonCardsMissing."""
    if all(hand["seat"] != dragon.seat for hand in dealt_body["hands"]):
        refuse_at(DragonCardsMissing, "dragon.seat", f"nobody told the cards of seat {dragon.seat}")


def _check_seat(rules: PaiGowRules, opening: Opening, dealt_body: Kept, dragon: Wager) -> None:
    ring = walk(places(rules, opening), dealt_body["action"]["seat"], rules.settle_direction)
    taken = {rules.bank.house_seat, *(seat["seat"] for seat in opening["seats"])}
    vacant = next((seat for seat in ring if seat not in taken), None)
    if dragon.seat != vacant:
        message = "no seat is vacant" if vacant is None else f"must be {vacant}, the first vacant seat in action order"
        refuse_at(DragonSeatInvalid, "dragon.seat", f"{message}, not {dragon.seat}")


def _check_bettor(bets: Bets, dragon: Wager) -> None:
    mine = [w for w in bets.wagers if w.kind == MAIN and w.circle == 1 and w.bettor == dragon.bettor != HOUSE]
    own = [wager.amount_minor for wager in mine]
    if not own:
        message = f"{dragon.bettor} has no main wager on circle 1"
        refuse_at(DragonBettorInvalid, "dragon.bettor", message)
    low, high = bets.minimum, max(own)
    if not low <= dragon.amount_minor <= high:
        message = f"must be {low} to {high}, {dragon.bettor}'s own main wager, not {dragon.amount_minor}"
        refuse_at(DragonAmountInvalid, "dragon.amount", message)
