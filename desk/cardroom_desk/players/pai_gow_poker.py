"""The players of pai gow poker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardroom.cards import format_cards, parse_cards
from cardroom.games.pai_gow_poker.house_way import is_foul
from cardroom.money import HOUSE
from cardroom.rounds.sets import Dealing
from cardroom.seats import Direction, walk
from cardroom_desk.players.banked import Banked
from cardroom_desk.players.parts import cards_left, dealt_hands, wager_on
from cardroom_desk.players.situation import Situation

Json = dict[str, Any]


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

    def opening(self, at: Situation) -> Json:
        """The sum that bounds the round's bonuses too, where one may be posted."""
        opening = super().opening(at)
        posted = any(bet["maximum_payout"] == "posted" for bet in at.rules["side_bets"].values())
        return opening | ({"maximum_payout": at.amount(2_500, 25_000)} if posted and at.may(0.5) else {})

    def wagers(self, at: Situation, opening: Json) -> list[Json]:
        """Main wagers told in the order placed, side bets beside them, and the house's against a player who banks."""
        wagers = super().wagers(at, opening)
        house_seat = at.rules["house_seat"]
        if house_seat and opening["banker"] != HOUSE and at.may(0.3):
            amount = at.amount(opening["limits"]["minimum"], opening["limits"]["maximum"])
            wagers.append(wager_on(house_seat, 1, "main", HOUSE, amount))
        at.random.shuffle(wagers)
        for place, wager in enumerate(wagers, start=1):
            wager["placed"] = place
        side = [
            wager_on(wager["seat"], wager["circle"], kind, wager["bettor"], bet["stake_minor"] or at.amount(100, 2_500))
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

    def locking(self, at: Situation, opening: Json, deal: Dealing) -> Json | None:
        """The hands as set; and where it is offered, now and then the hand of a vacant seat besides."""
        request = super().locking(at, opening, deal)
        return None if request is None else self._with_dragon(at, opening, deal, request, due=False)

    def settling(self, at: Situation, opening: Json, deal: Dealing) -> Json:
        """The hands as set, and that of a vacant seat where the hands are not locked."""
        request = super().settling(at, opening, deal)
        if deal.locked is None:
            return self._with_dragon(at, opening, deal, request, due=True)
        dragon = deal.locked.get("dragon")
        return request if dragon is None else self._with_pile(at, opening, deal, request, dragon["seat"])

    def _with_dragon(self, at: Situation, opening: Json, deal: Dealing, request: Json, *, due: bool) -> Json:
        dragon = self._dragon(at, opening, deal) if at.rules["dragon_hand"] and at.may(0.4) else None
        if dragon is None:
            return request
        request = request | {"dragon": dragon}
        return self._with_pile(at, opening, deal, request, dragon["seat"]) if due or at.may(0.5) else request

    def _with_pile(self, at: Situation, opening: Json, deal: Dealing, request: Json, seat: int) -> Json:
        """The cards of the dragon hand, where a physical table has not told them."""
        known = [*deal.body["hands"], *request.get("hands", [])]
        if opening["source"] != "table" or any(hand["seat"] == seat for hand in known):
            return request
        left = cards_left(at.ruleset.game.deck(at.ruleset.rules, opening), [hand["cards"] for hand in known])
        more = [*request.get("hands", []), *dealt_hands(at, left, [seat], self.hand_size)]
        return request | {"hands": sorted(more, key=lambda hand: hand["seat"])}

    def _dragon(self, at: Situation, opening: Json, deal: Dealing) -> Json | None:
        """A bet on the first vacant seat in the order of action, as far as everything allows one."""
        wagering, body = deal.request, deal.body
        taken = {at.rules["house_seat"], *(seat["seat"] for seat in opening["seats"])}
        places = range(1, at.rules["seats"] + 1 + bool(at.rules["house_seat"]))
        ring = walk(places, body["action"]["seat"], Direction(at.rules["settle_direction"]))
        seat = next((seat for seat in ring if seat not in taken), None)
        main = [wager for wager in wagering["wagers"] if wager["kind"] == "main"]
        own = [wager for wager in main if wager["circle"] == 1 and wager["bettor"] != HOUSE]
        if seat is None or not own:
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
