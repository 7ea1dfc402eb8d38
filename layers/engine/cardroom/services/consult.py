"""Answers that store nothing: hands set by the house way, and the settlement of cards laid open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from cardroom.documents import Document
from cardroom.game import Ruleset, Told
from cardroom.rounds.steps import NEW_TABLE
from cardroom.services.catalogue import Catalogue
from cardroom.shapes.parts import GameJson, RulesetReference


class HandsSet(TypedDict):
    """By which rule set hands are set, and how each one is."""

    ruleset: RulesetReference
    settings: list[GameJson]


class Preview(TypedDict):
    """By which rule set, and what the records of the deal and of the settlement would say."""

    ruleset: RulesetReference
    dealt: GameJson
    settled: GameJson


def set_hands(catalogue: Catalogue, *, ruleset_id: str, hands: Sequence[Sequence[str]], role: str) -> HandsSet:
    """Set each hand by the rule set's house way, naming the rule used.

    Raises RulesetUnknown, or what the game refuses about the cards.
    """
    ruleset = catalogue.ruleset(ruleset_id)
    return {"ruleset": ruleset.reference, "settings": ruleset.game.set_hands(ruleset.rules, hands, role)}


def preview_settlement(
    catalogue: Catalogue, *, ruleset: str | Document, opening: GameJson, wagering: GameJson, settling: GameJson
) -> Preview:
    """Deal and settle a round from explicit cards, by a published or an inline rule set.

    The requests are those of an open, a deal and a settlement, but for the table, the rule set and the source. The
    answer's `dealt` and `settled` are what the records of such a round at a physical table would say. Raises what
    opening, dealing and settling such a round would.
    """
    by = _ruleset(catalogue, ruleset)
    game, rules, table = by.game, by.rules, NEW_TABLE.copy()
    opened = {**opening, "table_id": "preview", "ruleset": by.id, "source": "table"}
    game.check_open(rules, opened, table)
    dealt = game.deal(rules, opened, wagering, table, Told())
    settled = game.settle(rules, opened, wagering, dealt, settling, Told())
    return {"ruleset": by.reference, "dealt": dealt, "settled": settled}


def _ruleset(catalogue: Catalogue, named: str | Document) -> Ruleset:
    if isinstance(named, str):
        return catalogue.ruleset(named)
    return catalogue.ruleset_from(named, ruleset_id="inline")
