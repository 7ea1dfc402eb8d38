"""One published version of a room's hi-hi-lo rules, as a value; read from a rule set's document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from cardroom.banked.rules import BankRules
from cardroom.cards import Card, deck
from cardroom.documents import Document, Reader
from cardroom.games.hi_hi_lo.house_way import HAND_SIZE
from cardroom.shuffle import Cut

GAME_NAME: Final = "hi-hi-lo"
SHEET: Final = "hi-hi-lo"
HIGH_ONE: Final = "high_one"
HIGH_TWO: Final = "high_two"
LOW: Final = "low"
KINDS: Final = (HIGH_ONE, HIGH_TWO, LOW)
DECK: Final[tuple[Card, ...]] = deck(1)
MAX_HANDS: Final = len(DECK) // HAND_SIZE  # §4: 53 cards make eight hands of six


class HouseWayName(StrEnum):
    """The house ways there are (§11)."""

    EVEN = "hi-hi-lo-even"


@dataclass(frozen=True, slots=True, kw_only=True)
class HiHiLoRules:
    """One published version of a room's hi-hi-lo rules; sections are those of the hi-hi-lo sheet."""

    source: str
    sections: Mapping[str, str] = field(hash=False)
    bank: BankRules  # §2, §3, §10
    house_way: HouseWayName  # §11

    @property
    def ruleset_id(self) -> str:
        """The rule set's id, `family/version`."""
        return self.bank.ruleset_id

    @property
    def cut(self) -> Cut:
        """Who cuts the deck."""
        return self.bank.cut

    @classmethod
    def from_document(cls, document: Document) -> HiHiLoRules:
        """The rules that a rule set's document describes; raises RulesetInvalid, naming every faulty field."""
        read = Reader(document, what="a hi-hi-lo rule set")
        rules = cls(
            source=read.text("source"),
            sections=read.texts("sections"),
            bank=BankRules.read(read, game=GAME_NAME, kinds=KINDS, fee_kind=HIGH_ONE, max_seats=MAX_HANDS),
            house_way=read.table("house_way").one_of("name", HouseWayName),
        )
        read.text("title")
        read.refuse()
        return rules
