"""What is no fault but must be seen: voids, rounds without a client seed, replaced draws, clocks that went back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from sys import intern
from typing import Any, cast

from cardroom.audit.replayer import Live
from cardroom.money import HOUSE
from cardroom.shapes.audits import Listed, RecordNamed, TableBanking
from cardroom.shapes.parts import GameJson, Nets, TableState
from cardroom.shapes.records import Record
from cardroom.signing.certificate import parse_time


def nothing_listed() -> Listed:
    """Every list, empty."""
    return cast("Listed", {name: [] for name in Listed.__annotations__})


def add(to: Listed, more: Listed) -> None:
    """Put what another span lists behind what is listed."""
    for name, items in to.items():
        cast("list[Any]", items).extend(cast("Any", more)[name])


def named(payload: Record) -> RecordNamed:
    """Which record is listed."""
    return {
        "operator": intern(payload["operator"]),  # one name for all that are kept
        "table_id": intern(payload["table_id"]),
        "seq": payload["seq"],
        "round_id": payload["round_id"],
        "at": payload["at"],
    }


def look_at(listed: Listed, payload: Record, live: Live | None, before: TableState | None) -> None:
    """List what a record shows by itself; `live` is its round, `before` the table before it, where they are known."""
    match payload["kind"]:
        case "opened" if payload["request"].get("shown") == "all":
            listed["shown_all"].append(named(payload))
        case "voided" if payload["body"]["was"] not in ("dealt", "set"):
            banker, _ = banker_of(live)
            reason = payload["request"]["reason"]
            listed["voids_before_deal"].append({**named(payload), "banker": banker, "reason": reason})
        case "dealt" if _deals_without_client_seed(payload):
            listed["no_client_seed"].append(named(payload))
        case "drawn":
            if payload["request"].get("client_seed", "none") == "none":
                listed["no_client_seed"].append(named(payload))
            _look_at_draw(listed, payload, before)
        case "deal_corrected" | "corrected":
            request, body = payload["request"], payload["body"]
            opened = body["opened"] if payload["kind"] == "deal_corrected" else body["basis"]["opened"]
            listed["corrections"].append(
                {
                    **named(payload),
                    "kind": payload["kind"],
                    "reason": request["reason"],
                    "by": request["by"],
                    "currency": opened["terms"]["request"]["currency"],
                    "moved": body.get("net"),
                }
            )
        case "shoe_closed" if payload["body"]["position"] == 0:
            listed["shoes_undealt"].append(named(payload))


def _deals_without_client_seed(payload: Record) -> bool:
    """Whether chance of ours decided something in the deal, and no client had a part in it.

    A shoe's first deal decides all its cards, with the client seed that the shoe has then; a later one only the dice,
    where they are not told.
    """
    request, body = payload["request"], payload["body"]
    if not body["opened"]["terms"]["body"]:
        return False
    if "shoe" not in body:
        return "client_seed" not in request
    if body["shoe"]["first"] == 0:
        return cast("Any", payload["table_after"]["shoe"])["client_seed"] is None
    return "client_seed" not in request and "dice" not in request


def _look_at_draw(listed: Listed, payload: Record, before: TableState | None) -> None:
    replaced = payload["request"].get("replaces")
    if replaced is None:
        return
    held: Any = before["draw"] if before is not None else None
    won = held["seat"] if held is not None and held["draw_id"] == replaced else None
    reason = payload["request"]["reason"]
    listed["draws_replaced"].append(
        {**named(payload), "replaces": replaced, "won": won, "seat": payload["body"]["seat"], "reason": reason}
    )


def look_at_clock(listed: Listed, payload: Record, before: str) -> None:
    """List a record that was signed by an earlier clock than the one before it: its number says the order."""
    at = payload["at"]
    if at < before:
        back_ms = (parse_time(before) - parse_time(at)) // timedelta(milliseconds=1)
        listed["clock_back"].append({**named(payload), "before": before, "back_ms": back_ms})


def note_void(listed: Listed, payload: Record, live: Live, avoided: GameJson | None) -> None:
    """List a round that was voided after its deal; `avoided` is the settlement that did not come, if it is known."""
    banker, currency = banker_of(live)
    nets: Nets | None = None
    if avoided is not None:  # the same few accounts again and again: each name is kept once
        nets = [
            {"account": intern(item["account"]), "amount": item["amount"]} for item in avoided["net"] if item["amount"]
        ]
    listed["voids"].append(
        {
            **named(payload),
            "banker": banker,
            "reason": payload["request"]["reason"],
            "currency": currency,
            "avoided": nets,
        }
    )


def look_at_bank(listed: Listed, payload: Record, live: Live | None, turn: str | None) -> None:
    """Count a settled hand that a player banked; `turn` is how the bank came to him, None where nobody banks."""
    bettor, _ = banker_of(live)
    terms = None if live is None else live.terms()
    if turn is None or terms is None or bettor is None or bettor == HOUSE:
        return
    listed["banking"] = joined(
        [
            *listed["banking"],
            {
                "operator": intern(payload["operator"]),
                "table_id": intern(payload["table_id"]),
                "hands": 1,
                "bettor": bettor,
                "not_offered": int(turn == "not_offered"),
                "out_of_turn": int(turn == "out_of_turn"),
                "drawn_by_hand": int(terms["request"].get("drawn_by_hand", False)),
            },
        ]
    )


def joined(banking: Iterable[TableBanking]) -> list[TableBanking]:
    """One entry a table."""
    tables: dict[tuple[str, str], TableBanking] = {}
    for one in banking:
        key = one["operator"], one["table_id"]
        held = tables.get(key)
        tables[key] = (
            one
            if held is None
            else {
                **held,
                "hands": held["hands"] + one["hands"],
                "bettor": held["bettor"] if held["bettor"] == one["bettor"] else None,
                "not_offered": held["not_offered"] + one["not_offered"],
                "out_of_turn": held["out_of_turn"] + one["out_of_turn"],
                "drawn_by_hand": held["drawn_by_hand"] + one["drawn_by_hand"],
            }
        )
    return list(tables.values())


def to_be_seen(banking: Iterable[TableBanking]) -> list[TableBanking]:
    """Tables where one bettor banked throughout, hands out of turn, or of which it is not told who was asked."""
    return [
        one
        for one in banking
        if one["not_offered"] or one["out_of_turn"] or one["drawn_by_hand"] or (one["bettor"] and one["hands"] > 1)
    ]


def banker_of(live: Live | None) -> tuple[str | None, str | None]:
    """Who banks a round, and its currency, as it was opened; None where nobody does, or nobody knows."""
    terms = None if live is None else live.terms()
    if terms is None:
        return None, None
    banker = terms["request"].get("banker")
    return banker["bettor"] if isinstance(banker, dict) else banker, terms["request"].get("currency")
