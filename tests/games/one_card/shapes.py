"""What the records of the test game hold."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes import games
from cardroom.shapes.bounds import Length, Sorted
from cardroom.shapes.parts import SETS, Cards, DealtOn, Hand, Nets, NoClientSeed, Postings, SeatedPlayers, Source, Wager
from cardroom.shapes.values import (
    Amount,
    CardText,
    ClientSeed,
    Currency,
    Id,
    Points,
    RulesetId,
    Seed,
    Small,
    Stake,
)

How = Literal["take", "stay"]


class Opening(TypedDict):
    table_id: Id
    ruleset: RulesetId
    currency: Currency
    seats: SeatedPlayers
    source: Source
    client_seed: NotRequired[NoClientSeed]


class Wagering(TypedDict):
    wagers: Annotated[list[Wager], Length(0, 200), Sorted("wager_id")]
    client_seed: NotRequired[ClientSeed]
    cut: NotRequired[Small]


class TakeOrStay(TypedDict):
    """Whether a hand takes one more card."""

    seat: Small
    how: How


class Settling(TypedDict):
    sets: Annotated[list[TakeOrStay], Length(0, 100), Sorted("seat"), SETS]


class Deal(TypedDict):
    hands: list[Hand]
    postings: Postings


class Dealt(Deal):
    opened: DealtOn[Opening]
    cut: NotRequired[Small]


class SetHand(TypedDict):
    seat: Small
    how: How
    cards: Cards
    drawn: NotRequired[CardText]
    points: Points


class Result(TypedDict):
    wager_id: Id
    seat: Small
    bettor: Id
    amount: Stake
    result: Literal["win", "lose", "push"]
    paid: Amount
    collected: Amount
    returned: Amount


class Settlement(TypedDict):
    sets: list[SetHand]
    results: list[Result]
    postings: Postings
    net: Nets


class Settled(Settlement):
    seed: NotRequired[Seed]


SHAPES = games.GameShapes(opening=Opening, wagering=Wagering, settling=Settling, dealt=Dealt, settled=Settled)
