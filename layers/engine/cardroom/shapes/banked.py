"""What the requests and bodies of all player-banked games share."""

from __future__ import annotations

from typing import Annotated, Generic, Literal, NotRequired, TypedDict, TypeVar, final

from cardroom.shapes.bounds import Between, Default, Length, Sorted
from cardroom.shapes.parts import (
    Dice,
    Fees,
    FreeCollection,
    Hand,
    Hands,
    Limits,
    Nets,
    NoClientSeed,
    PostedSums,
    Postings,
    SeatedPlayers,
    Seats,
    Source,
    Wager,
)
from cardroom.shapes.values import (
    Amount,
    ClientSeed,
    Currency,
    Id,
    Net,
    Ordinal,
    Reason,
    RulesetId,
    RuleText,
    Sha256,
    Small,
    Stake,
)

WageringT = TypeVar("WageringT")
KeptT = TypeVar("KeptT")

HandsShown = Literal["players", "all"]
"""Which hands of a shuffled deal are shown at once: those that bettors play, or all of them."""
Coverage = Literal["action", "net", "one_sided", "full"]
Outcome = Literal["win", "lose", "push", "no_action", "returned"]


class Banker(TypedDict):
    """The player who banks; `others_passed`: everyone else declined, so another turn is allowed."""

    seat: Small
    bettor: Id
    others_passed: NotRequired[Annotated[bool, Default(False)]]


class Offer(TypedDict):
    """A seat that was asked whether it banks, and its answer."""

    seat: Small
    answer: Literal["bank", "pass"]


class BankedOpening(TypedDict):
    """What every opening with a banker says, its banker apart."""

    table_id: Id
    ruleset: RulesetId
    currency: Currency
    sums: NotRequired[PostedSums]
    seats: SeatedPlayers
    limits: NotRequired[Limits]
    fees: NotRequired[Fees]
    source: Source
    draw_id: NotRequired[Id]
    drawn_by_hand: NotRequired[Annotated[bool, Default(False)]]
    offers: NotRequired[Annotated[list[Offer], Length(1, 100)]]
    client_seed: NotRequired[NoClientSeed]
    shown: NotRequired[HandsShown]
    correction_hands: NotRequired[Annotated[int, Between(0, 100)]]


class BankedWager(Wager):
    """A bet on one hand: circle 1 is the seated player's, 2 and up back-line; `placed` its place in time."""

    placed: NotRequired[Small]
    free_collection: NotRequired[FreeCollection]


class BankedWagering(TypedDict):
    """What every deal with a banker says."""

    wagers: Annotated[list[BankedWager], Length(0, 200), Sorted("wager_id")]
    banker_wager: NotRequired[Stake]
    banker_free_collection: NotRequired[FreeCollection]
    client_seed: NotRequired[ClientSeed]
    cut: NotRequired[Small]
    hands: NotRequired[Hands]


class DicedWagering(BankedWagering):
    """A deal whose action dice place."""

    dice: NotRequired[Dice]


class WagerFee(TypedDict):
    """The fee of a wager, and the free collection that it uses instead."""

    wager_id: Id
    bettor: Id
    amount: Amount
    free_collection: NotRequired[FreeCollection]


@final
class BankerFee(TypedDict):
    """The fee of the banker's wager, and the free collection that he uses instead."""

    banker: Literal[True]
    bettor: Id
    amount: Amount
    free_collection: NotRequired[FreeCollection]


class Say(TypedDict):
    """Whose wager decides how a hand is set."""

    seat: Small
    wager_id: Id
    bettor: Id


CorrectionReason = Literal["misread_card", "misplaced_hand", "misread_set", "misplaced_draw", "reader_failure"]


class Correction(TypedDict):
    """What was read or told wrongly: of which record, why, who says so, and the hands as they lie."""

    correction_id: Id
    corrects: Sha256
    reason: CorrectionReason
    by: Id
    hands: NotRequired[Hands]


class KeptDeal(TypedDict):
    """What the settlement needs of every deal with a banker, its action and hands apart."""

    action_order: Seats
    fees: list[WagerFee | BankerFee]


class KeptHands(KeptDeal):
    """Hands that are cards and nothing else besides."""

    hands: list[Hand]


class SaidDeal(TypedDict):
    """What else a deal with a banker ends in."""

    say: list[Say]
    postings: Postings


class Cut(TypedDict):
    """Where the house cut the deck, if it did."""

    cut: NotRequired[Small]


class DealKept(TypedDict, Generic[WageringT, KeptT]):
    """The deal on which hands were set: which record, what was wagered, and what the settlement needs of it."""

    seq: Ordinal
    sha256: Sha256
    request: WageringT
    body: KeptT


class BankerSettled(TypedDict):
    """How far the banker's wager went, and where the banker stands; the house has no wager."""

    seat: Small
    wager: NotRequired[Stake]
    coverage: Coverage
    used: Amount
    net: Net
    commission: Amount


class Result(Wager):
    """What became of a wager."""

    result: Outcome
    paid: Amount
    collected: Amount
    returned: Amount
    commission: Amount
    reason: Reason
    rule: RuleText
    free_collection: NotRequired[Literal[True]]


class BankedSettlement(TypedDict):
    """What every settlement against a banker ends in, its sets and results apart."""

    postings: Postings
    net: Nets


class PlainSettlement(BankedSettlement):
    """A settlement without commission, side bets or a shared bank."""

    banker: BankerSettled
    results: list[Result]
