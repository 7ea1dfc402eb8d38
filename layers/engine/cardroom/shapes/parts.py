"""What the requests and bodies of all games share, and the table as a record leaves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Generic, Literal, NotRequired, TypedDict, TypeGuard, TypeVar

from cardroom.shapes.bounds import Default, Length, Sorted
from cardroom.shapes.values import (
    Account,
    Amount,
    CardsInShoe,
    CardText,
    ClientSeed,
    Count,
    Currency,
    Die,
    DrawRoundId,
    Epoch,
    GameName,
    Id,
    Net,
    Ordinal,
    PotAccount,
    PotName,
    RulesetId,
    Salt,
    Sha256,
    ShoeRoundId,
    Slug,
    Small,
    Stake,
    SumName,
)

OpeningT = TypeVar("OpeningT")

Cards = Annotated[list[CardText], Length(0, 60)]  # in the order that they were dealt or that they play in
CardSet = Annotated[list[CardText], Length(0, 60), Sorted()]  # cards that a request names
Seats = Annotated[list[Small], Length(0, 100)]
Dice = Annotated[list[Die], Length(3, 3)]
Source = Literal["shuffle", "table"]
DrawKind = Literal["first_banker", "first_button"]
RedrawReason = Literal["seat_left", "seat_taken"]

GameJson = Mapping[str, Any]
"""A JSON object that its game shapes, or its kind of record: a request, a body."""


class RulesetReference(TypedDict):
    """Which rule set, and its hash."""

    id: RulesetId
    sha256: Sha256


class Commitment(TypedDict):
    """What a shuffle of ours is committed to before the bets."""

    commitment: Sha256
    salt: Salt
    epoch: Epoch


class NoCommitment(TypedDict):
    """A physical table, whose cards come with the requests."""


# Requests


class Seated(TypedDict):
    """A place at the table and who sits there."""

    seat: Small
    bettor: Id


class Limits(TypedDict):
    """The table's least and greatest main wager, in minor units."""

    minimum: Amount
    maximum: Amount


class FeeBand(TypedDict):
    """The fee for an amount from `low` to below `high` (none: no upper end), in minor units."""

    low: Amount
    high: NotRequired[Amount]
    fee: Amount


FeeBands = Annotated[list[FeeBand], Length(1, 100)]


class Fees(TypedDict):
    """The posted fee schedules: one for main wagers, one for the banker's wager."""

    wager: NotRequired[FeeBands]
    banker: NotRequired[FeeBands]


PostedSums = Annotated[dict[SumName, Stake], Length(1, 100)]
"""What a round in another currency has in the place of the sums that its rule set fixes, in minor units."""


class DrawnCard(TypedDict):
    """A card that a physical table dealt to a seat after the deal."""

    seat: Small
    card: CardText


class FreeCollection(TypedDict):
    """The wager without action that earned a free collection."""

    round_id: Id
    wager_id: Id


class Hand(TypedDict):
    """The cards of a seat."""

    seat: Small
    cards: Cards


class HouseWaySet(TypedDict):
    """A hand left to the house way."""

    seat: Small
    how: Literal["house_way"]


class SeatAmount(TypedDict):
    """An amount that belongs to a seat: a stack, a contribution to the pot."""

    seat: Small
    amount: Amount


class Wager(TypedDict):
    """A wager, or an ante: what every game knows of it."""

    wager_id: Id
    seat: Small
    bettor: Id
    circle: Small
    kind: Slug
    amount: Stake


SeatedPlayers = Annotated[list[Seated], Length(1, 100), Sorted("seat")]
Hands = Annotated[list[Hand], Length(1, 100), Sorted("seat")]
SeatAmounts = Annotated[list[SeatAmount], Length(1, 100), Sorted("seat")]
LeavingSeats = Annotated[list[Small], Length(1, 100)]  # in the order of leaving
SETS: Final = Default([], held=True)  # a settlement's record tells that no hand was set
DrawnCards = Annotated[list[DrawnCard], Length(1, 100), Sorted("seat")]
NoSets = Annotated[list[HouseWaySet], Length(0, 0), SETS]  # in a game whose hands nobody sets


NoClientSeed = Literal["none"]
"""That the service alone shuffles, said before any bet."""


class ShoeRequest(TypedDict):
    """What a shoe is opened for."""

    table_id: Id
    ruleset: RulesetId
    client_seed: NotRequired[NoClientSeed]


class CloseShoeRequest(TypedDict):
    """Whose shoe is closed."""

    table_id: Id


class DrawRequest(TypedDict):
    """A draw for first banker or first button; a second one of a kind names the one that it replaces, and why."""

    table_id: Id
    ruleset: RulesetId
    kind: DrawKind
    seats: Annotated[list[Small], Length(1, 100), Sorted()]
    replaces: NotRequired[Id]
    reason: NotRequired[RedrawReason]
    client_seed: NotRequired[ClientSeed | NoClientSeed]


# Opened terms


class OpenedTerms(TypedDict, Generic[OpeningT]):
    """The part of the opened record that the deal depends on and repeats."""

    operator: Id
    table_id: Id
    round_id: Id
    ruleset: RulesetReference
    request: OpeningT
    body: Commitment | NoCommitment


class DealtOn(TypedDict, Generic[OpeningT]):
    """The opened record that a deal follows."""

    seq: Ordinal
    sha256: Sha256
    terms: OpenedTerms[OpeningT]


class CommittedTerms(TypedDict):
    """The terms of a round whose cards we shuffle, or of a draw."""

    operator: Id
    table_id: Id
    round_id: Id | DrawRoundId
    ruleset: RulesetReference
    request: GameJson
    body: Commitment


class ShoeTerms(TypedDict):
    """What a shoe was opened on."""

    operator: Id
    table_id: Id
    round_id: ShoeRoundId
    ruleset: RulesetReference
    request: ShoeRequest
    body: Commitment


Terms = OpenedTerms[GameJson]  # of a round, whatever its game
SeedTerms = CommittedTerms | ShoeTerms  # what a seed of ours is committed in


def is_committed(terms: Terms) -> TypeGuard[CommittedTerms]:
    """Whether the round's cards are shuffled by us, under a commitment."""
    return bool(terms["body"])


# Money in a body


Posting = TypedDict(
    "Posting",
    {
        "from": Account,
        "to": Account,
        "amount": Stake,
        "why": Literal[
            "win",
            "loss",
            "bonus",
            "bonus_loss",
            "envy",
            "commission",
            "co_bank",
            "fee",
            "fee_returned",
            "pot",
            "buy_in",
            "correction",
        ],
        "wager_id": NotRequired[Id],
    },
)
"""One movement of money."""


class AccountNet(TypedDict):
    """What an account gained or lost in a round."""

    account: Account
    amount: Net


class ReturnedWager(TypedDict):
    """A wager that a void gives back."""

    wager_id: Id
    amount: Stake


Postings = list[Posting]
Nets = list[AccountNet]


# The table


class BankerTurns(TypedDict):
    """Who banked the last hand, where, at which game, and how many hands of it running."""

    bettor: Id
    seat: Small
    game: GameName
    turns: Ordinal


class HeldCollection(TypedDict):
    """A free collection that waits: the wager that earned it, at which game and in which settled hand."""

    round_id: Id
    wager_id: Id
    bettor: Id
    game: GameName
    hand_no: Ordinal


class LiveRound(TypedDict):
    """The round that is opened, dealt or set."""

    round_id: Id
    state: Literal["opened", "dealt", "set"]


class PastDraw(TypedDict):
    """A draw for first banker or first button, and the seat that won it."""

    draw_id: Id
    kind: DrawKind
    seats: Seats
    seat: Small


class StandingDraw(PastDraw):
    """The last draw, and those `before` it since the last settled hand, in order."""

    before: Annotated[list[PastDraw], Length(0, 7)]


class TiedPot(TypedDict):
    """A pot that is carried because its best hands tied."""

    pot: PotName
    account: PotAccount
    amount: Stake
    tied: list[Seated]
    buy_in: NotRequired[Amount]


class PushedPots(TypedDict):
    """The pots that are carried, and the terms on which they were begun."""

    ruleset: RulesetId
    currency: Currency
    sums: NotRequired[PostedSums]
    ante: Stake
    pots: list[TiedPot]


class CarriedPots(PushedPots):
    """The pots that the table carries, and the round that they come from."""

    round_id: Id


class OpenShoe(TypedDict):
    """The open shoe, and how far it is dealt."""

    shoe_id: Id
    position: CardsInShoe
    size: CardsInShoe
    client_seed: ClientSeed | None
    cut: Small | None
    terms: ShoeTerms


class DeckInUse(TypedDict):
    """The physical deck in use, how many hands were settled with it, and the most players it was dealt to in one."""

    deck_id: Id
    colour: Slug
    hands: Count
    players: Ordinal


class TableState(TypedDict):
    """The table as a record leaves it."""

    hand_no: Count
    banker: BankerTurns | None
    free_collections: list[HeldCollection]
    live: LiveRound | None
    draw: StandingDraw | None
    button: Seated | None
    pot: CarriedPots | None
    shoe: OpenShoe | None
    deck: DeckInUse | None
