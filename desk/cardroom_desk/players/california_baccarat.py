"""The players of California baccarat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cardroom.cards import Card, format_card, parse_cards
from cardroom.games.california_baccarat.rules import BaccaratRules, Box, DrawRule
from cardroom.hands.baccarat import value as baccarat_value
from cardroom_desk.players.banked import Banked
from cardroom_desk.players.parts import places_at, without_client_seed
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
                left = _left(at.ruleset.rules, [hand["cards"] for hand in request["hands"]])
                wrong.append(format_card(at.random.choice(left)))
        return request

    def settling(self, at: Situation, opening: Json, wagering: Json, body: Json) -> Json:
        """Every hand in a box that it may be in, but for a misplay; a physical table tells its draw cards."""
        del wagering
        rules: BaccaratRules = at.ruleset.rules
        banker = opening["banker"]["seat"]
        hands = {hand["seat"]: hand["cards"] for hand in body["hands"]}
        wrong = [seat for seat, cards in hands.items() if len(cards) != self.hand_size]
        sets, misplayed, hitting = [], [], []
        for seat in sorted({*body["action_order"], banker}.difference(wrong)):
            draws = rules.banker if seat == banker else rules.player
            worth = baccarat_value(_cards(hands[seat]))
            chosen, misplay, box = self._box(at, draws, worth, is_banker=seat == banker)
            takes = box is Box.HIT
            if opening["source"] == "table" and seat != banker and self._misdrawn(at, rules, wrong):
                wrong.append(seat)
                misplay, takes = "wrong_number", not takes
            sets.append({"seat": seat, **chosen})
            if misplay is not None:
                misplayed.append({"seat": seat, "how": misplay})
            if takes:
                hitting.append(seat)
        sets += [
            {"seat": seat, "how": "house_way"} for seat in wrong if len(hands[seat]) != self.hand_size and at.may(0.5)
        ]
        request: Json = {"sets": sorted(sets, key=lambda one: one["seat"])}
        if misplayed:
            request["misplayed"] = misplayed
        if opening["source"] == "table" and hitting:
            cards = at.random.sample(_left(rules, hands.values()), len(hitting))
            request["drawn_cards"] = [
                {"seat": seat, "card": format_card(card)} for seat, card in zip(hitting, cards, strict=True)
            ]
        return request

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


def _left(rules: BaccaratRules, hands: Iterable[Sequence[str]]) -> list[Card]:
    """The cards of the shoe that no hand has."""
    left = list(rules.shoe)
    for hand in hands:
        for card in _cards(hand):
            left.remove(card)
    return left


def _cards(texts: Sequence[str]) -> tuple[Card, ...]:
    """Cards of several decks, which may come twice."""
    return tuple(card for text in texts for card in parse_cards(text))
