"""What records of pai gow poker hold besides what all games share."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes import banked, corrections, games, records
from cardroom.shapes.bounds import Length, Several, Sorted
from cardroom.shapes.parts import SETS, Cards, CardSet, DealtOn, Dice, Hands, HouseWaySet
from cardroom.shapes.values import (
    Amount,
    BasisPoints,
    Id,
    Jokers,
    Net,
    RuleText,
    Seed,
    Slug,
    Small,
    Stake,
)

Verdict = Literal["higher", "copy", "lower"]


class Banker(banked.Banker):
    """The player who banks; `others_passed`: everyone else declined, so another turn is allowed.

    `co_bank_bps` is his share, in basis points, of a bank that he shares with the house.
    """

    co_bank_bps: NotRequired[BasisPoints]


class Opening(banked.BankedOpening):
    """A round is opened; `maximum_payout` is the most that the table pays for all its bonuses together, as posted."""

    banker: Banker | Literal["house"]
    jokers: NotRequired[Jokers]
    maximum_payout: NotRequired[Stake]


class Wagering(banked.DicedWagering):
    """The bets are closed; `number` names a place, `pile` the one that goes to it."""

    number: NotRequired[Small]
    pile: NotRequired[Small]
    meters: NotRequired[Annotated[dict[Slug, Amount], Length(0, 100)]]


class FrontSet(TypedDict):
    """A hand set by choosing its front; the rest goes behind."""

    seat: Small
    how: Literal["front"]
    front: CardSet


class Dragon(TypedDict):
    """The pile of a vacant seat, played by one bettor besides his own hand."""

    wager_id: Id
    seat: Small
    bettor: Id
    amount: Stake


class Locking(TypedDict):
    """The players' hands are set, before the banker's is shown; a physical table may tell more hands."""

    sets: Annotated[list[FrontSet | HouseWaySet], Length(0, 100), Sorted("seat"), SETS]
    dragon: NotRequired[Annotated[Dragon, Several(Length(2, 100))]]
    hands: NotRequired[Hands]


class Settling(Locking):
    """The hands are set."""


DrawnFrom = Literal["request", "seed"]
DiceAction = TypedDict(
    "DiceAction", {"seat": Small, "by": Literal["dice"], "from": DrawnFrom, "dice": Dice, "pile": Small}
)
"""The action hand, and the dice that named it."""
NumberAction = TypedDict(
    "NumberAction", {"seat": Small, "by": Literal["number"], "from": DrawnFrom, "number": Small, "pile": Small}
)
"""The action hand, and the number that named it."""


class PileHand(TypedDict):
    """The cards of a seat, and which pile they were."""

    seat: Small
    pile: Small
    cards: Cards


class Kept(banked.KeptDeal):
    """What of a deal its settlement goes by."""

    action: DiceAction | NumberAction
    hands: list[PileHand]


class Deal(Kept, banked.SaidDeal):
    """What a deal gives."""


class Dealt(Deal, banked.Cut):
    """The body of a dealt record; not every hand of a shuffled deal is shown."""

    opened: DealtOn[Opening]


class KeptDealt(Kept, banked.Cut):
    """What the record of a set repeats of the deal."""


class Shown(TypedDict):
    """A front and a back; a front that is not two cards has no category."""

    front: Cards
    back: Cards
    front_category: Slug | None
    back_category: Slug | None


class Setting(Shown):
    """A hand set by the house way."""

    rule: RuleText


class SetHand(Setting):
    """A hand as it plays; `foul_front` is the front that was set, where the house way set the hand instead (§3.2)."""

    seat: Small
    how: Literal["front", "house_way"]
    foul: bool
    foul_front: NotRequired[Cards]


class Correcting(banked.Correction):
    """What of a hand was read or told wrongly, as it lies."""

    sets: NotRequired[Annotated[list[FrontSet | HouseWaySet], Length(1, 100), Sorted("seat")]]


class DealCorrected(TypedDict):
    """The body of a correction before the settlement: the deal as it lies, and the locked hands judged anew."""

    opened: DealtOn[Opening]
    dealt: banked.DealKept[Wagering, KeptDealt]
    set: NotRequired[records.SetsKept[Locking]]
    sets: NotRequired[list[SetHand]]


class Locked(TypedDict):
    """The body of a set record: the deal it follows, the hands that are shown now, and those that are set."""

    opened: DealtOn[Opening]
    dealt: banked.DealKept[Wagering, KeptDealt]
    hands: list[PileHand]
    sets: list[SetHand]


class CoBank(TypedDict):
    """Who has what of a shared bank's net."""

    share_bps: BasisPoints
    banker: Net
    house: Net


class CoBanked(TypedDict):
    """Who has what of the net, where the bank is shared."""

    co_bank: NotRequired[CoBank]


class BankerSettled(banked.BankerSettled, CoBanked):
    """Where the banker stands."""


class Envy(TypedDict):
    """What a side bet gets for another player's hand."""

    seat: Small
    line: Slug
    paid: Stake
    rule: RuleText


class Result(banked.Result):
    """What became of a wager: a main wager's two verdicts, a side bet's line."""

    front: NotRequired[Verdict]
    back: NotRequired[Verdict]
    line: NotRequired[Slug | None]
    envy: NotRequired[list[Envy]]


class Meter(TypedDict):
    """A meter before, what the bets added, what it paid, what the house put in, and after."""

    name: Slug
    before: Amount
    added: Amount
    paid: Amount
    reseeded: Amount
    after: Amount


class Metered(TypedDict):
    """The meters, where the deal told some."""

    meters: NotRequired[list[Meter]]


class Settlement(banked.BankedSettlement, Metered):
    """What a settlement gives."""

    sets: list[SetHand]
    banker: BankerSettled
    results: list[Result]


class Settled(Settlement):
    """The body of a settled record; `hands` are those that it is the first to show."""

    hands: NotRequired[list[PileHand]]
    seed: NotRequired[Seed]


Corrected = corrections.CorrectedBody[Opening, Wagering, KeptDealt, Settling, Settlement]
"""The body of a correction after the settlement."""

SHAPES = games.GameShapes(
    opening=Opening,
    wagering=Wagering,
    locking=Locking,
    settling=Settling,
    dealt=Dealt,
    correcting=Correcting,
    locked=Locked,
    deal_corrected=DealCorrected,
    settled=Settled,
    corrected=Corrected,
)
