"""Push nine (Asian poker): three cards each and one betting round for a pot, carried on while the best hands tie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardroom import player_banked
from cardroom.antes import HouseWayAbsent
from cardroom.cards import Card, deck
from cardroom.games.push_nine import deal as _deal
from cardroom.games.push_nine import settle as _settle
from cardroom.games.push_nine.rules import PushNineRules
from cardroom.shuffle import Luck
from cardroom.table import VOID_REASONS

Json = dict[str, Any]


class PushNine:
    """The game as a round calls it; requests and bodies are those of the records."""

    void_reasons: Sequence[str] = VOID_REASONS
    uses_shoe = False

    def load(self, document: Json) -> PushNineRules:
        """The rules that a rule set's document describes. Raises RulesetInvalid."""
        return PushNineRules.from_document(document)

    def check_open(self, rules: PushNineRules, opening: Json, table: Json) -> None:
        """Refuse a round that these rules don't allow at this table."""
        _deal.check_open(rules, opening, table)

    def deck(self, rules: PushNineRules, opening: Json) -> Sequence[Card]:
        """The 52 cards, in the order before the shuffle."""
        del rules, opening
        return deck(0)

    def deal(
        self,
        rules: PushNineRules,
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

    def after_deal(self, rules: PushNineRules, opening: Json, wagering: Json, body: Json, *, table: Json) -> Json:
        """Nothing: buy-ins and antes move at the settlement, so that a void leaves a carried pot as it was."""
        del rules, opening, wagering, body, table
        return {}

    def settle(
        self,
        rules: PushNineRules,
        opening: Json,
        wagering: Json,
        dealt_body: Json,
        request: Json,
        *,
        shoe: Sequence[Card] | None = None,
    ) -> Json:
        """The settled record's body; the request has `betting`, the actions in the order taken."""
        del shoe
        return _settle.settle(rules, opening, wagering, dealt_body, request)

    def after_settle(
        self, rules: PushNineRules, opening: Json, wagering: Json, body: Json, *, round_id: str, table: Json
    ) -> Json:
        """The button and the carried pot that a settled round leaves."""
        del rules, opening, wagering, table
        return _settle.after_settle(body, round_id=round_id)

    def returned(self, wagering: Json, dealt_body: Json) -> Json:
        """What a void after the deal gives back: antes, buy-ins and fees; a carried pot stays."""
        return player_banked.returned(wagering, dealt_body)

    def set_hands(self, rules: PushNineRules, hands: Sequence[Sequence[str]], role: str) -> list[Json]:
        """Nobody sets a hand of three cards. Raises HouseWayAbsent."""
        del hands, role
        raise HouseWayAbsent(f"{rules.ruleset_id} has no house way: nobody sets a hand")

    def draw(self, rules: PushNineRules, kind: str, seats: Sequence[int], luck: Luck) -> Json:
        """The draw for the first button."""
        return _deal.draw(rules, kind, seats, luck)


GAME = PushNine()
