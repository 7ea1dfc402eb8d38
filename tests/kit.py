"""What tests play with: a table whose records are made by the one step, and a game's deal and settlement alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from cardroom.cards import Card
from cardroom.game import FromShoe, Game, Ruleset, Shuffled, Source, Told
from cardroom.rounds.kinds import KINDS
from cardroom.rounds.record import Step, payload_of, record_sha256
from cardroom.rounds.steps import NEW_TABLE, Before, Call, Kinds, Last, SeedSecrets, step
from cardroom.shuffle import Luck, commitment

Json = dict[str, Any]
ENGINE = {"version": "0.1.0", "sha256": "e0" * 32}


class NamedSeeds(SeedSecrets):
    """Each id has the seed that is kept for it, or one that follows from its name."""

    def __init__(self) -> None:
        self.seeds: dict[str, bytes | None] = {}
        self.salt = "ab" * 16

    def commit(self, call: Call) -> Json:
        """The commitment to the seed of the call's id."""
        return {"commitment": commitment(self.seed({"round_id": call.round_id})), "salt": self.salt, "epoch": "e1"}

    def seed(self, terms: Json) -> bytes:
        """The seed of an id."""
        name = terms["round_id"]
        kept = self.seeds.get(name)
        return hashlib.sha256(name.encode()).digest() if kept is None else kept

    def seed_to_reveal(self, terms: Json) -> bytes | None:
        """The seed of an id; one that is kept as None is lost."""
        return None if self.seeds.get(terms["round_id"], b"") is None else self.seed(terms)


class Table:
    """A table and the payloads of its records, in order; `secrets` tell its seeds."""

    def __init__(self, ruleset: Ruleset, *, table_id: str = "t1", kinds: Kinds = KINDS, **state: Any) -> None:
        self.ruleset, self.table_id, self.kinds = ruleset, table_id, kinds
        self.state: Json = {**NEW_TABLE, **state}
        self.secrets = NamedSeeds()
        self.payloads: list[Json] = []
        self.records: list[str] = []

    def call(self, kind: str, round_id: str, request: Json, *, at: str = "2026-11-29T21:00:00.000Z") -> Json:
        """The payload of the next record."""
        known = None
        for payload, record in zip(self.payloads, self.records, strict=True):
            if payload["round_id"] == round_id:
                known = Last(payload, record_sha256(record))
        tombstone = kind == "voided" and known is None
        made = step(
            self.kinds,
            Call(kind=kind, operator="op", table_id=self.table_id, round_id=round_id, request=request),
            Before(
                table=self.state,
                last=known,
                ruleset=None if tombstone else self.ruleset,
                reasons=self.ruleset.game.void_reasons,
            ),
            self.secrets,
        )
        return self.write(made, round_id, at)

    def write(self, made: Step, round_id: str, at: str) -> Json:
        """Number a step and keep its record."""
        payload = payload_of(
            made, engine=ENGINE, operator="op", table_id=self.table_id, round_id=round_id,
            seq=len(self.records) + 1, prev=record_sha256(self.records[-1]) if self.records else None, at=at,
        )  # fmt: skip
        self.payloads.append(payload)
        self.records.append(self.sign(payload))
        self.state = made.table_after
        return payload

    def sign(self, payload: Json) -> str:
        """What stands for the record; here a name."""
        return f"{payload['table_id']}.{payload['seq']}"


def source(wagering: Json, luck: Luck | None, shoe: Sequence[Card] | None, state: Json) -> Source:
    """Where cards come from: a luck of the test's own, a shoe in its order, or (None) a physical table."""
    if luck is None:
        return Told()
    shuffled = Shuffled(lambda: luck, wagering.get("cut"))
    if shoe is None:
        return shuffled
    return FromShoe(round_=shuffled, shoe_id=state["shoe_id"], position=state["position"], cards=shoe)


def deal(
    game: Game, rules: Any, opening: Json, wagering: Json, table: Json, luck: Luck | None, *, shoe: Any = None
) -> Json:
    """The body of a game's deal."""
    return game.deal(rules, opening, wagering, table, source(wagering, luck, shoe, table.get("shoe") or {}))


def settle(
    game: Game,
    rules: Any,
    opening: Json,
    wagering: Json,
    dealt: Json,
    request: Json,
    *,
    shoe: Any = None,
    luck: Luck | None = None,
) -> Json:
    """The body of a game's settlement, by the deal's luck; of a shoe, it goes on where the deal ended."""
    if shoe is None:
        return game.settle(rules, opening, wagering, dealt, request, source(wagering, luck, None, {}))
    state = {"shoe_id": dealt["shoe"]["shoe_id"], "position": dealt["shoe"]["last"]}
    chance = Luck(server_seed=bytes(32), terms_sha256=bytes(32), client_seed=None)
    return game.settle(rules, opening, wagering, dealt, request, source(wagering, chance, shoe, state))
