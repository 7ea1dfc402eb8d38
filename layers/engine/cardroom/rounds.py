"""The life of a round: opened, dealt, then settled or voided; what each of its records says.

Every body is a pure function of the round's earlier records, the request and the server seed, so the same functions
write a record and, years later, replay it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cardroom import canonical
from cardroom.cards import Card
from cardroom.game import Game
from cardroom.pots import PotNotContinued
from cardroom.refusals import FieldFault, Refusal
from cardroom.shuffle import Luck, commitment, terms_sha256
from cardroom.table import VOID_REASONS

Json = dict[str, Any]

RECORD_VERSION: Final = 1
NEW_TABLE: Final[Mapping[str, Any]] = {
    "hand_no": 0,  # hands settled so far
    "banker": None,  # who banked last, and for how many hands running
    "free_collections": [],  # earned by the last settled hand, for the next dealt one
    "live": None,  # the round that is opened or dealt
    "draw": None,  # the draw for first banker or first button, until a hand is settled
    "button": None,  # the seat that won the last pot
    "pot": None,  # a pot carried into the next round
    "shoe": None,  # the open shoe, and how far it is dealt
    "deck": None,  # the deck in use, and since when
}
_LIST_KEYS: Final = ("wager_id", "seat", "account")


class RoundLive(Refusal):
    """Another round of the table is live; it must be settled or voided first."""


class VoidReasonUnknown(Refusal):
    """The reason for a void is none of the published ones (pai gow sheet section 11)."""


class ShoeNotOpen(Refusal):
    """The round names a shoe that is not the table's open one, or none where the game deals from a shoe."""


class ShoeOpen(Refusal):
    """The table has an open shoe already; it must be closed first."""


class ShoeNotOffered(Refusal):
    """The rule set's game is not dealt from a shoe."""


class ShoeStarted(Refusal):
    """A cut for a shoe whose first cards are dealt already."""


class DrawHeld(Refusal):
    """A second draw among the same seats before a hand is settled: the first one stands."""


class DrawNotHeld(Refusal):
    """The round cites a draw that the table has not held, that was among other seats, or that another seat won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """A published (or inline) rule set: its id, its hash, its document, and what they mean to its game."""

    id: str
    sha256: str
    document: Json
    game: Game
    rules: Any

    @property
    def reference(self) -> Json:
        """How a record names the rule set."""
        return {"id": self.id, "sha256": self.sha256}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What the next record of a round says, before it is numbered, dated and signed."""

    kind: str
    ruleset: Json | None
    request: Json
    body: Json
    table_after: Json


def open_step(*, round_id: str, request: Json, table: Json, ruleset: Ruleset, body: Json) -> Step:
    """The opening of a round; `body` is the commitment (`shuffle`) or empty (`table`).

    Raises RoundLive, PotNotContinued, ShoeNotOpen, DrawNotHeld, or what the game refuses.
    """
    _check_no_live_round(table, request["table_id"])
    _check_carried_pot(request, table)
    ruleset.game.check_open(ruleset.rules, request, table)
    _check_shoe(ruleset, request, table)
    _check_draw(request, table)
    table_after = {**table, "live": {"round_id": round_id, "state": "opened"}}
    return Step(kind="opened", ruleset=ruleset.reference, request=request, body=body, table_after=table_after)


def _check_no_live_round(table: Json, table_id: str) -> None:
    live = table["live"]
    if live is not None:
        raise RoundLive(f"round {live['round_id']} is {live['state']} at table {table_id}: settle or void it first")


def _check_carried_pot(request: Json, table: Json) -> None:
    """A carried pot is the next round's, whatever game else would be opened (push nine sheet section 7)."""
    pot = table["pot"]
    if pot is not None and "continues" not in request:
        message = f"must be {pot['round_id']}, whose pot is carried: its players tied"
        raise PotNotContinued(f"continues: {message}", FieldFault("continues", message))


def _check_shoe(ruleset: Ruleset, request: Json, table: Json) -> None:
    named = request.get("shoe_id")
    if not ruleset.game.uses_shoe or request["source"] != "shuffle":
        if named is not None:
            raise ShoeNotOffered(
                f"a round of {ruleset.id} from source {request['source']} is not dealt from a shoe of ours",
                FieldFault("shoe_id", "must be left out"),
            )
        return
    shoe = table["shoe"]
    if shoe is None or shoe["shoe_id"] != named or shoe["terms"]["ruleset"] != ruleset.reference:
        is_open = (
            "no shoe is open" if shoe is None else f"shoe {shoe['shoe_id']} of {shoe['terms']['ruleset']['id']} is"
        )
        raise ShoeNotOpen(
            f"{is_open} at table {request['table_id']}, the round names {named}",
            FieldFault("shoe_id", "must be the table's open shoe, opened under the same rule set"),
        )


def _check_draw(request: Json, table: Json) -> None:
    named, held = request.get("draw_id"), table["draw"]
    if named is None:
        return
    if held is None or held["draw_id"] != named:
        last = "none" if held is None else held["draw_id"]
        raise DrawNotHeld(
            f"the table's draw is {last}, the round cites {named}",
            FieldFault("draw_id", "must be the table's last draw"),
        )
    seats = sorted(seat["seat"] for seat in request["seats"])
    if seats != held["seats"]:
        raise DrawNotHeld(
            f"draw {named} was among seats {held['seats']}, the round seats {seats}",
            FieldFault("seats", f"must be {held['seats']}, or drawn for anew"),
        )
    banker = request.get("banker")
    seat = banker["seat"] if isinstance(banker, dict) else request.get("button")
    passed = isinstance(banker, dict) and banker.get("others_passed", False)
    if seat != held["seat"] and not passed:
        raise DrawNotHeld(
            f"seat {held['seat']} won draw {named}, the round gives it to seat {seat}",
            FieldFault("draw_id", f"must be for seat {held['seat']}, or say that others passed"),
        )


def shuffled_body(*, server_seed: bytes, salt: str, epoch: str) -> Json:
    """The body of an `opened` record whose deck the service shuffles (DESIGN section 4)."""
    return {"commitment": commitment(server_seed), "salt": salt, "epoch": epoch}


def terms_of(opened: Json) -> Json:
    """The opened terms: the part of the opened record that the deal depends on and repeats."""
    return {key: opened[key] for key in ("operator", "table_id", "round_id", "ruleset", "request", "body")}


def opened_terms(last: Json) -> Json:
    """What a round was opened on, by its opened or its dealt record."""
    terms: Json = last if last["kind"] == "opened" else last["body"]["opened"]["terms"]
    return terms


def luck_of(terms: Json, *, server_seed: bytes, client_seed: str | None) -> Luck:
    """Where the round's deck, dice and seat come from."""
    return Luck(
        server_seed=server_seed,
        terms_sha256=terms_sha256(terms),
        client_seed=None if client_seed is None else bytes.fromhex(client_seed),
    )


def deal_step(
    *,
    opened: Json,
    opened_sha256: str,
    request: Json,
    table: Json,
    ruleset: Ruleset,
    server_seed: bytes | None,
    shoe_seed: bytes | None = None,
) -> Step:
    """The deal of an opened round; `server_seed` is None at a physical table, `shoe_seed` where there is no shoe.

    The client seed and the cut of a shoe's first deal are the shoe's. Raises ShoeStarted, or what the game refuses.
    """
    terms, opening = terms_of(opened), opened["request"]
    luck, shoe = None, None
    if server_seed is not None:
        luck = luck_of(terms, server_seed=server_seed, client_seed=request.get("client_seed"))
    if shoe_seed is not None:
        table = {**table, "shoe": _begin_shoe(table["shoe"], request)}
        shoe = shoe_cards(table["shoe"], ruleset=ruleset, server_seed=shoe_seed)
    dealt = dealt_body(ruleset, opening, request, table, luck=luck, shoe=shoe)
    changed = ruleset.game.after_deal(ruleset.rules, opening, request, dealt, table)
    body = {"opened": {"seq": opened["seq"], "sha256": opened_sha256, "terms": terms}, **dealt}
    table_after = {**table, **changed, "live": {"round_id": opened["round_id"], "state": "dealt"}}
    return Step(kind="dealt", ruleset=opened["ruleset"], request=request, body=body, table_after=table_after)


def dealt_body(
    ruleset: Ruleset, opening: Json, request: Json, table: Json, *, luck: Luck | None, shoe: Sequence[Card] | None
) -> Json:
    """The game's part of a dealt record's body."""
    from_shoe = {"shoe": shoe} if ruleset.game.uses_shoe else {}
    return ruleset.game.deal(ruleset.rules, opening, request, table, luck, **from_shoe)


def settled_body(ruleset: Ruleset, dealt: Json, request: Json, shoe: Sequence[Card] | None) -> Json:
    """The game's part of a settled record's body, without the seed."""
    from_shoe = {"shoe": shoe} if ruleset.game.uses_shoe else {}
    opening = dealt["body"]["opened"]["terms"]["request"]
    return ruleset.game.settle(ruleset.rules, opening, dealt["request"], dealt["body"], request, **from_shoe)


def settle_step(
    *,
    dealt: Json,
    request: Json,
    table: Json,
    ruleset: Ruleset,
    server_seed: bytes | None,
    shoe_seed: bytes | None = None,
) -> Step:
    """The settlement of a dealt round, which reveals the round's seed (never the shoe's)."""
    opening = dealt["body"]["opened"]["terms"]["request"]
    shoe = None if shoe_seed is None else shoe_cards(table["shoe"], ruleset=ruleset, server_seed=shoe_seed)
    body = settled_body(ruleset, dealt, request, shoe)
    changed = ruleset.game.after_settle(ruleset.rules, opening, body, dealt["round_id"], table)
    table_after = {**table, **changed, "hand_no": table["hand_no"] + 1, "draw": None, "live": None}
    return Step(
        kind="settled",
        ruleset=dealt["ruleset"],
        request=request,
        body=body if server_seed is None else {**body, "seed": _revealed(server_seed)},
        table_after=table_after,
    )


def void_step(*, last: Json | None, request: Json, table: Json, game: Game | None, server_seed: bytes | None) -> Step:
    """The void of a round that is opened or dealt (`last`), or unknown (None: a tombstone).

    Everything is returned and the seed revealed (`server_seed` None: it is lost, or the table is physical); the table
    is as it was before the round, cards of a shoe apart, which are spent. Raises VoidReasonUnknown.
    """
    reasons = VOID_REASONS if game is None else game.void_reasons
    if request["reason"] not in reasons:
        message = f"must be one of {', '.join(reasons)}"
        raise VoidReasonUnknown(f"no void for reason {request['reason']!r}: {message}", FieldFault("reason", message))
    body: Json = {"was": None if last is None else last["kind"], "returned": [], "postings": []}
    if last is not None and last["kind"] == "dealt" and game is not None:
        body |= game.returned(last["request"], last["body"])
    if last is not None and opened_terms(last)["body"]:
        body["seed"] = _revealed(server_seed)
    table_after = table if last is None else {**table, "live": None}
    return Step(
        kind="voided",
        ruleset=None if last is None else last["ruleset"],
        request=request,
        body=body,
        table_after=table_after,
    )


def open_shoe_step(*, operator: str, shoe_id: str, request: Json, table: Json, ruleset: Ruleset, body: Json) -> Step:
    """The opening of a shoe, with its commitment; no card of it is known until the first deal gives seed and cut.

    Raises RoundLive, ShoeOpen, ShoeNotOffered.
    """
    _check_no_live_round(table, request["table_id"])
    if not ruleset.game.uses_shoe:
        raise ShoeNotOffered(f"{ruleset.id} is not dealt from a shoe")
    if table["shoe"] is not None:
        raise ShoeOpen(f"shoe {table['shoe']['shoe_id']} is open at table {request['table_id']}: close it first")
    terms = {
        "operator": operator,
        "table_id": request["table_id"],
        "round_id": shoe_round_id(shoe_id),
        "ruleset": ruleset.reference,
        "request": request,
        "body": body,
    }
    shoe = {
        "shoe_id": shoe_id,
        "position": 0,
        "size": len(ruleset.game.deck(ruleset.rules, request)),
        "client_seed": None,
        "cut": None,
        "terms": terms,
    }
    return Step(
        kind="shoe_opened",
        ruleset=ruleset.reference,
        request=request,
        body=body,
        table_after={**table, "shoe": shoe},
    )


def close_shoe_step(*, shoe_id: str, request: Json, table: Json, server_seed: bytes | None) -> Step:
    """The end of a shoe, which reveals its seed (None: it is lost); refused while a round is live.

    Raises RoundLive, ShoeNotOpen.
    """
    _check_no_live_round(table, request["table_id"])
    shoe = table["shoe"]
    if shoe is None or shoe["shoe_id"] != shoe_id:
        raise ShoeNotOpen(f"shoe {shoe_id} is not open at table {request['table_id']}")
    body = {"position": shoe["position"], "client_seed": shoe["client_seed"], "cut": shoe["cut"]}
    return Step(
        kind="shoe_closed",
        ruleset=shoe["terms"]["ruleset"],
        request=request,
        body={**body, "seed": _revealed(server_seed)},
        table_after={**table, "shoe": None},
    )


def draw_step(*, draw_id: str, request: Json, table: Json, ruleset: Ruleset, terms: Json, server_seed: bytes) -> Step:
    """A draw for first banker or first button; its seed is revealed at once, nothing being staked on it yet.

    Raises RoundLive, DrawHeld, or what the game refuses.
    """
    _check_no_live_round(table, request["table_id"])
    held = table["draw"]
    if held is not None and (held["kind"], held["seats"]) == (request["kind"], request["seats"]):
        raise DrawHeld(
            f"draw {held['draw_id']} for {held['kind']} among seats {held['seats']} stands: seat {held['seat']} won it",
            FieldFault("seats", "must differ from the last draw's until a hand is settled"),
        )
    luck = luck_of(terms, server_seed=server_seed, client_seed=request.get("client_seed"))
    drawn = ruleset.game.draw(ruleset.rules, request["kind"], request["seats"], luck)
    draw = {"draw_id": draw_id, "kind": request["kind"], "seats": request["seats"], "seat": drawn["seat"]}
    return Step(
        kind="drawn",
        ruleset=ruleset.reference,
        request=request,
        body={**terms["body"], **drawn, "seed": _revealed(server_seed)},
        table_after={**table, "draw": draw},
    )


def shoe_round_id(shoe_id: str) -> str:
    """What stands for `round_id` in a shoe's own records; no round can have such an id."""
    return f"shoe:{shoe_id}"


def draw_round_id(draw_id: str) -> str:
    """What stands for `round_id` in a draw's record; no round can have such an id."""
    return f"draw:{draw_id}"


def shoe_cards(shoe: Json, *, ruleset: Ruleset, server_seed: bytes) -> Sequence[Card]:
    """A shoe's cards in their order, cut."""
    luck = luck_of(shoe["terms"], server_seed=server_seed, client_seed=shoe["client_seed"])
    return luck.shuffle(ruleset.game.deck(ruleset.rules, shoe["terms"]["request"]), shoe["cut"])


def _begin_shoe(shoe: Json, request: Json) -> Json:
    if shoe["position"] == 0:
        return {**shoe, "client_seed": request.get("client_seed"), "cut": request.get("cut")}
    if "cut" in request:
        raise ShoeStarted(
            f"shoe {shoe['shoe_id']} is dealt up to card {shoe['position']}: it can be cut only before its first card",
            FieldFault("cut", "must be left out"),
        )
    return shoe


def _revealed(server_seed: bytes | None) -> str | None:
    return None if server_seed is None else server_seed.hex()


def payload_of(
    step: Step, *, engine: str, operator: str, table_id: str, round_id: str, seq: int, prev: str | None, at: str
) -> Json:
    """The payload of the record that writes a step down (DESIGN section 5)."""
    return {
        "v": RECORD_VERSION,
        "kind": step.kind,
        "engine": engine,
        "operator": operator,
        "table_id": table_id,
        "round_id": round_id,
        "seq": seq,
        "prev": prev,
        "at": at,
        "ruleset": step.ruleset,
        "request": step.request,
        "body": step.body,
        "table_after": step.table_after,
    }


def record_sha256(jws: str) -> str:
    """The hash by which the next record of the chain names this one."""
    return canonical.sha256_hex(jws.encode("ascii"))


def differences(expected: object, found: object, path: str = "") -> Iterator[tuple[str, object, object]]:
    """Where two JSON values differ: (path, expected, found), None for what is absent.

    Items of a list are matched by their id where they have one; a list of the same items in another order differs
    as a whole.

    >>> list(differences({"wagers": [{"wager_id": "w1", "amount": 5}]}, {"wagers": [{"wager_id": "w1", "amount": 6}]}))
    [('wagers[w1].amount', 5, 6)]
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys()):
            name = f"{path}.{key}" if path else key
            if key in expected and key in found:
                yield from differences(expected[key], found[key], name)
            else:  # null is not absent
                yield name, expected.get(key), found.get(key)
    elif isinstance(expected, list) and isinstance(found, list):
        yield from _list_differences(expected, found, path)
    elif expected != found or type(expected) is not type(found):
        yield path, expected, found


def _list_differences(expected: list[Any], found: list[Any], path: str) -> Iterator[tuple[str, object, object]]:
    ours, theirs = _by_id(expected), _by_id(found)
    if ours is None or theirs is None:
        ours, theirs = dict(enumerate(expected)), dict(enumerate(found))
    elif ours.keys() == theirs.keys() and list(ours) != list(theirs):
        yield path, list(ours), list(theirs)
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        if name in ours and name in theirs:
            yield from differences(ours[name], theirs[name], f"{path}[{name}]")
        else:
            yield f"{path}[{name}]", ours.get(name), theirs.get(name)


def _by_id(items: list[Any]) -> dict[Any, Any] | None:
    for key in _LIST_KEYS:
        if all(isinstance(item, dict) and key in item for item in items):
            named = {item[key]: item for item in items}
            return named if len(named) == len(items) else None
    return None
