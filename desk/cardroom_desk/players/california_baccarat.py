"""The players of California baccarat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardroom.cards import Card, format_card, parse_cards
from cardroom.games.california_baccarat.rules import BaccaratRules, Box, DrawRule
from cardroom.hands.baccarat import value as baccarat_value
from cardroom_desk.players.banked import Banked
from cardroom_desk.players.parts import without_client_seed
from cardroom_desk.players.situation import Call, Move, Situation

Json = dict[str, Any]


class Baccarat(Banked):
    """Players of California baccarat: shoes opened and closed, boxes, misplays."""

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
