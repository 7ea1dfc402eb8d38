"""The four published rule sets of pai gow poker, and documents that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom.banked.cover import Coverage
from cardroom.documents import RulesetInvalid
from cardroom.games.pai_gow_poker.game import GAME
from cardroom.games.pai_gow_poker.rules import BonusContest, Foul
from cardroom.hands import Wheel
from cardroom.seats import Direction
from cardroom.table import Outcome
from tests.rules.pai_gow_round import BI, CASINO, CC, FL, RULESETS, document, rules


@pytest.mark.parametrize("ruleset", RULESETS)
def test_each_rule_set_names_itself_its_source_and_its_sections(ruleset: str) -> None:
    on = rules(ruleset)
    assert on.ruleset_id == ruleset
    assert on.source
    assert {"deck", "deal", "hands", "coverage", "banker"} <= set(on.sections)


def test_each_decision_of_the_sheet_stands_in_the_rule_sets() -> None:
    by_field = {
        "coverage": (Coverage.ACTION, Coverage.ACTION, Coverage.NET, Coverage.FULL),  # §6.2
        "wheel": (Wheel.LOWEST, Wheel.LOWEST, Wheel.LOWEST, Wheel.SECOND),  # §2.3
        "foul": (Foul.LOSE, Foul.LOSE, Foul.LOSE, Foul.HOUSE_WAY),  # §3.2
        "settle_direction": (*[Direction.CLOCKWISE] * 3, Direction.COUNTER_CLOCKWISE),  # §6.1
        "circles": (3, 3, None, 3),  # §6.1
        "banker_turns": (2, 1, 1, None),  # §8.2
        "house_bank": (False, False, False, True),  # §8.0
        "earns": ({Outcome.NO_ACTION}, set(), set(), set()),  # §6.4
    }
    for name, values in by_field.items():
        for ruleset, value in zip((BI, FL, CC, CASINO), values, strict=True):
            on = rules(ruleset)
            assert getattr(on.bank if hasattr(on.bank, name) else on, name) == value, name
    assert [rules(ruleset).house_way.name for ruleset in (BI, FL, CC, CASINO)] == [
        *["florida-fortune"] * 3,
        "trump-plaza",
    ]  # §4.12


def test_10_2_the_fortune_bonus_and_its_caps() -> None:
    florida, casino = rules(FL).side_bets["fortune"], rules(CASINO).side_bets["fortune"]
    assert (florida.contest, casino.contest) == (BonusContest.MUST_BEAT, BonusContest.TABLE)
    assert (florida.cap_per_spot_minor, casino.cap_per_spot_minor) == (50_000_00, None)
    for bet in (florida, casino):
        assert [pays for _, pays in bet.pay_table.lines] == [5000, 2000, 1000, 400, 150, 50, 25, 5, 4, 3, 2]
        assert bet.highest_pays == 5000
    assert not rules(BI).side_bets
    assert not rules(CC).side_bets


MISSING = object()


@pytest.mark.parametrize(
    ("ruleset", "field", "value", "fault"),
    [
        (BI, "house_edge", 1, ("house_edge", "is unknown")),
        (BI, "coverage", MISSING, ("coverage", "is missing")),
        (BI, "coverage", "some", ("coverage", "must be one of action, net, one_sided, full")),
        (BI, "coverage", 1, ("coverage", "must be a text")),
        (BI, "seats", "7", ("seats", "must be an integer")),
        (BI, "seats", True, ("seats", "must be an integer")),
        (BI, "seats", 9, ("seats", "must be 2 to 8")),
        (BI, "house_bank", 0, ("house_bank", "must be true or false")),
        (BI, "game", "baccarat", ("game", "must be pai-gow-poker")),
        (BI, "jokers", {"default": 1, "minimum": 1}, ("jokers.maximum", "is missing")),
        (
            BI,
            "jokers",
            {"default": 0, "minimum": 1, "maximum": 1},
            ("jokers.default", "must lie from minimum to maximum, 1 to 1"),
        ),
        (BI, "action_draw", [], ("action_draw", "must be a list of 1 or more of dice, number, each once")),
        (BI, "fees_from", ["wager", "wager"], ("fees_from", "must be a list of 0 or more of wager, banker, each once")),
        (BI, "sections", {"deck": 1}, ("sections.deck", "must be a text")),
        (BI, "house_way", 4, ("house_way", "must be a house way, by name or in full")),
        (BI, "house_seat", 7, ("house_seat", "must be the place after the seats, 8, or 0 for none")),
        (BI, "house_bank", True, ("house_seat", "must be a place if the house may bank")),
        (BI, "seats", 8, ("seats", "must not need more cards (56) than there can be (53)")),
        (BI, "circles", 1, ("back_line_others_only", "must be false where there is one circle")),
        (BI, "commission", {"rate_bps": 500, "increment_minor": 0, "rounding": "up"}, ("commission.increment_minor",)),
        (FL, "side_bets", {"fortune": {"bonus_contest": "table"}}, ("side_bets.fortune.lines", "is missing")),
    ],
)
def test_a_document_with_a_faulty_field_is_refused(ruleset: str, field: str, value: Any, fault: tuple[str]) -> None:
    faulty = {**document(ruleset), field: value}
    if value is MISSING:
        del faulty[field]
    with pytest.raises(RulesetInvalid, match="not a pai gow poker rule set: ") as refused:
        GAME.load(faulty)
    assert fault in [found[: len(fault)] for found in refused.value.faults]


@pytest.mark.parametrize(
    ("lines", "field", "message"),
    [
        ([{"line": "straight", "pays": -1}], "lines", "the line straight pays -1; odds are a whole number"),
        ([{"line": "rainbow", "pays": 2}], "lines", "'rainbow' is not a line"),
        ([{"line": "straight"}], "lines[0]", "must have just the fields line and pays"),
        ([["straight", 2]], "lines[0]", "must have just the fields line and pays"),
        ([{"line": "straight", "pays": 2}] * 2, "lines", "the line straight comes more than once"),
    ],
)
def test_a_faulty_pay_table_is_refused(lines: list[Any], field: str, message: str) -> None:
    bets = {"fortune": {**document(FL)["side_bets"]["fortune"], "lines": lines}}
    with pytest.raises(RulesetInvalid) as refused:
        GAME.load(document(FL, side_bets=bets))
    fault = refused.value.faults[0]
    assert fault.field == f"side_bets.fortune.{field}"
    assert message in fault.message


def test_every_faulty_field_is_named() -> None:
    faulty = {**document(BI), "joker": "ace", "seats": 0, "extra": 1}
    with pytest.raises(RulesetInvalid) as refused:
        GAME.load(faulty)
    assert [fault.field for fault in refused.value.faults] == ["joker", "seats", "extra"]
