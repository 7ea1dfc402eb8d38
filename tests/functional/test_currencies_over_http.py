"""Rounds in several currencies over HTTP: shown by their decimal places, and refused by name where they cannot be."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cardroom.documents import fixed_sums
from cardroom.services.catalogue import published
from tests.functional.caller import Caller, opening, wager
from tests.functional.command import FLORIDA, cardroom
from tests.functional.test_coverage_over_http import FIRST, preview
from tests.functional.test_terminal import on_a_terminal

Json = dict[str, Any]

PROGRESSIVE = "fortune-pai-gow/progressive"
PUSH_NINE = "push-nine/redding-1995"
BANK, CAP = "banker_minimum_minor", "side_bets.fortune.cap_per_spot_minor"
SUMS = {BANK: 4_500_000, CAP: 7_000_000}
# What the same numbers of minor units look like: the report's totals, and the demo's least bank of the rule set.
SHOWN = {
    "USD": ("90.00", "30,000.00"),
    "JPY": ("9,000", "3,000,000"),
    "KWD": ("9.000", "3,000.000"),
}


def play(caller: Caller, currency: str, table_id: str, *, void: bool = False) -> None:
    """A round at a physical table in which bob and cyd lose 40.00 and 50.00, or would have."""
    round_id = f"r-{table_id}"
    seats = [{"seat": seat, "bettor": name} for seat, name in ((1, "ann"), (2, "bob"), (3, "cyd"))]
    named = {"round_id": round_id, "table_id": table_id, "currency": currency, "seats": seats}
    assert caller.open(**named, source="table", fees=None).status == 201
    hands = {1: "Ac Ad As Kc Kd 9h 2c", 2: "7h 5d 3s 2d 9c Th Js", 3: "7s 6d 4s 3d 8c Td Qs"}
    told = [{"seat": seat, "cards": cards.split()} for seat, cards in hands.items()]
    wagers = [wager("bob", 2, 4_000), wager("cyd", 3, 5_000)]
    dealing = {"wagers": wagers, "banker_wager": 10_000, "dice": [1, 1, 1], "hands": told}
    assert caller.post(f"/v1/rounds/{round_id}/deal", dealing).status == 200
    if void:
        assert caller.void(round_id, table_id=table_id).status == 200
    else:
        assert caller.settle(round_id).status == 200


@pytest.mark.parametrize("currency", SHOWN)
def test_the_demo_shows_amounts_by_the_places_of_the_currency(currency: str) -> None:
    ran = cardroom("demo", "--currency", currency)
    assert (ran.status, ran.err) == (0, "")
    assert f"Wagers, in {currency}:" in ran.out
    whole, *places = SHOWN[currency][1].split(".")
    form = r"\d{1,3}(,\d{3})*" + (rf"\.\d{{{len(places[0])}}}" if places else "")
    banker = re.search(rf"The banker wagers ({form})\.\n", ran.out)
    assert banker is not None and len(banker[1]) >= len(whole)
    assert f"of the banker's {banker[1]} used" in ran.out
    assert ("Its own sums, in " in ran.out) == (currency != "USD")
    nothing = {"USD": "0.00", "JPY": "0", "KWD": "0.000"}[currency]
    assert f"All accounts together: {nothing}." in ran.out
    assert ran.out.endswith("4 records of 1 table: all hold.\nverified\n")


def test_every_rule_set_is_demonstrated_in_a_currency_of_three_places() -> None:
    for ruleset_id in published().ruleset_ids():
        ran = cardroom("demo", "--currency", "KWD", "--ruleset", ruleset_id)
        assert (ran.status, ran.err) == (0, ""), ruleset_id
        assert re.search(r"(Wagers, in|Amounts are in) KWD", ran.out), ruleset_id


def audited(data: Path, tmp_path: Path) -> tuple[str, str]:
    """The report as a page, and what the command says."""
    export, html = tmp_path / "export.jsonl", tmp_path / "report.html"
    export.write_text(cardroom("export", "--operator", "house-of-cards", "--data", data).out)
    ran = cardroom("audit", export, "--root", data / "root.pem", "--html", html)
    assert ran.status == 0, ran.err
    return html.read_text("utf-8"), ran.err


def test_the_report_shows_amounts_by_the_places_of_the_currency(caller: Caller, data: Path, tmp_path: Path) -> None:
    for currency in SHOWN:
        play(caller, currency, f"t-{currency}")
        play(caller, currency, f"v-{currency}", void=True)
    page, _ = audited(data, tmp_path)
    for currency, (staked, _) in SHOWN.items():
        assert f"<td>{currency}</td>" in page
        assert f"+{staked} {currency}" in page  # what the void avoided, a win of the banker's
        assert f">{staked}</td>" in page
    assert "minor units" not in page
    status, shown = on_a_terminal("audit", tmp_path / "export.jsonl", "--root", data / "root.pem")
    assert status == 0
    for currency, (staked, _) in SHOWN.items():
        assert re.search(rf"pai-gow-poker/bicycle +{currency} +2 +1 +1 +{re.escape(staked)} ", shown), shown


def test_an_unknown_a_withdrawn_and_an_unmeasured_currency_are_refused_by_name(caller: Caller) -> None:
    for ruleset in ({}, {"ruleset": FLORIDA, "limits": None, "fees": None}):  # before sums in it are missed
        for currency, code in (
            ("ZZZ", "currency-unknown"),
            ("BGN", "currency-withdrawn"),
            ("XAU", "currency-unmeasured"),
        ):
            refused = caller.open(currency=currency, **ruleset)
            assert refused.refusal() == (422, code)
            assert refused.fields() == ["currency"]
            assert f"; {currency} " in refused.json["detail"]
    assert caller.open(currency="XTS").status == 201  # and nothing was written before


def test_a_retry_is_answered_whatever_the_list_says_by_now(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    first = caller.open(currency="SEK")
    from cardroom import currencies

    codes = currencies._codes()
    gone = codes._replace(
        current={code: n for code, n in codes.current.items() if code != "SEK"},
        withdrawn={**codes.withdrawn, "SEK": {"date": "2030-01"}},
    )
    monkeypatch.setattr(currencies, "_codes", lambda: gone)
    assert caller.open(currency="SEK").record == first.record
    assert caller.deal().status == 200
    assert caller.settle().status == 200
    assert caller.open(currency="SEK", round_id="r2").refusal() == (422, "currency-withdrawn")


def florida(**changes: Any) -> Json:
    return opening(ruleset=FLORIDA, limits=None, fees=None, **changes)


def test_8_1_fixed_sums_in_a_foreign_currency_are_posted_or_refused_by_name(caller: Caller) -> None:
    refused = caller.post("/v1/rounds", florida(currency="JPY"))
    assert (refused.refusal(), refused.fields()) == ((422, "sum-missing"), [f"sums.{BANK}", f"sums.{CAP}"])
    assert "fixes it in USD, and a round in JPY posts its own" in refused.json["detail"]
    refused = caller.post("/v1/rounds", florida(currency="JPY", sums={BANK: 4_500_000}))
    assert (refused.refusal(), refused.fields()) == ((422, "sum-missing"), [f"sums.{CAP}"])
    refused = caller.post("/v1/rounds", florida(currency="JPY", sums={**SUMS, "stake_minor": 5}))
    assert (refused.refusal(), refused.fields()) == ((422, "field-not-used"), ["sums.stake_minor"])
    assert f"posts {BANK}, {CAP}" in refused.json["detail"]
    for wrong in ({**SUMS, CAP: 0}, {**SUMS, CAP: -5}, {}, [CAP]):
        assert caller.post("/v1/rounds", florida(currency="JPY", sums=wrong)).refusal() == (422, "request-invalid")
    for ruleset in ({"ruleset": FLORIDA, "limits": None, "fees": None}, {}):  # what a rule set says of its own stays
        refused = caller.open(**ruleset, sums=SUMS)
        assert refused.refusal() == (422, "field-not-used")


def test_8_1_posted_sums_are_the_rules_of_the_round(caller: Caller, data: Path, tmp_path: Path) -> None:
    opened = caller.post("/v1/rounds", florida(currency="JPY", sums=SUMS))
    assert opened.payload["request"]["sums"] == SUMS
    wagers = [wager("bob", 2), wager("cyd", 3)]
    refused = caller.deal(wagers=wagers, banker_wager=3_000_000, cut=None)  # enough in dollars
    assert refused.refusal() == (422, "banker-wager-below-minimum")
    assert "4500000" in refused.json["detail"]
    assert caller.deal(wagers=wagers, banker_wager=4_500_000, cut=None).status == 200
    assert caller.settle().status == 200
    _, told = audited(data, tmp_path)
    assert "3 records of 1 table: all hold." in told


def test_10_5_and_10_8_envy_and_the_progressive_stake_are_posted_too(caller: Caller) -> None:
    own = {name: 10 * amount for name, amount in fixed_sums(published().ruleset(PROGRESSIVE).document).items()}
    named = {"ruleset": PROGRESSIVE, "limits": None, "fees": None, "currency": "KWD", "banker": "house"}
    named["seats"] = [{"seat": 2, "bettor": "bob"}, {"seat": 3, "bettor": "cyd"}]
    assert len(own) == 10
    assert caller.open(**named).refusal() == (422, "sum-missing")
    assert caller.open(**named, sums=own).status == 201
    meters = {"progressive": 1_000_000}
    bets = [wager("bob", 2), {**wager("bob", 2, 100), "wager_id": "w-b2", "kind": "progressive"}]
    refused = caller.deal(wagers=bets, banker_wager=None, meters=meters, cut=None)
    assert refused.fields() == ["wagers[w-b2].amount"]
    bets[1]["amount"] = 1_000
    assert caller.deal(wagers=bets, banker_wager=None, meters=meters, cut=None).status == 200


def inline(**changes: Any) -> Json:
    """The Bicycle's rules with a bank of 50.00, over HTTP as JSON."""
    document = {**published().ruleset("pai-gow-poker/bicycle").document, "banker_minimum_minor": 5_000, **changes}
    return preview(document, *FIRST)


def test_an_inline_rule_set_names_the_currency_of_its_sums(caller: Caller) -> None:
    def asked(body: Json, **more: Any) -> Any:
        return caller.post("/v1/settlements/preview", body | more)

    refused = asked(inline())
    assert (refused.refusal(), refused.fields()) == ((422, "ruleset-invalid"), ["currency"])
    assert "banker_minimum_minor" in refused.json["detail"]
    assert asked(inline(currency="usd")).refusal() == (422, "ruleset-invalid")
    assert asked(inline(currency="USD", banker_minimum_minor=0)).refusal() == (422, "ruleset-invalid")
    assert asked(inline(currency="USD")).status == 200
    assert asked(inline(currency="EUR")).refusal() == (422, "sum-missing")  # a preview is in USD if it says nothing
    assert asked(inline(currency="USD"), currency="EUR").refusal() == (422, "sum-missing")
    own = {BANK: 10_001}
    assert asked(inline(currency="USD"), currency="EUR", sums=own).refusal() == (422, "banker-wager-below-minimum")
    own[BANK] = 10_000
    assert asked(inline(currency="USD"), currency="EUR", sums=own).status == 200
    assert asked(inline(currency="USD"), currency="HRK").refusal() == (422, "currency-withdrawn")
