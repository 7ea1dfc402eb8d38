"""Currencies by ISO 4217: which one a call may name, and amounts as people read them."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from cardroom.refusals import Refusal, refuse_at

_MINUS: Final = "\N{MINUS SIGN}"


class CurrencyUnknown(Refusal):
    """A round in a currency that ISO 4217 does not have."""


class CurrencyWithdrawn(Refusal):
    """A round in a currency that ISO 4217 has withdrawn."""


class CurrencyUnmeasured(Refusal):
    """A round in what ISO 4217 has a code for and no minor unit: a metal, a basket, no currency at all."""


class _Codes(NamedTuple):
    """What `currencies.toml` says: decimal places, dates of withdrawal, what has no minor unit; each by its code."""

    source: str
    current: dict[str, int]
    withdrawn: dict[str, dict[str, Any]]
    unmeasured: dict[str, str]


@cache
def _codes() -> _Codes:
    told = tomllib.loads((files("cardroom") / "currencies.toml").read_text("utf-8"))
    return _Codes(told["package"], told["current"], told["withdrawn"], told["unmeasured"])


def check_currency(code: str) -> None:
    """Refuse a code that no round may be opened in; `XTS` is ISO's own for tests.

    Raises CurrencyUnknown, CurrencyWithdrawn, CurrencyUnmeasured.
    """
    codes = _codes()
    if code in codes.current:
        return
    right = "must be a current currency of ISO 4217, as USD is; XTS is for rehearsal"
    if code in codes.withdrawn:
        refuse_at(CurrencyWithdrawn, "currency", f"{right}; {code} was withdrawn ({codes.withdrawn[code]['date']})")
    if code in codes.unmeasured:
        refuse_at(CurrencyUnmeasured, "currency", f"{right}; {code} has no minor unit ({codes.unmeasured[code]})")
    refuse_at(CurrencyUnknown, "currency", f"{right}; {code} is no code of it ({codes.source})")


def places_of(code: str) -> int | None:
    """How many decimal places a currency's amounts have; None where nobody can say.

    >>> places_of("JPY"), places_of("USD"), places_of("KWD"), places_of("QQQ")
    (0, 2, 3, None)
    """
    codes = _codes()
    places: int | None = codes.current.get(code, codes.withdrawn.get(code, {}).get("places"))
    return places


def unit_of(code: str) -> str:
    """What amounts of a currency are told in: itself, or its minor units where its decimal places are not known.

    >>> unit_of("JPY"), unit_of("QQQ")
    ('JPY', 'minor units of QQQ')
    """
    return code if places_of(code) is not None else f"minor units of {code}"


def amount_in(code: str, minor: int, *, plus: bool = False) -> str:
    """An amount of minor units as people write it, in the unit of `unit_of`; `plus` marks a gain.

    >>> amount_in("USD", -1_453_100), amount_in("JPY", 1_453_100, plus=True), amount_in("KWD", 5), amount_in("QQQ", 5)
    ('−14,531.00', '+1,453,100', '0.005', '5')
    """
    sign = _MINUS if minor < 0 else "+" if plus and minor else ""
    places = places_of(code) or 0
    whole, rest = divmod(abs(minor), 10**places)
    return f"{sign}{whole:,}" + (f".{rest:0{places}}" if places else "")


def money(code: str, minor: int, *, plus: bool = False) -> str:
    """An amount of minor units with its unit.

    >>> money("USD", -1_453_100), money("QQQ", 1_453_100)
    ('−14,531.00 USD', '1,453,100 minor units of QQQ')
    """
    return f"{amount_in(code, minor, plus=plus)} {unit_of(code)}"
