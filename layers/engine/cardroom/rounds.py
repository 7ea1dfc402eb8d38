"""The life of a round: opened, dealt, then settled or voided; what each of its records says.

Every body is a pure function of the round's earlier records, the request and the server seed, so the same functions
write a record and, years later, replay it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from cardroom import canonical
from cardroom.cards import Card
from cardroom.refusals import FieldFault, Refusal
from cardroom.shuffle import Luck, commitment, terms_sha256

Json = dict[str, Any]

RECORD_VERSION: Final = 1
VOID_REASONS: Final = ("wrong_number_of_cards", "exposed_card", "seat_out_of_turn", "equipment", "other")
NEW_TABLE: Final[Mapping[str, Any]] = {"hand_no": 0, "banker": None, "free_collections": [], "live": None}
_LIST_KEYS: Final = ("wager_id", "seat", "account")


class RoundLive(Refusal):
    """Another round of the table is live; it must be settled or voided first."""


class VoidReasonUnknown(Refusal):
    """The reason for a void is none of the published ones (pai gow sheet section 11)."""


class Game(Protocol):
    """What a game does in a round. `opening` and `wagering` are the opened and the dealt record's requests.

    `table` is the table as the record before left it (`table_after`). Every method is pure, and refuses what the
    rules refuse.
    """

    def load(self, document: Json) -> Any:
        """The rules that a rule set's document describes."""

    def check_open(self, rules: Any, opening: Json, table: Json) -> None:
        """Refuse a round that these rules don't allow at this table."""

    def deck(self, rules: Any, opening: Json) -> Sequence[Card]:
        """The cards in use, in the order before the shuffle."""

    def deal(self, rules: Any, opening: Json, wagering: Json, table: Json, luck: Luck | None) -> Json:
        """The dealt record's body; `luck` is None at a physical table."""

    def settle(self, rules: Any, opening: Json, wagering: Json, dealt_body: Json, request: Json) -> Json:
        """The settled record's body."""

    def after_settle(
        self, rules: Any, opening: Json, wagering: Json, body: Json, *, round_id: str, table: Json
    ) -> Json:
        """The fields of `table_after` that a settlement changes."""

    def returned(self, wagering: Json, dealt_body: Json) -> Json:
        """What a void after the deal gives back: `{returned, postings}`."""

    def set_hands(self, rules: Any, hands: Sequence[Sequence[str]]) -> list[Json]:
        """Each hand set by the house way."""


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

    Raises RoundLive, or what the game refuses.
    """
    live = table["live"]
    if live is not None:
        raise RoundLive(
            f"round {live['round_id']} is {live['state']} at table {request['table_id']}: settle or void it first"
        )
    ruleset.game.check_open(ruleset.rules, request, table)
    table_after = {**table, "live": {"round_id": round_id, "state": "opened"}}
    return Step(kind="opened", ruleset=ruleset.reference, request=request, body=body, table_after=table_after)


def shuffled_body(*, server_seed: bytes, salt: str, epoch: str) -> Json:
    """The body of an `opened` record whose deck the service shuffles (DESIGN section 4)."""
    return {"commitment": commitment(server_seed), "salt": salt, "epoch": epoch}


def terms_of(opened: Json) -> Json:
    """The opened terms: the part of the opened record that the deal depends on and repeats."""
    return {key: opened[key] for key in ("operator", "table_id", "round_id", "ruleset", "request", "body")}


def luck_of(terms: Json, *, server_seed: bytes, client_seed: str | None) -> Luck:
    """Where the round's deck, dice and seat come from."""
    return Luck(
        server_seed=server_seed,
        terms_sha256=terms_sha256(terms),
        client_seed=None if client_seed is None else bytes.fromhex(client_seed),
    )


def deal_step(
    *, opened: Json, opened_sha256: str, request: Json, table: Json, ruleset: Ruleset, server_seed: bytes | None
) -> Step:
    """The deal of an opened round; `server_seed` is None at a physical table."""
    terms = terms_of(opened)
    luck = None
    if server_seed is not None:
        luck = luck_of(terms, server_seed=server_seed, client_seed=request.get("client_seed"))
    dealt = ruleset.game.deal(ruleset.rules, opened["request"], request, table, luck)
    body = {"opened": {"seq": opened["seq"], "sha256": opened_sha256, "terms": terms}, **dealt}
    table_after = {**table, "live": {"round_id": opened["round_id"], "state": "dealt"}}
    return Step(kind="dealt", ruleset=opened["ruleset"], request=request, body=body, table_after=table_after)


def settle_step(*, dealt: Json, request: Json, table: Json, ruleset: Ruleset, server_seed: bytes | None) -> Step:
    """The settlement of a dealt round, which reveals the seed."""
    opening = dealt["body"]["opened"]["terms"]["request"]
    body = ruleset.game.settle(ruleset.rules, opening, dealt["request"], dealt["body"], request)
    changed = ruleset.game.after_settle(
        ruleset.rules, opening, dealt["request"], body, round_id=dealt["round_id"], table=table
    )
    table_after = {**table, **changed, "hand_no": table["hand_no"] + 1, "live": None}
    return Step(
        kind="settled",
        ruleset=dealt["ruleset"],
        request=request,
        body=_reveal(body, server_seed),
        table_after=table_after,
    )


def void_step(*, last: Json | None, request: Json, table: Json, game: Game | None, server_seed: bytes | None) -> Step:
    """The void of a round that is opened or dealt (`last`), or unknown (None: a tombstone).

    Everything is returned and the seed revealed; the table is as it was before the round. Raises VoidReasonUnknown.
    """
    if request["reason"] not in VOID_REASONS:
        message = f"must be one of {', '.join(VOID_REASONS)}"
        raise VoidReasonUnknown(f"no void for reason {request['reason']!r}: {message}", FieldFault("reason", message))
    body: Json = {"was": None if last is None else last["kind"], "returned": [], "postings": []}
    if last is not None and last["kind"] == "dealt" and game is not None:
        body |= game.returned(last["request"], last["body"])
    table_after = table if last is None else {**table, "live": None}
    return Step(
        kind="voided",
        ruleset=None if last is None else last["ruleset"],
        request=request,
        body=_reveal(body, server_seed),
        table_after=table_after,
    )


def _reveal(body: Json, server_seed: bytes | None) -> Json:
    return body if server_seed is None else {**body, "seed": server_seed.hex()}


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

    Items of a list are matched by their id where they have one.

    >>> list(differences({"wagers": [{"wager_id": "w1", "amount": 5}]}, {"wagers": [{"wager_id": "w1", "amount": 6}]}))
    [('wagers[w1].amount', 5, 6)]
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys()):
            yield from differences(expected.get(key), found.get(key), f"{path}.{key}" if path else key)
    elif isinstance(expected, list) and isinstance(found, list):
        ours, theirs = _by_id(expected), _by_id(found)
        if ours is None or theirs is None:
            ours, theirs = dict(enumerate(expected)), dict(enumerate(found))
        for name in [*ours, *(name for name in theirs if name not in ours)]:
            yield from differences(ours.get(name), theirs.get(name), f"{path}[{name}]")
    elif expected != found or type(expected) is not type(found):
        yield path, expected, found


def _by_id(items: list[Any]) -> dict[Any, Any] | None:
    for key in _LIST_KEYS:
        if all(isinstance(item, dict) and key in item for item in items):
            named = {item[key]: item for item in items}
            return named if len(named) == len(items) else None
    return None
