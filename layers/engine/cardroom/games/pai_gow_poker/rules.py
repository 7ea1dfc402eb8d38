"""One published version of a room's pai gow poker rules, as a value; read from a rule set's document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, TypeVar, assert_never

from cardroom.banked.rules import BankRules
from cardroom.documents import Document, Reader
from cardroom.games.pai_gow_poker.house_way import HouseWay
from cardroom.games.pai_gow_poker.meters import Meter
from cardroom.hands import BonusTable, BonusTableInvalid, Joker, Ranking, ThreeCardTable, Wheel, ranking
from cardroom.money import MAX_MINOR, WHOLE_BPS, Commission, Rounding
from cardroom.seats import Direction
from cardroom.shuffle import Cut

GAME_NAME: Final = "pai-gow-poker"
SHEET: Final = "pai-gow-poker"
MAIN: Final = "main"
DRAGON: Final = "dragon"
HAND_SIZE: Final = 7
FRONT_SIZE: Final = 2
MAX_SEATS: Final = 8
MAX_JOKERS: Final = 8

_E = TypeVar("_E", bound=StrEnum)


class Piles(StrEnum):
    """For which places piles are dealt: every place of the table, or the seated players' (§1.3)."""

    ALL = "all"
    SEATED = "seated"


class Draw(StrEnum):
    """What names the place of the action hand: three dice, or an even number (§1.4)."""

    DICE = "dice"
    NUMBER = "number"


class HandOrder(StrEnum):
    """The order of wagers on one hand (§6.1)."""

    CIRCLE = "circle"
    PLACED = "placed"


class Say(StrEnum):
    """Who decides how a hand is set: its (first) largest wager, or the seated player (§3.3)."""

    LARGEST = "largest"
    SEATED = "seated"


class Foul(StrEnum):
    """What a player's fouled hand costs: its main wagers, or nothing but its own setting (§3.2)."""

    LOSE = "lose"
    HOUSE_WAY = "house_way"


class Copies(StrEnum):
    """Who wins a copied hand (§5.1)."""

    BANKER = "banker"
    PLAYER = "player"


class BankerSets(StrEnum):
    """How a banking player's hand is set (§8.4)."""

    FREE = "free"
    HOUSE_WAY = "house_way"


class BonusContest(StrEnum):
    """What a bonus bet plays against: the banker's own bonus hand, or the pay table alone (§10.3)."""

    MUST_BEAT = "must_beat"
    TABLE = "table"


class MaximumPayout(StrEnum):
    """Whether a bonus is paid only up to a sum that is posted at the table for the round (§10.4)."""

    NONE = "none"
    POSTED = "posted"


class BonusCards(StrEnum):
    """Which cards a bonus bet is about: all seven of the hand, or the first three dealt to it (§10.1, §10.7)."""

    SEVEN = "seven"
    FIRST_THREE = "first_three"


@dataclass(frozen=True, slots=True, kw_only=True)
class Jokers:
    """How many jokers may be in the deck, and how many are if the open does not say (§1.1)."""

    default: int
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Envy:
    """What the house pays a side bet of at least `minimum_minor` for each other player's hand, by its line (§10.5)."""

    minimum_minor: int
    pays_minor: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBet:
    """A bet on what a hand's cards make, however they were set (§10).

    A line of `meter_bps` pays that share of the bet's `meter` instead of odds. `stake_minor` is the only stake taken,
    None is any. `cap_per_spot_minor` limits what is paid per spot (seat, all circles), None is without; where
    `maximum_payout` is posted, the opening may tell what such bets are paid in the round at most.
    """

    cards: BonusCards
    contest: BonusContest
    pay_table: BonusTable | ThreeCardTable
    meter_bps: Mapping[str, int]
    meter: Meter | None
    stake_minor: int | None
    highest_pays: int
    cap_per_spot_minor: int | None
    maximum_payout: MaximumPayout
    envy: Envy | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaiGowRules:
    """One published version of a room's pai gow poker rules; sections are those of the pai gow poker sheet.

    Every decision that a room could take otherwise is a field, and a rule set names them all.
    """

    source: str
    sections: Mapping[str, str] = field(hash=False)
    bank: BankRules  # seats, circles, coverage, turns and fees (§6 to §8)
    # the deck and the deal
    joker: Joker  # §2.4
    wheel: Wheel  # §2.3
    jokers: Jokers  # §1.1
    piles: Piles  # §1.3
    action_draw: tuple[Draw, ...]  # the ways to draw it, the service's own first (§1.4)
    dice_direction: Direction  # §1.4
    number_direction: Direction  # §1.4
    deal_direction: Direction  # §1.5
    settle_direction: Direction  # §6.1
    # the wagers
    order_on_hand: HandOrder  # §6.1
    say: Say  # §3.3
    # the hands
    foul: Foul  # §3.2
    copies: Copies  # §5.1
    house_way: HouseWay  # §4
    # the banker and the house
    banker_sets: BankerSets  # §8.4
    co_bank_bps: int | None  # a banking player's share where he banks with the house, unless he states another (§8.3)
    dragon_hand: bool  # §9
    commission: Commission  # §5.3
    side_bets: Mapping[str, SideBet] = field(hash=False)  # §10

    @property
    def ruleset_id(self) -> str:
        """The rule set's id, `family/version`."""
        return self.bank.ruleset_id

    @property
    def cut(self) -> Cut:
        """Who cuts the deck."""
        return self.bank.cut

    @property
    def posts_maximum(self) -> bool:
        """Whether a sum may be posted that bounds what bonuses are paid in a round (§10.4)."""
        return any(bet.maximum_payout is MaximumPayout.POSTED for bet in self.side_bets.values())

    @property
    def meters(self) -> Mapping[str, Meter]:
        """The meters of side bets, by the kind of bet (§10.8)."""
        return {kind: bet.meter for kind, bet in self.side_bets.items() if bet.meter is not None}

    @property
    def ranking(self) -> Ranking:
        """How hands rank under these rules."""
        return ranking(self.joker, self.wheel)

    @classmethod
    def from_document(cls, document: Document) -> PaiGowRules:
        """The rules that a rule set's document describes; its house way is written out in it.

        Raises RulesetInvalid, naming every faulty field.
        """
        read = _Reader(document, what="a pai gow poker rule set")
        rules: dict[str, Any] = {
            "source": read.text("source"),
            "sections": read.texts("sections"),
            "joker": read.one_of("joker", Joker),
            "wheel": read.one_of("wheel", Wheel),
            "jokers": _jokers(read.table("jokers")),
            "piles": read.one_of("piles", Piles),
            "action_draw": read.some_of("action_draw", Draw, at_least=1),
            "dice_direction": read.one_of("dice_direction", Direction),
            "number_direction": read.one_of("number_direction", Direction),
            "deal_direction": read.one_of("deal_direction", Direction),
            "settle_direction": read.one_of("settle_direction", Direction),
            "order_on_hand": read.one_of("order_on_hand", HandOrder),
            "say": read.one_of("say", Say),
            "foul": read.one_of("foul", Foul),
            "copies": read.one_of("copies", Copies),
            "house_way": read.house_way("house_way"),
            "banker_sets": read.one_of("banker_sets", BankerSets),
            "co_bank_bps": read.integer("co_bank_bps", 0, WHOLE_BPS - 1) or None,
            "dragon_hand": read.flag("dragon_hand"),
            "commission": _commission(read.table("commission")),
            "side_bets": {},
        }
        offered = read.table("side_bets")
        for name in offered.names():
            rules["side_bets"][name] = _side_bet(offered.table(name), rules["wheel"])
        rules["bank"] = BankRules.read(
            read,
            game=GAME_NAME,
            kinds=(MAIN, *offered.names()),
            fee_kind=MAIN,
            max_seats=MAX_SEATS,
            side_kinds=tuple(offered.names()),
            house_seat=read.integer("house_seat", 0, MAX_SEATS) or None,
            house_bank=read.flag("house_bank"),
        )
        read.text("title")
        _check_together(rules, read)
        read.refuse()
        return cls(**rules)


def _check_together(rules: dict[str, Any], read: _Reader) -> None:
    bank: BankRules = rules["bank"]
    if bank.house_seat is not None and bank.house_seat != bank.seats + 1:
        read.fault("house_seat", f"must be the place after the seats, {bank.seats + 1}, or 0 for none")
    if bank.house_bank and bank.house_seat is None:
        read.fault("house_seat", "must be a place if the house may bank")
    if rules["co_bank_bps"] and not bank.house_bank:
        read.fault("co_bank_bps", "must be 0 where the house may not bank")
    for name in {MAIN, DRAGON} & rules["side_bets"].keys():
        read.fault(f"side_bets.{name}", "must have another name: wagers on hands are called so")
    places = bank.seats + (bank.house_seat is not None)
    most = 52 + rules["jokers"].maximum
    if rules["piles"] is Piles.ALL and most < HAND_SIZE * places:
        read.fault("seats", f"must not need more cards ({HAND_SIZE * places}) than there can be ({most})")
    if bank.back_line_others_only and bank.circles == 1:
        read.fault("back_line_others_only", "must be false where there is one circle")


def _jokers(read: _Reader) -> Jokers:
    jokers = Jokers(
        default=read.integer("default", 0, MAX_JOKERS),
        minimum=read.integer("minimum", 0, MAX_JOKERS),
        maximum=read.integer("maximum", 0, MAX_JOKERS),
    )
    if not jokers.minimum <= jokers.default <= jokers.maximum:
        read.fault("default", f"must lie from minimum to maximum, {jokers.minimum} to {jokers.maximum}")
    return jokers


def _commission(read: _Reader) -> Commission:
    return Commission(
        rate_bps=read.integer("rate_bps", 0, 10_000),
        increment_minor=read.integer("increment_minor", 1, MAX_MINOR),
        rounding=read.one_of("rounding", Rounding),
    )


def _side_bet(read: _Reader, wheel: Wheel) -> SideBet:
    cards = read.one_of("cards", BonusCards)
    odds, meter_bps = read.lines("lines")
    offered: BonusTable | ThreeCardTable
    try:
        offered = pay_table(cards, odds, wheel)
    except BonusTableInvalid as refusal:
        read.fault("lines", refusal.message)
        offered = ThreeCardTable.of(())
    bet = SideBet(
        cards=cards,
        contest=read.one_of("bonus_contest", BonusContest),
        pay_table=offered,
        meter_bps=meter_bps,
        meter=Meter.read(read.table("meter")) if "meter" in read.names() else None,
        stake_minor=read.integer("stake_minor", 0, MAX_MINOR) or None,
        highest_pays=max((pays for _, pays in offered.lines), default=0),
        cap_per_spot_minor=read.integer("cap_per_spot_minor", 0, MAX_MINOR) or None,
        maximum_payout=read.one_of("maximum_payout", MaximumPayout),
        envy=_envy(read.table("envy"), offered) if "envy" in read.names() else None,
    )
    _check_side_bet(bet, read)
    return bet


def pay_table(cards: BonusCards, odds: Sequence[tuple[str, int]], wheel: Wheel) -> BonusTable | ThreeCardTable:
    """The lines that there are for such cards, with their odds; raises BonusTableInvalid."""
    match cards:
        case BonusCards.SEVEN:
            return BonusTable.of(odds, wheel)
        case BonusCards.FIRST_THREE:
            return ThreeCardTable.of(odds)
    assert_never(cards)


def _check_side_bet(bet: SideBet, read: _Reader) -> None:
    by_table = bet.contest is BonusContest.TABLE
    if bet.cards is BonusCards.FIRST_THREE and not by_table:
        read.fault("bonus_contest", "must be table for the first three cards")
    if bet.meter_bps and not (by_table and bet.stake_minor):
        read.fault("lines", "must not pay from a meter without bonus_contest table and one stake_minor")
    if bet.meter_bps and (bet.cap_per_spot_minor or bet.maximum_payout is MaximumPayout.POSTED):
        read.fault("lines", "must not pay from a meter under a cap")
    if bool(bet.meter_bps) != bool(bet.meter):
        read.fault("meter", "must be there just where a line pays from it")
    elif bet.meter and bet.meter.reseed_minor < (least := bet.meter.least_reseed(bet.meter_bps.values())):
        read.fault("meter.reseed_minor", f"must be at least {least}, so that no win pays nothing")
    if bet.envy and bet.cards is not BonusCards.SEVEN:
        read.fault("envy", "must be left out for the first three cards")


def _envy(read: _Reader, table: BonusTable | ThreeCardTable) -> Envy:
    pays = read.amounts("lines")
    for name in pays.keys() - {line.value for line, _ in table.lines}:
        read.fault("lines", f"must be lines of the bet: {name} is not")
    return Envy(minimum_minor=read.integer("minimum_minor", 1, MAX_MINOR), pays_minor=pays)


class _Reader(Reader):
    """Reads pay tables and house ways too."""

    def lines(self, name: str) -> tuple[list[tuple[str, int]], dict[str, int]]:
        """The lines of a pay table with their odds, high to low, and those that pay a share of a meter instead."""
        odds, meter_bps = [], {}
        for line, kind, value in self._items(name, ("pays", "meter_bps")):
            odds.append((line, value if kind == "pays" else 0))
            if kind == "meter_bps":
                meter_bps[line] = value
        if not all(type(bps) is int and 1 <= bps <= WHOLE_BPS for bps in meter_bps.values()):
            self.fault(name, f"must have meter_bps of 1 to {WHOLE_BPS}")
            meter_bps = dict.fromkeys(meter_bps, WHOLE_BPS)
        return odds, meter_bps

    def amounts(self, name: str) -> dict[str, int]:
        """Lines that pay fixed amounts."""
        items = self._items(name, ("pays_minor",))
        amounts = {line: value for line, _, value in items}
        if len(amounts) < len(items) or not all(type(value) is int and value > 0 for value in amounts.values()):
            self.fault(name, "must be lines each once, with pays_minor above zero")
        return amounts

    def _items(self, name: str, kinds: tuple[str, ...]) -> list[tuple[str, str, Any]]:
        """The items of a list of lines, each with one field of `kinds`."""
        value = self._value(name)
        items: list[tuple[str, str, Any]] = []
        if not self._is(name, value, list, "a list"):
            return items
        for index, item in enumerate(value):
            kind = next((kind for kind in kinds if isinstance(item, dict) and item.keys() == {"line", kind}), None)
            if kind is None or not isinstance(item["line"], str):
                self.fault(f"{name}[{index}]", f"must have just the fields line and {' or '.join(kinds)}")
            else:
                items.append((item["line"], kind, item[kind]))
        return items

    def house_way(self, name: str) -> HouseWay | None:
        """A house way written out; its own refusal tells what is wrong with it."""
        value = self._value(name)
        return HouseWay.from_dict(value) if self._is(name, value, dict, "a house way, by name or in full") else None
