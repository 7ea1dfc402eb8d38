"""Meters (pai-gow-poker §10.8) for any bets and winners, against a model that moves one cent at a time."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from cardroom.games.pai_gow_poker.meters import Meter, MeterWinners, pay_meter

SHARES = st.lists(st.sampled_from([10_000, 5_000, 1_000, 777]), max_size=6)


def slowly(meter: Meter, standing: int, shares: list[int]) -> tuple[list[int], int]:
    """What each winner has, and what the meter stands at after it."""
    if meter.winners is MeterWinners.FIRST:
        paid = []
        for share in shares:
            paid.append(int(Fraction(standing * share, 10_000)))
            standing = max(standing - paid[-1], meter.reseed_minor)
        return paid, standing
    whole = Fraction(sum(shares), 10_000)
    exact = [Fraction(standing * share, 10_000) / max(whole, 1) for share in shares]
    paid = [int(won) for won in exact]
    place = 0
    while shares and whole >= 1 and sum(paid) < standing:  # the odd cents go round
        paid[place] += 1
        place += 1
    left = standing - sum(paid)
    return paid, max(left, meter.reseed_minor) if shares else left


@given(
    winners=st.sampled_from(MeterWinners),
    increment=st.integers(0, 10_000),
    reseed=st.integers(2_600_000, 5_000_000),
    more=st.integers(0, 10**9),
    bets=st.integers(0, 20),
    shares=SHARES,
)
def test_10_8_a_meter_pays_and_stands_as_the_model_says(
    winners: MeterWinners, increment: int, reseed: int, more: int, bets: int, shares: list[int]
) -> None:
    meter = Meter(winners=winners, increment_bps=increment, reseed_minor=reseed)
    paid, moved = pay_meter(meter, reseed + more, stakes=[100] * bets, shares_bps=shares)
    added = bets * (100 * increment // 10_000)
    assert moved.added == added
    assert (list(paid), moved.after) == slowly(meter, reseed + more + added, shares)
    assert moved.paid == sum(paid) and moved.after >= reseed
    assert all(won > 0 for won in paid)
    assert meter.least_reseed(shares or [777]) <= reseed
