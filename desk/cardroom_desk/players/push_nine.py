"""The players of push nine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardroom.rounds.sets import Dealing
from cardroom_desk.players.parts import (
    FEES,
    dealt_hands,
    drawing,
    home,
    places_at,
    seated,
    shuffle_secrets,
    source_at,
    wager_on,
)
from cardroom_desk.players.situation import Move, Situation

Json = dict[str, Any]


class PushNine:
    """Players of push nine: a button drawn and then won, bets against stacks, pots pushed on and bought into.

    Everybody has a place of his own, but some change places for a hand; and who tied may leave the room.
    """

    ante = 200

    def between(self, at: Situation) -> Move | None:
        """A draw for the button, at first and when the winner of the last pot has left."""
        table = at.table
        if table["pot"] or table["draw"] or (table["button"] is not None and not at.may(0.05)):
            return None
        gone = None if table["button"] is None else home(table["button"]["bettor"])
        return drawing(at, "first_button", at.some([seat for seat in places_at(at) if seat != gone], least=2))

    def opening(self, at: Situation) -> Json:
        """Who plays, and who has the button; those who tied for a carried pot stay for it."""
        pot, draw, last = at.table["pot"], at.table["draw"], at.table["button"]
        opening: Json = {"ante": self.ante, **source_at(at)}
        if at.may(0.8):
            opening["fees"] = {"wager": FEES["wager"]}
        if pot is not None:
            tied = {home(player["bettor"]) for part in pot["pots"] for player in part["tied"]}
            sitting = _moved(at, at.some(places_at(at), least=2, must=sorted(tied)))
            return opening | {"seats": sitting, "button": _button(sitting, last), "continues": pot["round_id"]}
        if draw is not None:
            sitting = _moved(at, draw["seats"])
            return opening | {"seats": sitting, "button": draw["seat"], "draw_id": draw["draw_id"]}
        sitting = _moved(at, at.some(places_at(at), least=2, must=[home(last["bettor"])]))
        return opening | {"seats": sitting, "button": _button(sitting, last)}

    def wagering(self, at: Situation, opening: Json) -> Json:
        """Antes, or what buys into a carried pot; what each has left; and the cards' secrets."""
        bettors = {seat["seat"]: seat["bettor"] for seat in opening["seats"]}
        if "continues" in opening:
            wagers, players, absent = self._buy_ins(at, bettors)
        else:
            antes = [wager_on(s, 1, "ante", bettor, opening["ante"]) for s, bettor in bettors.items()]
            wagers, players, absent = antes, [*bettors], []
        stacks = {seat: 0 if at.may(0.05) else at.amount(0, 30 * self.ante) for seat in sorted(players)}
        for wager in wagers:
            if wager["kind"] == "ante" and not stacks[wager["seat"]] and at.may(0.5):
                wager["amount"] = opening["ante"] // 2  # all that he had
        request: Json = {
            "wagers": sorted(wagers, key=lambda wager: wager["wager_id"]),
            "stacks": [{"seat": seat, "amount": amount} for seat, amount in stacks.items()],
        }
        if absent:
            request["absent"] = absent
        deck = at.ruleset.game.deck(at.ruleset.rules, opening)
        if opening["source"] == "table":
            return request | {"hands": dealt_hands(at, deck, players, 3)}
        return request | shuffle_secrets(at, deck, opening)

    def _buy_ins(self, at: Situation, bettors: Mapping[int, str]) -> tuple[list[Json], list[int], list[int]]:
        """Who buys in, all who play, and who of those that tied has left; never all that play for a pot."""
        parts = at.table["pot"]["pots"]
        sits = {bettor: seat for seat, bettor in bettors.items()}
        pots = [{sits[player["bettor"]] for player in part["tied"]} for part in parts]
        tied = set[int]().union(*pots)
        buyers: list[int] = []
        wagers = []
        for part, in_main in zip(parts, pots, strict=True):
            if "buy_in" in part:
                buyers = [seat for seat in bettors if seat not in in_main and at.may(0.4)]
                wagers = [wager_on(seat, 1, "buy_in", bettors[seat], part["buy_in"]) for seat in buyers]
                in_main.update(buyers)
        absent: list[int] = []
        for seat in sorted(tied - set(buyers)):
            if at.may(0.1) and not any(pot <= {seat, *absent} for pot in pots):
                absent.append(seat)
        return wagers, sorted(tied | set(buyers)), absent

    def locking(self, at: Situation, opening: Json, deal: Dealing) -> None:
        """Nobody banks, and nobody sets a hand."""
        del at, opening, deal

    def correcting(self, at: Situation, opening: Json, deal: Dealing, sets: Sequence[Json]) -> None:
        """Nobody banks, and no correction is taken."""
        del at, opening, deal, sets

    def settling(self, at: Situation, opening: Json, deal: Dealing) -> Json:
        """The betting, in the order taken."""
        del opening
        stacks = {item["seat"]: item["amount"] for item in deal.request["stacks"]}
        order = [seat for seat in deal.body["order"] if seat not in deal.request.get("absent", ())]
        betting = _betting(at, order, stacks, deal.body["limits"])
        return {"sets": [], "betting": betting} if betting else {"sets": []}


def _moved(at: Situation, seats: Sequence[int]) -> list[Json]:
    """Who sits at some places, two of them at each other's now and then."""
    sitting = seated(seats)
    if at.may(0.15):
        one, other = at.random.sample(sitting, 2)
        one["bettor"], other["bettor"] = other["bettor"], one["bettor"]
    return sitting


def _button(sitting: Sequence[Json], last: Json) -> int:
    """Where who has the button sits, or where it was."""
    seats: dict[str, int] = {player["bettor"]: player["seat"] for player in sitting}
    return seats.get(last["bettor"], int(last["seat"]))


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
