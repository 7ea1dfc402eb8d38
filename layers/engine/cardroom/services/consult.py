"""Answers that store nothing: hands set by the house way, and the settlement of cards laid open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, TypedDict

from cardroom.currencies import check_currency
from cardroom.documents import Document
from cardroom.game import Ruleset, Told
from cardroom.rounds.steps import NEW_TABLE
from cardroom.services.catalogue import Catalogue
from cardroom.shapes.parts import GameJson, RulesetReference

NOT_PREVIEWED: Final = frozenset(
    {"table_id", "source", "shoe_id", "draw_id", "continues", "absent", "client_seed", "cut",
     "pile", "deck", "drawn_by_hand", "offers", "shown", "correction_hands"}
)  # fmt: skip
"""What speaks of the table before the round, or of a shuffle of ours: a preview has neither."""


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


def preview_settlement(catalogue: Catalogue, request: GameJson) -> Preview:
    """Deal and settle a round from explicit cards, by a published or an inline rule set.

    The answer's `dealt` and `settled` are what the records of such a round at a physical table would say. Raises
    what opening, dealing and settling such a round would.
    """
    check_currency(request["currency"])
    ruleset = _ruleset(catalogue, request["ruleset"])
    table = NEW_TABLE.copy()
    asked, fixed = catalogue.asked, {"table_id": "preview", "ruleset": ruleset.id, "source": "table"}
    opening = {**_pick(request, asked.opening.members), **fixed}
    wagering, settling = (
        _pick(request, asked.wagering.members),
        _pick(request, asked.settling.members.keys() - {"hands"}),
    )
    rules = ruleset.rules_for(opening)
    ruleset.game.check_open(rules, opening, table)
    dealt = ruleset.game.deal(rules, opening, wagering, table, Told())
    settled = ruleset.game.settle(rules, opening, wagering, dealt, settling, Told())
    return {"ruleset": ruleset.reference, "dealt": dealt, "settled": settled}


def _ruleset(catalogue: Catalogue, named: str | Document) -> Ruleset:
    if isinstance(named, str):
        return catalogue.ruleset(named)
    return catalogue.ruleset_from(named, ruleset_id="inline")


def _pick(request: GameJson, keys: Collection[str]) -> GameJson:
    return {key: request[key] for key in keys if key in request}
