"""The players of California baccarat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardroom.cards import Card, format_card, parse_cards
from cardroom.games.california_baccarat.rules import BaccaratRules, Box, DrawRule
from cardroom.hands.baccarat import value as baccarat_value
from cardroom.rounds.sets import Dealing
from cardroom_desk.players.banked import Banked
from cardroom_desk.players.parts import cards_left, places_at, without_client_seed
from cardroom_desk.players.situation import Call, Move, Situation

Json = dict[str, Any]


class Baccarat(Banked):
    """Players of California baccarat: shoes opened and closed, boxes, misplays, misdealt hands."""

    hand_size = 2

    def between(self, at: Situation) -> Move | None:
        """A new shoe when there is none, and its end when the next round might not find enough cards."""
        shoe = at.table["shoe"]
        rules: BaccaratRules = at.ruleset.rules
        if shoe is None:
            request = {"table_id": at.table_id, "ruleset": at.ruleset.id} | without_client_seed(at)
            return Move(Call.OPEN_SHOE, f"{at.table_id}-{at.number}", request)
        if shoe["size"] - shoe["position"] < rules.largest_round or at.may(at.habits.void / 4):
            return Move(Call.CLOSE_SHOE, shoe["shoe_id"], {"table_id": at.table_id})
        return None

    def opening(self, at: Situation) -> Json:
        """The round names the shoe that it is dealt from."""
        opening = super().opening(at)
        opening.pop("client_seed", None)  # which the shoe says, not its rounds
        return opening if opening["source"] == "table" else opening | {"shoe_id": at.table["shoe"]["shoe_id"]}

    def action(self, at: Situation, opening: Json) -> Json:
        """The banker's dice."""
        return self.dice(at, opening)

    def banker(self, at: Situation, seats: Sequence[int]) -> Json | str:
        """Whoever banks, sometimes from a place where nobody sits."""
        banker = super().banker(at, seats)
        free = [seat for seat in places_at(at) if seat not in seats]
        if isinstance(banker, dict) and free and at.rules["banker_sits"] == "any_position" and at.may(0.15):
            return {**banker, "seat": at.random.choice(free)}
        return banker

    def wagering(self, at: Situation, opening: Json) -> Json:
        """The shoe is cut before its first card only; at a physical table a player's hand may be misdealt."""
        request = super().wagering(at, opening)
        if at.table["shoe"]["position"]:
            request.pop("cut", None)
        if "hands" in request and at.rules["misdeal_hands"] > 1 and at.may(at.habits.mishap):
            played = [hand for hand in request["hands"] if hand["seat"] != self.banker_seat(at, opening)]
            wrong = at.random.choice(played)["cards"]
            if at.may(0.5):
                wrong.pop()
            else:
                left = cards_left(at.ruleset.rules.shoe, [hand["cards"] for hand in request["hands"]])
                wrong.append(format_card(at.random.choice(left)))
        return request

    def locking(self, at: Situation, opening: Json, deal: Dealing) -> Json | None:
        """The players' hands in their boxes, and what went wrong with them before the banker's is opened."""
        if not at.may(at.habits.lock):
            return None
        rules: BaccaratRules = at.ruleset.rules
        hands = {hand["seat"]: hand["cards"] for hand in deal.body["hands"]}
        sets, misplayed = [], []
        for seat in sorted(deal.body["action_order"]):
            if len(hands[seat]) != self.hand_size:
                continue
            chosen, misplay, _ = self._box(at, rules.player, baccarat_value(_cards(hands[seat])), is_banker=False)
            sets.append({"seat": seat, **chosen})
            if misplay is not None and misplay != "by_house":  # which happens with the draw cards
                misplayed.append({"seat": seat, "how": misplay})
        request = {"sets": sets} | ({"misplayed": misplayed} if misplayed else {})
        return request | self.more_hands(at, opening, deal, (), due=False)

    def settling(self, at: Situation, opening: Json, deal: Dealing) -> Json:
        """Every hand in a box that it may be in, but for a misplay; a physical table tells its draw cards."""
        rules: BaccaratRules = at.ruleset.rules
        request = self.more_hands(at, opening, deal, (), due=True)
        deal, banker = deal.with_hands(request.get("hands", [])), opening["banker"]["seat"]
        hands = {hand["seat"]: hand["cards"] for hand in deal.body["hands"]}
        locked = _locked_boxes(rules, deal, hands)
        wrong = [seat for seat, cards in hands.items() if len(cards) != self.hand_size]
        sets, misplayed, hitting = [], [], []
        for seat in sorted({*deal.body["action_order"], banker}.difference(wrong)):
            if seat not in hands:
                sets.append({"seat": seat, "how": "house_way"})
                continue
            chosen, misplay, box = None, None, locked.get(seat)
            if box is None:
                draws = rules.banker if seat == banker else rules.player
                worth = baccarat_value(_cards(hands[seat]))
                chosen, misplay, box = self._box(at, draws, worth, is_banker=seat == banker)
            takes = box is Box.HIT
            told = misplay or seat in {one["seat"] for one in (deal.locked or {}).get("misplayed", [])}
            if opening["source"] == "table" and seat != banker and not told and self._misdrawn(at, rules, wrong):
                wrong.append(seat)
                misplay, takes = "wrong_number", not takes
            if chosen is not None:
                sets.append({"seat": seat, **chosen})
            if misplay is not None:
                misplayed.append({"seat": seat, "how": misplay})
            if takes:
                hitting.append(seat)
        if deal.locked is None:
            sets += [
                {"seat": seat, "how": "house_way"}
                for seat in wrong
                if len(hands[seat]) != self.hand_size and at.may(0.5)
            ]
        request["sets"] = sorted(sets, key=lambda one: one["seat"])
        if misplayed:
            request["misplayed"] = misplayed
        if opening["source"] == "table" and hitting:
            cards = at.random.sample(cards_left(rules.shoe, hands.values()), len(hitting))
            request["drawn_cards"] = [
                {"seat": seat, "card": format_card(card)} for seat, card in zip(hitting, cards, strict=True)
            ]
        return request

    def correcting(self, at: Situation, opening: Json, deal: Dealing, sets: Sequence[Json]) -> Json | None:
        """One card for another of the same worth: a box or a draw card may hang on what a hand is worth."""
        del opening, sets
        rules: BaccaratRules = at.ruleset.rules
        hand = at.random.choice(deal.body["hands"])
        left = cards_left(rules.shoe, [one["cards"] for one in deal.body["hands"]])
        worth = baccarat_value(_cards(hand["cards"]))
        swaps = [(place, card) for place in range(len(hand["cards"])) for card in left[::9]]
        at.random.shuffle(swaps)
        for place, card in swaps:
            cards = [*hand["cards"]]
            cards[place] = format_card(card)
            if cards != hand["cards"] and baccarat_value(_cards(cards)) == worth:
                return {"hands": [{"seat": hand["seat"], "cards": cards}]}
        return None

    def _misdrawn(self, at: Situation, rules: BaccaratRules, wrong: Sequence[int]) -> bool:
        """Whether a hand gets a draw card against its box, or none; so many at one table would be a misdeal."""
        return len(wrong) + 1 < rules.misdeal_hands and at.may(at.habits.mishap / 2)

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


def _locked_boxes(rules: BaccaratRules, deal: Dealing, hands: Mapping[int, Sequence[str]]) -> dict[int, Box]:
    """The boxes in which the players' hands are locked."""
    locked = deal.locked or {"sets": []}
    moved = [one["seat"] for one in locked.get("misplayed", []) if one["how"] == "changed_box"]
    return {
        one["seat"]: Box(one["box"])
        if one["how"] == "box" and one["seat"] not in moved
        else rules.player.house_way(baccarat_value(_cards(hands[one["seat"]])))
        for one in locked["sets"]
    }


def _cards(texts: Sequence[str]) -> tuple[Card, ...]:
    """Cards of several decks, which may come twice."""
    return tuple(card for text in texts for card in parse_cards(text))
