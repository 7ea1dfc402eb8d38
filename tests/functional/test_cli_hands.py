"""The line-oriented commands: rank, set, bonus."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.functional.command import COMMAND, FLORIDA, cardroom

VECTORS = Path(__file__).parents[2] / "vectors" / "hands"


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["cases"]
    return found


def rank(hands: list[str], *options: str) -> list[dict[str, Any]]:
    ran = cardroom("rank", *options, stdin="\n".join(hands))
    assert (ran.status, ran.err) == (0, "")
    assert [line["cards"] for line in ran.lines] == hands
    return ran.lines


def dense(values: list[int]) -> list[int]:
    place = {value: number for number, value in enumerate(sorted(set(values)))}
    return [place[value] for value in values]


@pytest.mark.parametrize("wheel", ["second", "lowest"])
def test_rank_agrees_with_every_five_card_fact(wheel: str) -> None:
    facts = cases("five_card")
    lines = rank([case["cards"] for case in facts], "--wheel", wheel)
    assert [line["category"] for line in lines] == [case["category"] for case in facts]
    assert dense([line["value"] for line in lines]) == dense([case[wheel] for case in facts])


def test_rank_orders_all_kinds_of_two_cards() -> None:
    facts = sorted(cases("two_card"), key=lambda case: case["order"])
    lines = rank([case["cards"] for case in facts])
    assert [line["category"] for line in lines] == [case["category"] for case in facts]
    assert all(low["value"] < high["value"] for low, high in pairwise(lines))


@pytest.mark.parametrize("wheel", ["second", "lowest"])
def test_rank_agrees_with_the_facts_about_the_bug(wheel: str) -> None:
    facts = [case for case in cases("bug_joker") if wheel in case["wheels"]]
    lines = rank([case["cards"] for case in facts], "--wheel", wheel)
    assert [line["category"] for line in lines] == [case["category"] for case in facts]


@pytest.mark.parametrize("wheel", ["second", "lowest"])
def test_rank_compares_as_the_facts_say(wheel: str) -> None:
    facts = [case for case in cases("compare") if wheel in case["wheels"]]
    lines = rank([case[side] for case in facts for side in "ab"], "--wheel", wheel)
    for case, a, b in zip(facts, lines[::2], lines[1::2], strict=True):
        relation = "=" if a["value"] == b["value"] else "<" if a["value"] < b["value"] else ">"
        assert relation == case["relation"], case


def test_rank_takes_the_best_five_of_six_and_seven_cards() -> None:
    (five, six, seven) = rank(["Ks Kd 9c 9h 2d", "Ks Kd 9c 9h 2d 3s", "Ks Kd 9c 9h 2d 3s 4c"])
    assert five["category"] == six["category"] == seven["category"] == "two_pair"
    assert five["value"] < six["value"] < seven["value"]


def test_rank_with_a_wild_joker() -> None:
    bug, wild = (rank(["Jk 8s 8d 5c 2h"], "--joker", joker)[0] for joker in ("bug", "wild"))
    assert (bug["category"], wild["category"]) == ("one_pair", "three_of_a_kind")


def test_a_bad_line_is_answered_on_its_line_and_the_others_go_on() -> None:
    ran = cardroom("rank", stdin=b"As Kd\n\n10h 9h\r\nAs As\nAs Kd Qc\nAs Xx\n\xff\xfe\n 2c  2d \nQh")
    assert ran.status == 1
    assert ran.err == ""
    assert [line["cards"] for line in ran.lines] == [
        "As Kd",
        "",
        "Th 9h",
        "As As",
        "As Kd Qc",
        "As Xx",
        "\ufffd\ufffd",
        "2c 2d",
        "Qh",
    ]
    errors = [line.get("error", "") for line in ran.lines]
    assert errors[1] == "a line of 0 cards; a hand to rank has 2, 5, 6 or 7"
    assert errors[3] == "As comes more than once; each card may come once"
    assert errors[4] == "a line of 3 cards; a hand to rank has 2, 5, 6 or 7"
    assert errors[5].startswith('"Xx" is not a card; write ')
    assert errors[8] == "a line of 1 card; a hand to rank has 2, 5, 6 or 7"
    assert [bool(error) for error in errors] == [False, True, False, True, True, True, True, False, True]


def test_each_line_is_answered_before_the_next_is_sent() -> None:
    with subprocess.Popen([*COMMAND, "rank"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for hand in ("As Kd", "Qs Qd"):
            process.stdin.write(f"{hand}\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["cards"] == hand
        process.stdin.close()
        assert process.wait(timeout=10) == 0


def test_a_reader_that_goes_away_is_no_error_to_print() -> None:
    with subprocess.Popen(
        [*COMMAND, "rank"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, errors = process.communicate(b"As Kd\n" * 50_000, timeout=20)
        assert errors == b""
        assert process.returncode == 1


@pytest.mark.parametrize(
    ("cards", "front", "back_category"),
    [
        ("5s 5h 3c 3d Qh 9s 2c", {"Qh", "9s"}, "two_pair"),
        ("8s 8h 8c 8d Qh 9s 2c", {"Qh", "9s"}, "four_of_a_kind"),
        ("As Jk Qs Qh Qd 7s 2s", {"Qh", "Qd"}, "flush"),
        ("Ac Ad As Jk Ks Jc Tc", {"Ac", "Ad"}, "straight"),
        ("4d 5s Ah 2d Ad Qh Jk", {"Ad", "Qh"}, "straight"),
    ],
)
def test_set_by_the_house_way_of_florida(cards: str, front: set[str], back_category: str) -> None:
    ran = cardroom("set", "--ruleset", FLORIDA, stdin=cards)
    (line,) = ran.lines
    assert (ran.status, line["cards"]) == (0, cards)
    assert set(line["front"].split()) == front
    assert set(line["back"].split()) == set(cards.split()) - front
    assert line["rule"].startswith("pai-gow-poker §4.")
    assert rank([line["back"]])[0]["category"] == back_category


def test_set_by_another_house_way_than_the_rule_sets_own() -> None:
    facts = {
        "5s 5h 3c 3d Kh 9s 2c": "K9",
        "5s 5h 3c 3d Qh 9s 2c": "33",
        "9s 9h 3c 3d Kh 8s 2c": "K8",
        "Js Jh 4c 4d Ah 9s 2c": "A9",
        "Js Jh 4c 4d Kh 9s 2c": "44",
        "9s 9h Tc Td Jh Qs Kc": "99",
        "7s 7h 7c 4d 5h 6s 8c": "77",
        "Ts Th Tc 2d 2h As Kc": "AK",
        "8s 8h 8c 8d Kh 9s 2c": "K9",
        "As 9h 8h 7h 6d 5h 2h": "A6",
        "Ks Kh 5c 6d 7h 8s 9c": "KK",
        "5s 5h 6c 7d 8h 9s Kc": "K5",
    }
    ran = cardroom("set", "--ruleset", FLORIDA, "--house-way", "trump-plaza", stdin="\n".join(facts))
    assert ran.status == 0
    assert {line["cards"]: line["front"][0] + line["front"][3] for line in ran.lines} == facts


def test_set_refuses_what_is_no_hand_of_its_deck() -> None:
    ran = cardroom(
        "set", "--ruleset", FLORIDA, "--role", "banker", stdin="As\nJk Jk2 As Ks Qs Js 2d\n2c 3d 4h 5s 7c 8d 9h"
    )
    assert ran.status == 1
    assert [line.get("error") for line in ran.lines] == [
        "must be 7 cards, not 1",
        "Jk2 is not among the cards in use",
        None,
    ]


def test_bonus_gives_line_and_odds() -> None:
    facts: dict[str, tuple[str | None, int]] = {
        "As Ks Qs Js Ts 9s 8s": ("seven_card_straight_flush", 5000),
        "Ah Kh Qh Jk Th Kd Qd": ("royal_match", 2000),
        "Ah Kh Qh Jk Th Kd Qs": ("royal_flush", 150),
        "Jk 9c 8c 7c 6c 5c 4c": ("seven_card_straight_flush_joker", 1000),
        "As Ah Ad Ac Jk 2c 3d": ("five_aces", 400),
        "9s 9h 9d 8c 7d 6h 5s": ("three_of_a_kind", 3),
        "5s 5h 3c 3d Qh 9s 2c": (None, -1),
    }
    ran = cardroom("bonus", "--bet", "fortune", stdin="\n".join(facts))
    assert ran.status == 0
    assert {line["cards"]: (line["line"], line["pays"]) for line in ran.lines} == facts


def test_bonus_refuses_a_line_without_seven_cards() -> None:
    ran = cardroom("bonus", "--bet", "fortune", stdin="As Ks")
    assert (ran.status, ran.lines) == (1, [{"cards": "As Ks", "error": "must be 7 cards, not 2"}])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("set", "--ruleset", "no/such"), "no rule set 'no/such': must be one of "),
        (("set", "--ruleset", FLORIDA, "--house-way", "x"), "no house way 'x': there are "),
        (("set",), "Missing option '--ruleset'"),
        (("bonus", "--bet", "envy-of-none"), f"{FLORIDA} has no side bet 'envy-of-none': it has fortune"),
        (("rank", "--wheel", "third"), "'third' is not one of 'second', 'lowest'"),
        (("nonsense",), "No such command 'nonsense'"),
    ],
)
def test_a_wrong_call_exits_with_2(arguments: tuple[str, ...], message: str) -> None:
    ran = cardroom(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    ran = cardroom("--help")
    assert ran.status == 0
    named = {line.split()[0] for line in ran.out.partition("Commands:")[2].splitlines() if line.strip()}
    assert named == {
        "serve", "demo", "rank", "set", "bonus", "settle", "export", "verify", "rulesets", "operators",
        "odds", "simulate", "audit", "checkpoint",
    }  # fmt: skip
    heavy = ["aws_lambda_powertools", "boto3", "cryptography", "pydantic", "urllib3", "waitress", "werkzeug", "yaml"]
    script = f"import sys, cardroom_desk.cli; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout == "[]\n"


@pytest.mark.parametrize(
    ("bet", "ruleset", "cards", "told"),
    [
        ("mania_three", "pai-gow-mania/standard", "Js 4c Ah 2c Ac 9c 5d", {"line": None, "pays": -1}),
        ("mania_three", "pai-gow-mania/standard", "Kh Qh Ah 2d 3h 9h 7c", {"line": "straight_flush", "pays": 40}),
        ("mania_three", "pai-gow-mania/standard", "Kh Qh Ah", {"line": "straight_flush", "pays": 40}),
        (
            "mania_three",
            "pai-gow-mania/standard",
            "Kh Qh",
            {"error": "a line of 2 cards; a hand for mania_three has 7, or the first 3 alone"},
        ),
        (
            "progressive",
            "fortune-pai-gow/progressive",
            "As Ks Qs Js Ts 9s 8s",
            {"line": "seven_card_straight_flush", "meter_bps": 10_000},
        ),
        (
            "progressive",
            "fortune-pai-gow/progressive",
            "As Ah Ad Ac Jk 2c 3d",
            {"line": "five_aces", "meter_bps": 1_000},
        ),
        ("progressive", "fortune-pai-gow/progressive", "2s 2h 2d 2c 5d 6c 9h", {"line": "four_of_a_kind", "pays": 75}),
    ],
)
def test_10_7_and_10_8_bonus_ranks_the_cards_of_the_bet_and_tells_a_meters_share(
    bet: str, ruleset: str, cards: str, told: dict[str, Any]
) -> None:
    ran = cardroom("bonus", "--bet", bet, "--ruleset", ruleset, stdin=cards)
    assert (ran.status, ran.err, ran.lines) == (int("error" in told), "", [{"cards": cards, **told}])


@pytest.mark.parametrize(
    ("ruleset", "cards", "told"),
    [
        (
            "california-baccarat/redding-1995",
            "5s 5s",  # of a shoe of eight decks
            {"box": "hit", "total": 0, "natural": False, "rule": "california-baccarat §5"},
        ),
        (
            "hi-hi-lo/redding-1995",
            "As Ks Qs Js Ts 9s",
            {"one": "Ks", "two": "As Qs", "low": "9s Ts Js", "rule": "hi-hi-lo §11"},
        ),
    ],
)
def test_set_tells_what_its_game_does_with_a_hand(ruleset: str, cards: str, told: dict[str, Any]) -> None:
    ran = cardroom("set", "--ruleset", ruleset, stdin=cards)
    assert (ran.status, ran.err, ran.lines) == (0, "", [{"cards": cards, **told}])
