"""What a table does between its rounds: a shoe opened and closed, a draw for first banker or first button."""

from __future__ import annotations

from cardroom.refusals import FieldFault, Refusal
from cardroom.rounds import Json, close_shoe_step, draw_round_id, draw_step, open_shoe_step, shoe_round_id
from cardroom.services import catalog
from cardroom.services.recording import (
    Answer,
    House,
    TableDiffers,
    append,
    commit,
    once,
    seed_to_reveal,
    table_now,
)


class ShoeUnknown(Refusal):
    """The operator has no shoe of that id."""


def open_shoe(house: House, request: Json, *, operator: str, shoe_id: str) -> Answer:
    """Open a shoe: answers its commitment, no card.

    Raises RulesetUnknown, RoundLive, ShoeOpen, ShoeNotOffered.
    """
    table_id, round_id = request["table_id"], shoe_round_id(shoe_id)

    def attempt(_: int) -> Answer:
        ruleset = catalog.ruleset(request["ruleset"])
        head = house.ledger.head(operator, table_id)
        body, _seed = commit(house, operator=operator, table_id=table_id, round_id=round_id)
        step = open_shoe_step(
            operator=operator, shoe_id=shoe_id, request=request, table=table_now(head), ruleset=ruleset, body=body
        )
        return append(house, step, operator=operator, table_id=table_id, round_id=round_id, head=head, state=None)

    return once(house, operator=operator, round_id=round_id, kind="shoe_opened", request=request, attempt=attempt)


def close_shoe(house: House, request: Json, *, operator: str, shoe_id: str) -> Answer:
    """Close a shoe and reveal its seed, which is null if it is lost.

    Raises ShoeUnknown, TableDiffers, RoundLive.
    """
    table_id, round_id = request["table_id"], shoe_round_id(shoe_id)

    def attempt(_: int) -> Answer:
        state = house.ledger.round_state(operator, round_id)
        if state is None:
            raise ShoeUnknown(f"no shoe {shoe_id}")
        if state.table_id != table_id:
            raise TableDiffers(
                f"shoe {shoe_id} is at table {state.table_id}, not {table_id}",
                FieldFault("table_id", f"must be {state.table_id}"),
            )
        head = house.ledger.head(operator, table_id)
        table = table_now(head)
        seed = seed_to_reveal(house, table["shoe"]["terms"]) if table["shoe"] else None
        step = close_shoe_step(shoe_id=shoe_id, request=request, table=table, server_seed=seed)
        return append(house, step, operator=operator, table_id=table_id, round_id=round_id, head=head, state=state)

    return once(house, operator=operator, round_id=round_id, kind="shoe_closed", request=request, attempt=attempt)


def hold_draw(house: House, request: Json, *, operator: str, table_id: str, draw_id: str) -> Answer:
    """Draw for first banker or first button: one signed record, its seed revealed at once.

    Raises RulesetUnknown, RoundLive, or what the game refuses.
    """
    round_id = draw_round_id(draw_id)

    def attempt(_: int) -> Answer:
        ruleset = catalog.ruleset(request["ruleset"])
        head = house.ledger.head(operator, table_id)
        body, seed = commit(house, operator=operator, table_id=table_id, round_id=round_id)
        terms = {
            "operator": operator,
            "table_id": table_id,
            "round_id": round_id,
            "ruleset": ruleset.reference,
            "request": request,
            "body": body,
        }
        step = draw_step(
            draw_id=draw_id, request=request, table=table_now(head), ruleset=ruleset, terms=terms, server_seed=seed
        )
        return append(house, step, operator=operator, table_id=table_id, round_id=round_id, head=head, state=None)

    return once(house, operator=operator, round_id=round_id, kind="drawn", request=request, attempt=attempt)
