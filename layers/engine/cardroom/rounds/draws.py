"""A draw for first banker or first button: one record, its seed revealed at once, nothing being staked on it yet."""

from __future__ import annotations

from typing import Final

from cardroom.refusals import FieldFault, Refusal, refuse_at
from cardroom.rounds.steps import Before, Call, Kind, Secrets, check_client_seed, new_terms, revealed
from cardroom.shapes import parts
from cardroom.shapes.parts import GameJson, TableState
from cardroom.shapes.records import Drawn

MOST: Final = 8
"""How many draws there may be before a hand is settled."""


class DrawHeld(Refusal):
    """A second draw of a kind before a hand is settled, which does not name the last one and why it is replaced."""


class DrawnAlready(Refusal):
    """A draw among seats that drew already since the last settled hand."""


class DrawReasonWrong(Refusal):
    """A draw that replaces another one, whose seats are not as the reason says."""


class DrawsSpent(Refusal):
    """More draws than there may be before a hand is settled."""


class DrawNotHeld(Refusal):
    """A round or a draw names a draw that the table has not held, that was among other seats, or for another seat."""


def draw_round_id(draw_id: str) -> str:
    """What stands for `round_id` in a draw's record; no round can have such an id."""
    return f"draw:{draw_id}"


def _drawn(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """The commitment, the cards, who won, and the seed.

    Raises DrawHeld, DrawnAlready, DrawReasonWrong, DrawsSpent, DrawNotHeld, or what the game refuses.
    """
    request, ruleset = call.request, before.rules
    _check_replaced(request, _held(before.table))
    committed = secrets.commit(call)
    terms, client_seed = new_terms(call, before, committed), request.get("client_seed", "none")
    luck = secrets.luck(terms, None if client_seed == "none" else client_seed)
    drawn = ruleset.game.draw(ruleset.rules, request["kind"], request["seats"], luck)
    return {**committed, **drawn, "seed": revealed(luck.server_seed)}


def _held(table: TableState) -> list[parts.PastDraw]:
    """All draws since the last settled hand, in order."""
    last = table["draw"]
    if last is None:
        return []
    return [
        *last["before"],
        {"draw_id": last["draw_id"], "kind": last["kind"], "seats": last["seats"], "seat": last["seat"]},
    ]


def _check_replaced(request: GameJson, held: list[parts.PastDraw]) -> None:
    """Refuse to draw until the wanted seat wins: who sits there must have changed, and never back to a list that drew.

    Draws of one kind do not count among those of the other, but all together are at most `MOST`.
    """
    alike = [one for one in held if one["kind"] == request["kind"]]
    if not alike:
        if "replaces" in request or "reason" in request:
            message = f"must be left out: no draw for {request['kind']} stands"
            refuse_at(DrawNotHeld, "replaces" if "replaces" in request else "reason", message)
    else:
        _check_reason(request, alike)
    if len(held) >= MOST:
        message = f"must wait: {len(held)} draws were held since the last settled hand; the floor may draw by hand"
        refuse_at(DrawsSpent, "draw_id", message)


def _check_reason(request: GameJson, alike: list[parts.PastDraw]) -> None:
    last, seats = alike[-1], set(request["seats"])
    if any(set(one["seats"]) == seats for one in alike):
        message = f"must not be {request['seats']} until a hand is settled: they drew, and seat {last['seat']} stands"
        refuse_at(DrawnAlready, "seats", message)
    if request.get("replaces") != last["draw_id"] or "reason" not in request:
        message = f"must be {last['draw_id']}, which seat {last['seat']} won, with the reason: seat_left or seat_taken"
        refuse_at(DrawHeld, "replaces", message)
    less, more = set(last["seats"]) - seats, seats - set(last["seats"])
    if (request["reason"] == "seat_left") != bool(less) or (request["reason"] == "seat_taken") != bool(more):
        what = "less" if request["reason"] == "seat_left" else "plus"
        refuse_at(DrawReasonWrong, "seats", f"must be {last['seats']} {what} at least one, for {request['reason']}")


def _is_drawn(call: Call, before: Before, body: GameJson) -> TableState:
    request = call.request
    draw: parts.StandingDraw = {
        "draw_id": call.round_id.removeprefix("draw:"),
        "kind": request["kind"],
        "seats": request["seats"],
        "seat": body["seat"],
        "before": _held(before.table),
    }
    return {**before.table, "draw": draw}


def _asks(call: Call, _before: Before) -> None:
    """A client seed, or that there is none. Raises ClientSeedMissing."""
    check_client_seed(call)


def check_cited(opening: GameJson, table: TableState) -> None:
    """Refuse a round that cites a draw which it does not follow; raises DrawNotHeld."""
    named, banker = opening.get("draw_id"), opening.get("banker")
    if named is None:
        return
    kind = "first_banker" if isinstance(banker, dict) else "first_button"  # one for the other would be a second try
    alike = [one for one in _held(table) if one["kind"] == kind]
    held = alike[-1] if alike else None
    if held is None or held["draw_id"] != named:
        last = "none" if held is None else held["draw_id"]
        raise DrawNotHeld(
            f"the table's draw for {kind} is {last}, the round cites {named}",
            FieldFault("draw_id", f"must be the table's last draw for {kind}"),
        )
    seats = sorted(seat["seat"] for seat in opening["seats"])
    if seats != held["seats"]:
        raise DrawNotHeld(
            f"draw {named} was among seats {held['seats']}, the round seats {seats}",
            FieldFault("seats", f"must be {held['seats']}, or drawn for anew"),
        )
    seat = banker["seat"] if isinstance(banker, dict) else opening.get("button")
    # Who won has the option; offers, which the game looks at, begin with him.
    passed = isinstance(banker, dict) and (banker.get("others_passed", False) or "offers" in opening)
    if seat != held["seat"] and not passed:
        raise DrawNotHeld(
            f"seat {held['seat']} won draw {named}, the round gives it to seat {seat}",
            FieldFault("draw_id", f"must be for seat {held['seat']}, or say that others passed, or in offers who did"),
        )


DRAWN = Kind(shapes=(Drawn,), follows=(None,), body=_drawn, leaves=_is_drawn, asks=_asks)
