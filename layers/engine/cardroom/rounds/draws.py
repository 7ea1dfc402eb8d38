"""A draw for first banker or first button: one record, its seed revealed at once, nothing being staked on it yet."""

from __future__ import annotations

from cardroom.refusals import FieldFault, Refusal
from cardroom.rounds.steps import Before, Call, Kind, Secrets, new_terms, revealed
from cardroom.shapes.parts import GameJson, HeldDraw, TableState
from cardroom.shapes.records import Drawn


class DrawHeld(Refusal):
    """A second draw among the same seats before a hand is settled: the first one stands."""


class DrawNotHeld(Refusal):
    """The round cites a draw that the table has not held, that was among other seats, or that another seat won."""


def draw_round_id(draw_id: str) -> str:
    """What stands for `round_id` in a draw's record; no round can have such an id."""
    return f"draw:{draw_id}"


def _drawn(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """The commitment, the cards, who won, and the seed. Raises DrawHeld, or what the game refuses."""
    request, held, ruleset = call.request, before.table["draw"], before.rules
    if held is not None and (held["kind"], held["seats"]) == (request["kind"], request["seats"]):
        raise DrawHeld(
            f"draw {held['draw_id']} for {held['kind']} among seats {held['seats']} stands: seat {held['seat']} won it",
            FieldFault("seats", "must differ from the last draw's until a hand is settled"),
        )
    committed = secrets.commit(call)
    terms = new_terms(call, before, committed)
    luck = secrets.luck(terms, request.get("client_seed"))
    drawn = ruleset.game.draw(ruleset.rules, request["kind"], request["seats"], luck)
    return {**committed, **drawn, "seed": revealed(luck.server_seed)}


def _is_drawn(call: Call, before: Before, body: GameJson) -> TableState:
    request = call.request
    draw: HeldDraw = {
        "draw_id": call.round_id.removeprefix("draw:"),
        "kind": request["kind"],
        "seats": request["seats"],
        "seat": body["seat"],
    }
    return {**before.table, "draw": draw}


def check_cited(opening: GameJson, table: TableState) -> None:
    """Refuse a round that cites a draw which it does not follow; raises DrawNotHeld."""
    named, held = opening.get("draw_id"), table["draw"]
    if named is None:
        return
    if held is None or held["draw_id"] != named:
        last = "none" if held is None else held["draw_id"]
        raise DrawNotHeld(
            f"the table's draw is {last}, the round cites {named}",
            FieldFault("draw_id", "must be the table's last draw"),
        )
    seats = sorted(seat["seat"] for seat in opening["seats"])
    if seats != held["seats"]:
        raise DrawNotHeld(
            f"draw {named} was among seats {held['seats']}, the round seats {seats}",
            FieldFault("seats", f"must be {held['seats']}, or drawn for anew"),
        )
    banker = opening.get("banker")
    seat = banker["seat"] if isinstance(banker, dict) else opening.get("button")
    passed = isinstance(banker, dict) and banker.get("others_passed", False)
    if seat != held["seat"] and not passed:
        raise DrawNotHeld(
            f"seat {held['seat']} won draw {named}, the round gives it to seat {seat}",
            FieldFault("draw_id", f"must be for seat {held['seat']}, or say that others passed"),
        )


DRAWN = Kind(shapes=(Drawn,), follows=(None,), body=_drawn, leaves=_is_drawn)
