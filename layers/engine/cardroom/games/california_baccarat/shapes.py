"""What records of California baccarat hold besides what all games share."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes import banked, games
from cardroom.shapes.bounds import Length, Sorted
from cardroom.shapes.parts import SETS, Cards, DealtOn, Dice, DrawnCards, HouseWaySet
from cardroom.shapes.values import CardsInShoe, CardText, Id, Points, RuleText, Seed, Slug, Small

Box = Literal["hit", "stand"]


class Opening(banked.BankedOpening):
    """A round is opened."""

    banker: banked.Banker
    shoe_id: NotRequired[Id]


class BoxSet(TypedDict):
    """A hand put into the box for drawing a card or the one for standing."""

    seat: Small
    how: Literal["box"]
    box: Box


class Misplayed(TypedDict):
    """What went wrong with a hand, as the rule sheet names it."""

    seat: Small
    how: Slug


class Settling(TypedDict):
    """The hands are in their boxes."""

    sets: Annotated[list[BoxSet | HouseWaySet], Length(0, 100), Sorted("seat"), SETS]
    drawn_cards: NotRequired[DrawnCards]
    misplayed: NotRequired[Annotated[list[Misplayed], Length(1, 100), Sorted("seat")]]


Action = TypedDict("Action", {"seat": Small, "by": Literal["dice"], "from": Literal["request", "seed"], "dice": Dice})
"""The action, and the dice that placed it."""


class ShoeSpan(TypedDict):
    """Which cards of the shoe were dealt: from position `first` up to before position `last`."""

    shoe_id: Id
    first: CardsInShoe
    last: CardsInShoe


class FromTheShoe(TypedDict):
    """What a body tells besides of a round that was dealt from a shoe."""

    shoe: NotRequired[ShoeSpan]


class Deal(banked.HandsDeal, FromTheShoe):
    """What a deal gives."""

    action: Action


class Dealt(Deal):
    """The body of a dealt record."""

    opened: DealtOn[Opening]
    cut: NotRequired[Small]


class Setting(TypedDict):
    """A hand set by the house way."""

    box: Box
    total: Points
    natural: bool
    rule: RuleText


class SetHand(Setting):
    """A hand as it was played; `left` is the box that it was moved from (§6)."""

    seat: Small
    how: Literal["box", "house_way"]
    cards: Cards
    dealt_total: Points
    drawn: NotRequired[CardText]
    misplay: NotRequired[Slug]
    left: NotRequired[Box]


class WrongHand(TypedDict):
    """A hand of a wrong number of cards, which loses (§6); how it was set, where that was told."""

    seat: Small
    how: NotRequired[Literal["box", "house_way"]]
    box: NotRequired[Box]
    cards: Cards
    misplay: Literal["wrong_number"]
    rule: RuleText


class Settlement(banked.PlainSettlement, FromTheShoe):
    """What a settlement gives."""

    sets: list[SetHand | WrongHand]


class Settled(Settlement):
    """The body of a settled record."""

    seed: NotRequired[Seed]


SHAPES = games.GameShapes(
    opening=Opening, wagering=banked.DicedWagering, settling=Settling, dealt=Dealt, settled=Settled
)
