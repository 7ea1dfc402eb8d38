"""The commands that count and simulate: odds, simulate."""

from __future__ import annotations

import pytest

from tests.functional.command import FLORIDA, cardroom


def test_odds_of_fortune_are_exact() -> None:
    ran = cardroom("odds", "fortune", "--ruleset", FLORIDA)
    assert (ran.status, ran.err) == (0, "")
    (counted,) = ran.lines
    assert counted["hands"] == 154_143_080 == counted["losing"] + sum(line["hands"] for line in counted["lines"])
    assert counted["lines"][0] == {"line": "seven_card_straight_flush", "pays": 5000, "hands": 32}
    assert counted["edge"] == {"numerator": 12_066_096, "denominator": 154_143_080, "percent": 7.8279}


def test_odds_of_the_bets_of_a_family() -> None:
    ran = cardroom("odds", "pai-gow-mania")
    assert (ran.status, ran.err) == (0, "")
    edges = {line["bet"]: (line["cards"], line["edge"]["percent"]) for line in ran.lines}
    assert edges == {"mania_seven": (7, 6.3667), "mania_three": (3, 3.859)}


def test_simulated_rounds_are_the_same_on_any_number_of_cores() -> None:
    one, three = (cardroom("simulate", "--rounds", "41000", "--seed", "3", "--processes", n) for n in ("1", "3"))
    assert (one.status, one.err) == (0, "")
    assert one == three
    (played,) = one.lines
    about = {name: played[name] for name in ("rounds", "house_way", "wheel", "seed")}
    assert about == {"rounds": 41_000, "house_way": "trump-plaza", "wheel": "second", "seed": 3}
    outcomes = [played[name] for name in ("win_both", "push", "lose_both")]
    assert sum(outcome["rounds"] for outcome in outcomes) == 41_000
    assert sum(outcome["percent"] for outcome in outcomes) == pytest.approx(100, abs=1e-3)
    assert abs(played["push"]["percent"] - 41.48) < 5 * played["push"]["standard_error"] < 1.5


def test_another_seed_and_another_house_way_play_otherwise() -> None:
    asked = [("--seed", "3"), ("--seed", "4"), ("--seed", "3", "--house-way", "florida-fortune")]
    played = [cardroom("simulate", "--rounds", "2000", *options).lines[0] for options in asked]
    assert len({str([each[name] for name in ("win_both", "push", "lose_both")]) for each in played}) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("odds", "no-such"), "no side bet 'no-such': there are "),
        (("odds", "fortune", "--ruleset", "a/b"), "no side bet 'fortune' in a/b: there are "),
        (("simulate", "--house-way", "x"), "no house way 'x': there are "),
        (("simulate", "--rounds", "0"), "Invalid value for '--rounds'"),
    ],
)
def test_a_wrong_call_exits_with_2(arguments: tuple[str, ...], message: str) -> None:
    ran = cardroom(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
