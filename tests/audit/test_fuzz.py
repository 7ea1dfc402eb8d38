"""The fuzz of records in little; what may pass it is a closed list, in which each entry is needed."""

from __future__ import annotations

import re
from random import Random

import pytest

from tools.fuzz_records import EQUIVALENT, Table, done, entries, judge, known_members, tasks_of
from tools.fuzz_records import Tally as FuzzTally
from tools.mutations import mutated

MUTATIONS, SEED = 520, 7
HARMLESS = {
    # What the list says is of no card, money, commitment or table: a new entry is looked at by a person, and put here.
    "at", "engine", "voided:request.reason", "voided:request.note", "voided:request.by",
    "voided:round_id",
    "dealt:request.wagers[].placed", "dealt:request.pile", "settled:request.folded (order)",
    "settled:request.sets[] (house way)", "undiced:request.client_seed",
    "deal_corrected:request.correction_id", "deal_corrected:request.by", "deal_corrected:request.reason",
    "corrected:request.correction_id", "corrected:request.by", "corrected:request.reason",
}  # fmt: skip
FORBIDDEN = re.compile(
    r"card|amount|fee|ante|stack|commi|paid|net|posting|table_after|hands|front|back|community|burned|limit|seat\b"
)


def test_each_mutation_is_found_or_changes_nothing_that_is_proved() -> None:
    tally = FuzzTally()
    for task in tasks_of(MUTATIONS, SEED):
        tally.add(done(task))
    assert tally.wrong == []
    assert tally.mutations == MUTATIONS and tally.found.total() > 0.9 * MUTATIONS
    assert len(tally.found) > 12  # kinds of findings


def test_the_list_is_closed_and_holds_no_card_and_no_money() -> None:
    assert set(EQUIVALENT) == HARMLESS
    assert [entry for entry in EQUIVALENT if FORBIDDEN.search(entry)] == []


@pytest.mark.parametrize("entry", EQUIVALENT)
def test_each_entry_is_needed(entry: str) -> None:
    """Some change of that member alone does pass."""
    random, member = Random(entry), {"engine": "engine.sha256"}.get(entry, entry.partition(":")[2] or entry)
    ruleset = {
        "settled:request.folded (order)": "poker-showdown/washington",
        "settled:request.sets[] (house way)": "california-baccarat/redding-1995",
        "undiced:request.client_seed": "california-baccarat/redding-1995",
    }.get(entry, "pai-gow-poker/bicycle")
    for number in range(300):
        table, tally = Table(ruleset, f"needed/{number}"), FuzzTally()
        role = entry.partition(":")[0] if ":" in entry else ""
        if role and role not in table.roles:
            continue
        only = f"{role}:{member.partition(' (')[0].removesuffix('[]')}" if role else member
        for _ in range(12):
            mutation = mutated(table, random, known_members(), only=only)
            if mutation is not None and entries(mutation) == {entry}:
                judge(table, mutation, tally)
        if tally.passed[entry]:
            return
    raise AssertionError(f"nothing passes by {entry}: take it off the list")


def test_a_hole_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an audit that finds nothing of a mutation, the mutation is told as wrong."""
    table, tally = Table("pai-gow-poker/bicycle", "hole"), FuzzTally()
    mutation = mutated(table, Random(1), known_members(), only="dealt:body.hands[].cards[]")
    assert mutation is not None
    genuine = table.audited(table.lines)
    monkeypatch.setattr(Table, "audited", lambda *_: genuine)
    judge(table, mutation, tally)
    (told,) = tally.wrong
    assert "body.hands" in told and "passes" in told
