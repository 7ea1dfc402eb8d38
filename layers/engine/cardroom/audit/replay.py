"""Play records again: from the requests, the rule sets and the revealed seed to what the records should say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cardroom import rounds
from cardroom.audit.chain import Difference
from cardroom.refusals import Refusal
from cardroom.rounds import Json, Ruleset, Step


class Replay:
    """Replays one record at a time, with the same pure steps that wrote it.

    `pinned` finds a rule set by the id and hash that a record names. A deal is replayed with the settlement or the
    void that reveals its seed, so that its differences are told there, under `dealt.…`.
    """

    def __init__(self, pinned: Callable[[Mapping[str, Any]], Ruleset]) -> None:
        self._pinned = pinned

    def check(
        self, previous: Json | None, opened: Json | None, dealt: Json | None, payload: Json
    ) -> Sequence[Difference]:
        """Where the record differs from what the rules give, the cause before what follows from it."""
        try:
            return list(self._replay(previous, opened, dealt, payload))
        except Refusal as refusal:
            return [Difference("request", f"refused: {refusal.message}", "recorded", "replay-refused")]

    def _replay(
        self, previous: Json | None, opened: Json | None, dealt: Json | None, payload: Json
    ) -> Iterator[Difference]:
        table = dict(rounds.NEW_TABLE) if payload["seq"] == 1 else previous and previous["table_after"]
        if table is None:
            return  # the record before is not there: what the table was is not known
        match payload["kind"]:
            case "opened":
                yield from self._opened(payload, table)
            case "dealt" if opened is not None:
                yield from self._dealt_at_a_physical_table(opened, payload, table)
            case "settled" if dealt is not None:
                yield from self._settled(opened, dealt, payload, table)
            case "voided":
                yield from self._voided(opened, dealt, payload, table)

    def _opened(self, payload: Json, table: Json) -> Iterator[Difference]:
        step = rounds.open_step(
            round_id=payload["round_id"],
            request=payload["request"],
            table=table,
            ruleset=self._pinned(payload["ruleset"]),
            body=payload["body"],
        )
        yield from _differences(step, payload)

    def _dealt_at_a_physical_table(self, opened: Json, payload: Json, table: Json) -> Iterator[Difference]:
        if not opened["body"]:
            yield from _differences(self._deal(opened, payload, table, seed=None), payload)

    def _deal(self, opened: Json, dealt: Json, table: Json, *, seed: bytes | None) -> Step:
        return rounds.deal_step(
            opened=opened,
            opened_sha256=dealt["body"]["opened"]["sha256"],
            request=dealt["request"],
            table=table,
            ruleset=self._pinned(opened["ruleset"]),
            server_seed=seed,
        )

    def _deal_again(self, opened: Json | None, dealt: Json, seed: bytes | None) -> Iterator[Difference]:
        """The deal's own body, once its seed is known; the table is as the open left it, as no other round is live."""
        if opened is None or seed is None:
            return
        step = self._deal(opened, dealt, opened["table_after"], seed=seed)
        yield from _fields(step.body, dealt["body"], "dealt.body", "deal-differs")

    def _settled(self, opened: Json | None, dealt: Json, payload: Json, table: Json) -> Iterator[Difference]:
        seed = _seed(payload)
        yield from self._deal_again(opened, dealt, seed)
        step = rounds.settle_step(
            dealt=dealt,
            request=payload["request"],
            table=table,
            ruleset=self._pinned(payload["ruleset"]),
            server_seed=seed,
        )
        yield from _differences(step, payload)

    def _voided(self, opened: Json | None, dealt: Json | None, payload: Json, table: Json) -> Iterator[Difference]:
        seed = _seed(payload)
        if dealt is not None:
            yield from self._deal_again(opened, dealt, seed)
        ruleset = payload["ruleset"]
        last = None if ruleset is None else dealt or opened
        if ruleset is not None and last is None:
            return
        game = None if ruleset is None else self._pinned(ruleset).game
        step = rounds.void_step(last=last, request=payload["request"], table=table, game=game, server_seed=seed)
        yield from _differences(step, payload)


def _seed(payload: Json) -> bytes | None:
    seed = payload["body"].get("seed")
    return None if seed is None else bytes.fromhex(seed)


def _differences(step: Step, payload: Json) -> Iterator[Difference]:
    yield from _fields(step.body, payload["body"], "body", "replay-differs")
    yield from _fields(step.table_after, payload["table_after"], "table_after", "table-after-wrong")


def _fields(expected: Json, found: Json, path: str, code: str) -> Iterator[Difference]:
    for field, should, is_ in rounds.differences(expected, found, path):
        yield Difference(field, should, is_, code)
