"""Hi-hi-lo: six cards make one card high, two cards high and three low, each against the banker's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardroom import player_banked
from cardroom.cards import Card
from cardroom.games.hi_hi_lo import deal as _deal
from cardroom.games.hi_hi_lo import settle as _settle
from cardroom.games.hi_hi_lo.rules import DECK, HiHiLoRules
from cardroom.shuffle import Luck
from cardroom.table import VOID_REASONS

Json = dict[str, Any]


class HiHiLo:
    """The game as a round calls it; requests and bodies are those of the records."""

    void_reasons: Sequence[str] = VOID_REASONS
    uses_shoe = False

    def load(self, document: Json) -> HiHiLoRules:
        """The rules that a rule set's document describes. Raises RulesetInvalid."""
        return HiHiLoRules.from_document(document)

    def check_open(self, rules: HiHiLoRules, opening: Json, table: Json) -> None:
        """Refuse a round that the rules do not allow at the table as it stands."""
        player_banked.check_open(rules.table, opening, table)

    def deck(self, rules: HiHiLoRules, opening: Json) -> Sequence[Card]:
        """The cards in use, in the order before the shuffle."""
        del rules, opening
        return DECK

    def deal(
        self,
        rules: HiHiLoRules,
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

    def after_deal(self, rules: HiHiLoRules, opening: Json, wagering: Json, body: Json, *, table: Json) -> Json:
        """Nothing: what a deal leaves at the table, a void takes back."""
        del rules, opening, wagering, body, table
        return {}

    def settle(
        self,
        rules: HiHiLoRules,
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
        self, rules: HiHiLoRules, opening: Json, wagering: Json, body: Json, *, round_id: str, table: Json
    ) -> Json:
        """The banker's turns and the free collections that a settled round leaves at its table."""
        del rules, wagering
        return player_banked.after_settle(opening, body, round_id=round_id, table=table)

    def returned(self, wagering: Json, dealt_body: Json) -> Json:
        """What a void after the deal gives back: `{returned, postings}`."""
        return player_banked.returned(wagering, dealt_body)

    def set_hands(self, rules: HiHiLoRules, hands: Sequence[Sequence[str]], role: str) -> list[Json]:
        """Each hand set by the house way, which looks at the role: `{one, two, low, rule}`."""
        return _settle.set_hands(rules, hands, role)

    def draw(self, rules: HiHiLoRules, kind: str, seats: Sequence[int], luck: Luck) -> Json:
        """The draw for first banker."""
        return _deal.draw(rules, kind, seats, luck)


GAME = HiHiLo()
