"""Entries to append, as the services would make them: each knows the one before it."""

from __future__ import annotations

import hashlib
from typing import Any

from cardroom.services.ports import Entry, Head, RoundState

OPERATOR = "lucky-lady"


def entry(
    kind: str = "opened",
    *,
    after: Entry | None = None,
    round_id: str = "round-1",
    table_id: str = "table-1",
    operator: str = OPERATOR,
    state: RoundState | None = None,
    text: str = "",
    table_after: dict[str, Any] | None = None,
) -> Entry:
    """The next entry of a table: `after` is the table's last one, `state` the round's state before it.

    `text` makes two entries of the same step differ, as two signatures do.
    """
    seq = after.head.seq + 1 if after else 1
    jws = f"{operator}.{table_id}.{round_id}.{kind}.{seq}.{text}"
    return Entry(
        operator=operator,
        table_id=table_id,
        round_id=round_id,
        jws=jws,
        head=Head(
            seq=seq,
            sha256=hashlib.sha256(jws.encode()).hexdigest(),
            at=f"2026-11-29T21:53:{seq % 60:02d}.000Z",
            table_after=table_after if table_after is not None else {"hand_no": seq, "banker": None},
        ),
        expected_head=after.head.sha256 if after else None,
        expected_state=state,
        new_state=RoundState(table_id=table_id, state=kind, seqs={**(state.seqs if state else {}), kind: seq}),
    )


def whole_round(*, after: Entry | None = None, round_id: str = "round-1", **names: Any) -> list[Entry]:
    """The three entries of a round."""
    opened = entry("opened", after=after, round_id=round_id, **names)
    dealt = entry("dealt", after=opened, round_id=round_id, state=opened.new_state, **names)
    settled = entry("settled", after=dealt, round_id=round_id, state=dealt.new_state, **names)
    return [opened, dealt, settled]
