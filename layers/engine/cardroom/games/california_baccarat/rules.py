"""One published version of a room's California baccarat rules, as a value; read from a rule set's document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from cardroom.banked.rules import BankRules
from cardroom.cards import Card, deck
from cardroom.documents import Document, Reader
from cardroom.hands.baccarat import NINE, total
from cardroom.shuffle import Cut
from cardroom.table import Outcome

GAME_NAME: Final = "california-baccarat"
SHEET: Final = "california-baccarat"
MAIN: Final = "main"
HAND_SIZE: Final = 2
MOST_CARDS: Final = HAND_SIZE + 1  # a hand's two and its draw card
MAX_SEATS: Final = 20
MAX_DECKS: Final = 16
MAX_JOKERS: Final = 32


class Natural(StrEnum):
    """What is a natural 9 (§3)."""

    TWO_JOKERS = "two_jokers"


class Box(StrEnum):
    """Where a hand is put: for a draw card, or for none (§5)."""

    HIT = "hit"
    STAND = "stand"


class BankerSits(StrEnum):
    """Where the hand of a player who banks may lie (§4)."""

    OWN_SEAT = "own_seat"
    ANY_POSITION = "any_position"


class Misdeal(StrEnum):
    """Why a deal is a misdeal, so that its round is voided (§7)."""

    OUT_OF_POSITION_TWO_HANDS_SEEN = "out_of_position_two_hands_seen"
    OUT_OF_POSITION_BANKER_HAND_SEEN = "out_of_position_banker_hand_seen"
    PLAYERS_WRONG_NUMBER_OF_CARDS = "players_wrong_number_of_cards"
    BANKER_WRONG_NUMBER_OF_CARDS = "banker_wrong_number_of_cards"


class HouseWayName(StrEnum):
    """The house ways there are (§5, §11)."""

    CALIFORNIA_BACCARAT = "california-baccarat"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRule:
    """When a hand must draw, must stand, and may do either: between the two (§5), with the house way for that.

    >>> banker = DrawRule(hit_up_to=4, stand_from=7, house_hits_up_to=5)
    >>> [[box.value for box in banker.allowed(total)] for total in (4, 5, 7)]
    [['hit'], ['hit', 'stand'], ['stand']]
    >>> [banker.house_way(total).value for total in (5, 6)]
    ['hit', 'stand']
    """

    hit_up_to: int
    stand_from: int
    house_hits_up_to: int

    def allowed(self, value: int) -> tuple[Box, ...]:
        """The boxes that a hand of this value may be put in."""
        called = total(value)
        if called <= self.hit_up_to:
            return (Box.HIT,)
        return (Box.STAND,) if called >= self.stand_from else (Box.HIT, Box.STAND)

    def house_way(self, value: int) -> Box:
        """The box that the house way puts a hand of this value in."""
        return Box.HIT if total(value) <= self.house_hits_up_to else Box.STAND


@dataclass(frozen=True, slots=True, kw_only=True)
class BaccaratRules:
    """One published version of a room's California baccarat rules; sections are those of its sheet."""

    source: str
    sections: Mapping[str, str] = field(hash=False)
    bank: BankRules  # §4, §9, §10
    decks: int  # §1
    jokers: int  # §1
    natural: Natural  # §3
    player: DrawRule  # §5, §11
    banker: DrawRule  # §5
    banker_sits: BankerSits  # §4
    misdeal_hands: int  # §7: so many players' hands of a wrong number of cards are a misdeal

    @property
    def ruleset_id(self) -> str:
        """The rule set's id, `family/version`."""
        return self.bank.ruleset_id

    @property
    def cut(self) -> Cut:
        """Who cuts the deck."""
        return self.bank.cut

    @property
    def shoe(self) -> tuple[Card, ...]:
        """The cards of the shoe before its shuffle: the 52 as often as there are decks, then the jokers (§1)."""
        *cards, joker = deck(1)
        return (*cards * self.decks, *[joker] * self.jokers)

    @property
    def largest_round(self) -> int:
        """How many cards a round can need: every seat plays and draws (§1)."""
        return MOST_CARDS * self.bank.seats

    @classmethod
    def from_document(cls, document: Document) -> BaccaratRules:
        """The rules that a rule set's document describes; raises RulesetInvalid, naming every faulty field."""
        read = Reader(document, what="a California baccarat rule set")
        bank = BankRules.read(read, game=GAME_NAME, kinds=(MAIN,), fee_kind=MAIN, max_seats=MAX_SEATS)
        if read.flag("courtesy_on_push"):
            bank = replace(bank, earns=bank.earns | {Outcome.PUSH})
        if bank.cut is Cut.HOUSE:
            read.fault("cut", "must be players or none: a shoe has no cut drawn")
        house_way = read.table("house_way")
        house_way.one_of("name", HouseWayName)
        rules = cls(
            source=read.text("source"),
            sections=read.texts("sections"),
            bank=bank,
            decks=read.integer("decks", 1, MAX_DECKS),
            jokers=read.integer("jokers", 0, MAX_JOKERS),
            natural=read.one_of("natural", Natural),
            player=_draw_rule(read.table("player_draws"), house_way, "player_hits_up_to"),
            banker=_draw_rule(read.table("banker_draws"), house_way, "banker_hits_up_to"),
            banker_sits=read.one_of("banker_sits", BankerSits),
            misdeal_hands=read.integer("misdeal_hands", 1, MAX_SEATS),
        )
        read.text("title")
        if rules.bank.earns == {Outcome.PUSH}:
            read.fault("courtesy_on_push", "must be false where free_collection is none")
        if len(rules.shoe) < rules.largest_round:
            read.fault("decks", f"must make a shoe of at least {rules.largest_round} cards for {bank.seats} seats")
        read.refuse()
        return rules


def _draw_rule(read: Reader, house_way: Reader, house_field: str) -> DrawRule:
    rule = DrawRule(
        hit_up_to=read.integer("hit_up_to", 0, NINE - 1),
        stand_from=read.integer("stand_from", 1, NINE),
        house_hits_up_to=house_way.integer(house_field, 0, NINE - 1),
    )
    if rule.stand_from <= rule.hit_up_to:
        read.fault("stand_from", f"must be above hit_up_to, {rule.hit_up_to}")
    elif not rule.hit_up_to <= rule.house_hits_up_to < rule.stand_from:
        house_way.fault(house_field, f"must be {rule.hit_up_to} to {rule.stand_from - 1}, as the draw rule allows")
    return rule
