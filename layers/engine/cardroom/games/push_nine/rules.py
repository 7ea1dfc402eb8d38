"""One published version of push nine's rules, as a value; read from a rule set's document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from cardroom.documents import Document, Reader
from cardroom.money import MAX_MINOR
from cardroom.shuffle import Cut

GAME_NAME: Final = "push-nine"
SHEET: Final = "push-nine"
HAND_SIZE: Final = 3
MAX_SEATS: Final = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class PushNineRules:
    """One published version of push nine; sections are those of the push nine sheet."""

    ruleset_id: str
    source: str
    sections: Mapping[str, str] = field(hash=False)
    cut: Cut
    seats: int  # §1
    least_players: int  # §1
    minimum_bet_minor: int  # for a bet and for each raise (§5)
    maximum_bet_antes: int  # the most for a bet and for each raise, in antes (§5)
    raises: int  # after one bet (§5)
    buy_in_percent: int  # of the pushed main pot (§7)
    chip_unit_minor: int  # what a buy-in is rounded up to (§7)

    @classmethod
    def from_document(cls, document: Document) -> PushNineRules:
        """The rules that a rule set's document describes. Raises RulesetInvalid, naming every faulty field."""
        read = Reader(document, what="a push nine rule set")
        read.exactly("game", GAME_NAME)
        read.text("title")
        rules = cls(
            ruleset_id=read.text("id"),
            source=read.text("source"),
            sections=read.texts("sections"),
            cut=read.one_of("cut", Cut),
            seats=read.integer("seats", 2, MAX_SEATS),
            least_players=read.integer("least_players", 2, MAX_SEATS),
            minimum_bet_minor=read.integer("minimum_bet_minor", 1, MAX_MINOR),
            maximum_bet_antes=read.integer("maximum_bet_antes", 1, 1_000),
            raises=read.integer("raises", 0, 100),
            buy_in_percent=read.integer("buy_in_percent", 1, 100),
            chip_unit_minor=read.integer("chip_unit_minor", 1, MAX_MINOR),
        )
        if rules.least_players > rules.seats:
            read.fault("least_players", f"must be at most the seats, {rules.seats}")
        read.refuse()
        return rules

    def maximum_bet(self, ante_minor: int) -> int:
        """The most that a bet or a raise may be, in minor units (§5)."""
        return self.maximum_bet_antes * ante_minor

    def buy_in(self, pot_minor: int) -> int:
        """What buying into a pushed pot costs, in minor units: a share of it, rounded up to the chip unit (§7)."""
        unit = self.chip_unit_minor
        return -(-pot_minor * self.buy_in_percent // (100 * unit)) * unit
