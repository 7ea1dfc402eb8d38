"""What records of hi-hi-lo hold besides what all games share."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes import banked, corrections, games, records
from cardroom.shapes.bounds import Length, Sorted
from cardroom.shapes.parts import SETS, Cards, CardSet, DealtOn, Hand, Hands, HouseWaySet
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
    hands: NotRequired[Hands]


class Locking(Settling):
    """The players' hands are arranged, before the banker's is shown; a physical table may tell that."""


class Action(TypedDict):
    """Who acts first: the seat to the banker's left that plays."""

    seat: Small
    by: Literal["banker"]


class Kept(banked.KeptHands):
    """What of a deal its settlement goes by."""

    action: Action


class Deal(Kept, banked.SaidDeal):
    """What a deal gives."""


class Dealt(Deal, banked.Cut):
    """The body of a dealt record; not every hand of a shuffled deal is shown."""

    opened: DealtOn[Opening]


class KeptDealt(Kept, banked.Cut):
    """What the record of a set repeats of the deal."""


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


class Correcting(banked.Correction):
    """What of a hand was read or told wrongly, as it lies."""

    sets: NotRequired[Annotated[list[ArrangedSet | HouseWaySet], Length(1, 100), Sorted("seat")]]


class DealCorrected(TypedDict):
    """The body of a correction before the settlement: the deal as it lies, and the locked hands judged anew."""

    opened: DealtOn[Opening]
    dealt: banked.DealKept[banked.BankedWagering, KeptDealt]
    set: NotRequired[records.SetsKept[Locking]]
    sets: NotRequired[list[SetHand]]


class Locked(TypedDict):
    """The body of a set record: the deal it follows, the hands that are shown now, and those that are set."""

    opened: DealtOn[Opening]
    dealt: banked.DealKept[banked.BankedWagering, KeptDealt]
    hands: list[Hand]
    sets: list[SetHand]


class Settlement(banked.PlainSettlement):
    """What a settlement gives."""

    sets: list[SetHand]


class Settled(Settlement):
    """The body of a settled record; `hands` are those that it is the first to show."""

    hands: NotRequired[list[Hand]]
    seed: NotRequired[Seed]


Corrected = corrections.CorrectedBody[Opening, banked.BankedWagering, KeptDealt, Settling, Settlement]
"""The body of a correction after the settlement."""

SHAPES = games.GameShapes(
    opening=Opening,
    wagering=banked.BankedWagering,
    locking=Locking,
    settling=Settling,
    dealt=Dealt,
    correcting=Correcting,
    locked=Locked,
    deal_corrected=DealCorrected,
    settled=Settled,
    corrected=Corrected,
)
