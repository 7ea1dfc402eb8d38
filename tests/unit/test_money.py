from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardroom.money import Commission, Posting, Rounding, Why, account_of, net_by_account

_ROUND = {Rounding.UP: ceil, Rounding.DOWN: floor, Rounding.HALF_UP: lambda share: floor(share + Fraction(1, 2))}


@pytest.mark.parametrize(
    ("rounding", "won", "charge"),
    [
        (Rounding.UP, 1_050, 55),
        (Rounding.UP, 1_000, 50),
        (Rounding.DOWN, 1_099, 50),
        (Rounding.HALF_UP, 1_049, 50),
        (Rounding.HALF_UP, 1_050, 55),
        (Rounding.UP, 0, 0),
    ],
)
def test_5_3_commission_is_rounded_to_its_increment(rounding: Rounding, won: int, charge: int) -> None:
    assert Commission(rate_bps=500, increment_minor=5, rounding=rounding).charge(won_minor=won) == charge


@given(
    won=st.integers(0, 2**53 - 1),
    rate=st.integers(0, 10_000),
    increment=st.integers(1, 1_000),
    rounding=st.sampled_from(Rounding),
)
def test_5_3_commission_is_the_exact_share_rounded(won: int, rate: int, increment: int, rounding: Rounding) -> None:
    exact = Fraction(won * rate, 10_000 * increment)
    commission = Commission(rate_bps=rate, increment_minor=increment, rounding=rounding)
    assert commission.charge(won_minor=won) == _ROUND[rounding](exact) * increment


def test_a_posting_stands_in_a_record_without_the_wager_it_lacks() -> None:
    assert Posting("bettor:ann", "house", 5, Why.FEE).to_json() == {
        "from": "bettor:ann",
        "to": "house",
        "amount": 5,
        "why": "fee",
    }
    assert Posting("house", "bettor:ann", 5, Why.WIN, "w1").to_json()["wager_id"] == "w1"


def test_accounts_net_to_zero_together() -> None:
    postings = [
        Posting(account_of("ann"), account_of("bob"), 60, Why.LOSS, "w1"),
        Posting(account_of("bob"), account_of("house"), 3, Why.COMMISSION),
    ]
    assert net_by_account(postings) == {"bettor:ann": -60, "bettor:bob": 57, "house": 3}
