"""A poker showdown: the best hands share the pot; and the deal of a seven-card stud round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardroom import player_banked
from cardroom.antes import HouseWayAbsent
from cardroom.cards import Card
from cardroom.games.poker_showdown import deal as _deal
from cardroom.games.poker_showdown import settle as _settle
from cardroom.games.poker_showdown.rules import ShowdownRules
from cardroom.shuffle import Luck
from cardroom.table import VOID_REASONS, FirstDrawNotOffered

Json = dict[str, Any]


class PokerShowdown:
    """The game as a round calls it; requests and bodies are those of the records."""

    void_reasons: Sequence[str] = VOID_REASONS
    uses_shoe = False

    def load(self, document: Json) -> ShowdownRules:
        """The rules that a rule set's document describes. Raises RulesetInvalid."""
        return ShowdownRules.from_document(document)

    def check_open(self, rules: ShowdownRules, opening: Json, table: Json) -> None:
        """Refuse a round that these rules don't allow at this table."""
        del table  # nothing of the rounds before matters
        _deal.check_open(rules, opening)

    def deck(self, rules: ShowdownRules, opening: Json) -> Sequence[Card]:
        """The cards in use, in the order before the shuffle."""
        return _deal.cards_in_use(rules, opening)

    def deal(
        self,
        rules: ShowdownRules,
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

    def after_deal(self, rules: ShowdownRules, opening: Json, wagering: Json, body: Json, *, table: Json) -> Json:
        """The deck in use; a void does not undo that it was dealt from."""
        del rules, opening, body
        return _deal.after_deal(wagering, table)

    def settle(
        self,
        rules: ShowdownRules,
        opening: Json,
        wagering: Json,
        dealt_body: Json,
        request: Json,
        *,
        shoe: Sequence[Card] | None = None,
    ) -> Json:
        """The settled record's body; the request has `contributions`, and may have `folded` and `dead_hands`."""
        del shoe
        return _settle.settle(rules, opening, wagering, dealt_body, request)

    def after_settle(
        self, rules: ShowdownRules, opening: Json, wagering: Json, body: Json, *, round_id: str, table: Json
    ) -> Json:
        """Nothing: a pot is shared to its last unit."""
        del rules, opening, wagering, body, round_id, table
        return {}

    def returned(self, wagering: Json, dealt_body: Json) -> Json:
        """What a void after the deal gives back: the antes."""
        return player_banked.returned(wagering, dealt_body)

    def set_hands(self, rules: ShowdownRules, hands: Sequence[Sequence[str]], role: str) -> list[Json]:
        """Nobody sets a poker hand. Raises HouseWayAbsent."""
        del hands, role
        raise HouseWayAbsent(f"{rules.ruleset_id} has no house way: the best five cards play")

    def draw(self, rules: ShowdownRules, kind: str, seats: Sequence[int], luck: Luck) -> Json:
        """The rules draw for nothing. Raises FirstDrawNotOffered."""
        del seats, luck
        raise FirstDrawNotOffered(f"{rules.ruleset_id} has no draw for {kind}")


GAME = PokerShowdown()
