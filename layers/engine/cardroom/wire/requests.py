"""The requests as pydantic models: shapes, ids, money and cards; the rules are the games' to check.

`normalised()` gives the request as the records hold it: absent fields left out, lists in order of their ids.
"""

from __future__ import annotations

import re
import threading
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from cardroom.cards import CardInvalid, format_card, parse_card
from cardroom.money import MAX_MINOR
from cardroom.refusals import FieldFault, Refusal
from cardroom.shapes import values
from cardroom.shapes.bounds import Pattern

Json = dict[str, Any]

MAX_HANDS = 1_000
CARD_FAULT = "card_invalid"
TEXT: Final = r"[^\u0000-\u001f\u007f-\u009f\ufffd]"  # a character that is none of control, nor stands for a lost one
_PARTS = re.compile(r"\.|\[")
_NO_OBJECT = frozenset({"model_type", "model_attributes_type", "dict_type"})


class RequestInvalid(Refusal):
    """The body is JSON, but not the request that this call takes."""


def _card(text: str) -> str:
    try:
        return format_card(parse_card(text))
    except CardInvalid as refusal:
        raise PydanticCustomError(CARD_FAULT, "{message}", {"message": refusal.message}) from refusal


def _whole(text: Any) -> str:
    """The pattern of a text of the shapes, as JSON Schema says that a whole text matches."""
    return f"^{next(bound.text for bound in text.__metadata__ if isinstance(bound, Pattern))}$"


Id = Annotated[str, Field(pattern=_whole(values.Id))]
RulesetId = Annotated[str, Field(pattern=_whole(values.RulesetId))]
Slug = Annotated[str, Field(pattern=_whole(values.Slug))]
Currency = Annotated[str, Field(pattern=_whole(values.Currency))]
Amount = Annotated[int, Field(ge=0, le=MAX_MINOR)]
Stake = Annotated[int, Field(ge=1, le=MAX_MINOR)]
Small = Annotated[int, Field(ge=1, le=1_000)]
ClientSeed = Annotated[str, Field(pattern=_whole(values.ClientSeed))]
CardText = Annotated[
    str,
    Field(max_length=8, json_schema_extra={"pattern": "^((10|[2-9TJQKA])[cdhs]|Jk([2-9]|[1-9][0-9]+)?)$"}),
    AfterValidator(_card),
]
Cards = Annotated[list[CardText], Field(max_length=60)]
Record = Annotated[str, Field(min_length=1, max_length=400_000)]

_BUILDING: Final = threading.Lock()  # two threads may not build at once


class Model(BaseModel):
    """A part of a request: strict types, no unknown fields."""

    # Each function needs few of the requests: what checks one is built when the first one comes.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class Seat(Model):
    """A place at the table and who sits there."""

    seat: Small
    bettor: Id


class Banker(Model):
    """The player who banks; `others_passed`: everyone else declined, so another turn is allowed.

    `co_bank_bps` is his share, in basis points, of a bank that he shares with the house.
    """

    seat: Small
    bettor: Id
    others_passed: bool = False
    co_bank_bps: Annotated[int, Field(ge=0, le=10_000)] | None = None


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
    kind: Slug
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


class BoxSet(Model):
    """A hand put into the box for drawing a card or the one for standing."""

    seat: Small
    how: Literal["box"]
    box: Literal["hit", "stand"]


class ArrangedSet(Model):
    """Six cards arranged as a one-card high, a two-card high and a three-card low."""

    seat: Small
    how: Literal["arranged"]
    one: Cards
    two: Cards
    low: Cards


class Action(Model):
    """One action of a betting round, in the order taken; `amount` is what the seat adds to the pot."""

    seat: Small
    action: Literal["check", "bet", "raise", "call", "fold"]
    amount: Stake | None = None


class SeatAmount(Model):
    """An amount that belongs to a seat: a stack, a contribution to the pot."""

    seat: Small
    amount: Amount


class SeatCard(Model):
    """A card that a physical table dealt to a seat."""

    seat: Small
    card: CardText


class Misplay(Model):
    """What went wrong with a hand at a physical table, as the rule sheet names it."""

    seat: Small
    how: Slug


class Dragon(Model):
    """The pile of a vacant seat, played by one bettor besides his own hand."""

    wager_id: Id
    seat: Small
    bettor: Id
    amount: Stake


class DeadHand(Model):
    """A hand that is dead; `ante_returned` where that is no fault of the player's."""

    seat: Small
    ante_returned: bool = False


class Deck(Model):
    """The physical deck in use; `changed` says why one was put in before its time."""

    deck_id: Id
    colour: Slug
    changed: Slug | None = None


Set = Annotated[FrontSet | HouseWaySet | BoxSet | ArrangedSet, Field(discriminator="how")]
Die = Annotated[int, Field(ge=1, le=6)]
Dice = Annotated[list[Die], Field(min_length=3, max_length=3)]
Seats = Annotated[list[Seat], Field(min_length=1, max_length=100)]
Wagers = Annotated[list[Wager], Field(max_length=200)]  # as many as a settled record holds, whatever the ids
Sets = Annotated[list[Set], Field(max_length=100)]
Hands = Annotated[list[Hand], Field(min_length=1, max_length=100)]
Amounts = Annotated[list[SeatAmount], Field(min_length=1, max_length=100)]
SeatCards = Annotated[list[SeatCard], Field(min_length=1, max_length=100)]
SeatOrder = Annotated[list[Small], Field(min_length=1, max_length=100, description="In the order of leaving.")]
DeadHands = Annotated[list[DeadHand], Field(min_length=1, max_length=100)]
Misplays = Annotated[list[Misplay], Field(min_length=1, max_length=100)]
DragonHand = Dragon | Annotated[list[Dragon], Field(min_length=2, max_length=100)]  # more than one is refused by name
Meters = Annotated[dict[Slug, Amount], Field(max_length=100)]
Betting = Annotated[list[Action], Field(min_length=1, max_length=1_000)]


class Request(Model):
    """The body of a call."""

    @classmethod
    def parse(cls, body: object) -> Self:
        """The request in a body.

        Raises CardInvalid if nothing but cards is wrong with it, otherwise RequestInvalid naming every faulty field.
        """
        if not cls.__pydantic_complete__:
            with _BUILDING:
                cls.model_rebuild()
        try:
            return cls.model_validate(body)
        except ValidationError as error:
            raise _refusal(error, body) from None

    def normalised(self) -> Json:
        """The request as the records hold it."""
        plain: Json = self.model_dump(exclude_none=True, exclude={"round_id", "opened", "dealt"})
        return plain


class _Terms(Request):
    """What an open and a preview have in common."""

    seats: Seats
    banker: Banker | Literal["house"] | None = None
    button: Small | None = None
    ante: Stake | None = None
    jokers: Annotated[int, Field(ge=0, le=100)] | None = None
    limits: Limits | None = None
    fees: Fees | None = None

    def normalised(self) -> Json:
        """The request as the records hold it."""
        plain = super().normalised()
        _sort(plain, "seats")
        banker = plain.get("banker")
        if isinstance(banker, dict) and not banker["others_passed"]:
            del banker["others_passed"]
        return plain


class _Bets(Request):
    """What a deal and a preview have in common."""

    wagers: Wagers
    banker_wager: Stake | None = None
    meters: Meters | None = None
    stacks: Amounts | None = None
    dice: Dice | None = None
    number: Small | None = None
    hands: Hands | None = None
    community: Cards | None = None

    def normalised(self) -> Json:
        """The request as the records hold it."""
        plain = super().normalised()
        plain["wagers"].sort(key=lambda item: item["wager_id"])
        _sort(plain, "hands", "stacks")
        plain.get("community", []).sort()
        return plain


class _Showdown(Request):
    """What a settlement and a preview have in common."""

    sets: Sets = []
    dragon: DragonHand | None = None
    betting: Betting | None = None
    drawn_cards: SeatCards | None = None
    misplayed: Misplays | None = None
    contributions: Amounts | None = None
    folded: SeatOrder | None = None
    dead_hands: DeadHands | None = None
    dead_order: SeatOrder | None = None

    def normalised(self) -> Json:
        """The request as the records hold it."""
        plain = super().normalised()
        _sort(plain, "sets", "drawn_cards", "misplayed", "contributions", "dead_hands")
        for chosen in plain["sets"]:
            for part in ("front", "one", "two", "low"):
                chosen.get(part, []).sort()
        return plain


class OpenRequest(_Terms):
    """`POST /v1/rounds`."""

    round_id: Id
    table_id: Id
    ruleset: RulesetId
    currency: Currency
    source: Literal["shuffle", "table"]
    shoe_id: Id | None = None
    draw_id: Id | None = None
    continues: Id | None = None


class DealRequest(_Bets):
    """`POST /v1/rounds/{round_id}/deal`."""

    opened: Record | None = None
    deck: Deck | None = None
    client_seed: ClientSeed | None = None
    cut: Small | None = None
    pile: Small | None = None


class SettleRequest(_Showdown):
    """`POST /v1/rounds/{round_id}/settlement`."""

    dealt: Record | None = None


class VoidRequest(Request):
    """`POST /v1/rounds/{round_id}/void`."""

    table_id: Id
    reason: Annotated[str, Field(pattern=_whole(values.VoidReason))]
    note: Annotated[str, Field(max_length=200, json_schema_extra={"pattern": f"^{TEXT}*$"})] | None = None


class HouseWayRequest(Request):
    """`POST /v1/house-way`."""

    ruleset: RulesetId
    role: Literal["banker", "player"]
    hands: Annotated[list[Cards], Field(min_length=1, max_length=MAX_HANDS)]


class PreviewRequest(_Terms, _Bets, _Showdown):
    """`POST /v1/settlements/preview`: a round at a physical table, in one piece."""

    ruleset: RulesetId | Json
    currency: Currency = "USD"
    hands: Hands

    def parts(self) -> Json:
        """The rule set, and what the open, the deal and the settlement of such a round would be asked, each apart.

        A field belongs to the part whose class declares it; raises ValueError for one that belongs to none.
        """
        left = self.normalised()
        parts: Json = {
            "ruleset": left.pop("ruleset"),
            "opening": {"currency": left.pop("currency")},
            "wagering": {},
            "settling": {},
        }
        for part, model in (("opening", _Terms), ("wagering", _Bets), ("settling", _Showdown)):
            parts[part] |= {name: left.pop(name) for name in model.model_fields if name in left}
        if left:
            raise ValueError(f"{', '.join(left)}: no part of a preview has such a field: declare it in one")
        return parts


class ShoeRequest(Request):
    """`POST /v1/shoes`."""

    shoe_id: Id
    table_id: Id
    ruleset: RulesetId

    def normalised(self) -> Json:
        """The request of the record that opens the shoe."""
        return self.model_dump(exclude={"shoe_id"})


class CloseShoeRequest(Request):
    """`POST /v1/shoes/{shoe_id}/close`."""

    table_id: Id


class DrawRequest(Request):
    """`POST /v1/tables/{table_id}/draws`."""

    draw_id: Id
    ruleset: RulesetId
    kind: Literal["first_banker", "first_button"]
    seats: Annotated[list[Small], Field(min_length=1, max_length=100)]
    client_seed: ClientSeed | None = None

    def normalised(self) -> Json:
        """The request of the record of the draw, the table of the path apart."""
        plain = self.model_dump(exclude_none=True, exclude={"draw_id"})
        plain["seats"].sort()
        return plain


def _sort(plain: Json, *names: str) -> None:
    for name in names:
        plain.get(name, []).sort(key=lambda item: item["seat"])


def _refusal(error: ValidationError, body: object) -> Refusal:
    errors = error.errors(include_url=False, include_context=False)
    paths = [_path(item["loc"], body, missing=item["type"] == "missing") for item in errors]
    # Of a value that can be one thing or another, the faults inside it say more than that it isn't the other.
    outer = {path[: part.start()] for path in paths for part in _PARTS.finditer(path)}
    faults = [
        FieldFault(path, "Input should be an object" if item["type"] in _NO_OBJECT else item["msg"])
        for path, item in zip(paths, errors, strict=True)
        if path not in outer
    ]
    if all(item["type"] == CARD_FAULT for item in errors):
        return CardInvalid(faults[0].message, *faults)
    first = faults[0]
    return RequestInvalid(f"{first.field or 'the body'}: {first.message}", *faults)


def _path(location: tuple[int | str, ...], body: object, *, missing: bool) -> str:
    """Where a fault is, in the body's own names; pydantic names the alternatives of a union too.

    >>> _path(("wagers", 2, "amount"), {"wagers": [{}, {}, {"amount": 0}]}, missing=False)
    'wagers[2].amount'
    >>> _path(("banker", "Banker", "seat"), {"banker": {"bettor": "ann"}}, missing=True)
    'banker.seat'
    """
    path, inside = "", body
    for place, part in enumerate(location, start=1):
        if (isinstance(inside, dict) and part in inside) or (isinstance(inside, list) and isinstance(part, int)):
            inside = inside[part]  # type: ignore[index]
        elif not missing or place < len(location):
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path
