"""The requests as pydantic models: shapes, ids, money and cards; the rules are the games' to check.

`normalised()` gives the request as the records hold it: absent fields left out, lists in order of their ids.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from cardroom.cards import CardInvalid, format_card, parse_card
from cardroom.money import MAX_MINOR
from cardroom.refusals import FieldFault, Refusal

Json = dict[str, Any]

MAX_HANDS = 1_000
CARD_FAULT = "card_invalid"


class RequestInvalid(Refusal):
    """The body is JSON, but not the request that this call takes."""


def _card(text: str) -> str:
    try:
        return format_card(parse_card(text))
    except CardInvalid as refusal:
        raise PydanticCustomError(CARD_FAULT, "{message}", {"message": refusal.message}) from refusal


Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
RulesetId = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,64}/[a-z0-9-]{1,64}$")]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Amount = Annotated[int, Field(ge=0, le=MAX_MINOR)]
Stake = Annotated[int, Field(ge=1, le=MAX_MINOR)]
Small = Annotated[int, Field(ge=1, le=1_000)]
CardText = Annotated[str, Field(max_length=8), AfterValidator(_card)]
Cards = Annotated[list[CardText], Field(max_length=60)]
Record = Annotated[str, Field(min_length=1, max_length=400_000)]


class Model(BaseModel):
    """A part of a request: strict types, no unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Seat(Model):
    """A place at the table and who sits there."""

    seat: Small
    bettor: Id


class Banker(Model):
    """The player who banks; `others_passed`: everyone else declined, so another turn is allowed."""

    seat: Small
    bettor: Id
    others_passed: bool = False


class Limits(Model):
    """The table's least and greatest main wager, in minor units."""

    minimum: Amount
    maximum: Amount


class FeeBand(Model):
    """The fee for an amount from `low` to below `high` (none: no upper end), in minor units."""

    low: Amount
    high: Amount | None = None
    fee: Amount


class Fees(Model):
    """The posted fee schedules: one for main wagers, one for the banker's wager."""

    wager: list[FeeBand] | None = Field(None, min_length=1, max_length=100)
    banker: list[FeeBand] | None = Field(None, min_length=1, max_length=100)


class FreeCollection(Model):
    """The wager without action that earned a free collection."""

    round_id: Id
    wager_id: Id


class Wager(Model):
    """A bet on one hand: circle 1 is the seated player's, 2 and up back-line; `placed` its place in time."""

    wager_id: Id
    seat: Small
    bettor: Id
    circle: Small
    placed: Small | None = None
    kind: Literal["main", "fortune"]
    amount: Stake
    free_collection: FreeCollection | None = None


class Hand(Model):
    """The cards that a physical table dealt to a seat."""

    seat: Small
    cards: Cards


class FrontSet(Model):
    """A hand set by choosing its front; the rest goes behind."""

    seat: Small
    how: Literal["front"]
    front: Cards


class HouseWaySet(Model):
    """A hand left to the house way."""

    seat: Small
    how: Literal["house_way"]


Set = Annotated[FrontSet | HouseWaySet, Field(discriminator="how")]
Die = Annotated[int, Field(ge=1, le=6)]
Dice = Annotated[list[Die], Field(min_length=3, max_length=3)]
Seats = Annotated[list[Seat], Field(min_length=1, max_length=100)]
Wagers = Annotated[list[Wager], Field(min_length=1, max_length=500)]
Sets = Annotated[list[Set], Field(min_length=1, max_length=100)]
Hands = Annotated[list[Hand], Field(min_length=1, max_length=100)]


class Request(Model):
    """The body of a call."""

    @classmethod
    def parse(cls, body: object) -> Self:
        """The request in a body.

        Raises CardInvalid if nothing but cards is wrong with it, otherwise RequestInvalid naming every faulty field.
        """
        try:
            return cls.model_validate(body)
        except ValidationError as error:
            raise _refusal(error) from None

    def normalised(self) -> Json:
        """The request as the records hold it."""
        plain: Json = self.model_dump(exclude_none=True, exclude={"round_id", "opened", "dealt"})
        return plain


class OpenRequest(Request):
    """`POST /v1/rounds`."""

    round_id: Id
    table_id: Id
    ruleset: RulesetId
    currency: Currency
    seats: Seats
    banker: Banker | Literal["house"]
    jokers: Annotated[int, Field(ge=0, le=100)] | None = None
    limits: Limits | None = None
    fees: Fees | None = None
    source: Literal["shuffle", "table"]

    def normalised(self) -> Json:
        """The opened record's request."""
        return _open_order(super().normalised())


class DealRequest(Request):
    """`POST /v1/rounds/{round_id}/deal`."""

    opened: Record | None = None
    wagers: Wagers
    banker_wager: Stake | None = None
    client_seed: Annotated[str, Field(pattern=r"^([0-9a-f]{2}){16,64}$")] | None = None
    cut: Small | None = None
    dice: Dice | None = None
    number: Small | None = None
    pile: Small | None = None
    hands: Hands | None = None

    def normalised(self) -> Json:
        """The dealt record's request."""
        return _deal_order(super().normalised())


class SettleRequest(Request):
    """`POST /v1/rounds/{round_id}/settlement`."""

    dealt: Record | None = None
    sets: Sets

    def normalised(self) -> Json:
        """The settled record's request."""
        return _set_order(super().normalised())


class VoidRequest(Request):
    """`POST /v1/rounds/{round_id}/void`."""

    table_id: Id
    reason: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
    note: Annotated[str, Field(max_length=200)] | None = None


class HouseWayRequest(Request):
    """`POST /v1/house-way`."""

    ruleset: RulesetId
    role: Literal["banker", "player"]
    hands: Annotated[list[Cards], Field(min_length=1, max_length=MAX_HANDS)]


class PreviewRequest(Request):
    """`POST /v1/settlements/preview`: a round at a physical table, in one piece."""

    ruleset: RulesetId | Json
    currency: Currency = "USD"
    seats: Seats
    banker: Banker | Literal["house"]
    jokers: Annotated[int, Field(ge=0, le=100)] | None = None
    limits: Limits | None = None
    fees: Fees | None = None
    wagers: Wagers
    banker_wager: Stake | None = None
    dice: Dice | None = None
    number: Small | None = None
    hands: Hands
    sets: Sets

    def normalised(self) -> Json:
        """The preview's opening, deal and settlement together."""
        return _set_order(_deal_order(_open_order(super().normalised())))


def _open_order(plain: Json) -> Json:
    plain["seats"].sort(key=lambda item: item["seat"])
    if plain["banker"] != "house" and not plain["banker"]["others_passed"]:
        del plain["banker"]["others_passed"]
    return plain


def _deal_order(plain: Json) -> Json:
    plain["wagers"].sort(key=lambda item: item["wager_id"])
    plain.get("hands", []).sort(key=lambda item: item["seat"])
    return plain


def _set_order(plain: Json) -> Json:
    plain["sets"].sort(key=lambda item: item["seat"])
    for chosen in plain["sets"]:
        chosen.get("front", []).sort()
    return plain


def _refusal(error: ValidationError) -> Refusal:
    errors = error.errors(include_url=False, include_context=False)
    faults = [FieldFault(_path(item["loc"]), item["msg"]) for item in errors]
    if all(item["type"] == CARD_FAULT for item in errors):
        return CardInvalid(faults[0].message, *faults)
    first = faults[0]
    return RequestInvalid(f"{first.field or 'the body'}: {first.message}", *faults)


def _path(location: tuple[int | str, ...]) -> str:
    """`wagers[2].amount` for `("wagers", 2, "amount")`."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path
