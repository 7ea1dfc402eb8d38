"""Pai gow poker (double-handed poker): seven cards set in a front of two and a back of five, against a banker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardroom import player_banked
from cardroom.cards import Card
from cardroom.games.pai_gow_poker import deal as _deal
from cardroom.games.pai_gow_poker import settle as _settle
from cardroom.games.pai_gow_poker.rules import PaiGowRules
from cardroom.shuffle import Luck
from cardroom.table import VOID_REASONS, FirstDrawNotOffered

Json = dict[str, Any]


class PaiGowPoker:
    """The game as a round calls it; requests and bodies are those of the records."""

    void_reasons: Sequence[str] = VOID_REASONS
    uses_shoe = False

    def load(self, document: Json) -> PaiGowRules:
        """The rules that a rule set's document describes. Raises RulesetInvalid, HouseWayInvalid."""
        return PaiGowRules.from_document(document)

    def check_open(self, rules: PaiGowRules, opening: Json, table: Json) -> None:
        """Refuse a round that these rules don't allow at this table."""
        _deal.check_open(rules, opening, table)

    def deck(self, rules: PaiGowRules, opening: Json) -> Sequence[Card]:
        """The cards in use, in the order before the shuffle."""
        return _deal.cards_in_use(rules, opening)

    def deal(
        self,
        rules: PaiGowRules,
        opening: Json,
        wagering: Json,
        table: Json,
        luck: Luck | None,
        *,
        shoe: Sequence[Card] | None = None,
    ) -> Json:
        """The dealt record's body; `luck` is None at a physical table."""
        del shoe  # never dealt from one
        return _deal.deal(rules, opening, wagering, table, luck)

    def after_deal(self, rules: PaiGowRules, opening: Json, wagering: Json, body: Json, *, table: Json) -> Json:
        """Nothing: free collections are spent by the settlement, so that a void brings them back."""
        del rules, opening, wagering, body, table
        return {}

    def settle(
        self,
        rules: PaiGowRules,
        opening: Json,
        wagering: Json,
        dealt_body: Json,
        request: Json,
        *,
        shoe: Sequence[Card] | None = None,
    ) -> Json:
        """The settled record's body."""
        del shoe
        return _settle.settle(rules, opening, wagering, dealt_body, request)

    def after_settle(
        self, rules: PaiGowRules, opening: Json, wagering: Json, body: Json, *, round_id: str, table: Json
    ) -> Json:
        """The banker's turns and the free collections that a settled round leaves."""
        del rules, wagering  # the body says all
        return player_banked.after_settle(opening, body, round_id=round_id, table=table)

    def returned(self, wagering: Json, dealt_body: Json) -> Json:
        """What a void after the deal gives back: `{returned, postings}`."""
        return player_banked.returned(wagering, dealt_body)

    def set_hands(self, rules: PaiGowRules, hands: Sequence[Sequence[str]], role: str) -> list[Json]:
        """Each hand set by the house way: `{front, back, front_category, back_category, rule}`."""
        del role  # the same for the banker and the players
        return _settle.set_hands(rules, hands)

    def draw(self, rules: PaiGowRules, kind: str, seats: Sequence[int], luck: Luck) -> Json:
        """No source draws for first banker: seat 1 begins (§8.2). Raises FirstDrawNotOffered."""
        del seats, luck
        raise FirstDrawNotOffered(f"{rules.ruleset_id} has no draw for {kind}: seat 1 begins")


GAME = PaiGowPoker()
