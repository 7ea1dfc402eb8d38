"""The players of games in which somebody banks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cardroom.banked.sets import bettors_hands
from cardroom.cards import format_card
from cardroom.money import HOUSE
from cardroom.rounds.sets import Dealing
from cardroom_desk.players.parts import (
    FEES,
    SEATED,
    cards_left,
    dealt_hands,
    drawing,
    places_at,
    seated,
    shuffle_secrets,
    source_at,
    wager_on,
)
from cardroom_desk.players.situation import Move, Situation

Json = dict[str, Any]

PARTS: Final = ("front", "one", "two", "low")  # where a set names its cards
BEHIND: Final = ("kay", "leo", "mia", "ned")


class Banked:
    """The players of a game with a banker. A game adds its wagers, where the action begins, and how hands are set."""

    kinds: Sequence[str] = ("main",)  # a hand's wagers, of equal amounts
    hand_size = 7
    first_draw: str | None = None

    def between(self, at: Situation) -> Move | None:
        """A draw for the first banker, where there is one."""
        if self.first_draw is None or self.banked_last(at):
            return None
        if last := at.table["draw"]:
            return self.redrawing(at, self.first_draw, last) if at.may(at.habits.mishap) else None
        return drawing(at, self.first_draw, at.some(places_at(at), least=2))

    def redrawing(self, at: Situation, kind: str, last: Json) -> Move | None:
        """A player leaves after the draw, so that the others draw again."""
        if len(last["seats"]) <= 2:
            return None
        leaves = at.random.choice(last["seats"])
        seats = [seat for seat in last["seats"] if seat != leaves]
        return drawing(at, kind, seats, replaces=last["draw_id"], reason="seat_left")

    def opening(self, at: Situation) -> Json:
        """Who sits and who banks; those who hold a free collection stay for it, or may sit out if it waits."""
        rules, draw = at.rules, at.table["draw"]
        waits = at.rules["free_collection"] == "waits"
        must = [SEATED.index(held["bettor"]) + 1 for held in at.table["free_collections"] if held["bettor"] in SEATED]
        must = [seat for seat in must if seat in places_at(at) and not (waits and at.may(0.5))]
        seats = draw["seats"] if draw else at.some(places_at(at), least=2, must=must)
        least = rules["banker_minimum_minor"]
        opening: Json = {
            "seats": seated(seats),
            **self.bank(at, seats),
            "limits": {"minimum": 500, "maximum": max(50_000, least // 3)},
            **source_at(at),
        }
        if opening["source"] == "shuffle" and at.may(at.habits.show):
            opening["shown"] = "all"
        if opening["source"] == "table" and at.may(0.8):
            opening["correction_hands"] = at.random.randint(0, 3)
        fees = {name: FEES[name] for name in rules["fees_from"] if at.may(0.9)}
        if fees:
            opening["fees"] = fees
        if draw:
            opening["draw_id"] = draw["draw_id"]
        return opening | self.deck_chosen(at, seats)

    def banked_last(self, at: Situation) -> Json | None:
        """Who banked the table's last hand of this game, at which seat, and for how many hands."""
        last = at.table["banker"]
        return dict(last) if last is not None and last["game"] == at.rules["game"] else None

    def bank(self, at: Situation, seats: Sequence[int]) -> Json:
        """Who banks; now and then who was asked besides, in turn."""
        if at.rules["rotation"]["direction"] == "none" or not at.may(at.habits.tell):
            return {"banker": self.banker(at, seats)}
        order = self.asked(at, seats)
        passing: list[Json] = []
        for seat in order[:-1]:
            if not at.may(0.5):
                return {"banker": seated([seat])[0], "offers": [*passing, {"seat": seat, "answer": "bank"}]}
            passing.append({"seat": seat, "answer": "pass"})
        banker = {**seated([order[-1]])[0], "others_passed": True}
        return {"banker": banker, "offers": [*passing, {"seat": order[-1], "answer": "bank"}]}

    def asked(self, at: Situation, seats: Sequence[int]) -> list[int]:
        """The seats in the order in which they are asked whether they bank."""
        last, draw, most = self.banked_last(at), at.table["draw"], at.rules["banker_turns"]
        ring = sorted(seats)
        if last is None:
            first = draw["seat"] if draw else ring[0] if at.rules["rotation"]["first_banker"] != "any" else None
            first = at.random.choice(ring) if first is None else first
        else:
            stays = last["seat"] in ring and (not most or last["turns"] < most)
            behind = [seat for seat in ring if seat > last["seat"] or (stays and seat == last["seat"])]
            first = min(behind, default=ring[0])
        return [*ring[ring.index(first) :], *ring[: ring.index(first)]]

    def banker(self, at: Situation, seats: Sequence[int]) -> Json | str:
        """The winner of the draw; or the last banker while he may, the house where it may, or anybody."""
        if at.rules.get("house_bank", False) and at.may(0.6):
            return HOUSE
        draw, last, most = at.table["draw"], self.banked_last(at), at.rules["banker_turns"]
        if draw:
            return seated([draw["seat"]])[0]
        banker: Json = at.random.choice(seated(seats))
        stays = [seat for seat in seated(seats) if last and seat["bettor"] == last["bettor"]]
        if stays and at.may(0.5):
            banker = stays[0]
        if last and most and banker["bettor"] == last["bettor"] and last["turns"] >= most:
            if at.may(0.3):
                return {**banker, "others_passed": True}
            banker = at.random.choice([seat for seat in seated(seats) if seat["bettor"] != last["bettor"]])
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
            request |= self.for_the_bank(at, opening)
        deck = at.ruleset.game.deck(at.ruleset.rules, opening)
        if opening["source"] == "table":
            bets: Any = {"wagers": wagers}
            told = {*bettors_hands(bets)}
            told |= {seat for seat in self.playing(at, opening, wagers) if at.may(0.6)}  # or they are told later
            request["hands"] = dealt_hands(at, deck, sorted(told), self.hand_size)
        else:
            request |= shuffle_secrets(at, deck, opening)
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
            wager_on(seat["seat"], circle, kind, bettor, amounts[circle])
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

    def for_the_bank(self, at: Situation, opening: Json) -> Json:
        """The free collection that the banker holds, where the bank pays a fee."""
        if "banker" not in opening.get("fees", {}):
            return {}
        held = [one for one in at.table["free_collections"] if one["bettor"] == opening["banker"]["bettor"]]
        free = [{"round_id": one["round_id"], "wager_id": one["wager_id"]} for one in held]
        return {"banker_free_collection": free[0]} if free else {}

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

    def playing(self, at: Situation, opening: Json, wagers: Sequence[Json]) -> set[int]:
        """The places whose hands play: those with a wager, and the banker's."""
        return {*(wager["seat"] for wager in wagers), self.banker_seat(at, opening)}

    def more_hands(self, at: Situation, opening: Json, deal: Dealing, also: Sequence[int], *, due: bool) -> Json:
        """The hands that a physical table has not told yet, those of `also` among them; now, or when they are due."""
        known = {hand["seat"]: hand["cards"] for hand in deal.body["hands"]}
        missing = sorted(self.playing(at, opening, deal.request["wagers"]).union(also) - known.keys())
        if opening["source"] != "table" or not missing or not (due or at.may(0.5)):
            return {}
        left = cards_left(at.ruleset.game.deck(at.ruleset.rules, opening), known.values())
        return {"hands": dealt_hands(at, left, missing, self.hand_size)}

    def locking(self, at: Situation, opening: Json, deal: Dealing) -> Json | None:
        """The hands with a wager, set before the banker's is shown; a physical table may tell that now."""
        if not at.may(at.habits.lock):
            return None
        return self.sets(at, opening, deal, deal.body["action_order"]) | self.more_hands(
            at, opening, deal, (), due=False
        )

    def settling(self, at: Situation, opening: Json, deal: Dealing) -> Json:
        """Every hand that plays and is not locked, set by its player or by the house way."""
        more = self.more_hands(at, opening, deal, (), due=True)
        deal, banker = deal.with_hands(more.get("hands", [])), self.banker_seat(at, opening)
        seats = {banker} if deal.locked is not None else {*deal.body["action_order"], banker}
        return self.sets(at, opening, deal, sorted(seats)) | more

    def sets(self, at: Situation, opening: Json, deal: Dealing, seats: Sequence[int]) -> Json:
        """Some hands, set by their players where they see them, or by the house way."""
        banker = self.banker_seat(at, opening)
        hands = {hand["seat"]: hand["cards"] for hand in deal.body["hands"]}
        sets = []
        for seat in sorted(seats):
            own = at.may(at.habits.own_hand) and seat in hands and self.may_set(at, seat, is_banker=seat == banker)
            sets.append({"seat": seat, **(self.set_own(at, hands[seat]) if own else {"how": "house_way"})})
        return {"sets": sets}

    def may_set(self, at: Situation, seat: int, *, is_banker: bool) -> bool:
        """Whether a hand may be set otherwise than by the house way."""
        del at, seat, is_banker
        return True

    def correcting(self, at: Situation, opening: Json, deal: Dealing, sets: Sequence[Json]) -> Json | None:
        """One card of a hand as it lies; a set that names it, with that card in its place."""
        hands = deal.body["hands"]
        left = cards_left(at.ruleset.game.deck(at.ruleset.rules, opening), [hand["cards"] for hand in hands])
        if not left:
            return None
        hand, card = at.random.choice(hands), format_card(at.random.choice(left))
        gone = at.random.choice(hand["cards"])
        cards = [card if one == gone else one for one in hand["cards"]]
        found: Json = {"hands": [{"seat": hand["seat"], "cards": cards}]}
        for one in sets:
            parts = {
                part: sorted(card if c == gone else c for c in one[part]) for part in PARTS if gone in one.get(part, ())
            }
            if one["seat"] == hand["seat"] and parts:
                found["sets"] = [{**one, **parts}]
        return found

    def set_own(self, at: Situation, cards: Sequence[str]) -> Json:
        """A hand as its player sets it."""
        raise NotImplementedError
