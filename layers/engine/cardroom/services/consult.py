"""Answers that store nothing: hands set by the house way, and the settlement of cards laid open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardroom.game import Ruleset, Told
from cardroom.rounds.steps import NEW_TABLE
from cardroom.services.catalogue import Catalogue
from cardroom.services.ports import Json


def set_hands(catalogue: Catalogue, *, ruleset_id: str, hands: Sequence[Sequence[str]], role: str) -> Json:
    """Set each hand by the rule set's house way, naming the rule used.

    Raises RulesetUnknown, or what the game refuses about the cards.
    """
    ruleset = catalogue.ruleset(ruleset_id)
    return {"ruleset": ruleset.reference, "settings": ruleset.game.set_hands(ruleset.rules, hands, role)}


def preview_settlement(
    catalogue: Catalogue, *, ruleset: str | Json, opening: Json, wagering: Json, settling: Json
) -> Json:
    """Deal and settle a round from explicit cards, by a published or an inline rule set.

    The requests are those of an open, a deal and a settlement, but for the table, the rule set and the source. The
    answer's `dealt` and `settled` are what the records of such a round at a physical table would say. Raises what
    opening, dealing and settling such a round would.
    """
    by = _ruleset(catalogue, ruleset)
    game, rules = by.game, by.rules
    table: Any = dict(NEW_TABLE)
    opened = {**opening, "table_id": "preview", "ruleset": by.id, "source": "table"}
    game.check_open(rules, opened, table)
    dealt = game.deal(rules, opened, wagering, table, Told())
    settled = game.settle(rules, opened, wagering, dealt, settling, Told())
    return {"ruleset": by.reference, "dealt": dealt, "settled": settled}


def _ruleset(catalogue: Catalogue, named: str | Json) -> Ruleset:
    if isinstance(named, str):
        return catalogue.ruleset(named)
    return catalogue.ruleset_from(named, ruleset_id="inline")
