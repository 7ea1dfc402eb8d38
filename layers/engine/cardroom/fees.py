"""Posted fees: a schedule of bands, the fee of an amount, and the postings of the fees that are paid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cardroom.money import HOUSE, Posting, Why, account_of
from cardroom.refusals import FieldFault, Refusal, at
from cardroom.shapes import banked, handed, parts

_Fee = banked.WagerFee | banked.BankerFee | handed.PlayerFee


class FeesInvalid(Refusal):
    """A fee schedule has no band, a band without width, or bands that overlap or descend."""


class FeeBandMissing(Refusal):
    """An amount lies in no band of the table's fee schedule."""


class FeeBand(NamedTuple):
    """A fee for amounts from `low_minor` up to below `high_minor` (None: without end), in minor units."""

    low_minor: int
    high_minor: int | None
    fee_minor: int


def fee_bands(bands: Sequence[parts.FeeBand], field: str) -> tuple[FeeBand, ...]:
    """A fee schedule from its JSON form `[{low, high?, fee}]`; raises FeesInvalid (pai-gow-poker §7.1).

    Bands ascend and do not overlap; only the last may be without `high`. Gaps are allowed: an amount in one is
    refused when it is wagered.
    """
    schedule = tuple(FeeBand(band["low"], band.get("high"), band["fee"]) for band in bands)
    faults = [] if schedule else [FieldFault(field, "must have at least one band")]
    for index, band in enumerate(schedule):
        if band.low_minor < 0 or band.fee_minor < 0:
            faults.append(FieldFault(at(field, index), "must not have an amount below zero"))
        if band.high_minor is not None and band.high_minor <= band.low_minor:
            faults.append(FieldFault(at(field, index, "high"), f"must be above low, {band.low_minor}"))
        if index:
            before = schedule[index - 1].high_minor
            if before is None or band.low_minor < before:
                end = "without end" if before is None else f"up to {before}"
                faults.append(FieldFault(at(field, index, "low"), f"must not lie in the band before, which goes {end}"))
    if faults:
        raise FeesInvalid(f"the fee schedule {field} must be bands low <= amount < high, ascending", *faults)
    return schedule


def fee_for(amount_minor: int, schedule: Sequence[FeeBand]) -> int | None:
    """The fee of the band that an amount lies in, None if it lies in none.

    >>> bands = fee_bands([{"low": 0, "high": 10_000, "fee": 100}, {"low": 10_000, "fee": 200}], "fees.wager")
    >>> fee_for(9_999, bands), fee_for(10_000, bands)
    (100, 200)
    """
    for band in schedule:
        if band.low_minor <= amount_minor and (band.high_minor is None or amount_minor < band.high_minor):
            return band.fee_minor
    return None


def fee_postings(fees: Sequence[_Fee]) -> parts.Postings:
    """The postings of the fees that are paid."""
    return [
        Posting(account_of(fee["bettor"]), HOUSE, fee["amount"], Why.FEE, _wager_of(fee)).to_json()
        for fee in fees
        if fee["amount"] and "free_collection" not in fee
    ]


def _wager_of(fee: _Fee) -> str | None:
    if "wager_id" in fee:
        return fee["wager_id"]
    return None  # the banker's, or one for a hand on which nothing is wagered
