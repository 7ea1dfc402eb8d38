"""Players who play any published rule set at random but legally, and now and then do what tables rarely see.

`next_move` looks at a table as its last record left it and says what is asked for next. It reads and writes nothing,
so the same players sit at a service's table, in a test, and in a simulation of records. Requests are normalised, as
the records hold them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any, Final, NamedTuple, Protocol

from cardroom.cards import Card, format_card, format_cards, parse_cards
from cardroom.game import Ruleset
from cardroom.games.california_baccarat.rules import BaccaratRules, Box, DrawRule
from cardroom.games.pai_gow_poker.house_way import is_foul
from cardroom.hands.baccarat import value as baccarat_value
from cardroom.money import HOUSE
from cardroom.potted.pots import left_of_button
from cardroom.rounds.steps import NEW_TABLE
from cardroom.seats import Direction, walk
from cardroom.table import VOID_REASONS

Json = dict[str, Any]

SEATED: Final = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ida", "jon")
BEHIND: Final = ("kay", "leo", "mia", "ned")
_UNIT: Final = 100
_FEES: Final[Mapping[str, Sequence[Json]]] = {
    "wager": [{"low": 0, "high": 20_000, "fee": 100}, {"low": 20_000, "fee": 200}],
    "banker": [{"low": 0, "fee": 300}],
}


class Call(StrEnum):
    """What a table asks of the service."""

    OPEN = "open"
    DEAL = "deal"
    SETTLE = "settle"
    VOID = "void"
    DRAW = "draw"
    OPEN_SHOE = "open_shoe"
    CLOSE_SHOE = "close_shoe"


class Move(NamedTuple):
    """The next call of a table; `name` is the id of the round, the draw or the shoe that it is for."""

    call: Call
    name: str
    request: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How likely players are to do what they may do, each from 0 to 1."""

    sit: float = 0.8  # take a seat
    wager: float = 0.9  # wager on one's own hand
    back_line: float = 0.2  # wager on another's hand, for each free circle
    side_bet: float = 0.4
    own_hand: float = 0.4  # set one's hand oneself
    mishap: float = 0.03  # foul a hand, misplay it, lay it down dead
    physical: float = 0.1  # a round dealt by hand, its cards told to the service
    tell: float = 0.3  # bring what the service would else decide: seed, cut, dice, pile
    void: float = 0.02  # for each step of a round


USUAL: Final = Habits()
FULL_TABLE: Final = Habits(sit=1, wager=1, mishap=0, physical=0, tell=0.7, void=0)
"""A busy table on a good day: what a demonstration shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A table before its next move: its rules, what its last record left, and the dice of its players' minds."""

    random: Random
    ruleset: Ruleset
    habits: Habits
    table_id: str
    table: Json
    number: int  # of the next record; ids are made of it

    @property
    def rules(self) -> Json:
        """The rule set's document."""
        return self.ruleset.document

    def may(self, likely: float) -> bool:
        """Whether somebody does what he may do."""
        return self.random.random() < likely

    def amount(self, low: int, high: int) -> int:
        """An amount of whole chips, in minor units."""
        return self.random.randint(-(-low // _UNIT), high // _UNIT) * _UNIT

    def some(self, seats: Sequence[int], least: int, must: Sequence[int] = ()) -> list[int]:
        """Some seats of those given, those that must be among them, and at least so many, in order."""
        taken = {seat for seat in seats if self.may(self.habits.sit)} | set(must)
        others = [seat for seat in seats if seat not in taken]
        self.random.shuffle(others)
        while len(taken) < least:
            taken.add(others.pop())
        return sorted(taken)


class Players(Protocol):
    """The players of one game."""

    def between(self, at: Situation) -> Move | None:
        """What is done before a round can be opened, None if nothing is."""

    def opening(self, at: Situation) -> Json:
        """The open's request, its table and rule set apart."""

    def wagering(self, at: Situation, opening: Json) -> Json:
        """The deal's request."""

    def settling(self, at: Situation, opening: Json, wagering: Json, body: Json) -> Json:
        """The settlement's request, for a dealt record's body."""


def next_move(random: Random, ruleset: Ruleset, *, table_id: str, last: Json | None, habits: Habits = USUAL) -> Move:
    """What a table does after the record whose payload is `last` (None: it has no record)."""
    at = Situation(
        random=random,
        ruleset=ruleset,
        habits=habits,
        table_id=table_id,
        table=dict(NEW_TABLE) if last is None else last["table_after"],
        number=1 if last is None else last["seq"] + 1,
    )
    players, live = PLAYERS[ruleset.document["game"]], at.table["live"]
    if live is None or last is None:
        return _between_rounds(at, players)
    if at.may(habits.void):
        return Move(Call.VOID, live["round_id"], _voiding(at, ruleset.game.void_reasons))
    if live["state"] == "opened":
        return Move(Call.DEAL, live["round_id"], players.wagering(at, last["request"]))
    opening = last["body"]["opened"]["terms"]["request"]
    return Move(Call.SETTLE, live["round_id"], players.settling(at, opening, last["request"], last["body"]))


def last_moves(*, table_id: str, last: Json) -> list[Move]:
    """What is left to do at a table without a live round, so that nothing is kept secret: close its shoe."""
    shoe = last["table_after"]["shoe"]
    return [] if shoe is None else [Move(Call.CLOSE_SHOE, shoe["shoe_id"], {"table_id": table_id})]


def _between_rounds(at: Situation, players: Players) -> Move:
    name = f"{at.table_id}-{at.number}"
    if at.may(at.habits.void / 10):  # a round that the service has never heard of
        return Move(Call.VOID, name, _voiding(at, VOID_REASONS))
    before = players.between(at)
    if before is not None:
        return before
    terms = {"table_id": at.table_id, "ruleset": at.ruleset.id, "currency": "USD"}
    return Move(Call.OPEN, name, terms | players.opening(at))


def _voiding(at: Situation, reasons: Sequence[str]) -> Json:
    request: Json = {"table_id": at.table_id, "reason": at.random.choice(reasons)}
    return request | {"note": "seen by all"} if at.may(0.5) else request


def _draw(at: Situation, kind: str, seats: Sequence[int]) -> Move:
    request: Json = {"table_id": at.table_id, "ruleset": at.ruleset.id, "kind": kind, "seats": sorted(seats)}
    if at.may(at.habits.tell):
        request["client_seed"] = at.random.randbytes(16).hex()
    return Move(Call.DRAW, f"{at.table_id}-{at.number}", request)


def _seated(seats: Sequence[int]) -> list[Json]:
    return [{"seat": seat, "bettor": SEATED[seat - 1]} for seat in sorted(seats)]


def _places(at: Situation) -> range:
    return range(1, at.rules["seats"] + 1)


def _source(at: Situation) -> str:
    return "table" if at.may(at.habits.physical) else "shuffle"


def _secrets(at: Situation, deck: Sequence[Card]) -> Json:
    """The players' part of a shuffle."""
    told: Json = {}
    if at.may(at.habits.tell):
        told["client_seed"] = at.random.randbytes(16).hex()
    if at.may(at.habits.tell):
        told["cut"] = at.random.randrange(1, len(deck))
    return told


def _hands(at: Situation, deck: Sequence[Card], seats: Sequence[int], size: int) -> list[Json]:
    """Hands as a dealer of flesh and blood might have dealt them."""
    cards = at.random.sample(deck, size * len(seats))
    return [
        {"seat": seat, "cards": format_cards(cards[turn * size : (turn + 1) * size])}
        for turn, seat in enumerate(sorted(seats))
    ]


def _wager(seat: int, circle: int, kind: str, bettor: str, amount: int) -> Json:
    return {
        "wager_id": f"{seat}-{circle}-{kind}",
        "seat": seat,
        "bettor": bettor,
        "circle": circle,
        "kind": kind,
        "amount": amount,
    }


# Games in which somebody banks


class Banked:
    """The players of a game with a banker. A game adds its wagers, where the action begins, and how hands are set."""

    kinds: Sequence[str] = ("main",)  # a hand's wagers, of equal amounts
    hand_size = 7
    first_draw: str | None = None

    def between(self, at: Situation) -> Move | None:
        """A draw for the first banker, where there is one."""
        if self.first_draw is None or at.table["hand_no"] or at.table["draw"]:
            return None
        return _draw(at, self.first_draw, at.some(_places(at), least=2))

    def opening(self, at: Situation) -> Json:
        """Who sits and who banks; those who hold a free collection stay for it."""
        rules, draw = at.rules, at.table["draw"]
        must = [SEATED.index(held["bettor"]) + 1 for held in at.table["free_collections"] if held["bettor"] in SEATED]
        must = [seat for seat in must if seat in _places(at)]
        seats = draw["seats"] if draw else at.some(_places(at), least=2, must=must)
        least = rules["banker_minimum_minor"]
        opening: Json = {
            "seats": _seated(seats),
            "banker": self.banker(at, seats),
            "limits": {"minimum": 500, "maximum": max(50_000, least // 3)},
            "source": _source(at),
        }
        fees = {name: _FEES[name] for name in rules["fees_from"] if at.may(0.9)}
        if fees:
            opening["fees"] = fees
        if draw:
            opening["draw_id"] = draw["draw_id"]
        return opening | self.deck_chosen(at, seats)

    def banker(self, at: Situation, seats: Sequence[int]) -> Json | str:
        """The winner of the draw; or the last banker while he may, the house where it may, or anybody."""
        if at.rules.get("house_bank", False) and at.may(0.6):
            return HOUSE
        draw, last, most = at.table["draw"], at.table["banker"], at.rules["banker_turns"]
        if draw:
            return _seated([draw["seat"]])[0]
        banker: Json = at.random.choice(_seated(seats))
        stays = [seat for seat in _seated(seats) if last and seat["bettor"] == last["bettor"]]
        if stays and at.may(0.5):
            banker = stays[0]
        if last and most and banker["bettor"] == last["bettor"] and last["turns"] >= most:
            if at.may(0.3):
                return {**banker, "others_passed": True}
            banker = at.random.choice([seat for seat in _seated(seats) if seat["bettor"] != last["bettor"]])
        return banker

    def deck_chosen(self, at: Situation, seats: Sequence[int]) -> Json:
        """What the open says of the cards."""
        del at, seats
        return {}

    def wagering(self, at: Situation, opening: Json) -> Json:
        """Wagers on hands, back-line and side bets, free collections, the banker's wager, and the cards' secrets."""
        wagers = self.wagers(at, opening)
        request: Json = {"wagers": sorted(self.with_collections(at, opening, wagers), key=lambda w: w["wager_id"])}
        if opening["banker"] != HOUSE:
            request["banker_wager"] = self.banker_wager(at, opening, wagers)
        deck = at.ruleset.game.deck(at.ruleset.rules, opening)
        if opening["source"] == "table":
            playing = {wager["seat"] for wager in wagers} | {self.banker_seat(at, opening)}
            request["hands"] = _hands(at, deck, sorted(playing), self.hand_size)
        else:
            request |= _secrets(at, deck)
        return request | self.action(at, opening)

    def banker_seat(self, at: Situation, opening: Json) -> int:
        """The banker's place; the house banks from its own."""
        seat: int = at.rules["house_seat"] if opening["banker"] == HOUSE else opening["banker"]["seat"]
        return seat

    def wagers(self, at: Situation, opening: Json) -> list[Json]:
        """All wagers; somebody has one."""
        banker = opening["banker"]
        players = [seat for seat in opening["seats"] if banker == HOUSE or seat["bettor"] != banker["bettor"]]
        betting = [seat for seat in players if at.may(at.habits.wager)] or players[:1]
        return [wager for seat in betting for wager in self.on_hand(at, opening, seat)]

    def on_hand(self, at: Situation, opening: Json, seat: Json) -> list[Json]:
        """The wagers on one hand: the seated player's own, and those behind him."""
        banker = opening["banker"]
        behind = [*BEHIND, *(other["bettor"] for other in opening["seats"] if other != seat)]
        if banker != HOUSE:
            behind = [bettor for bettor in behind if bettor != banker["bettor"]]
        low, high = opening["limits"]["minimum"], opening["limits"]["maximum"]
        bettors = {1: seat["bettor"]}
        for circle in range(2, min(at.rules["circles"] or 3, 3) + 1):
            if at.may(at.habits.back_line):
                bettors[circle] = at.random.choice(behind)
        if len(bettors) > 1 and not at.rules["back_line_needs_seated"] and at.may(0.2):
            del bettors[1]
        amounts = {circle: at.amount(low, high) for circle in bettors}
        return [
            _wager(seat["seat"], circle, kind, bettor, amounts[circle])
            for circle, bettor in bettors.items()
            for kind in self.kinds
        ]

    def with_collections(self, at: Situation, opening: Json, wagers: Sequence[Json]) -> list[Json]:
        """The wagers, with the free collections that their bettors hold."""
        held = {one["bettor"]: one for one in at.table["free_collections"]}
        posted = "wager" in opening.get("fees", {})
        using = []
        for wager in wagers:
            if posted and wager["kind"] == self.kinds[0] and wager["bettor"] in held:
                one = held.pop(wager["bettor"])
                free = {"round_id": one["round_id"], "wager_id": one["wager_id"]}
                using.append({**wager, "free_collection": free})
            else:
                using.append(wager)
        return using

    def banker_wager(self, at: Situation, opening: Json, wagers: Sequence[Json]) -> int:
        """Enough for all where it must be, else from too little to more than enough."""
        total: int = sum(wager["amount"] for wager in wagers if wager["kind"] in self.kinds)
        least: int = max(at.rules["banker_minimum_minor"], opening["limits"]["minimum"])
        if at.rules["coverage"] == "full":
            return max(least, total + at.amount(0, 10_000))
        return max(least, at.amount(total // 5, total * 3 // 2))

    def action(self, at: Situation, opening: Json) -> Json:
        """What the request says of where the action begins."""
        del at, opening
        return {}

    def dice(self, at: Situation, opening: Json) -> Json:
        """Three dice, where the service does not throw them."""
        if opening["source"] == "table" or at.may(at.habits.tell / 2):
            return {"dice": [at.random.randint(1, 6) for _ in range(3)]}
        return {}

    def settling(self, at: Situation, opening: Json, wagering: Json, body: Json) -> Json:
        """Every hand that plays, set by its player or by the house way."""
        del wagering
        banker = self.banker_seat(at, opening)
        hands = {hand["seat"]: hand["cards"] for hand in body["hands"]}
        sets = []
        for seat in sorted({*body["action_order"], banker}):
            own = at.may(at.habits.own_hand) and self.may_set(at, seat, is_banker=seat == banker)
            sets.append({"seat": seat, **(self.set_own(at, hands[seat]) if own else {"how": "house_way"})})
        return {"sets": sets}

    def may_set(self, at: Situation, seat: int, *, is_banker: bool) -> bool:
        """Whether a hand may be set otherwise than by the house way."""
        del at, seat, is_banker
        return True

    def set_own(self, at: Situation, cards: Sequence[str]) -> Json:
        """A hand as its player sets it."""
        raise NotImplementedError


class PaiGow(Banked):
    """Players of pai gow poker: side bets, places in time, fronts and fouls."""

    def deck_chosen(self, at: Situation, seats: Sequence[int]) -> Json:
        """The jokers, where the room may choose; enough for everyone's seven cards."""
        jokers = at.rules["jokers"]
        hands = len(seats) if at.rules["piles"] == "seated" else at.rules["seats"] + bool(at.rules["house_seat"])
        least = max(jokers["minimum"], self.hand_size * hands - 52)
        if jokers["minimum"] == jokers["maximum"]:
            return {}
        return {"jokers": at.random.randint(least, max(least, min(jokers["maximum"], 2)))}

    def wagers(self, at: Situation, opening: Json) -> list[Json]:
        """Main wagers told in the order placed, side bets beside them, and the house's against a player who banks."""
        wagers = super().wagers(at, opening)
        house_seat = at.rules["house_seat"]
        if house_seat and opening["banker"] != HOUSE and at.may(0.3):
            amount = at.amount(opening["limits"]["minimum"], opening["limits"]["maximum"])
            wagers.append(_wager(house_seat, 1, "main", HOUSE, amount))
        at.random.shuffle(wagers)
        for place, wager in enumerate(wagers, start=1):
            wager["placed"] = place
        side = [
            _wager(wager["seat"], wager["circle"], kind, wager["bettor"], bet["stake_minor"] or at.amount(100, 2_500))
            for wager in wagers
            for kind, bet in at.rules["side_bets"].items()
            if wager["bettor"] != HOUSE and at.may(at.habits.side_bet)
        ]
        return [*wagers, *side]

    def wagering(self, at: Situation, opening: Json) -> Json:
        """The meters too, where a side bet may be paid from one."""
        request = super().wagering(at, opening)
        with_meter = [
            kind for kind, bet in at.rules["side_bets"].items() if any("meter_bps" in line for line in bet["lines"])
        ]
        if with_meter:
            request["meters"] = {kind: at.amount(1_000_000, 5_000_000) for kind in sorted(with_meter)}
        return request

    def banker(self, at: Situation, seats: Sequence[int]) -> Json | str:
        """He who banks with the house may state his share."""
        banker = super().banker(at, seats)
        if isinstance(banker, dict) and at.rules["co_bank_bps"] and at.may(0.3):
            banker["co_bank_bps"] = at.random.randint(1, 99) * 100
        return banker

    def action(self, at: Situation, opening: Json) -> Json:
        """Dice or a number, and the first pile."""
        rules = at.rules
        places = rules["seats"] if rules["piles"] == "all" else len(opening["seats"])
        if rules["house_seat"] and (rules["piles"] == "all" or opening["banker"] == HOUSE):
            places += 1
        told: Json = {}
        if opening["source"] == "table" or at.may(at.habits.tell / 2):
            if at.random.choice(rules["action_draw"]) == "dice":
                told["dice"] = [at.random.randint(1, 6) for _ in range(3)]
            else:
                told["number"] = at.random.randint(1, places)
        if at.may(at.habits.tell / 2):
            told["pile"] = at.random.randint(1, places)
        return told

    def may_set(self, at: Situation, seat: int, *, is_banker: bool) -> bool:
        """Not the house's hand, nor the banker's where the rules say so or where he banks with the house."""
        by_house_way = at.rules["banker_sets"] == "house_way" or at.rules["co_bank_bps"]
        return seat != at.rules["house_seat"] and not (is_banker and by_house_way)

    def settling(self, at: Situation, opening: Json, wagering: Json, body: Json) -> Json:
        """The hands as set; and where it is offered, now and then the hand of a vacant seat besides."""
        request = super().settling(at, opening, wagering, body)
        dragon = self._dragon(at, opening, wagering, body) if at.rules["dragon_hand"] and at.may(0.4) else None
        return request if dragon is None else request | {"dragon": dragon}

    def _dragon(self, at: Situation, opening: Json, wagering: Json, body: Json) -> Json | None:
        """A bet on the first vacant seat in the order of action, as far as everything allows one."""
        taken = {at.rules["house_seat"], *(seat["seat"] for seat in opening["seats"])}
        places = range(1, at.rules["seats"] + 1 + bool(at.rules["house_seat"]))
        ring = walk(places, body["action"]["seat"], Direction(at.rules["settle_direction"]))
        seat = next((seat for seat in ring if seat not in taken), None)
        main = [wager for wager in wagering["wagers"] if wager["kind"] == "main"]
        own = [wager for wager in main if wager["circle"] == 1 and wager["bettor"] != HOUSE]
        if seat is None or not own or all(hand["seat"] != seat for hand in body["hands"]):
            return None
        bettor = at.random.choice(own)
        low, high = opening["limits"]["minimum"], bettor["amount"]
        if opening["banker"] != HOUSE and at.rules["coverage"] == "full":
            high = min(high, wagering["banker_wager"] - sum(wager["amount"] for wager in main))
        if high < low:
            return None
        return {"wager_id": f"{seat}-dragon", "seat": seat, "bettor": bettor["bettor"], "amount": at.amount(low, high)}

    def set_own(self, at: Situation, cards: Sequence[str]) -> Json:
        """Two cards in front, mostly such that the back outranks them."""
        hand, ranking = parse_cards(cards), at.ruleset.rules.ranking
        while True:
            front = at.random.sample(hand, 2)
            back = [card for card in hand if card not in front]
            if not is_foul(front, back, ranking) or at.may(at.habits.mishap):
                return {"how": "front", "front": sorted(format_cards(front))}


class HiHiLo(Banked):
    """Players of hi-hi-lo: three equal bets, six cards arranged anyhow."""

    kinds = ("high_one", "high_two", "low")
    hand_size = 6
    first_draw = "first_banker"

    def set_own(self, at: Situation, cards: Sequence[str]) -> Json:
        """One, two and three cards."""
        mixed = at.random.sample(list(cards), self.hand_size)
        return {"how": "arranged", "one": mixed[:1], "two": sorted(mixed[1:3]), "low": sorted(mixed[3:])}


class Baccarat(Banked):
    """Players of California baccarat: shoes opened and closed, boxes, misplays."""

    hand_size = 2

    def between(self, at: Situation) -> Move | None:
        """A new shoe when there is none, and its end when the next round might not find enough cards."""
        shoe = at.table["shoe"]
        rules: BaccaratRules = at.ruleset.rules
        if shoe is None:
            request = {"table_id": at.table_id, "ruleset": at.ruleset.id}
            return Move(Call.OPEN_SHOE, f"{at.table_id}-{at.number}", request)
        if shoe["size"] - shoe["position"] < rules.largest_round or at.may(at.habits.void / 4):
            return Move(Call.CLOSE_SHOE, shoe["shoe_id"], {"table_id": at.table_id})
        return None

    def opening(self, at: Situation) -> Json:
        """The round names the shoe that it is dealt from."""
        opening = super().opening(at)
        return opening if opening["source"] == "table" else opening | {"shoe_id": at.table["shoe"]["shoe_id"]}

    def action(self, at: Situation, opening: Json) -> Json:
        """The banker's dice."""
        return self.dice(at, opening)

    def wagering(self, at: Situation, opening: Json) -> Json:
        """The shoe is cut before its first card only."""
        request = super().wagering(at, opening)
        if at.table["shoe"]["position"]:
            request.pop("cut", None)
        return request

    def settling(self, at: Situation, opening: Json, wagering: Json, body: Json) -> Json:
        """Every hand in a box that it may be in, but for a misplay; a physical table tells its draw cards."""
        del wagering
        rules: BaccaratRules = at.ruleset.rules
        banker = opening["banker"]["seat"]
        hands = {hand["seat"]: hand["cards"] for hand in body["hands"]}
        sets, misplayed, hitting = [], [], []
        for seat in sorted({*body["action_order"], banker}):
            draws = rules.banker if seat == banker else rules.player
            worth = baccarat_value(_cards(hands[seat]))
            chosen, misplay, box = self._box(at, draws, worth, is_banker=seat == banker)
            sets.append({"seat": seat, **chosen})
            if misplay is not None:
                misplayed.append({"seat": seat, "how": misplay})
            if box is Box.HIT:
                hitting.append(seat)
        request: Json = {"sets": sets}
        if misplayed:
            request["misplayed"] = misplayed
        if opening["source"] == "table" and hitting:
            left = list(rules.shoe)
            for hand in hands.values():
                for card in _cards(hand):
                    left.remove(card)
            cards = at.random.sample(left, len(hitting))
            request["drawn_cards"] = [
                {"seat": seat, "card": format_card(card)} for seat, card in zip(hitting, cards, strict=True)
            ]
        return request

    def _box(self, at: Situation, draws: DrawRule, worth: int, *, is_banker: bool) -> tuple[Json, str | None, Box]:
        """How a hand is put, the misplay if it is one, and the box that it plays from."""
        allowed, house = draws.allowed(worth), draws.house_way(worth)
        mishap = at.may(at.habits.mishap)
        if not at.may(at.habits.own_hand):
            return {"how": "house_way"}, "by_house" if mishap else None, house
        if is_banker or not mishap:
            box = at.random.choice(allowed)
            return {"how": "box", "box": box.value}, None, box
        wrong = [box for box in Box if box not in allowed]
        if wrong and at.may(0.5):
            return {"how": "box", "box": wrong[0].value}, "by_player", wrong[0]
        return {"how": "box", "box": at.random.choice(allowed).value}, "changed_box", house


def _cards(texts: Sequence[str]) -> tuple[Card, ...]:
    """Cards of several decks, which may come twice."""
    return tuple(card for text in texts for card in parse_cards(text))


# Games for a pot


class PushNine:
    """Players of push nine: a drawn button, bets against stacks, pots pushed on and bought into."""

    ante = 200

    def between(self, at: Situation) -> Move | None:
        """A draw for the button, at first and when the winner of the last pot has left."""
        table = at.table
        if table["pot"] or table["draw"] or (table["button"] is not None and not at.may(0.05)):
            return None
        return _draw(at, "first_button", at.some([s for s in _places(at) if s != table["button"]], least=2))

    def opening(self, at: Situation) -> Json:
        """Who plays, and who has the button; those who tied for a carried pot stay for it."""
        pot, draw, table = at.table["pot"], at.table["draw"], at.table
        opening: Json = {"ante": self.ante, "source": _source(at)}
        if at.may(0.8):
            opening["fees"] = {"wager": _FEES["wager"]}
        if pot is not None:
            tied = {player["seat"] for part in pot["pots"] for player in part["tied"]}
            seats = at.some(_places(at), least=2, must=sorted(tied))
            return opening | {"seats": _seated(seats), "button": pot["button"], "continues": pot["round_id"]}
        if draw is not None:
            return opening | {"seats": _seated(draw["seats"]), "button": draw["seat"], "draw_id": draw["draw_id"]}
        seats = at.some(_places(at), least=2, must=[table["button"]])
        return opening | {"seats": _seated(seats), "button": table["button"]}

    def wagering(self, at: Situation, opening: Json) -> Json:
        """Antes, or what buys into a carried pot; what each has left; and the cards' secrets."""
        bettors = {seat["seat"]: seat["bettor"] for seat in opening["seats"]}
        if "continues" in opening:
            wagers, players = self._buy_ins(at, bettors)
        else:
            wagers, players = (
                [_wager(s, 1, "ante", bettor, opening["ante"]) for s, bettor in bettors.items()],
                [*bettors],
            )
        stacks = {seat: 0 if at.may(0.05) else at.amount(0, 30 * self.ante) for seat in sorted(players)}
        for wager in wagers:
            if wager["kind"] == "ante" and not stacks[wager["seat"]] and at.may(0.5):
                wager["amount"] = opening["ante"] // 2  # all that he had
        request: Json = {
            "wagers": sorted(wagers, key=lambda wager: wager["wager_id"]),
            "stacks": [{"seat": seat, "amount": amount} for seat, amount in stacks.items()],
        }
        deck = at.ruleset.game.deck(at.ruleset.rules, opening)
        if opening["source"] == "table":
            return request | {"hands": _hands(at, deck, players, 3)}
        return request | _secrets(at, deck)

    def _buy_ins(self, at: Situation, bettors: Mapping[int, str]) -> tuple[list[Json], list[int]]:
        parts = at.table["pot"]["pots"]
        tied = {player["seat"] for part in parts for player in part["tied"]}
        buyers: list[int] = []
        wagers = []
        for part in parts:
            if "buy_in" in part:
                in_main = {player["seat"] for player in part["tied"]}
                buyers = [seat for seat in bettors if seat not in in_main and at.may(0.4)]
                wagers = [_wager(seat, 1, "buy_in", bettors[seat], part["buy_in"]) for seat in buyers]
        return wagers, sorted(tied | set(buyers))

    def settling(self, at: Situation, opening: Json, wagering: Json, body: Json) -> Json:
        """The betting, in the order taken."""
        del opening
        stacks = {item["seat"]: item["amount"] for item in wagering["stacks"]}
        betting = _betting(at, body["order"], stacks, body["limits"])
        return {"betting": betting} if betting else {}


def _betting(at: Situation, order: Sequence[int], stacks: Mapping[int, int], limits: Json) -> list[Json]:
    """A betting round in which every raise is a full one; who has too little left calls all-in, or folds."""
    left, added, level, raises = dict(stacks), dict.fromkeys(order, 0), 0, -1
    to_act, live = [seat for seat in order if left[seat]], list(order)
    taken: list[Json] = []
    while to_act and len(live) > 1:
        with_chips = [seat for seat in live if left[seat]]
        if len(with_chips) == 1 and added[with_chips[0]] == level:
            break
        seat = to_act.pop(0)
        due = level - added[seat]
        by = at.amount(limits["minimum"], limits["maximum"])
        if due + by <= left[seat] and raises < at.rules["raises"] and at.may(0.25):
            taken.append({"seat": seat, "action": "raise" if level else "bet", "amount": due + by})
            left[seat] -= due + by
            added[seat] += due + by
            level, raises = added[seat], raises + 1
            turn = order.index(seat)
            to_act = [other for other in (*order[turn + 1 :], *order[:turn]) if left[other] and other in live]
        elif not due:
            taken.append({"seat": seat, "action": "check"})
        elif at.may(0.3):
            taken.append({"seat": seat, "action": "fold"})
            live.remove(seat)
        else:
            paid = min(due, left[seat])
            taken.append({"seat": seat, "action": "call", "amount": paid})
            left[seat] -= paid
            added[seat] += paid
    return taken


class Showdown:
    """Players of a poker showdown: what they put in is told, with who folded and whose hands are dead, in order."""

    def between(self, at: Situation) -> Move | None:
        """Nothing."""
        del at
        return None

    def opening(self, at: Situation) -> Json:
        """As many players as there are cards for."""
        jokers, source = at.rules["jokers"], _source(at)
        seats = at.some(_places(at), least=2)  # six hands of seven and five in the middle, or eight of stud
        opening: Json = {
            "seats": _seated(at.random.sample(seats, min(len(seats), 8 if source == "shuffle" else 6))),
            "button": at.random.choice(_places(at)),
            "source": source,
        }
        if at.may(0.8):
            opening["ante"] = 100
        if jokers["maximum"] > jokers["minimum"] and at.may(0.5):
            opening["jokers"] = at.random.randint(jokers["minimum"], jokers["maximum"])
        return opening

    def wagering(self, at: Situation, opening: Json) -> Json:
        """The antes, where there is one; and the deck, whose life is watched."""
        antes = [
            _wager(s["seat"], 1, "ante", s["bettor"], opening["ante"]) for s in opening["seats"] if "ante" in opening
        ]
        request: Json = {"wagers": sorted(antes, key=lambda wager: wager["wager_id"])}
        deck = at.ruleset.game.deck(at.ruleset.rules, opening)
        if opening["source"] == "shuffle":
            return request | _secrets(at, deck)
        seats = [seat["seat"] for seat in opening["seats"]]
        in_middle = at.random.choice((0, 5))
        cards = at.random.sample(deck, in_middle + 7 * len(seats))
        size = at.rules["most_cards"] - in_middle
        hands = [
            {"seat": seat, "cards": format_cards(cards[in_middle + 7 * turn :][:size])}
            for turn, seat in enumerate(seats)
        ]
        if in_middle:
            request["community"] = sorted(format_cards(cards[:in_middle]))
        colour = at.random.choice(("red", "blue"))
        return request | {"hands": hands, "deck": {"deck_id": f"deck-{colour}", "colour": colour}}

    def settling(self, at: Situation, opening: Json, wagering: Json, body: Json) -> Json:
        """Contributions, some of them short of the others; folds in turn from the button; and hands that are dead."""
        del body
        antes = {wager["seat"]: wager["amount"] for wager in wagering["wagers"]}
        seats = [seat["seat"] for seat in opening["seats"]]
        bet = at.amount(0, 10_000)
        put_in = {seat: antes.get(seat, 0) + (at.amount(0, bet) if at.may(0.3) else bet) for seat in seats}
        stays = at.random.choice(seats)
        folding = {seat for seat in seats if seat != stays and at.may(0.3)}
        folded = list(left_of_button(folding, opening["button"], places=at.rules["seats"]))
        dead = [seat for seat in seats if seat not in (stays, *folded) and at.may(at.habits.mishap)]
        request: Json = {"contributions": [{"seat": seat, "amount": amount} for seat, amount in put_in.items()]}
        if folded:
            request["folded"] = folded
        if dead:
            request["dead_hands"] = [{"seat": seat, "ante_returned": seat in antes and at.may(0.5)} for seat in dead]
        if len(dead) > 1:
            request["dead_order"] = at.random.sample(dead, len(dead))
        return request


PLAYERS: Final[Mapping[str, Players]] = {
    "california-baccarat": Baccarat(),
    "hi-hi-lo": HiHiLo(),
    "pai-gow-poker": PaiGow(),
    "poker-showdown": Showdown(),
    "push-nine": PushNine(),
}
