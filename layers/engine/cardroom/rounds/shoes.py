"""A shoe: opened with its commitment, dealt over many rounds, closed by revealing its seed."""

from __future__ import annotations

from typing import cast

from cardroom.game import FromShoe, Ruleset, Shuffled, Source, Told
from cardroom.refusals import FieldFault, Refusal
from cardroom.rounds.steps import Before, Call, Kind, Secrets, new_terms, revealed
from cardroom.shapes.parts import Commitment, GameJson, OpenShoe, ShoeTerms, TableState, Terms, is_committed
from cardroom.shapes.records import Record, ShoeClosed, ShoeOpened


class ShoeNotOpen(Refusal):
    """The round names a shoe that is not the table's open one, or none where the game deals from a shoe."""


class ShoeOpen(Refusal):
    """The table has an open shoe already; it must be closed first."""


class ShoeNotOffered(Refusal):
    """The rule set's game is not dealt from a shoe."""


class ShoeStarted(Refusal):
    """A cut for a shoe whose first cards are dealt already."""


def shoe_round_id(shoe_id: str) -> str:
    """What stands for `round_id` in a shoe's own records; no round can have such an id."""
    return f"shoe:{shoe_id}"


def shoe_id_of(round_id: str) -> str | None:
    """The shoe whose own records have this `round_id`; None for that of a round."""
    return round_id.removeprefix("shoe:") if round_id.startswith("shoe:") else None


def _shoe_id(call: Call) -> str:
    return shoe_id_of(call.round_id) or call.round_id


def _opened(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """Answers the commitment; no card of it is known until the first deal gives seed and cut.

    Raises ShoeOpen, ShoeNotOffered.
    """
    ruleset, shoe = before.rules, before.table["shoe"]
    if not ruleset.game.uses_shoe:
        raise ShoeNotOffered(f"{ruleset.id} is not dealt from a shoe")
    if shoe is not None:
        raise ShoeOpen(f"shoe {shoe['shoe_id']} is open at table {call.table_id}: close it first")
    return secrets.commit(call)


def _is_opened(call: Call, before: Before, body: GameJson) -> TableState:
    ruleset = before.rules
    terms = new_terms(call, before, cast("Commitment", body))  # as `_opened` gave it
    shoe: OpenShoe = {
        "shoe_id": _shoe_id(call),
        "position": 0,
        "size": len(ruleset.game.deck(ruleset.rules, call.request)),
        "client_seed": None,
        "cut": None,
        "terms": cast("ShoeTerms", terms),  # the request of a shoe, not of a game
    }
    return {**before.table, "shoe": shoe}


def _closed(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """The seed, which is null if it is lost. Raises ShoeNotOpen."""
    shoe, shoe_id = before.table["shoe"], _shoe_id(call)
    if shoe is None or shoe["shoe_id"] != shoe_id:
        raise ShoeNotOpen(f"shoe {shoe_id} is not open at table {call.table_id}")
    told = {"position": shoe["position"], "client_seed": shoe["client_seed"], "cut": shoe["cut"]}
    return {**told, "seed": revealed(secrets.seed_to_reveal(shoe["terms"]))}


def _is_closed(_call: Call, before: Before, _body: GameJson) -> TableState:
    return {**before.table, "shoe": None}


def open_at(table: TableState) -> OpenShoe:
    """The table's open shoe, where there must be one."""
    if table["shoe"] is None:
        raise ValueError("no shoe is open at the table")
    return table["shoe"]


def begun(table: TableState, opened: Record, wagering: GameJson) -> TableState:
    """The table as the deal of a round finds it: the client seed and the cut of a shoe's first deal are the shoe's.

    Raises ShoeStarted.
    """
    if "shoe_id" not in opened["request"]:
        return table
    shoe = open_at(table)
    if shoe["position"] == 0:
        forgone = "client_seed" in shoe["terms"]["request"]
        client_seed, cut = None if forgone else wagering.get("client_seed"), wagering.get("cut")
        return {**table, "shoe": {**shoe, "client_seed": client_seed, "cut": cut}}
    if "cut" in wagering:
        raise ShoeStarted(
            f"shoe {shoe['shoe_id']} is dealt up to card {shoe['position']}: it can be cut only before its first card",
            FieldFault("cut", "must be left out"),
        )
    return table


def check_named(ruleset: Ruleset, opening: GameJson, table: TableState) -> None:
    """Refuse an opening that names no shoe where it must, another one, or one where there is none.

    Raises ShoeNotOffered, ShoeNotOpen.
    """
    named = opening.get("shoe_id")
    if not ruleset.game.uses_shoe or opening["source"] != "shuffle":
        if named is not None:
            raise ShoeNotOffered(
                f"a round of {ruleset.id} from source {opening['source']} is not dealt from a shoe of ours",
                FieldFault("shoe_id", "must be left out"),
            )
        return
    shoe = table["shoe"]
    if shoe is None or shoe["shoe_id"] != named or shoe["terms"]["ruleset"] != ruleset.reference:
        there = "no shoe" if shoe is None else f"shoe {shoe['shoe_id']} of {shoe['terms']['ruleset']['id']}"
        raise ShoeNotOpen(
            f"{there} is open at table {opening['table_id']}, the round of {ruleset.id} names {named}",
            FieldFault("shoe_id", "must be the table's open shoe, opened under the same rule set"),
        )


def source_of(terms: Terms, wagering: GameJson, table: TableState, before: Before, secrets: Secrets) -> Source:
    """Where the cards of a round come from, by its terms and the request of its deal."""
    if not is_committed(terms):
        return Told()
    luck = Shuffled(lambda: secrets.luck(terms, wagering.get("client_seed")), wagering.get("cut"))
    if "shoe_id" not in terms["request"]:
        return luck
    shoe, game = open_at(table), before.rules.game
    cards = secrets.shoe_cards(shoe, game.deck(before.rules.rules, shoe["terms"]["request"]))
    return FromShoe(round_=luck, shoe_id=shoe["shoe_id"], position=shoe["position"], cards=cards)


SHOE_OPENED = Kind(shapes=(ShoeOpened,), follows=(None,), body=_opened, leaves=_is_opened, ends=False)
SHOE_CLOSED = Kind(shapes=(ShoeClosed,), follows=("shoe_opened",), body=_closed, leaves=_is_closed, frees=True)
