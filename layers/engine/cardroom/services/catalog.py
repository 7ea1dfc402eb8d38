"""The list of games, and the published rule sets they come with."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from cardroom import canonical
from cardroom.documents import RulesetInvalid
from cardroom.games.california_baccarat import GAME as CALIFORNIA_BACCARAT
from cardroom.games.hi_hi_lo import GAME as HI_HI_LO
from cardroom.games.pai_gow_poker import GAME as PAI_GOW_POKER
from cardroom.games.pai_gow_poker.house_way import house_way_document, house_way_names
from cardroom.games.poker_showdown import GAME as POKER_SHOWDOWN
from cardroom.games.push_nine import GAME as PUSH_NINE
from cardroom.refusals import FieldFault, Refusal
from cardroom.rounds import Game, Json, Ruleset

HOUSE_WAYS: Final = "house-ways"
GAMES: Final[Mapping[str, Game]] = {
    "california-baccarat": CALIFORNIA_BACCARAT,
    "hi-hi-lo": HI_HI_LO,
    "pai-gow-poker": PAI_GOW_POKER,
    "poker-showdown": POKER_SHOWDOWN,
    "push-nine": PUSH_NINE,
}


class RulesetUnknown(Refusal):
    """No rule set of that id (and hash) is published here."""


class GameUnknown(Refusal):
    """A rule set names a game that is not in the catalogue."""


@cache
def ruleset_ids() -> tuple[str, ...]:
    """The ids of all published rule sets, `family/version`, in order."""
    folder = files("cardroom") / "rulesets"
    return tuple(
        sorted(
            f"{family.name}/{version.name.removesuffix('.toml')}"
            for family in folder.iterdir()
            if family.is_dir() and family.name != HOUSE_WAYS
            for version in family.iterdir()
            if version.name.endswith(".toml")
        )
    )


@cache
def ruleset(ruleset_id: str) -> Ruleset:
    """A published rule set.

    Raises RulesetUnknown, naming the published ones.
    """
    if ruleset_id not in ruleset_ids():
        known = f"must be one of {', '.join(ruleset_ids())}"
        raise RulesetUnknown(f"no rule set {ruleset_id!r}: {known}", FieldFault("ruleset", known))
    family, version = ruleset_id.split("/")
    text = (files("cardroom") / "rulesets" / family / f"{version}.toml").read_text("utf-8")
    return ruleset_from(tomllib.loads(text), ruleset_id=ruleset_id)


def ruleset_from(document: Json, *, ruleset_id: str) -> Ruleset:
    """The rule set that a document describes; its house way may be given by name or in full.

    Raises GameUnknown, RulesetInvalid, or what the game refuses about its fields.
    """
    name = document.get("game")
    if not isinstance(name, str) or name not in GAMES:
        known = f"must be one of {', '.join(GAMES)}"
        raise GameUnknown(f"a rule set for game {name!r}: {known}", FieldFault("ruleset.game", known))
    whole = _in_full(document)
    try:
        sha256 = canonical.sha256_hex(canonical.dumps(whole))
    except canonical.NotCanonical as error:  # an inline one can hold anything that JSON can
        raise RulesetInvalid(f"not a rule set: {error}", FieldFault("ruleset", str(error))) from error
    return Ruleset(
        id=ruleset_id,
        sha256=sha256,
        document=whole,
        game=GAMES[name],
        rules=GAMES[name].load(whole),
    )


def pinned(reference: Mapping[str, Any]) -> Ruleset:
    """The rule set that a record names, exactly as it was then.

    Raises RulesetUnknown if it is not published here or has another hash.
    """
    found = ruleset(reference["id"])
    if found.sha256 != reference["sha256"]:
        raise RulesetUnknown(
            f"rule set {found.id} has the hash {found.sha256} here, the record was made with {reference['sha256']}"
        )
    return found


def _in_full(document: Json) -> Json:
    """The document with a house way that it names written out, so that its hash covers it."""
    named = document.get("house_way")
    return {**document, "house_way": house_way_document(named)} if named in house_way_names() else document
