"""Answers that store nothing: hands set by the house way, and the settlement of cards laid open."""

from __future__ import annotations

from collections.abc import Sequence

from cardroom.game import Ruleset, Told
from cardroom.rounds.steps import NEW_TABLE
from cardroom.services.catalogue import Catalogue
from cardroom.services.ports import Json

_OPENING = ("currency", "seats", "banker", "button", "ante", "jokers", "limits", "fees")
_WAGERING = ("wagers", "banker_wager", "meters", "stacks", "dice", "number", "hands", "community")
_SETTLING = (
    "sets",
    "dragon",
    "betting",
    "drawn_cards",
    "misplayed",
    "contributions",
    "folded",
    "dead_hands",
    "dead_order",
)


def set_hands(catalogue: Catalogue, *, ruleset_id: str, hands: Sequence[Sequence[str]], role: str) -> Json:
    """Set each hand by the rule set's house way, naming the rule used.

    Raises RulesetUnknown, or what the game refuses about the cards.
    """
    ruleset = catalogue.ruleset(ruleset_id)
    return {"ruleset": ruleset.reference, "settings": ruleset.game.set_hands(ruleset.rules, hands, role)}


def preview_settlement(catalogue: Catalogue, request: Json) -> Json:
    """Deal and settle a round from explicit cards, by a published or an inline rule set.

    The answer's `dealt` and `settled` are what the records of such a round at a physical table would say. Raises
    what opening, dealing and settling such a round would.
    """
    ruleset = _ruleset(catalogue, request["ruleset"])
    table = dict(NEW_TABLE)
    opening = {"table_id": "preview", "ruleset": ruleset.id, "source": "table", **_pick(request, _OPENING)}
    wagering = _pick(request, _WAGERING)
    ruleset.game.check_open(ruleset.rules, opening, table)
    dealt = ruleset.game.deal(ruleset.rules, opening, wagering, table, Told())
    settled = ruleset.game.settle(ruleset.rules, opening, wagering, dealt, _pick(request, _SETTLING), Told())
    return {"ruleset": ruleset.reference, "dealt": dealt, "settled": settled}


def _ruleset(catalogue: Catalogue, named: str | Json) -> Ruleset:
    if isinstance(named, str):
        return catalogue.ruleset(named)
    return catalogue.ruleset_from(named, ruleset_id="inline")


def _pick(request: Json, keys: Sequence[str]) -> Json:
    return {key: request[key] for key in keys if key in request}
