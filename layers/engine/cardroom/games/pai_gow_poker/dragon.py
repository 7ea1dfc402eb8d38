"""The dragon hand: a vacant seat's pile, played by one bettor besides his own hand (§9)."""

from __future__ import annotations

from collections.abc import Sequence

from cardroom import player_banked
from cardroom.banking import Coverage, check_full_cover
from cardroom.games.pai_gow_poker.deal import check_amounts, places
from cardroom.games.pai_gow_poker.rules import DRAGON, MAIN, Json, PaiGowRules
from cardroom.money import HOUSE
from cardroom.player_banked import WagerDuplicate, refuse
from cardroom.refusals import FieldFault, Refusal
from cardroom.table import Wager, walk


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
    """A dragon hand whose cards a physical table did not tell with the deal."""


def dragon_of(
    rules: PaiGowRules, opening: Json, wagering: Json, dealt_body: Json, request: Json, *, wagers: Sequence[Wager]
) -> Wager | None:
    """The dragon hand's wager, which comes with the settlement; None if nobody plays it.

    Raises DragonNotOffered, DragonTwice, WagerDuplicate, DragonSeatInvalid, DragonBettorInvalid, DragonAmountInvalid,
    DragonCardsMissing, WagersExceedBanker, StakesTooLarge.
    """
    asked = request.get("dragon")
    if asked is None:
        return None
    if not rules.dragon_hand:
        message = f"must be left out: {rules.ruleset_id} has no dragon hand"
        refuse(DragonNotOffered, [FieldFault("dragon", message)])
    if isinstance(asked, list):
        refuse(
            DragonTwice, [FieldFault("dragon", f"must be one: {len(asked)} were asked for, a round has one at most")]
        )
    dragon = Wager(asked["wager_id"], asked["seat"], asked["bettor"], 1, None, DRAGON, asked["amount"])
    if any(wager.wager_id == dragon.wager_id for wager in wagers):
        refuse(
            WagerDuplicate, [FieldFault("dragon.wager_id", f"must not be a wager of the deal: {dragon.wager_id} is")]
        )
    _check_seat(rules, opening, dealt_body, dragon)
    _check_bettor(opening, wagers, dragon)
    if all(hand["seat"] != dragon.seat for hand in dealt_body["hands"]):
        message = f"the deal did not tell the cards of seat {dragon.seat}"
        refuse(DragonCardsMissing, [FieldFault("dragon.seat", message)])
    if rules.table.coverage is Coverage.FULL and opening["banker"] != HOUSE:
        check_full_cover([*player_banked.riding(rules.table, wagers), dragon], wagering["banker_wager"])
    check_amounts(rules, wagering, [*wagers, dragon], dealt_body["fees"])
    return dragon


def _check_seat(rules: PaiGowRules, opening: Json, dealt_body: Json, dragon: Wager) -> None:
    ring = walk(places(rules, opening), dealt_body["action"]["seat"], rules.settle_direction)
    taken = {rules.table.house_seat, *(seat["seat"] for seat in opening["seats"])}
    vacant = next((seat for seat in ring if seat not in taken), None)
    if dragon.seat != vacant:
        message = "no seat is vacant" if vacant is None else f"must be {vacant}, the first vacant seat in action order"
        refuse(DragonSeatInvalid, [FieldFault("dragon.seat", f"{message}, not {dragon.seat}")])


def _check_bettor(opening: Json, wagers: Sequence[Wager], dragon: Wager) -> None:
    own = [w.amount_minor for w in wagers if w.kind == MAIN and w.circle == 1 and w.bettor == dragon.bettor != HOUSE]
    if not own:
        message = f"{dragon.bettor} has no main wager on circle 1"
        refuse(DragonBettorInvalid, [FieldFault("dragon.bettor", message)])
    low, high = opening.get("limits", {}).get("minimum", 1), max(own)
    if not low <= dragon.amount_minor <= high:
        message = f"must be {low} to {high}, {dragon.bettor}'s own main wager, not {dragon.amount_minor}"
        refuse(DragonAmountInvalid, [FieldFault("dragon.amount", message)])
