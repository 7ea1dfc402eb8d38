"""The four writing calls of a round: open, deal, settle, void.

Requests come normalised (defaults left out, lists in order of their ids), as the records hold them.
"""

from __future__ import annotations

from cardroom.refusals import FieldFault
from cardroom.rounds import Json, Step, deal_step, open_step, opened_terms, settle_step, void_step
from cardroom.services import catalog
from cardroom.services.ports import HeadMoved
from cardroom.services.recording import (
    Answer,
    House,
    Previous,
    TableDiffers,
    append,
    commit,
    continue_round,
    once,
    read,
    seed_of,
    seed_to_reveal,
    table_now,
    wrong_state,
)


def open_round(house: House, request: Json, *, operator: str, round_id: str) -> Answer:
    """Open a round: check the table, shuffle in secret, answer the commitment.

    Raises RulesetUnknown, RoundLive, RoundVoided (a tombstone), or what the game refuses.
    """
    table_id = request["table_id"]

    def attempt(number: int) -> Answer:
        # A tombstone or an earlier open shows when the state is asked for, which the first attempt leaves to the write.
        state = house.ledger.round_state(operator, round_id) if number else None
        if state is not None and "opened" not in state.seqs:
            raise wrong_state(round_id, state)
        ruleset = catalog.ruleset(request["ruleset"])
        head = house.ledger.head(operator, table_id)
        body: Json = {}
        if request["source"] == "shuffle":
            body, _ = commit(house, operator=operator, table_id=table_id, round_id=round_id)
        step = open_step(round_id=round_id, request=request, table=table_now(head), ruleset=ruleset, body=body)
        return append(house, step, operator=operator, table_id=table_id, round_id=round_id, head=head, state=None)

    return once(house, operator=operator, round_id=round_id, kind="opened", request=request, attempt=attempt)


def deal_round(house: House, request: Json, *, operator: str, round_id: str, opened: str | None = None) -> Answer:
    """Close the bets and deal an opened round.

    `opened` is the record of the open, if the caller hands it back. Raises RoundUnknown, RoundVoided, RecordInvalid
    and its kin, or what the game refuses.
    """

    def step(previous: Previous, table: Json) -> Step:
        payload = previous.payload
        return deal_step(
            opened=payload,
            opened_sha256=previous.head.sha256,
            request=request,
            table=table,
            ruleset=catalog.pinned(payload["ruleset"]),
            server_seed=seed_of(house, payload),
            shoe_seed=_shoe_seed(house, payload["request"], table),
        )

    return continue_round(
        house,
        operator=operator,
        round_id=round_id,
        kind="dealt",
        needs="opened",
        request=request,
        handed=opened,
        step=step,
    )


def settle_round(house: House, request: Json, *, operator: str, round_id: str, dealt: str | None = None) -> Answer:
    """Compare, pay and close a dealt round, and reveal its seed.

    `dealt` is the record of the deal, if the caller hands it back. Raises RoundUnknown, RoundNotDealt, RoundVoided,
    RecordInvalid and its kin, or what the game refuses.
    """

    def step(previous: Previous, table: Json) -> Step:
        payload = previous.payload
        terms = payload["body"]["opened"]["terms"]
        return settle_step(
            dealt=payload,
            request=request,
            table=table,
            ruleset=catalog.pinned(payload["ruleset"]),
            server_seed=seed_of(house, terms),
            shoe_seed=_shoe_seed(house, terms["request"], table),
        )

    return continue_round(
        house,
        operator=operator,
        round_id=round_id,
        kind="settled",
        needs="dealt",
        request=request,
        handed=dealt,
        step=step,
    )


def void_round(house: House, request: Json, *, operator: str, round_id: str) -> Answer:
    """Void a round before its settlement; an unknown round gets a tombstone, so that a late open is refused.

    It is possible whatever the term of the last record's certificate, and where the seed is lost (`"seed": null`).
    Raises VoidReasonUnknown, RoundSettled, TableDiffers.
    """
    table_id = request["table_id"]

    def attempt(_: int) -> Answer:
        state = house.ledger.round_state(operator, round_id)
        head = house.ledger.head(operator, table_id)
        if state is None:
            step = void_step(last=None, request=request, table=table_now(head), game=None, server_seed=None)
            return append(house, step, operator=operator, table_id=table_id, round_id=round_id, head=head, state=None)
        if state.table_id != table_id:
            raise TableDiffers(
                f"round {round_id} is at table {state.table_id}, not {table_id}",
                FieldFault("table_id", f"must be {state.table_id}"),
            )
        if state.state not in {"opened", "dealt"}:
            raise wrong_state(round_id, state)
        last = read(house, operator=operator, state=state, kind=state.state)
        if head is None or head.table_after["live"] != last.payload["table_after"]["live"]:
            raise HeadMoved  # the state was read before another call moved the round on
        step = void_step(
            last=last.payload,
            request=request,
            table=head.table_after,
            game=catalog.pinned(last.payload["ruleset"]).game,
            server_seed=seed_to_reveal(house, opened_terms(last.payload)),
        )
        return append(house, step, operator=operator, table_id=table_id, round_id=round_id, head=head, state=state)

    return once(house, operator=operator, round_id=round_id, kind="voided", request=request, attempt=attempt)


def _shoe_seed(house: House, opening: Json, table: Json) -> bytes | None:
    return seed_of(house, table["shoe"]["terms"]) if "shoe_id" in opening else None
