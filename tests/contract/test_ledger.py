"""What every ledger and every store of operators must do, whatever lies under it."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from cardroom.services.ports import (
    PAGE_BYTES,
    Entry,
    HeadMoved,
    Ledger,
    LedgerDamaged,
    Operator,
    OperatorMoved,
    RoundState,
    StateMoved,
)
from cardroom.signing.signature import MAX_CHARS
from tests.contract.conftest import Store
from tests.contract.support import OPERATOR, entry, whole_round

HARES = 20


def append_all(ledger: Ledger, entries: Sequence[Entry]) -> None:
    for each in entries:
        ledger.append(each)


def everything(ledger: Ledger, table_id: str = "table-1") -> list[str]:
    return list(ledger.records(OPERATOR, table_id, after=0, limit=1_000))


# ------------------------------------------------------------------ reading what is not there


def test_an_empty_ledger_knows_nothing(store: Store) -> None:
    assert store.ledger.head(OPERATOR, "table-1") is None
    assert store.ledger.round_state(OPERATOR, "round-1") is None
    assert list(store.ledger.tables(OPERATOR)) == []
    assert everything(store.ledger) == []


@pytest.mark.parametrize("seq", [-1, 0, 2, 10**12 - 1, 10**12, 2**63, 2**64])
def test_a_record_that_is_not_there_is_a_key_error(store: Store, seq: int) -> None:
    store.ledger.append(entry())
    with pytest.raises(KeyError) as caught:
        store.ledger.record(OPERATOR, "table-1", seq)
    assert caught.value.args == ((OPERATOR, "table-1", seq),)


# ------------------------------------------------------------------ appending


def test_what_was_appended_is_read_back_byte_for_byte(store: Store) -> None:
    entries = whole_round()
    for done, each in enumerate(entries, start=1):
        store.ledger.append(each)
        for reader in (store.ledger, store.again()):
            assert reader.head(OPERATOR, "table-1") == each.head
            assert reader.round_state(OPERATOR, "round-1") == each.new_state
            assert reader.record(OPERATOR, "table-1", done) == each.jws
            assert everything(reader) == [e.jws for e in entries[:done]]
    assert list(store.ledger.tables(OPERATOR)) == ["table-1"]
    assert store.ledger.round_state(OPERATOR, "round-1") == RoundState(
        table_id="table-1", state="settled", seqs={"opened": 1, "dealt": 2, "settled": 3}
    )


def test_table_after_comes_back_as_it_was(store: Store) -> None:
    table_after = {
        "hand_no": 2**53 - 1,
        "banker": {"bettor": "Å-łódź-牌", "turns": -1},
        "free_collections": [{"round_id": "r", "wager_id": "w", "bettor": ""}, [], {}],
        "live": None,
        "yes": True,
    }
    first = entry(table_after=table_after)
    store.ledger.append(first)
    head = store.ledger.head(OPERATOR, "table-1")
    assert head is not None
    assert head.table_after == table_after
    assert type(head.table_after["hand_no"]) is int
    assert head.table_after["yes"] is True


def test_operators_share_nothing(store: Store) -> None:
    mine, theirs = entry(), entry(operator="other", text="theirs")
    append_all(store.ledger, [mine, theirs])
    assert store.ledger.record(OPERATOR, "table-1", 1) == mine.jws
    assert store.ledger.record("other", "table-1", 1) == theirs.jws
    assert store.ledger.round_state("third", "round-1") is None
    assert list(store.ledger.tables("third")) == []


def test_tables_are_listed_in_order_of_id(store: Store) -> None:
    names = ["t", "t-1", "t_1", "T", "t1", "t10", "t9", "0", "z" * 64]
    append_all(store.ledger, [entry(table_id=name, round_id=f"r-{name}") for name in names])
    store.ledger.append(entry(operator=OPERATOR + "2", table_id="foreign"))
    assert list(store.ledger.tables(OPERATOR)) == sorted(names)


# ------------------------------------------------------------------ what must still be true


def test_a_moved_state_carries_what_it_is_now_and_nothing_is_written(store: Store) -> None:
    opened, dealt, _ = whole_round()
    append_all(store.ledger, [opened, dealt])
    late = entry("voided", after=dealt, state=opened.new_state)
    with pytest.raises(StateMoved) as caught:
        store.ledger.append(late)
    assert caught.value.state == dealt.new_state
    assert everything(store.ledger) == [opened.jws, dealt.jws]
    assert store.ledger.head(OPERATOR, "table-1") == dealt.head
    assert store.ledger.round_state(OPERATOR, "round-1") == dealt.new_state


def test_a_round_that_is_known_cannot_be_opened_again(store: Store) -> None:
    opened = entry()
    store.ledger.append(opened)
    with pytest.raises(StateMoved) as caught:
        store.ledger.append(entry(after=opened, text="again"))
    assert caught.value.state == opened.new_state


def test_a_round_id_belongs_to_one_table(store: Store) -> None:
    opened = entry()
    store.ledger.append(opened)
    with pytest.raises(StateMoved) as caught:
        store.ledger.append(entry(table_id="table-2"))
    assert caught.value.state == opened.new_state
    assert list(store.ledger.tables(OPERATOR)) == ["table-1"]
    assert store.ledger.head(OPERATOR, "table-2") is None


def test_a_round_that_is_unknown_cannot_go_on(store: Store) -> None:
    state = RoundState(table_id="table-1", state="opened", seqs={"opened": 1})
    with pytest.raises(StateMoved) as caught:
        store.ledger.append(entry("dealt", state=state))
    assert caught.value.state is None
    assert everything(store.ledger) == []


@pytest.mark.parametrize(
    "other",
    [
        RoundState(table_id="table-1", state="opened", seqs={"opened": 2}),
        RoundState(table_id="table-1", state="opened", seqs={}),
        RoundState(table_id="table-1", state="opened", seqs={"opened": 1, "dealt": 2}),
        RoundState(table_id="table-2", state="opened", seqs={"opened": 1}),
        RoundState(table_id="table-1", state="dealt", seqs={"opened": 1}),
    ],
)
def test_the_whole_state_must_be_as_expected(store: Store, other: RoundState) -> None:
    opened = entry()
    store.ledger.append(opened)
    with pytest.raises(StateMoved) as caught:
        store.ledger.append(entry("dealt", after=opened, state=other))
    assert caught.value.state == opened.new_state


def test_a_moved_head_is_told_and_nothing_is_written(store: Store) -> None:
    first = entry()
    rival = entry(after=first, round_id="round-2")
    append_all(store.ledger, [first, rival])
    with pytest.raises(HeadMoved):
        store.ledger.append(entry("dealt", after=first, state=first.new_state))
    assert everything(store.ledger) == [first.jws, rival.jws]
    assert store.ledger.head(OPERATOR, "table-1") == rival.head
    assert store.ledger.round_state(OPERATOR, "round-1") == first.new_state


def test_a_table_with_records_has_no_second_first_record(store: Store) -> None:
    first = entry()
    store.ledger.append(first)
    with pytest.raises(HeadMoved):
        store.ledger.append(entry(round_id="round-2"))
    assert store.ledger.round_state(OPERATOR, "round-2") is None


def test_a_table_without_records_has_no_second_record(store: Store) -> None:
    with pytest.raises(HeadMoved):
        store.ledger.append(entry(after=entry(), round_id="round-2"))
    assert store.ledger.head(OPERATOR, "table-1") is None
    assert store.ledger.round_state(OPERATOR, "round-2") is None


def test_the_state_is_judged_before_the_head(store: Store) -> None:
    opened, dealt, settled = whole_round()
    append_all(store.ledger, [opened, dealt, settled])
    with pytest.raises(StateMoved) as caught:
        store.ledger.append(entry("voided", after=dealt, state=dealt.new_state))
    assert caught.value.state == settled.new_state


def test_the_same_entry_again_is_a_success_that_writes_nothing(store: Store) -> None:
    entries = whole_round()
    append_all(store.ledger, [*entries[:2], entries[1], entries[0], entries[2]])
    append_all(store.ledger, entries)
    assert everything(store.ledger) == [each.jws for each in entries]
    assert store.ledger.head(OPERATOR, "table-1") == entries[2].head


def test_no_record_is_ever_replaced(store: Store) -> None:
    first = entry()
    second = entry(after=first, round_id="round-2")
    append_all(store.ledger, [first, second])
    forged = entry(after=second, round_id="round-3")
    with pytest.raises(LedgerDamaged, match="table table-1"):
        store.ledger.append(replace(forged, head=replace(forged.head, seq=2)))
    assert everything(store.ledger) == [first.jws, second.jws]
    assert store.ledger.head(OPERATOR, "table-1") == second.head
    assert store.ledger.round_state(OPERATOR, "round-3") is None


def test_the_longest_record_that_can_be_signed_is_kept(store: Store) -> None:
    longest = replace(entry(operator="o" * 64, table_id="t" * 64), jws="x" * MAX_CHARS)
    store.ledger.append(longest)
    assert store.ledger.record("o" * 64, "t" * 64, 1) == longest.jws


# ------------------------------------------------------------------ pages


def test_pages_follow_one_another(store: Store) -> None:
    entries: list[Entry] = []
    for n in range(1, 13):
        entries.append(entry(after=entries[-1] if entries else None, round_id=f"round-{n}"))
    append_all(store.ledger, entries)
    store.ledger.append(entry(table_id="table-10", round_id="elsewhere"))
    jws = [each.jws for each in entries]

    def page(after: int, limit: int) -> list[str]:
        return list(store.ledger.records(OPERATOR, "table-1", after=after, limit=limit))

    assert page(0, 5) + page(5, 5) + page(10, 5) == jws
    assert page(8, 3) == jws[8:11]
    assert page(11, 100) == jws[11:]
    assert page(-7, 2) == jws[:2]
    assert page(0, 0) == []
    for after in (12, 10**12 - 1, 10**12, 2**63 - 1, 2**63, 10**30):
        assert page(after, 5) == []


def test_a_page_ends_before_it_is_too_large(store: Store) -> None:
    entries: list[Entry] = []
    for n in range(1, 13):
        following = entry(after=entries[-1] if entries else None, round_id=f"round-{n}")
        entries.append(replace(following, jws=f"{n:02d}" + "x" * (350_000 - 2)))
    append_all(store.ledger, entries)
    page = list(store.ledger.records(OPERATOR, "table-1", after=0, limit=100))
    assert page == [each.jws for each in entries[: PAGE_BYTES // 350_000]]
    rest = list(store.ledger.records(OPERATOR, "table-1", after=len(page), limit=100))
    assert page + rest == [each.jws for each in entries]


# ------------------------------------------------------------------ races


def race(ledgers: Sequence[Ledger], entries: Sequence[Entry]) -> list[Exception | None]:
    """Appends all entries at once, each from a thread of its own; answers what came of each."""
    start = Barrier(len(entries))

    def run(number: int) -> Exception | None:
        start.wait()
        try:
            ledgers[number % len(ledgers)].append(entries[number])
        except (StateMoved, HeadMoved) as moved:
            return moved
        return None

    with ThreadPoolExecutor(len(entries)) as pool:
        return list(pool.map(run, range(len(entries))))


def test_of_twenty_at_one_step_one_wins_and_the_others_see_its_state(shared_store: Store) -> None:
    opened, dealt, _ = whole_round()
    append_all(shared_store.ledger, [opened, dealt])
    rivals = [
        entry("settled" if n % 2 else "voided", after=dealt, state=dealt.new_state, text=str(n)) for n in range(HARES)
    ]
    outcomes = race([shared_store.ledger, shared_store.again()], rivals)
    assert outcomes.count(None) == 1
    winner = rivals[outcomes.index(None)]
    losers = [outcome for outcome in outcomes if outcome is not None]
    assert [type(loser) for loser in losers] == [StateMoved] * (HARES - 1)
    assert all(isinstance(loser, StateMoved) and loser.state == winner.new_state for loser in losers)
    assert everything(shared_store.ledger) == [opened.jws, dealt.jws, winner.jws]
    assert shared_store.ledger.head(OPERATOR, "table-1") == winner.head


def test_of_twenty_rounds_on_one_table_one_is_next(shared_store: Store) -> None:
    rivals = [entry(round_id=f"round-{n}") for n in range(HARES)]
    outcomes = race([shared_store.ledger, shared_store.again()], rivals)
    assert Counter(type(outcome) for outcome in outcomes) == {type(None): 1, HeadMoved: HARES - 1}
    winner = rivals[outcomes.index(None)]
    assert everything(shared_store.ledger) == [winner.jws]
    known = [each.round_id for each in rivals if shared_store.ledger.round_state(OPERATOR, each.round_id)]
    assert known == [winner.round_id]


def test_callers_who_try_again_all_get_their_record(shared_store: Store) -> None:
    def play(number: int) -> None:
        while True:
            head = shared_store.ledger.head(OPERATOR, "table-1")
            mine = entry(round_id=f"round-{number}")
            if head is not None:
                mine = replace(mine, head=replace(mine.head, seq=head.seq + 1), expected_head=head.sha256)
            try:
                return shared_store.ledger.append(mine)
            except HeadMoved:
                continue

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(play, range(8)))
    assert sorted(everything(shared_store.ledger)) == sorted(entry(round_id=f"round-{n}").jws for n in range(8))
    assert [shared_store.ledger.record(OPERATOR, "table-1", n) for n in range(1, 9)] == everything(shared_store.ledger)


_RACER = """
import sys
from cardroom.adapters.sqlite import SqliteLedger
from cardroom.services.ports import HeadMoved, StateMoved
from tests.contract.support import entry

path, name = sys.argv[1:]
ledger, previous, won = SqliteLedger(path), None, 0
print("ready", flush=True)
sys.stdin.readline()
for n in range(100):
    mine = entry(after=previous, round_id=f"round-{n}", text=name)
    try:
        ledger.append(mine)
        won += 1
        previous = mine
    except StateMoved:
        theirs = ledger.record("lucky-lady", "table-1", n + 1).rpartition(".")[2]
        previous = entry(after=previous, round_id=f"round-{n}", text=theirs)
print(won, flush=True)
"""


def test_processes_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", _RACER, path, name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
        )
        for name in ("left", "right", "middle")
    ]  # fmt: skip
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    won = [int(racer.communicate("go\n", timeout=60)[0]) for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0, 0]
    assert sum(won) == 100


# ------------------------------------------------------------------ operators

ADA = Operator(operator="ada", scopes=frozenset({"play", "read"}), secrets=(("00", "aa"),))


def test_operators_are_kept(store: Store) -> None:
    bob = Operator(operator="Bob_2", scopes=frozenset({"audit"}), secrets=(("11", "bb"), ("22", "cc")))
    assert store.operators.get("ada") is None
    assert list(store.operators.list()) == []
    store.operators.put(ADA, replaces=None)
    store.operators.put(bob, replaces=None)
    assert store.operators.get("ada") == ADA
    assert store.operators.get("Bob_2") == bob
    assert store.operators.get("bob_2") is None
    assert list(store.operators.list()) == [bob, ADA]


def test_an_operators_tables_are_no_credentials(store: Store) -> None:
    store.ledger.append(entry(operator="ada", table_id="CREDENTIALS"))
    assert store.operators.get("ada") is None
    assert list(store.operators.list()) == []
    store.operators.put(ADA, replaces=None)
    assert list(store.ledger.tables("ada")) == ["CREDENTIALS"]


def test_credentials_are_replaced_only_if_they_are_what_was_read(store: Store) -> None:
    rotated = replace(ADA, secrets=(("33", "dd"), *ADA.secrets))
    with pytest.raises(OperatorMoved):
        store.operators.put(rotated, replaces=ADA)
    store.operators.put(ADA, replaces=None)
    with pytest.raises(OperatorMoved):
        store.operators.put(rotated, replaces=None)
    store.operators.put(rotated, replaces=ADA)
    with pytest.raises(OperatorMoved):
        store.operators.put(replace(ADA, scopes=frozenset({"read"})), replaces=ADA)
    assert store.operators.get("ada") == rotated
    assert list(store.operators.list()) == [rotated]


# ------------------------------------------------------------------ what no adapter may do


def test_no_adapter_deletes_or_scans() -> None:
    folder = Path(__file__).parents[2] / "layers" / "engine" / "cardroom" / "adapters"
    sources = {path.name: path.read_text().lower() for path in folder.glob("*.py")}
    assert {"dynamodb.py", "sqlite.py"} <= set(sources)
    for name, source in sources.items():
        for forbidden in ("deleteitem", "delete_item", "delete from", "scan(", "batch_write", "update_item"):
            assert forbidden not in source, f"{name} mentions {forbidden}"


# ------------------------------------------------------------------ an id of its own


def with_own(each: Entry, own_id: str = "correction:c1") -> Entry:
    seq = each.head.seq
    return replace(each, own=(own_id, RoundState(table_id=each.table_id, state="corrected", seqs={"corrected": seq})))


def corrected(after: Entry, state: RoundState, *, own_id: str = "correction:c1", text: str = "") -> Entry:
    """A correction of a round's settlement: it leaves the round settled, and has a state of its own."""
    each = entry("corrected", after=after, state=state, text=text)
    new = RoundState(table_id=each.table_id, state="settled", seqs={**state.seqs, own_id: each.head.seq})
    return with_own(replace(each, new_state=new), own_id)


def test_an_entry_takes_its_own_id_in_the_same_transaction(store: Store) -> None:
    entries = whole_round()
    append_all(store.ledger, entries)
    each = corrected(entries[-1], entries[-1].new_state)
    store.ledger.append(each)
    assert each.own is not None
    for reader in (store.ledger, store.again()):
        assert reader.round_state(OPERATOR, "correction:c1") == each.own[1]
        state = reader.round_state(OPERATOR, "round-1")
        assert state == each.new_state and state is not None and state.last == "correction:c1"
    store.ledger.append(each)  # whose reply was lost
    assert len(everything(store.ledger)) == 4


def test_an_own_id_that_is_taken_writes_nothing(store: Store) -> None:
    entries = whole_round()
    append_all(store.ledger, entries)
    first = corrected(entries[-1], entries[-1].new_state)
    store.ledger.append(first)
    before = everything(store.ledger)
    again = corrected(first, first.new_state, text="another")
    with pytest.raises(StateMoved) as caught:
        store.ledger.append(again)
    assert caught.value.state == first.new_state
    assert everything(store.ledger) == before
    assert store.ledger.head(OPERATOR, "table-1") == first.head
    assert store.ledger.round_state(OPERATOR, "round-1") == first.new_state


def test_an_own_id_is_not_taken_where_the_round_or_the_head_has_moved(store: Store) -> None:
    entries = whole_round()
    append_all(store.ledger, entries)
    stale = corrected(entries[1], entries[-1].new_state)
    with pytest.raises(HeadMoved):
        store.ledger.append(stale)
    early = corrected(entries[-1], entries[1].new_state)
    with pytest.raises(StateMoved):
        store.ledger.append(early)
    assert store.ledger.round_state(OPERATOR, "correction:c1") is None
