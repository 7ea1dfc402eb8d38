"""California baccarat: two cards and perhaps a third from a shoe of eight decks and eight jokers, nine being best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cardroom import player_banked
from cardroom.cards import Card
from cardroom.games.california_baccarat import deal as _deal
from cardroom.games.california_baccarat import settle as _settle
from cardroom.games.california_baccarat.rules import BaccaratRules
from cardroom.shuffle import Luck
from cardroom.table import FirstDrawNotOffered

Json = dict[str, Any]

VOID_REASONS: Final = (
    "out_of_position_two_hands_seen",
    "out_of_position_banker_hand_seen",
    "players_wrong_number_of_cards",
    "banker_wrong_number_of_cards",
    "equipment",
    "other",
)
"""Why a round may be voided: the four misdeals (california-baccarat §7), and what no rule can foresee."""


class CaliforniaBaccarat:
    """The game as a round calls it; requests and bodies are those of the records."""

    void_reasons: Sequence[str] = VOID_REASONS
    uses_shoe = True

    def load(self, document: Json) -> BaccaratRules:
        """The rules that a rule set's document describes. Raises RulesetInvalid."""
        return BaccaratRules.from_document(document)

    def check_open(self, rules: BaccaratRules, opening: Json, table: Json) -> None:
        """Refuse a round that the rules do not allow at the table as it stands, or for which the shoe is too short."""
        _deal.check_open(rules, opening, table)

    def deck(self, rules: BaccaratRules, opening: Json) -> Sequence[Card]:
        """The cards of the shoe before its shuffle, whether a round or the shoe itself is opened."""
        del opening
        return rules.shoe

    def deal(
        self,
        rules: BaccaratRules,
        opening: Json,
        wagering: Json,
        table: Json,
        luck: Luck | None,
        *,
        shoe: Sequence[Card] | None = None,
    ) -> Json:
        """The dealt record's body; `luck` and `shoe` are None at a physical table."""
        return _deal.deal(rules, opening, wagering, table, luck, shoe=shoe)

    def after_deal(self, rules: BaccaratRules, opening: Json, wagering: Json, body: Json, *, table: Json) -> Json:
        """The shoe's position: cards that were dealt are spent, whatever becomes of the round."""
        del rules, opening, wagering
        return _deal.shoe_after(body, table)

    def settle(
        self,
        rules: BaccaratRules,
        opening: Json,
        wagering: Json,
        dealt_body: Json,
        request: Json,
        *,
        shoe: Sequence[Card] | None = None,
    ) -> Json:
        """The settled record's body."""
        return _settle.settle(rules, opening, wagering, dealt_body, request, shoe=shoe)

    def after_settle(
        self, rules: BaccaratRules, opening: Json, wagering: Json, body: Json, *, round_id: str, table: Json
    ) -> Json:
        """The banker's turns, the courtesies and the shoe's position that a settled round leaves at its table."""
        del rules, wagering
        left = player_banked.after_settle(opening, body, round_id=round_id, table=table)
        return {**left, **_deal.shoe_after(body, table)}

    def returned(self, wagering: Json, dealt_body: Json) -> Json:
        """What a void after the deal gives back: `{returned, postings}`."""
        return player_banked.returned(wagering, dealt_body)

    def set_hands(self, rules: BaccaratRules, hands: Sequence[Sequence[str]], role: str) -> list[Json]:
        """The house way for each hand: `{box, total, natural, rule}`."""
        return _settle.set_hands(rules, hands, role)

    def draw(self, rules: BaccaratRules, kind: str, seats: Sequence[int], luck: Luck) -> Json:
        """No source draws for first banker. Raises FirstDrawNotOffered."""
        del seats, luck
        raise FirstDrawNotOffered(f"{rules.ruleset_id} has no draw for {kind}: each player has the option to bank")


GAME = CaliforniaBaccarat()
