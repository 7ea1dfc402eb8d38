"""Whose turn it is to bank: who is first, and how the option goes round the table (pai-gow-poker §8.2)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from cardroom.banked.rules import BankRules, Banks, First
from cardroom.money import HOUSE
from cardroom.refusals import Refusal, refuse_at
from cardroom.seats import Direction, bettors_of, seat_of, walk_among
from cardroom.shapes.banked import Banker
from cardroom.shapes.handed import BankedRound, BankerT
from cardroom.shapes.parts import TableState
from cardroom.table import FieldNotUsed


class FirstBankerNotDrawn(Refusal):
    """A first banker without a draw, where the rules have him drawn for."""


class OffersWrong(Refusal):
    """Offers of the bank that do not go round the table from whose turn it is, or do not end with who banks."""


class Turn(StrEnum):
    """How the bank came to who has it, as far as the record tells."""

    IN_TURN = "in_turn"
    NOT_OFFERED = "not_offered"  # the others are said to have passed, and not who was asked
    OUT_OF_TURN = "out_of_turn"


def check_offers(rules: BankRules, opening: BankedRound[BankerT], table: TableState) -> None:
    """Refuse offers that do not go round the table as the rules say. Raises OffersWrong, FieldNotUsed."""
    offers = opening.get("offers")
    if offers is None:
        return
    if rules.rotation is None:
        refuse_at(FieldNotUsed, "offers", f"must be left out: {rules.ruleset_id} does not say how the bank goes round")
    order = _order(rules, rules.rotation, opening, table)
    if not order and offers[0]["seat"] in bettors_of(opening):  # anyone may be the first
        order = walk_among(rules.places, offers[0]["seat"], rules.rotation, among=bettors_of(opening))
    due = _due(order, opening)
    if [(offer["seat"], offer["answer"]) for offer in offers] != due:
        told = ", ".join(f"{seat} {answer}" for seat, answer in due) or "begun with a player's seat"
        way = rules.rotation.value.replace("_", "-")
        refuse_at(OffersWrong, "offers", f"must be {told}: the option to bank goes {way}")


def _due(order: Sequence[int], opening: BankedRound[BankerT]) -> list[tuple[int, str]]:
    """Who is asked in turn at his own seat, and what each answers, until who banks is found."""
    banker: Banker | Literal["house"] = opening["banker"]
    if banker == HOUSE or not order:
        return [(seat, "pass") for seat in order]
    own = seat_of(opening, banker["bettor"], banker["seat"])
    others = order if banker.get("others_passed", False) else order[: order.index(own)]
    return [*((seat, "pass") for seat in others if seat != own), (own, "bank")]


def check_first(rules: Banks, opening: BankedRound[BankerT], table: TableState) -> None:
    """Refuse a first banker who was not drawn for, where he is. Raises FirstBankerNotDrawn, FieldNotUsed."""
    by_hand, drawn = opening.get("drawn_by_hand", False), "draw_id" in opening
    due = rules.bank.first_banker is First.DRAW and table["banker"] is None and opening["banker"] != HOUSE
    if by_hand and (drawn or not due):
        why = "draw_id names the draw" if drawn else "no draw is due"
        refuse_at(FieldNotUsed, "drawn_by_hand", f"must be left out: {why}")
    if due and not by_hand and not drawn:
        message = "must name the draw for the table's first banker; or drawn_by_hand be true, if the floor drew"
        refuse_at(FirstBankerNotDrawn, "draw_id", message)


def bank_turn(rules: Banks, opening: BankedRound[BankerT], table: TableState) -> str:
    """How the bank of a round came to who has it; `table` is as it was before the round, as the game sees it."""
    banker: Banker | Literal["house"] = opening["banker"]
    direction = rules.bank.rotation
    if direction is None or "offers" in opening or banker == HOUSE:
        return Turn.IN_TURN.value
    if banker.get("others_passed", False):
        return Turn.NOT_OFFERED.value
    order = _order(rules.bank, direction, opening, table)
    own = seat_of(opening, banker["bettor"], banker["seat"])
    return (Turn.IN_TURN if not order or order[0] == own else Turn.OUT_OF_TURN).value


def _order(rules: BankRules, direction: Direction, opening: BankedRound[BankerT], table: TableState) -> tuple[int, ...]:
    """The seats in the order in which they are asked; none where anyone may be the first.

    Who banked last is asked first while he has turns left, else last, wherever he sits now, and first the seat after
    the one where he banked.
    """
    seated, last = bettors_of(opening), table["banker"]
    if last is None:
        first = rules.places[0] if rules.first_banker is First.FIRST_SEAT else _drawn_seat(opening, table)
        return () if first is None else walk_among(rules.places, first, direction, among=seated)
    ring = walk_among(rules.places, last["seat"], direction, among=seated)
    his = [seat for seat in ring if seated[seat] == last["bettor"]]
    if his and (rules.banker_turns is None or last["turns"] < rules.banker_turns):
        return walk_among(rules.places, his[0], direction, among=seated)
    after = (*ring[1:], ring[0]) if ring[0] == last["seat"] else ring
    return (*(seat for seat in after if seat not in his), *(seat for seat in after if seat in his))


def _drawn_seat(opening: BankedRound[BankerT], table: TableState) -> int | None:
    """The seat that won the draw which the opening cites, None where none is cited."""
    held, named = table["draw"], opening.get("draw_id")
    for draw in () if held is None else (held, *held["before"]):
        if draw["draw_id"] == named:
            return draw["seat"]
    return None
