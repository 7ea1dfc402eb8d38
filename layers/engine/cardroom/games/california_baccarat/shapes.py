"""What records of California baccarat hold besides what all games share."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes import banked, corrections, games, records
from cardroom.shapes.bounds import Length, Sorted
from cardroom.shapes.parts import SETS, Cards, DealtOn, Dice, DrawnCards, Hand, Hands, HouseWaySet
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


class Locking(TypedDict):
    """The players' hands are in their boxes, before the banker's is shown; a physical table may tell that."""

    sets: Annotated[list[BoxSet | HouseWaySet], Length(0, 100), Sorted("seat"), SETS]
    misplayed: NotRequired[Annotated[list[Misplayed], Length(1, 100), Sorted("seat")]]
    hands: NotRequired[Hands]


class Settling(Locking):
    """The hands are in their boxes."""

    drawn_cards: NotRequired[DrawnCards]


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


class Kept(banked.KeptHands, FromTheShoe):
    """What of a deal its settlement goes by."""

    action: Action


class Deal(Kept, banked.SaidDeal):
    """What a deal gives."""


class Dealt(Deal, banked.Cut):
    """The body of a dealt record; not every hand of a shuffled deal is shown."""

    opened: DealtOn[Opening]


class KeptDealt(Kept, banked.Cut):
    """What the record of a set repeats of the deal."""


class Setting(TypedDict):
    """A hand set by the house way."""

    box: Box
    total: Points
    natural: bool
    rule: RuleText


class BoxedHand(TypedDict):
    """A hand in its box, before the draw cards; `left` is the box that it was moved from (§6)."""

    seat: Small
    how: Literal["box", "house_way"]
    box: Box
    cards: Cards
    dealt_total: Points
    rule: RuleText
    misplay: NotRequired[Slug]
    left: NotRequired[Box]


class SetHand(BoxedHand):
    """A hand as it was played."""

    total: Points
    natural: bool
    drawn: NotRequired[CardText]


class WrongHand(TypedDict):
    """A hand of a wrong number of cards, which loses (§6); how it was set, where that was told."""

    seat: Small
    how: NotRequired[Literal["box", "house_way"]]
    box: NotRequired[Box]
    cards: Cards
    misplay: Literal["wrong_number"]
    rule: RuleText


class Correcting(banked.Correction):
    """What of a hand was read or told wrongly, as it lies."""

    sets: NotRequired[Annotated[list[BoxSet | HouseWaySet], Length(1, 100), Sorted("seat")]]
    drawn_cards: NotRequired[DrawnCards]
    misplayed: NotRequired[Annotated[list[Misplayed], Length(1, 100), Sorted("seat")]]


class DealCorrected(TypedDict):
    """The body of a correction before the settlement: the deal as it lies, and the locked hands judged anew."""

    opened: DealtOn[Opening]
    dealt: banked.DealKept[banked.DicedWagering, KeptDealt]
    set: NotRequired[records.SetsKept[Locking]]
    sets: NotRequired[list[BoxedHand | WrongHand]]


class Locked(TypedDict):
    """The body of a set record: the deal it follows, the hands that are shown now, and those that are set."""

    opened: DealtOn[Opening]
    dealt: banked.DealKept[banked.DicedWagering, KeptDealt]
    hands: list[Hand]
    sets: list[BoxedHand | WrongHand]


class Settlement(banked.PlainSettlement, FromTheShoe):
    """What a settlement gives."""

    sets: list[SetHand | WrongHand]


class Settled(Settlement):
    """The body of a settled record; `hands` are those that it is the first to show."""

    hands: NotRequired[list[Hand]]
    seed: NotRequired[Seed]


Corrected = corrections.CorrectedBody[Opening, banked.DicedWagering, KeptDealt, Settling, Settlement]
"""The body of a correction after the settlement."""

SHAPES = games.GameShapes(
    opening=Opening,
    wagering=banked.DicedWagering,
    locking=Locking,
    settling=Settling,
    dealt=Dealt,
    correcting=Correcting,
    locked=Locked,
    deal_corrected=DealCorrected,
    settled=Settled,
    corrected=Corrected,
)
