"""What the players of a table do next.

`next_move` looks at a table as its last record left it and says what is asked for next. It reads and writes nothing,
so the same players sit at a service's table, in a test, and in a simulation of records. Requests are normalised, as
the records hold them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, get_args

from cardroom.documents import fixed_sums
from cardroom.game import Ruleset
from cardroom.rounds.sets import Dealing, dealing
from cardroom.rounds.steps import NEW_TABLE, opened_terms
from cardroom.shapes.banked import CorrectionReason
from cardroom.shapes.records import Record
from cardroom_desk.players.california_baccarat import Baccarat
from cardroom_desk.players.hi_hi_lo import HiHiLo
from cardroom_desk.players.pai_gow_poker import PaiGow
from cardroom_desk.players.poker_showdown import Showdown
from cardroom_desk.players.push_nine import PushNine
from cardroom_desk.players.situation import USUAL, Call, Habits, Move, Players, Situation

Json = dict[str, Any]

REASONS: Final = get_args(CorrectionReason)
PLAYERS: Final[Mapping[str, Players]] = {
    "california-baccarat": Baccarat(),
    "hi-hi-lo": HiHiLo(),
    "pai-gow-poker": PaiGow(),
    "poker-showdown": Showdown(),
    "push-nine": PushNine(),
}


def next_move(
    random: Random,
    ruleset: Ruleset,
    *,
    table_id: str,
    last: Record | None,
    habits: Habits = USUAL,
    currency: str = "USD",
    basis: Mapping[str, Any] | None = None,
) -> Move:
    """What a table does after the record whose payload is `last` (None: it has no record).

    `basis` is what a correction of that record would be made from, None if there can be none.
    """
    at = Situation(
        random=random,
        ruleset=ruleset,
        habits=habits,
        table_id=table_id,
        currency=currency,
        table=NEW_TABLE.copy() if last is None else last["table_after"],
        number=1 if last is None else last["seq"] + 1,
    )
    players, live = PLAYERS[ruleset.document["game"]], at.table["live"]
    if live is None or last is None:
        return _again(at, players, last, basis) or _between_rounds(at, players)
    if at.may(habits.void):
        return Move(Call.VOID, live["round_id"], _voiding(at, ruleset.game.void_reasons))
    opening: Any = opened_terms(last)["request"]  # players know the requests and bodies of their own game
    if live["state"] == "opened":
        return Move(Call.DEAL, live["round_id"], players.wagering(at, opening))
    deal = dealing(last)
    correction = _misread(at, players, opening, deal, [] if deal.locked is None else deal.locked["sets"])
    if correction is not None:
        return Move(Call.CORRECT_DEAL, live["round_id"], correction)
    locking = players.locking(at, opening, deal) if deal.locked is None else None
    if locking is not None:
        return Move(Call.SETS, live["round_id"], locking)
    return Move(Call.SETTLE, live["round_id"], players.settling(at, opening, deal))


def _again(at: Situation, players: Players, last: Record | None, basis: Mapping[str, Any] | None) -> Move | None:
    """A correction of the round that was settled last."""
    if last is None or basis is None or at.table["live"] is not None:
        return None
    opening: Any = basis["opened"]["terms"]["request"]
    deal, sets = Dealing(basis["dealt"]["request"], basis["dealt"]["body"]), basis["settled"]["request"]["sets"]
    if not opening.get("correction_hands") or basis["settled"]["hand_no"] != at.table["hand_no"]:
        return None
    correction = _misread(at, players, opening, deal, sets)
    return None if correction is None else Move(Call.CORRECT, last["round_id"], correction)


def _misread(at: Situation, players: Players, opening: Json, deal: Dealing, sets: Sequence[Json]) -> Json | None:
    """A correction, but for what it corrects, where a card of a round dealt by hand was misread."""
    if opening["source"] != "table" or not at.may(at.habits.misread):
        return None
    found = players.correcting(at, opening, deal, sets)
    if found is None:
        return None
    return {
        "correction_id": f"{at.table_id}-{at.number}",
        "reason": at.random.choice(REASONS),
        "by": "floor-1",
        **found,
    }


def last_moves(*, table_id: str, last: Record) -> list[Move]:
    """What is left to do at a table without a live round, so that nothing is kept secret: close its shoe."""
    shoe = last["table_after"]["shoe"]
    return [] if shoe is None else [Move(Call.CLOSE_SHOE, shoe["shoe_id"], {"table_id": table_id})]


def _between_rounds(at: Situation, players: Players) -> Move:
    name = f"{at.table_id}-{at.number}"
    if at.may(at.habits.void / 10):  # a round that the service has never heard of
        return Move(Call.VOID, name, _voiding(at, at.ruleset.game.void_reasons))
    before = players.between(at)
    if before is not None:
        return before
    terms = {"table_id": at.table_id, "ruleset": at.ruleset.id, "currency": at.currency}
    return Move(Call.OPEN, name, terms | _own_sums(at) | players.opening(at))


def _own_sums(at: Situation) -> Json:
    """In another currency than the rule set's, its sums are posted as so many minor units of it."""
    document = at.ruleset.document
    if at.currency == document.get("currency", at.currency):
        return {}
    return {"sums": fixed_sums(document)}


def _voiding(at: Situation, reasons: Sequence[str]) -> Json:
    request: Json = {"table_id": at.table_id, "reason": at.random.choice(reasons)}
    if at.may(0.3):
        request["by"] = "floor-1"
    return request | {"note": "seen by all"} if at.may(0.5) else request
