"""The list of currencies is the package's, what it lacks is refused by name, amounts have their decimal places."""

from __future__ import annotations

import tomllib
from importlib.metadata import version

import pytest
from iso_4217 import Currency

from cardroom.currencies import (
    CurrencyUnknown,
    CurrencyUnmeasured,
    CurrencyWithdrawn,
    amount_in,
    check_currency,
    money,
    places_of,
    unit_of,
)
from cardroom.refusals import Refusal
from tools import currencies

TOLD = tomllib.loads(currencies.FILE.read_text("utf-8"))


def test_the_file_is_that_of_the_locked_package() -> None:
    assert currencies.made() == currencies.FILE.read_text("utf-8")
    assert TOLD["package"] == f"iso-4217 {version('iso-4217')}"


def test_every_code_is_in_one_list() -> None:
    lists = [TOLD["current"], TOLD["withdrawn"], TOLD["unmeasured"]]
    assert sorted(code for codes in lists for code in codes) == sorted(Currency.__members__)


def test_a_code_that_is_withdrawn_later_keeps_its_places() -> None:
    before = {"current": {"BGN": 2, "USD": 2}, "withdrawn": {"TPE": {"date": "2002-11", "places": 0}}}
    found = currencies.document(before)
    assert found["withdrawn"]["BGN"] == {"date": "2026-01", "places": 2}
    assert found["withdrawn"]["TPE"]["places"] == 0
    assert found["withdrawn"]["HRK"] == {"date": "2023-01"}
    assert tomllib.loads(currencies.render(found)) == found


@pytest.mark.parametrize("code", TOLD["current"])
def test_what_is_current_may_be_named(code: str) -> None:
    check_currency(code)
    assert places_of(code) is not None


@pytest.mark.parametrize(
    ("code", "refusal", "told"),
    [
        ("ZZZ", CurrencyUnknown, "ZZZ is no code of it"),
        ("BGN", CurrencyWithdrawn, "BGN was withdrawn (2026-01)"),
        ("HRK", CurrencyWithdrawn, "HRK was withdrawn (2023-01)"),
        ("ANG", CurrencyWithdrawn, "ANG was withdrawn (2025-03)"),
        ("ARY", CurrencyWithdrawn, "ARY was withdrawn (1990)"),
        ("XAU", CurrencyUnmeasured, "XAU has no minor unit (Gold)"),
        ("XXX", CurrencyUnmeasured, "XXX has no minor unit"),
    ],
)
def test_what_may_not_be_named(code: str, refusal: type[Refusal], told: str) -> None:
    with pytest.raises(refusal) as refused:
        check_currency(code)
    assert "must be a current currency of ISO 4217" in refused.value.message
    assert told in refused.value.message
    assert [fault.field for fault in refused.value.faults] == ["currency"]


@pytest.mark.parametrize(
    ("code", "minor", "shown"),
    [
        ("USD", -1_453_100, "−14,531.00 USD"),
        ("USD", 5, "0.05 USD"),
        ("JPY", 1_453_100, "1,453,100 JPY"),
        ("KWD", 1_453_100, "1,453.100 KWD"),
        ("KWD", -5, "−0.005 KWD"),
        ("CLF", 12_345, "1.2345 CLF"),
        ("XTS", 100, "1.00 XTS"),
        ("USD", 2**53 - 1, "90,071,992,547,409.91 USD"),
        ("BGN", -1_453_100, "−1,453,100 minor units of BGN"),
        ("QQQ", 0, "0 minor units of QQQ"),
    ],
)
def test_an_amount_as_people_read_it(code: str, minor: int, shown: str) -> None:
    assert money(code, minor) == shown
    assert f"{amount_in(code, minor)} {unit_of(code)}" == shown


def test_a_gain_is_marked_where_asked_and_nothing_is_no_gain() -> None:
    assert [amount_in("USD", minor, plus=True) for minor in (100, 0, -100)] == ["+1.00", "0.00", "−1.00"]
