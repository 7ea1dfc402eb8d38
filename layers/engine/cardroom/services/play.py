"""The writing calls: a round is opened, dealt, settled or voided, a shoe opened and closed, a draw held.

Requests come normalised (defaults left out, lists in order of their ids), as the records hold them. Each call raises
what `write` does, and what its step refuses.
"""

from __future__ import annotations

from cardroom.refusals import refuse_at
from cardroom.rounds.draws import draw_round_id
from cardroom.rounds.shoes import shoe_round_id
from cardroom.services.ports import Ports
from cardroom.services.recorded import Answer
from cardroom.services.writing import Asked, Handed, RecordMisplaced, write
from cardroom.shapes.parts import GameJson


def open_round(ports: Ports, request: GameJson, *, operator: str, round_id: str) -> Answer:
    """Open a round: check the table, shuffle in secret, answer the commitment."""
    return write(ports, Asked(kind="opened", operator=operator, round_id=round_id, request=request))


def deal_round(ports: Ports, request: GameJson, *, operator: str, round_id: str, opened: str | None = None) -> Answer:
    """Close the bets and deal an opened round; `opened` is the record of the open, if the caller hands it back."""
    handed = None if opened is None else Handed("opened", opened)
    return write(ports, Asked(kind="dealt", operator=operator, round_id=round_id, request=request, handed=handed))


def lock_sets(ports: Ports, request: GameJson, *, operator: str, round_id: str, dealt: str | None = None) -> Answer:
    """Lock the players' hands of a dealt round, and show the others; `dealt` is the record of the deal, handed back."""
    handed = None if dealt is None else Handed("dealt", dealt)
    return write(ports, Asked(kind="set", operator=operator, round_id=round_id, request=request, handed=handed))


def settle_round(
    ports: Ports,
    request: GameJson,
    *,
    operator: str,
    round_id: str,
    dealt: str | None = None,
    locked: str | None = None,
) -> Answer:
    """Compare, pay and close a dealt round, and reveal its seed.

    `dealt` is the record of the deal, handed back, or `locked` that of the sets, if they came before.
    """
    handed = None if dealt is None else Handed("dealt", dealt)
    if locked is not None:
        if dealt is not None:
            refuse_at(
                RecordMisplaced, "dealt", "must be left out where the set record is handed back, which follows it"
            )
        handed = Handed("set", locked)
    return write(ports, Asked(kind="settled", operator=operator, round_id=round_id, request=request, handed=handed))


def void_round(ports: Ports, request: GameJson, *, operator: str, round_id: str) -> Answer:
    """Void a round before its settlement; an unknown round gets a tombstone, so that a late open is refused.

    It is possible whatever the term of the last record's certificate, and where the seed is lost (`"seed": null`).
    """
    return write(ports, Asked(kind="voided", operator=operator, round_id=round_id, request=request))


def open_shoe(ports: Ports, request: GameJson, *, operator: str, shoe_id: str) -> Answer:
    """Open a shoe: answers its commitment, no card."""
    round_id = shoe_round_id(shoe_id)
    return write(ports, Asked(kind="shoe_opened", operator=operator, round_id=round_id, request=request))


def close_shoe(ports: Ports, request: GameJson, *, operator: str, shoe_id: str) -> Answer:
    """Close a shoe and reveal its seed, which is null if it is lost."""
    round_id = shoe_round_id(shoe_id)
    return write(ports, Asked(kind="shoe_closed", operator=operator, round_id=round_id, request=request))


def hold_draw(ports: Ports, request: GameJson, *, operator: str, draw_id: str) -> Answer:
    """Draw for first banker or first button: one signed record, its seed revealed at once."""
    round_id = draw_round_id(draw_id)
    return write(ports, Asked(kind="drawn", operator=operator, round_id=round_id, request=request))
