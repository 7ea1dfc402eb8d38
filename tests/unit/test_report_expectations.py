"""What wagers are expected to come to: the file's counts, and how the report sets them beside what was found."""

from __future__ import annotations

import json
import re
import shlex
from importlib.resources import files
from typing import Any

import pytest

from cardroom.audit.listed import nothing_listed
from cardroom.hands import Wheel
from cardroom.services.catalogue import published
from cardroom_desk.commands.odds import count
from cardroom_desk.commands.simulate import BATCH, play_hands
from cardroom_desk.report.expectations import Expectation, expectations
from cardroom_desk.report.page import page

KNOWN = expectations()
SIMULATED = {name: one for name, one in KNOWN.items() if one.house_way}
LIST = "desk/cardroom_desk/report/expectations.json"
MINUS = "\N{MINUS SIGN}"
COUNTED = {name: one for name, one in KNOWN.items() if not one.house_way}


def shown(results: dict[str, dict[str, int]]) -> str:
    """The page's section of results, without its tags."""
    counts = {"cards": {}, "dice": {}, "seats": {}, "results": results}
    report: dict[str, Any] = {
        "verdict": "pass", "records": 0, "rounds": 0, "held": 0, "unproved": [], "findings": [],
        "listed": nothing_listed(), "signed_by": [],
        "tables": [], "totals": {"rulesets": [], "days": [], "tables": []}, "counts": counts,
    }  # fmt: skip
    return re.sub(r"<[^>]*>", "", page(report).partition("<h2>Results by rule set</h2>")[2])


def test_bets_that_pay_from_a_straight_up_win_equally_often() -> None:
    """Fortune and Mania pay different odds, on the same hands; `odds fortune` is tested with the command."""
    wins = {name: one.counts["win"] for name, one in COUNTED.items() if name.endswith((" fortune", " mania_seven"))}
    assert len(wins) == 4 and set(wins.values()) == {154_143_080 - 124_556_196}


def test_no_wager_is_listed_twice() -> None:
    listed = json.loads((files("cardroom_desk.report") / "expectations.json").read_text())
    names = [name for one in listed for name in one["of"]]
    assert sorted(set(names)) == sorted(names) and set(names) == set(KNOWN)


@pytest.mark.parametrize("name", KNOWN)
def test_shares_are_of_a_whole(name: str) -> None:
    one = KNOWN[name]
    assert list(one.counts) == ["win", "push", "lose"]
    assert sum(map(one.share, one.counts)) == pytest.approx(1, abs=1e-12)
    assert min(one.share("win"), one.share("lose")) > 0


@pytest.mark.parametrize("name", COUNTED)
def test_a_side_bet_is_one_of_the_rule_set_and_plays_against_its_table_alone(name: str) -> None:
    ruleset_id, bet = name.split(" ")
    side_bet = published().ruleset(ruleset_id).rules.side_bets[bet]
    assert side_bet.contest == "table"  # against a banker's hand no count of one hand tells
    assert shlex.split(COUNTED[name].source) == ["cardroom", "odds", bet, "--ruleset", ruleset_id]


def test_every_side_bet_against_its_table_has_an_expectation() -> None:
    bets = {
        f"{ruleset_id} {bet}"
        for ruleset_id in published().ruleset_ids()
        for bet, terms in getattr(published().ruleset(ruleset_id).rules, "side_bets", {}).items()
        if terms.contest == "table"
    }
    wrong = [*map(to_add, sorted(bets - set(COUNTED))), *map(to_remove, sorted(set(COUNTED) - bets))]
    if wrong:
        pytest.fail("\n".join(wrong))


def to_add(name: str) -> str:
    ruleset_id, bet = name.split(" ")
    return (
        f"{LIST} has no entry of {name!r}: add one with the counts that `cardroom odds {bet} --ruleset {ruleset_id}` "
        'gives ("win": the hands of all lines that pay or have a meter, "push": those of lines that pay 0, "lose": '
        "its losing), and that command as its source"
    )


def to_remove(name: str) -> str:
    return f"{LIST} has an entry of {name!r}, which no rule set has as a side bet against its table: take it out"


# One of three cards and one with a meter: the others, of seven cards, take ten seconds each.
@pytest.mark.parametrize("name", ["pai-gow-mania/standard mania_three", "fortune-pai-gow/progressive progressive"])
def test_side_bets_come_out_as_the_odds_command_counts(name: str) -> None:
    ruleset_id, bet = name.split(" ")
    odds = count(ruleset_id, bet, processes=1)
    wins = sum(hands for line, pays, hands in odds.paying if pays or line in odds.meter_bps)
    assert COUNTED[name].counts == {"win": wins, "push": odds.hands - wins - odds.losing, "lose": odds.losing}


@pytest.mark.parametrize("name", SIMULATED)
def test_main_wagers_are_simulated_by_their_rule_sets_house_way(name: str) -> None:
    ruleset_id, kind = name.split(" ")
    document = published().ruleset(ruleset_id).document
    one = SIMULATED[name]
    assert kind == "main" and document["joker"] == "bug" and document["copies"] == "banker"
    assert document["house_way"]["name"] == one.house_way
    asked = f"cardroom simulate --house-way {one.house_way} --wheel {document['wheel']} --rounds {one.hands} --seed 1"
    assert one.source == asked


@pytest.mark.parametrize("wheel", Wheel)
def test_a_short_simulation_agrees(wheel: Wheel) -> None:
    one = next(o for n, o in SIMULATED.items() if published().ruleset(n.split(" ")[0]).document["wheel"] == wheel)
    assert one.house_way
    played = play_hands(BATCH, house_way=one.house_way, wheel=wheel, seed=11, processes=1)
    for outcome, simulated in (("win", "win_both"), ("push", "push"), ("lose", "lose_both")):
        away = one.away(outcome, played.counts[simulated], played.rounds)
        assert away is not None and abs(away) < 4.5


def test_a_simulation_adds_its_own_standard_error() -> None:
    counts = {"win": 500, "push": 0, "lose": 500}
    exact = Expectation(counts=counts, source="")
    simulated = Expectation(counts=counts, source="", house_way="any")
    assert exact.away("win", 600, 1_000) == pytest.approx(0.1 / (0.25 / 1_000) ** 0.5)
    assert simulated.away("win", 600, 1_000) == pytest.approx(0.1 / (0.25 * 2 / 1_000) ** 0.5)


def test_what_was_found_stands_beside_what_is_expected() -> None:
    text = shown({"pai-gow-mania/standard mania_three": {"win": 2_600, "lose": 7_400}})
    # 6,446 of C(53, 3) = 23,426 hands pay; the standard error of 10,000 is 0.4465 %.
    assert "win 26.00% ± 0.44" in text
    assert f"Expected: win 27.52% (z {MINUS}3.4) · lose 72.48% (z +3.4)." in text
    assert "push" not in text and "house way" not in text
    assert (
        "23,426 hands, all there are" in text and "cardroom odds mania_three --ruleset pai-gow-mania/standard" in text
    )


def test_only_what_was_won_pushed_or_lost_is_compared() -> None:
    text = shown({"pai-gow-poker/bicycle main": {"win": 300, "push": 400, "lose": 300, "no_action": 1_000}})
    assert "win 15.00%" in text and "no action 50.00%" in text
    assert re.search(
        r"Expected of the 1,000 won, pushed or lost: win \d\d\.\d\d% \(found 30\.00%, z [+\N{MINUS SIGN}]\d\.\d\)", text
    )
    assert "for the house way (florida-fortune) on both sides, so hands set otherwise shift it." in text


def test_what_cannot_be_compared_is_said() -> None:
    text = shown({"push-nine/redding-1995 ante": {"win": 5, "lose": 5}})
    assert "No expectation known: this wager was not counted beforehand, and is compared with nothing." in text
    assert "z is" not in text and "Where the expectations" not in text
    text = shown({"pai-gow-poker/casino main": {"win": 3, "push": 4, "lose": 3}})
    assert "win 28.61% (too few for z)" in text
    text = shown({"pai-gow-poker/casino fortune": {"win": 200, "push": 1, "lose": 799}})
    assert "push 0.00% (z +∞)" in text
    text = shown({"fortune-pai-gow/florida-2017 main": {"no_action": 2}})
    assert "Expected of the 0 won, pushed or lost: win" in text and "too few for z" in text
