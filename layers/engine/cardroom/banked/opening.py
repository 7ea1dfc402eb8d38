"""Opening a round that somebody banks: who sits, who may bank, the limits and the posted fees."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal

from cardroom.banked.rotation import check_offers
from cardroom.banked.rules import BankRules
from cardroom.fees import fee_bands
from cardroom.money import HOUSE, MAX_MINOR
from cardroom.refusals import FieldFault, Refusal, refuse, refuse_at
from cardroom.seats import SeatUnknown, check_seated
from cardroom.shapes.banked import BankedOpening, Banker
from cardroom.shapes.handed import BankedRound, BankerT
from cardroom.shapes.parts import TableState
from cardroom.table import check_fields, members_of

_OPENING_FIELDS: Final = members_of(BankedOpening) | {"banker", "shoe_id"}
_BANKER_FIELDS: Final = members_of(Banker)


class BankerMissing(Refusal):
    """A round without a banker where a player must bank."""


class BankerNotSeated(Refusal):
    """The banker is not seated at the table, or banks away from his own seat where he may not."""


class HouseCannotBank(Refusal):
    """The house would bank where the rules let only players bank."""


class BankerTurnOver(Refusal):
    """The banker has had his turns, and the others have not all passed."""


class LimitsInvalid(Refusal):
    """The table's minimum is above its maximum."""


class FeesNotAllowed(Refusal):
    """A fee schedule where the rules let the house take no such fee."""


def check_opening(
    rules: BankRules,
    opening: BankedRound[BankerT],
    table: TableState,
    *,
    also: Collection[str] = (),
    also_banker: Collection[str] = (),
    banker_anywhere: bool = False,
) -> None:
    """Refuse a round that the rules do not allow at the table as it stands (§7.1, §8.0 to §8.2).

    `also` and `also_banker` are what the game takes besides in an opening and in its banker; `banker_anywhere` lets
    him bank at another place than his own, as long as nobody plays a hand there.
    """
    check_fields(opening, {*_OPENING_FIELDS, *also}, what=rules.ruleset_id)
    check_seated(opening, places=rules.seats)
    _check_banker(rules, opening, table, also_banker, anywhere=banker_anywhere)
    check_offers(rules, opening, table)
    limits = opening.get("limits", {})
    if limits.get("minimum", 0) > limits.get("maximum", MAX_MINOR):
        message = f"must not be below the minimum, {limits['minimum']}"
        refuse_at(LimitsInvalid, "limits.maximum", message)
    fees = opening.get("fees", {})
    allowed = " and ".join(rules.fees_from) or "none"
    message = f"must be left out: {rules.ruleset_id} has fees from: {allowed}"
    refuse(FeesNotAllowed, [FieldFault(f"fees.{name}", message) for name in fees if name not in rules.fees_from])
    if "wager" in fees:
        fee_bands(fees["wager"], "fees.wager")
    if "banker" in fees:
        fee_bands(fees["banker"], "fees.banker")


def _check_banker(
    rules: BankRules, opening: BankedRound[BankerT], table: TableState, also: Collection[str], *, anywhere: bool
) -> None:
    banker: Banker | Literal["house"] | None = opening.get("banker")
    if banker is None:
        house = ", or the house" if rules.house_bank else ""
        refuse_at(BankerMissing, "banker", f"must be given: a seated player banks{house}")
    if banker == HOUSE:
        if not rules.house_bank:
            message = f"must be a seated player: the house never banks under {rules.ruleset_id}"
            refuse_at(HouseCannotBank, "banker", message)
        return
    check_fields(banker, {*_BANKER_FIELDS, *also}, what=rules.ruleset_id, path="banker.")
    _check_banker_seat(rules, opening, banker, anywhere=anywhere)
    last, most = table["banker"], rules.banker_turns
    if last is None or most is None or banker.get("others_passed", False):
        return
    if banker["bettor"] == last["bettor"] and last["turns"] >= most:
        message = f"{banker['bettor']} has banked {last['turns']} of at most {most} in a row; another must bank"
        refuse_at(BankerTurnOver, "banker", f"{message}, or others_passed be true")


def _check_banker_seat(rules: BankRules, opening: BankedRound[BankerT], banker: Banker, *, anywhere: bool) -> None:
    own = [item["seat"] for item in opening["seats"] if item["bettor"] == banker["bettor"]]
    if not own or (not anywhere and banker["seat"] not in own):
        message = f"seat {banker['seat']} is not {banker['bettor']}'s: the banker must be seated"
        refuse_at(BankerNotSeated, "banker", message)
    if banker["seat"] not in rules.places:
        refuse_at(SeatUnknown, "banker.seat", f"must be 1 to {rules.seats}")
