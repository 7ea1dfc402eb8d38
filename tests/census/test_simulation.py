"""Whole tables played by chance, against the published shares (house-ways.md, trump-plaza, wheel second)."""

import pytest

from cardroom.hands import Wheel
from cardroom_desk.commands.simulate import BATCH, OUTCOMES, Simulated, play_hands

PUBLISHED = {"win_both": 0.2861, "push": 0.4148, "lose_both": 0.2991}


@pytest.fixture(scope="module")
def played() -> Simulated:
    return play_hands(2 * BATCH + 1_000, house_way="trump-plaza", wheel=Wheel.SECOND, seed=7, processes=1)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_shares_are_the_published_ones(played: Simulated, outcome: str) -> None:
    """Within what chance allows; ten million rounds, as the command plays, halve that fifteen times over."""
    assert abs(played.share(outcome) - PUBLISHED[outcome]) < 5 * played.standard_error(outcome)
    assert 0.002 < played.standard_error(outcome) < 0.003


def test_every_round_is_counted(played: Simulated) -> None:
    assert played.rounds == 41_000
    assert sum(map(played.share, OUTCOMES)) == pytest.approx(1)


def test_the_seed_decides(played: Simulated) -> None:
    same, another = (
        play_hands(BATCH, house_way="trump-plaza", wheel=Wheel.SECOND, seed=s, processes=1) for s in (7, 8)
    )
    assert same.counts != another.counts
    assert same == play_hands(BATCH, house_way="trump-plaza", wheel=Wheel.SECOND, seed=7, processes=1)
