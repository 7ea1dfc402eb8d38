"""What records of hi-hi-lo hold besides what all games share."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes import banked, games
from cardroom.shapes.bounds import Length, Sorted
from cardroom.shapes.parts import SETS, Cards, CardSet, DealtOn, HouseWaySet
from cardroom.shapes.values import RuleText, Seed, Small


class Opening(banked.BankedOpening):
    """A round is opened."""

    banker: banked.Banker


class ArrangedSet(TypedDict):
    """Six cards arranged as a one-card high, a two-card high and a three-card low."""

    seat: Small
    how: Literal["arranged"]
    one: CardSet
    two: CardSet
    low: CardSet


class Settling(TypedDict):
    """The hands are arranged."""

    sets: Annotated[list[ArrangedSet | HouseWaySet], Length(0, 100), Sorted("seat"), SETS]


class Action(TypedDict):
    """Who acts first: the seat to the banker's left that plays."""

    seat: Small
    by: Literal["banker"]


class Deal(banked.HandsDeal):
    """What a deal gives."""

    action: Action


class Dealt(Deal):
    """The body of a dealt record."""

    opened: DealtOn[Opening]
    cut: NotRequired[Small]


class Arranged(TypedDict):
    """Six cards as they are arranged."""

    one: Cards
    two: Cards
    low: Cards


class Setting(Arranged):
    """A hand set by the house way."""

    rule: RuleText


class SetHand(Setting):
    """A hand as it plays."""

    seat: Small
    how: Literal["arranged", "house_way"]


class Settlement(banked.PlainSettlement):
    """What a settlement gives."""

    sets: list[SetHand]


class Settled(Settlement):
    """The body of a settled record."""

    seed: NotRequired[Seed]


SHAPES = games.GameShapes(
    opening=Opening, wagering=banked.BankedWagering, settling=Settling, dealt=Dealt, settled=Settled
)
