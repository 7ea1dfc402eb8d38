"""One published version of the rules of a poker showdown, as a value; read from a rule set's document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from cardroom.documents import Document, Reader
from cardroom.hands import Joker, Ranking, Wheel, ranking
from cardroom.money import MAX_MINOR
from cardroom.shuffle import Cut

GAME_NAME: Final = "poker-showdown"
SHEET: Final = "poker-showdown"
MAX_SEATS: Final = 10
MAX_JOKERS: Final = 5
MAX_CARDS: Final = 11


class Form(StrEnum):
    """Which hands win: the highest, the lowest, or both half each (§6)."""

    HIGH = "high"
    LOW = "low"
    HIGH_LOW = "high_low"


class JokerUse(StrEnum):
    """What a joker stands for, `off` where there is none (§4)."""

    OFF = "off"
    BUG = "bug"
    WILD = "wild"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowdownRules:
    """One published version of a poker showdown; sections are those of the poker showdown sheet."""

    ruleset_id: str
    source: str
    sections: Mapping[str, str] = field(hash=False)
    cut: Cut
    joker: JokerUse  # §4
    default_jokers: int  # §7
    least_jokers: int  # §7
    most_jokers: int  # §7
    deck_life_hands: int | None  # None: a full cycle round the table (§10)
    seats: int
    wheel: Wheel  # §1
    form: Form  # §6
    low_highest: int | None  # the highest card of a low that qualifies (§6)
    least_cards: int  # §3
    most_cards: int  # §6
    chip_unit_minor: int  # §5

    @property
    def ranking(self) -> Ranking:
        """How high hands rank under these rules."""
        return ranking(Joker.WILD if self.joker is JokerUse.WILD else Joker.BUG, self.wheel)

    @classmethod
    def from_document(cls, document: Document) -> ShowdownRules:
        """The rules that a rule set's document describes. Raises RulesetInvalid, naming every faulty field."""
        read = Reader(document, what="a poker showdown rule set")
        read.exactly("game", GAME_NAME)
        read.text("title")
        jokers = read.table("jokers")
        rules = cls(
            ruleset_id=read.text("id"),
            source=read.text("source"),
            sections=read.texts("sections"),
            cut=read.one_of("cut", Cut),
            joker=read.one_of("joker", JokerUse),
            default_jokers=jokers.integer("default", 0, MAX_JOKERS),
            least_jokers=jokers.integer("minimum", 0, MAX_JOKERS),
            most_jokers=jokers.integer("maximum", 0, MAX_JOKERS),
            deck_life_hands=read.integer("deck_life_hands", 0, 1_000) or None,
            seats=read.integer("seats", 2, MAX_SEATS),
            wheel=read.one_of("wheel", Wheel),
            form=read.one_of("form", Form),
            low_highest=read.integer("low_highest", 0, 13) or None,
            least_cards=read.integer("least_cards", 5, MAX_CARDS),
            most_cards=read.integer("most_cards", 5, MAX_CARDS),
            chip_unit_minor=read.integer("chip_unit_minor", 1, MAX_MINOR),
        )
        _check_together(rules, read)
        read.refuse()
        return rules


def _check_together(rules: ShowdownRules, read: Reader) -> None:
    if not rules.least_jokers <= rules.default_jokers <= rules.most_jokers:
        read.fault("jokers.default", f"must lie from minimum to maximum, {rules.least_jokers} to {rules.most_jokers}")
    if rules.joker is JokerUse.OFF and rules.most_jokers:
        read.fault("jokers.maximum", "must be 0 where jokers are off")
    if rules.most_cards < rules.least_cards:
        read.fault("most_cards", f"must be at least least_cards, {rules.least_cards}")
    if rules.low_highest is not None and rules.form is not Form.HIGH_LOW:
        read.fault("low_highest", "must be 0 where high and low do not split: some hand must win")
    if rules.low_highest is not None and rules.low_highest < 5:
        read.fault("low_highest", "must be 0 or 5 to 13: five different cards have one of 5 or more")
