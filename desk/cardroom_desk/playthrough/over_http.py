"""One round of any published rule set played over the API of a service."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from random import Random
from typing import Any

from cardroom.game import Ruleset
from cardroom.rounds.record import record_sha256
from cardroom.services import catalogue
from cardroom_desk.client import Client
from cardroom_desk.players import FULL_TABLE, Call, Move, last_moves, next_move
from cardroom_desk.playthrough.round_records import FINAL, RoundRecords, rounds_in

Json = dict[str, Any]


def play_round(client: Client, ruleset_id: str, *, currency: str = "USD") -> RoundRecords:
    """Play a round over HTTP, each record handed back to the next call; what is opened for it is closed after it.

    Raises what the client raises.
    """
    published = client.get(f"/v1/rulesets/{ruleset_id}")
    ruleset = catalogue.published().ruleset_from(published["document"], ruleset_id=ruleset_id)
    table_id = f"demo-{secrets.token_hex(4)}"  # another table each time: a round can be played once
    habits = Random(ruleset_id)  # noqa: S311 - who wagers what; the cards are the service's
    answers: list[Json] = []
    advice: dict[int, Json] = {}
    while not answers or answers[-1]["payload"]["kind"] not in FINAL:
        last = answers[-1]["payload"] if answers else None
        move = next_move(habits, ruleset, table_id=table_id, last=last, habits=FULL_TABLE, currency=currency)
        if last is not None and last["kind"] == "dealt":
            advice = _ask(client, ruleset, move.request, last)
        answers.append(_send(client, move, answers))
    for move in last_moves(table_id=table_id, last=answers[-1]["payload"]):
        answers.append(_send(client, move, answers))
    (round_,) = rounds_in((answer["payload"] for answer in answers), published, advice)
    return round_


def _send(client: Client, move: Move, answers: Sequence[Json]) -> Json:
    """The answer to a move; the record that it builds on is handed back."""
    request, path = dict(move.request), f"/v1/rounds/{move.name}"
    match move.call:
        case Call.OPEN:
            path, request["round_id"] = "/v1/rounds", move.name
        case Call.DEAL:
            path += "/deal"
            request["opened"] = answers[-1]["record"]
            if answers[-1]["payload"]["body"] and "client_seed" not in answers[-1]["payload"]["request"]:
                # The players' part of the shuffle is drawn once the commitment is on the table, so that neither side
                # can steer it.
                request["client_seed"] = secrets.token_hex(16)
        case Call.SETS:
            path += "/sets"
            request["dealt"] = answers[-1]["record"]
        case Call.SETTLE:
            path += "/settlement"
            request[answers[-1]["payload"]["kind"]] = answers[-1]["record"]
        case Call.CORRECT_DEAL:
            path += "/deal/corrections"
            request["corrects"] = record_sha256(answers[-1]["record"])
        case Call.CORRECT:
            path += "/corrections"
            request["corrects"] = record_sha256(answers[-1]["record"])
        case Call.VOID:
            path += "/void"
        case Call.DRAW:
            path, request["draw_id"] = f"/v1/tables/{request.pop('table_id')}/draws", move.name
        case Call.OPEN_SHOE:
            path, request["shoe_id"] = "/v1/shoes", move.name
        case Call.CLOSE_SHOE:
            path = f"/v1/shoes/{move.name}/close"
    return client.post(path, request)


def _ask(client: Client, ruleset: Ruleset, request: Json, dealt: Json) -> dict[int, Json]:
    """What the house way would do with the hands of the players who leave theirs to it, as far as they see them."""
    hands = {hand["seat"]: hand["cards"] for hand in dealt["body"]["hands"]}
    players = dealt["body"].get("action_order", ())
    asking = [
        s["seat"]
        for s in request.get("sets", ())
        if s["how"] == "house_way" and s["seat"] in players and s["seat"] in hands
    ]
    if not asking:
        return {}
    asked = {"ruleset": ruleset.id, "role": "player", "hands": [hands[seat] for seat in asking]}
    return dict(zip(asking, client.post("/v1/house-way", asked)["settings"], strict=True))
