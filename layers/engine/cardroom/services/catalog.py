"""The list of games, and the published rule sets they come with."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, Final

from cardroom import canonical
from cardroom.documents import RulesetInvalid
from cardroom.game import Game
from cardroom.refusals import FieldFault, Refusal
from cardroom.rounds import Json, Ruleset

HOUSE_WAYS: Final = "house-ways"
GAMES: Final = ("california-baccarat", "hi-hi-lo", "pai-gow-poker", "poker-showdown", "push-nine")


class RulesetUnknown(Refusal):
    """No rule set of that id (and hash) is published here."""


class GameUnknown(Refusal):
    """A rule set names a game that is not in the catalogue."""


@cache
def game(name: str) -> Game:
    """A game of the list by its name; imported only where it is played."""
    found: Game = import_module(f"cardroom.games.{name.replace('-', '_')}").GAME
    return found


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
    played = game(name)
    whole = played.in_full(document)
    try:
        sha256 = canonical.sha256_hex(canonical.dumps(whole))
    except canonical.NotCanonical as error:  # an inline one can hold anything that JSON can
        raise RulesetInvalid(f"not a rule set: {error}", FieldFault("ruleset", str(error))) from error
    return Ruleset(
        id=ruleset_id,
        sha256=sha256,
        document=whole,
        game=played,
        rules=played.load(whole),
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


class PublishedHashes(Mapping[str, str]):
    """The hashes of the published rule sets by id; each is read when it is asked for."""

    def __getitem__(self, ruleset_id: str) -> str:
        try:
            return ruleset(ruleset_id).sha256
        except RulesetUnknown:
            raise KeyError(ruleset_id) from None

    def __iter__(self) -> Iterator[str]:
        return iter(ruleset_ids())

    def __len__(self) -> int:
        return len(ruleset_ids())
