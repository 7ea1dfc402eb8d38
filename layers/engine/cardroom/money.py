"""Money: integers in minor units, commission with its rounding, and postings between accounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from cardroom.canonical import MAX_INTEGER
from cardroom.shapes import parts

MAX_MINOR: Final = MAX_INTEGER
"""The largest amount of money anywhere, in minor units: the largest integer that every JSON reader keeps exact."""

HOUSE: Final = "house"
"""The account of the house, and the name of the house where it banks or wagers."""

WHOLE_BPS: Final = 10_000


class Rounding(StrEnum):
    """Which multiple of the increment an amount between two of them becomes."""

    UP = "up"
    DOWN = "down"
    HALF_UP = "half_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commission:
    """A share of winnings, in basis points, rounded to an increment in minor units (pai-gow-poker §5.3)."""

    rate_bps: int
    increment_minor: int
    rounding: Rounding

    def charge(self, *, won_minor: int) -> int:
        """Commission on a win, in minor units.

        >>> Commission(rate_bps=500, increment_minor=5, rounding=Rounding.UP).charge(won_minor=1_050)
        55
        >>> Commission(rate_bps=500, increment_minor=1, rounding=Rounding.HALF_UP).charge(won_minor=1_050)
        53
        >>> Commission(rate_bps=500, increment_minor=5, rounding=Rounding.DOWN).charge(won_minor=1_050)
        50
        """
        step = WHOLE_BPS * self.increment_minor
        steps, rest = divmod(won_minor * self.rate_bps, step)
        if (self.rounding is Rounding.UP and rest) or (self.rounding is Rounding.HALF_UP and 2 * rest >= step):
            steps += 1
        return steps * self.increment_minor


class Why(StrEnum):
    """Why money moved."""

    WIN = "win"
    LOSS = "loss"
    BONUS = "bonus"
    BONUS_LOSS = "bonus_loss"
    ENVY = "envy"
    COMMISSION = "commission"
    CO_BANK = "co_bank"  # the house's part of what a shared bank won or lost
    FEE = "fee"
    FEE_RETURNED = "fee_returned"
    POT = "pot"  # into a pot; out of one it is a win
    BUY_IN = "buy_in"  # into a pot that was carried
    CORRECTION = "correction"  # what is due after a misread card was put right


class Posting(NamedTuple):
    """One movement of money: `amount_minor` (above zero) from the payer's account to the payee's."""

    payer: str
    payee: str
    amount_minor: int
    why: Why
    wager_id: str | None = None

    def to_json(self) -> parts.Posting:
        """The posting as it stands in a record."""
        posting: parts.Posting = {
            "from": self.payer,
            "to": self.payee,
            "amount": self.amount_minor,
            "why": self.why.value,
        }
        if self.wager_id is not None:
            posting["wager_id"] = self.wager_id
        return posting


def account_of(bettor: str) -> str:
    """The account of a bettor; the house has its own.

    >>> account_of("ann"), account_of("house")
    ('bettor:ann', 'house')
    """
    return HOUSE if bettor == HOUSE else f"bettor:{bettor}"


def net_by_account(postings: Iterable[Posting]) -> dict[str, int]:
    """What each account gained (above zero) or lost, in minor units, sorted by account; all together it is zero.

    >>> net_by_account([Posting("bettor:ann", "house", 500, Why.FEE)])
    {'bettor:ann': -500, 'house': 500}
    """
    net: dict[str, int] = {}
    for posting in postings:
        net[posting.payer] = net.get(posting.payer, 0) - posting.amount_minor
        net[posting.payee] = net.get(posting.payee, 0) + posting.amount_minor
    return dict(sorted(net.items()))


def transfers(net: Mapping[str, int], why: Why) -> list[Posting]:
    """Postings that move what accounts gain and lose, in order of their names; all together it is zero.

    >>> transfers({"bettor:ann": -500, "house": 200, "bettor:bob": 300}, Why.CORRECTION)[0][:3]
    ('bettor:ann', 'bettor:bob', 300)
    """
    owed = {account: amount for account, amount in sorted(net.items()) if amount > 0}
    postings = []
    for payer, amount in sorted(net.items()):
        owes = -amount
        for payee in [*owed] if owes > 0 else ():
            moved = min(owes, owed[payee])
            postings.append(Posting(payer, payee, moved, why))
            owes, owed[payee] = owes - moved, owed[payee] - moved
            if not owed[payee]:
                del owed[payee]
            if not owes:
                break
    return postings


def nets_of(postings: Iterable[Posting]) -> parts.Nets:
    """The `net` of a record's body: `net_by_account`, an object an account."""
    return [{"account": account, "amount": amount} for account, amount in net_by_account(postings).items()]
