"""What the requests and bodies of all games that are played for a pot share."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from cardroom.shapes.bounds import Length, Sorted
from cardroom.shapes.parts import Hands, NoClientSeed, PostedSums, SeatedPlayers, Source, Wager
from cardroom.shapes.values import (
    Amount,
    ClientSeed,
    Currency,
    Id,
    Reason,
    RulesetId,
    RuleText,
    Slug,
    Small,
    Stake,
)


class PottedOpening(TypedDict):
    """What every opening of a hand for a pot says."""

    table_id: Id
    ruleset: RulesetId
    currency: Currency
    sums: NotRequired[PostedSums]
    seats: SeatedPlayers
    button: Small
    source: Source
    client_seed: NotRequired[NoClientSeed]


class PottedWagering(TypedDict):
    """What every deal of a hand for a pot says."""

    wagers: Annotated[list[Wager], Length(0, 200), Sorted("wager_id")]
    client_seed: NotRequired[ClientSeed]
    cut: NotRequired[Small]
    hands: NotRequired[Hands]


class PlayerResult(TypedDict):
    """What became of a player: all that he put in, what of it was kept or came back, what he won."""

    wager_id: NotRequired[Id]
    kind: NotRequired[Slug]
    seat: Small
    bettor: Id
    amount: Amount
    result: Literal["win", "lose", "push"]
    paid: Amount
    collected: Amount
    returned: Amount
    reason: Reason
    rule: RuleText


class PotShare(TypedDict):
    """What a seat has of a pot."""

    seat: Small
    bettor: Id
    amount: Stake
