"""What records of a poker showdown hold besides what all games share."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes import games, potted
from cardroom.shapes.bounds import Default, Length, Sorted
from cardroom.shapes.parts import (
    Cards,
    CardSet,
    DealtOn,
    DrawnCards,
    Hand,
    LeavingSeats,
    Nets,
    NoSets,
    Postings,
    SeatAmounts,
    Seats,
)
from cardroom.shapes.values import (
    Amount,
    CardText,
    Id,
    Jokers,
    PotAccount,
    PotName,
    Reason,
    RuleText,
    Seed,
    Slug,
    Small,
    Stake,
    StudCards,
    Words,
)


class Opening(potted.PottedOpening):
    """A round is opened."""

    ante: NotRequired[Stake]
    jokers: NotRequired[Jokers]


class Deck(TypedDict):
    """The physical deck in use; `changed` says why one was put in before its time."""

    deck_id: Id
    colour: Slug
    changed: NotRequired[Slug]


class Wagering(potted.PottedWagering):
    """Antes are in; a physical table tells the cards that play in every hand."""

    community: NotRequired[CardSet]
    deck: NotRequired[Deck]


class DeadHand(TypedDict):
    """A hand that is dead; `ante_returned` where that is no fault of the player's."""

    seat: Small
    ante_returned: NotRequired[Annotated[bool, Default(False, held=True)]]


class Fold(TypedDict):
    """A fold at stud, and how many cards the seat had been dealt."""

    seat: Small
    after: StudCards


class Settling(TypedDict):
    """What each player put in, and whose hands cannot win; `folded` in the order in which they left.

    At stud a fold says after which card it was; a physical table tells the last cards, or the one that was turned
    for all, if the deal did not.
    """

    sets: NotRequired[NoSets]
    contributions: NotRequired[SeatAmounts]
    folded: NotRequired[Annotated[list[Small | Fold], Length(1, 100)]]
    drawn_cards: NotRequired[DrawnCards]
    turned: NotRequired[CardText]
    dead_hands: NotRequired[Annotated[list[DeadHand], Length(1, 100), Sorted("seat")]]
    dead_order: NotRequired[LeavingSeats]


ShortProcedure = Literal["scrambled", "scrambled_no_burn", "community"]


class ShortDeck(TypedDict):
    """What was done when the deck was too short for the last card."""

    procedure: ShortProcedure
    rule: RuleText
    opens: NotRequired[Small]


class DeckWarning(TypedDict):
    """What is wrong with the deck's life."""

    code: Slug
    message: Words
    rule: RuleText


class DealtCards(TypedDict):
    """The cards of a deal."""

    hands: list[Hand]
    community: NotRequired[Cards]
    burned: NotRequired[Cards]


class Warned(TypedDict):
    """What is wrong with the deck's life, where the deck was named."""

    warnings: NotRequired[list[DeckWarning]]


class Deal(DealtCards, Warned):
    """What a deal gives."""

    order: Seats
    postings: Postings


class Dealt(Deal):
    """The body of a dealt record."""

    opened: DealtOn[Opening]
    cut: NotRequired[Small]


class HighHand(TypedDict):
    """The best five cards for high."""

    category: Slug
    cards: Cards


class LowHand(TypedDict):
    """The best five cards for low."""

    ranks: Words
    cards: Cards


class ShownHand(TypedDict):
    """A hand, what it drew at the settlement, after which card it folded, and what of it was shown for a pot."""

    seat: Small
    cards: Cards
    drawn: NotRequired[CardText]
    out: bool
    folded_after: NotRequired[StudCards]
    high: NotRequired[HighHand]
    low: NotRequired[LowHand]


WonBy = Literal["high", "low", "whole"]


class PotShare(potted.PotShare):
    """What a seat has of a pot, and for what."""

    won_by: WonBy


class Pot(TypedDict):
    """A pot and who shares it."""

    pot: PotName
    account: PotAccount
    amount: Amount
    eligible: Seats
    winners: Seats
    shares: list[PotShare]
    reason: Reason
    rule: RuleText


DeadOrder = TypedDict("DeadOrder", {"seats": Seats, "from": Literal["request"]})
"""The order in which hands were declared dead, as the floor told it."""


class Besides(TypedDict):
    """What a settlement tells besides, where there is something to tell.

    The last card where it was turned for all, and what was done if the deck was short; the deck whose hand it was; the
    order of dead hands as the floor told it.
    """

    community: NotRequired[Cards]
    short_deck: NotRequired[ShortDeck]
    deck: NotRequired[Id]
    dead_order: NotRequired[DeadOrder]


class Settlement(Besides):
    """What a settlement gives."""

    hands: list[ShownHand]
    pots: list[Pot]
    results: list[potted.PlayerResult]
    postings: Postings
    net: Nets


class Settled(Settlement):
    """The body of a settled record."""

    seed: NotRequired[Seed]


SHAPES = games.GameShapes(opening=Opening, wagering=Wagering, settling=Settling, dealt=Dealt, settled=Settled)
