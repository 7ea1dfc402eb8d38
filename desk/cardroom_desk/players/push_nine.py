"""The players of push nine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardroom_desk.players.parts import (
    FEES,
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


class PushNine:
    """Players of push nine: a drawn button, bets against stacks, pots pushed on and bought into."""

    ante = 200

    def between(self, at: Situation) -> Move | None:
        """A draw for the button, at first and when the winner of the last pot has left."""
        table = at.table
        if table["pot"] or table["draw"] or (table["button"] is not None and not at.may(0.05)):
            return None
        return drawing(at, "first_button", at.some([s for s in places_at(at) if s != table["button"]], least=2))

    def opening(self, at: Situation) -> Json:
        """Who plays, and who has the button; those who tied for a carried pot stay for it."""
        pot, draw, table = at.table["pot"], at.table["draw"], at.table
        opening: Json = {"ante": self.ante, **source_at(at)}
        if at.may(0.8):
            opening["fees"] = {"wager": FEES["wager"]}
        if pot is not None:
            tied = {player["seat"] for part in pot["pots"] for player in part["tied"]}
            seats = at.some(places_at(at), least=2, must=sorted(tied))
            return opening | {"seats": seated(seats), "button": pot["button"], "continues": pot["round_id"]}
        if draw is not None:
            return opening | {"seats": seated(draw["seats"]), "button": draw["seat"], "draw_id": draw["draw_id"]}
        seats = at.some(places_at(at), least=2, must=[table["button"]])
        return opening | {"seats": seated(seats), "button": table["button"]}

    def wagering(self, at: Situation, opening: Json) -> Json:
        """Antes, or what buys into a carried pot; what each has left; and the cards' secrets."""
        bettors = {seat["seat"]: seat["bettor"] for seat in opening["seats"]}
        if "continues" in opening:
            wagers, players = self._buy_ins(at, bettors)
        else:
            wagers, players = (
                [wager_on(s, 1, "ante", bettor, opening["ante"]) for s, bettor in bettors.items()],
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
            return request | {"hands": dealt_hands(at, deck, players, 3)}
        return request | shuffle_secrets(at, deck, opening)

    def _buy_ins(self, at: Situation, bettors: Mapping[int, str]) -> tuple[list[Json], list[int]]:
        parts = at.table["pot"]["pots"]
        tied = {player["seat"] for part in parts for player in part["tied"]}
        buyers: list[int] = []
        wagers = []
        for part in parts:
            if "buy_in" in part:
                in_main = {player["seat"] for player in part["tied"]}
                buyers = [seat for seat in bettors if seat not in in_main and at.may(0.4)]
                wagers = [wager_on(seat, 1, "buy_in", bettors[seat], part["buy_in"]) for seat in buyers]
        return wagers, sorted(tied | set(buyers))

    def settling(self, at: Situation, opening: Json, wagering: Json, body: Json) -> Json:
        """The betting, in the order taken."""
        del opening
        stacks = {item["seat"]: item["amount"] for item in wagering["stacks"]}
        betting = _betting(at, body["order"], stacks, body["limits"])
        return {"sets": [], "betting": betting} if betting else {"sets": []}


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
            taken.append({"seat": seat, "action": "call"})
            left[seat] -= paid
            added[seat] += paid
    return taken
