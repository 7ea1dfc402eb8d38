"""What records of push nine hold besides what all games share."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes import games, potted
from cardroom.shapes.bounds import Length, Sorted
from cardroom.shapes.parts import (
    Cards,
    DealtOn,
    FeeBands,
    Hand,
    Limits,
    Nets,
    NoSets,
    Postings,
    PushedPots,
    SeatAmounts,
    Seated,
    Seats,
)
from cardroom.shapes.values import (
    Amount,
    Id,
    Points,
    PotAccount,
    PotName,
    Reason,
    RuleText,
    Seed,
    Small,
    Stake,
)

AbsentSeats = Annotated[list[Small], Length(1, 100), Sorted()]


class Fees(TypedDict):
    """The posted fee schedule, by the ante."""

    wager: NotRequired[FeeBands]


class Opening(potted.PottedOpening):
    """A round is opened; `continues` the one whose pot the table carries."""

    ante: Stake
    fees: NotRequired[Fees]
    continues: NotRequired[Id]
    draw_id: NotRequired[Id]


class Wagering(potted.PottedWagering):
    """Antes or buy-ins are in; `stacks` is what each player has left to bet, `absent` who tied and has gone."""

    stacks: NotRequired[SeatAmounts]
    absent: NotRequired[AbsentSeats]


class Action(TypedDict):
    """One action of the betting, in the order taken; `amount` is what a bet or a raise adds to the pot."""

    seat: Small
    action: Literal["check", "bet", "raise", "call", "fold"]
    amount: NotRequired[Stake]


class Settling(TypedDict):
    """The betting, in the order taken."""

    sets: NotRequired[NoSets]
    betting: NotRequired[Annotated[list[Action], Length(1, 1_000)]]


class PlayerFee(TypedDict):
    """What a player pays the house for a hand."""

    seat: Small
    bettor: Id
    amount: Stake
    wager_id: NotRequired[Id]


class CarriedPot(TypedDict):
    """A carried pot and who plays for it."""

    pot: PotName
    account: PotAccount
    amount: Stake
    eligible: list[Seated]


class CarriedIn(TypedDict):
    """The pots that are carried in, and the round that they come from."""

    round_id: Id
    pots: list[CarriedPot]


class Deal(TypedDict):
    """What a deal gives; `button` is where it is, and who has it."""

    button: Seated
    order: Seats
    limits: Limits
    hands: list[Hand]
    stacks: SeatAmounts
    fees: list[PlayerFee]
    postings: Postings
    carried: NotRequired[CarriedIn]


class Dealt(Deal):
    """The body of a dealt record."""

    opened: DealtOn[Opening]
    cut: NotRequired[Small]


class ShownHand(TypedDict):
    """A hand and what it is; a hand that is counted by points has them."""

    seat: Small
    cards: Cards
    category: Literal["points", "three_faces", "straight", "three_of_a_kind"]
    folded: bool
    points: NotRequired[Points]


class Pot(TypedDict):
    """A pot that was won, or pushed on by the hands that tied for it."""

    pot: PotName
    account: PotAccount
    amount: Amount
    eligible: Seats
    result: Literal["pushed", "won"]
    winners: Seats
    tied: Seats
    shares: list[potted.PotShare]
    reason: Reason
    rule: RuleText


class Added(TypedDict):
    """What an action of the betting added to the pot."""

    seat: Small
    action: Literal["check", "bet", "raise", "call", "fold"]
    added: Amount


class Settlement(TypedDict):
    """What a settlement gives."""

    betting: list[Added]
    hands: list[ShownHand]
    pots: list[Pot]
    results: list[potted.PlayerResult]
    postings: Postings
    net: Nets
    button: Seated
    pushed: NotRequired[PushedPots]


class Settled(Settlement):
    """The body of a settled record."""

    seed: NotRequired[Seed]


SHAPES = games.GameShapes(opening=Opening, wagering=Wagering, settling=Settling, dealt=Dealt, settled=Settled)
