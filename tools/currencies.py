"""Writes layers/engine/cardroom/currencies.toml: the codes of ISO 4217, from the package `iso-4217` as it is locked.

Run `python -m tools.currencies` after `make lock UPGRADE=--upgrade` took a newer version; a test compares. What ISO
withdraws stays in the file with its date, and with the decimal places that the file knew until then, which ISO's list
of withdrawn codes does not tell.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from iso_4217 import Currency

import cardroom

PACKAGE: Final = "iso-4217"
FILE: Final = Path(cardroom.__file__).parent / "currencies.toml"
REHEARSAL: Final = {"XTS": 2}  # ISO gives the code for tests no minor unit; two places are our own decision

_HEAD: Final = f"""\
# The codes of ISO 4217, with the decimal places of their minor unit. Made by `python -m tools.currencies` from the
# package `{PACKAGE}`, which holds the lists one and three of ISO's maintenance agency; changes made here are lost.
"""


def document(before: Mapping[str, Any]) -> dict[str, Any]:
    """What the file should hold; `before` is what it holds."""
    known = {code: told["places"] for code, told in before.get("withdrawn", {}).items() if "places" in told}
    known |= before.get("current", {})
    found: dict[str, Any] = {
        "package": f"{PACKAGE} {version(PACKAGE)}",
        "current": {},
        "withdrawn": {},
        "unmeasured": {},
    }
    for code, currency in sorted(Currency.__members__.items()):
        places = REHEARSAL.get(code, currency.subunit_exp)
        if not currency.entities:
            # Read as "1989 to 1990" the package has the ends of a span the wrong way round.
            last = max(day for one in currency.withdrew_entities for day in one.time if day is not None)
            found["withdrawn"][code] = {"date": str(last)} | ({"places": known[code]} if code in known else {})
        elif places is None:
            found["unmeasured"][code] = currency.value
        else:
            found["current"][code] = places
    return found


def render(found: Mapping[str, Any]) -> str:
    """The file's text."""
    withdrawn = (
        f'{code} = {{ date = "{told["date"]}"' + (f", places = {told['places']}" if "places" in told else "") + " }"
        for code, told in found["withdrawn"].items()
    )
    parts = [
        _HEAD + f'package = "{found["package"]}"',
        "[current] # decimal places of the minor unit",
        *(f"{code} = {places}" for code, places in found["current"].items()),
        "\n[withdrawn] # until when, and the decimal places where they are known",
        *withdrawn,
        "\n[unmeasured] # codes without a minor unit: metals, baskets, none at all",
        *(f'{code} = "{name}"' for code, name in found["unmeasured"].items()),
    ]
    return parts[0] + "\n\n" + "\n".join(parts[1:]) + "\n"


def made() -> str:
    """The file as it should be, by what it is."""
    return render(document(tomllib.loads(FILE.read_text("utf-8")) if FILE.exists() else {}))


if __name__ == "__main__":
    FILE.write_text(made(), "utf-8")
