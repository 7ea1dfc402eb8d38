"""An export is verified line by line: whatever was done to it is found, once, and by name."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from cardroom import canonical
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.finding import Finding
from cardroom.audit.replayer import Difference, Live, Replayed
from cardroom.audit.verify import Report, verify_export
from cardroom.rounds.kinds import KINDS
from cardroom.rounds.record import record_sha256
from cardroom.rounds.steps import repeated
from cardroom.shuffle import commitment
from cardroom.signing.certificate import EphemeralSigner, RootVerifier
from cardroom.signing.signature import RecordFault, b64url, raw_low_s, unb64url
from tests.audit.play import MemoryRoot, StepClock, signed_by_an_old_key
from tests.kit import ENGINE

Json = dict[str, Any]
RULESET = {"id": "demo/1", "sha256": "ab" * 32}
RULESETS = {"demo/1": "ab" * 32}


def seed_of(round_id: str, table_id: str = "t1") -> bytes:
    """A seed of its own for each round."""
    return hashlib.sha256(f"{table_id} {round_id}".encode()).digest()


ROOT, CLOCK = MemoryRoot(), StepClock()
SIGNER = EphemeralSigner(root=ROOT, audience="test")


class Chain:
    """Writes the records of one table, genuine in form, links and signatures."""

    def __init__(self, table_id: str = "t1", operator: str = "op") -> None:
        self.table_id, self.operator = table_id, operator
        self.records: list[str] = []
        self.payloads: list[Json] = []

    def add(self, kind: str, round_id: str, body: Json, /, *, live: Json | None, **changes: Any) -> Json:
        payload = {
            "v": 2,
            "kind": kind,
            "engine": ENGINE,
            "operator": self.operator,
            "table_id": self.table_id,
            "seq": len(self.records) + 1,
            "prev": canonical.sha256_hex(self.records[-1].encode()) if self.records else None,
            "round_id": round_id,
            "at": CLOCK.now(),
            "ruleset": RULESET,
            "request": {"note": "é♠"},
            "body": body,
            "table_after": {"hand_no": 0, "banker": None, "free_collections": [], "live": live},
        } | changes
        self.payloads.append(payload)
        self.records.append(SIGNER.sign(payload))
        return payload

    def open(self, round_id: str, **changes: Any) -> Chain:
        body = {"commitment": commitment(seed_of(round_id, self.table_id)), "salt": "00" * 16, "epoch": "1"}
        self.add("opened", round_id, body, live={"round_id": round_id, "state": "opened"}, **changes)
        return self

    def deal(self, round_id: str, **changes: Any) -> Chain:
        opened = self.payloads[-1]
        terms = {name: opened[name] for name in ("operator", "table_id", "round_id", "ruleset", "request", "body")}
        sha256 = canonical.sha256_hex(self.records[-1].encode())
        body = {"opened": {"seq": len(self.records), "sha256": sha256, "terms": terms}}
        self.add("dealt", round_id, body, live={"round_id": round_id, "state": "dealt"}, **changes)
        return self

    def settle(self, round_id: str, **changes: Any) -> Chain:
        self.add("settled", round_id, {"seed": seed_of(round_id, self.table_id).hex()}, **{"live": None, **changes})
        return self

    def void(self, round_id: str, body: Json | None = None, **changes: Any) -> Chain:
        last = self.payloads[-1]
        opened = repeated(last, record_sha256(self.records[-1])) if last["round_id"] == round_id else {}
        body = {"was": "opened", "opened": opened, **(body or {"seed": seed_of(round_id, self.table_id).hex()})}
        self.add("voided", round_id, body, **{"live": None, **changes})
        return self

    def tombstone(self, round_id: str, live: Json | None = None) -> Chain:
        self.add("voided", round_id, {"was": None}, live=live, ruleset=None)
        return self

    def draw(self, draw_id: str, **changes: Any) -> Chain:
        seed = seed_of(draw_id, self.table_id)
        body = {"commitment": commitment(seed), "seed": seed.hex()}
        self.add("drawn", f"draw:{draw_id}", body, **{"live": None, **changes})
        return self

    def shoe(self, shoe_id: str, close: bool = False, **changes: Any) -> Chain:
        seed = seed_of(shoe_id, self.table_id)
        kind, body = ("shoe_closed", {"seed": seed.hex()}) if close else ("shoe_opened", {})
        shoe = None if close else {"terms": {"body": {"commitment": commitment(seed)}}}
        table = {"hand_no": 0, "banker": None, "free_collections": [], "live": None, "shoe": shoe}
        self.add(kind, f"shoe:{shoe_id}", body, live=None, **{"table_after": table, **changes})
        return self


def two_rounds() -> Chain:
    """Six records: a round played, one voided, one tombstone."""
    return Chain().open("r1").deal("r1").settle("r1").open("r2").void("r2").tombstone("r3")


def export(chain: Chain, **header: Any) -> list[bytes]:
    made = ExportHeader(operator=chain.operator, **{"table_id": chain.table_id, **header})
    after = made.after
    return [line.encode() for line in export_lines(chain.records[after:], signer=SIGNER, clock=CLOCK, header=made)]


def verify(lines: Iterable[bytes], **options: Any) -> Report:
    return verify_export(lines, ROOT.jwks(), **{"rulesets": RULESETS, "audience": "test", **options})


def only(report: Report) -> Finding:
    """The one finding of a report."""
    assert len(report.findings) == 1, report.findings
    assert not report.ok
    return report.findings[0]


def resign(jws: str, change: Callable[[Json, Json], None], key: ec.EllipticCurvePrivateKey | None = None) -> str:
    """A record with its header and payload changed, signed by a key of the attacker's."""
    head, payload, _ = (unb64url(part) for part in jws.split("."))
    header, body = json.loads(head), json.loads(payload)
    change(header, body)
    signed = f"{b64url(canonical.dumps(header))}.{b64url(canonical.dumps(body))}"
    key = key or ec.generate_private_key(ec.SECP256R1())
    return f"{signed}.{b64url(raw_low_s(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256()))))}"


def line_of(jws: str) -> bytes:
    return canonical.dumps({"record": jws}) + b"\n"


LINES = export(two_rounds())


def test_an_untouched_export_verifies() -> None:
    report = verify(LINES)
    assert report.findings == ()
    assert report.ok
    assert report.records == 6
    (span,) = report.tables
    assert (span.table_id, span.records, span.first, span.last, span.live) == ("t1", 6, 1, 6, None)


def test_several_tables_in_one_export() -> None:
    one, two = two_rounds(), Chain("t2").open("r9")
    header = ExportHeader(operator="op")
    text = export_lines([*one.records, *two.records], signer=SIGNER, clock=CLOCK, header=header)
    report = verify([line.encode() for line in text])
    assert report.ok, report.findings
    assert [span.table_id for span in report.tables] == ["t1", "t2"]
    assert report.tables[1].live == {"round_id": "r9", "state": "opened"}


def test_a_span_that_begins_later() -> None:
    for after in range(1, 6):
        report = verify(export(two_rounds(), after=after))
        assert report.ok, (after, report.findings)


def test_draws_and_shoes_stand_between_rounds() -> None:
    report = verify(export(Chain().draw("d1").shoe("s1").shoe("s1", close=True).open("r1").void("r1").shoe("s2")))
    assert report.ok, report.findings


def test_a_single_round_has_gaps() -> None:
    chain = Chain().open("r0").void("r0").open("r1").deal("r1").tombstone("r9", {"round_id": "r1", "state": "dealt"})
    chain.settle("r1")
    header = ExportHeader(operator="op", round_id="r1")
    records = [chain.records[index] for index in (2, 3, 5)]
    lines = [line.encode() for line in export_lines(records, signer=SIGNER, clock=CLOCK, header=header)]
    assert verify(lines).ok, verify(lines).findings
    for index, code in ((1, "record-missing"), (2, "round-order"), (3, "record-missing")):
        assert only(verify(lines[:index] + lines[index + 1 :])).code == code


# -- one flipped bit, anywhere


SHORT = export(Chain().open("r1").void("r1"))


@pytest.mark.parametrize("line", range(len(SHORT)))
def test_one_flipped_bit_at_every_byte_is_found_once(line: int) -> None:
    whole = bytearray(b"".join(SHORT))
    start = sum(map(len, SHORT[:line]))
    for position in range(start, start + len(SHORT[line])):
        whole[position] ^= 1 << position % 8
        finding = only(verify(io.BytesIO(whole)))
        assert finding.line == line + 1, finding
        if 1 <= line <= 2:
            assert finding.record == line, finding
        whole[position] ^= 1 << position % 8


def test_every_single_flipped_bit_of_a_record_is_found() -> None:
    verifier, whole = RootVerifier(ROOT.jwks()), bytearray(record(2).encode())
    verifier.verify(whole.decode())
    for position in range(len(whole)):
        for bit in range(8):
            whole[position] ^= 1 << bit
            with pytest.raises(RecordFault):
                verifier.verify(whole.decode("latin-1"))
            whole[position] ^= 1 << bit


# -- lines dropped, doubled, moved


@pytest.mark.parametrize("index", range(1, 7))
def test_a_dropped_record_is_found_once(index: int) -> None:
    finding = only(verify(LINES[:index] + LINES[index + 1 :]))
    assert finding.code == "record-missing"
    assert finding.expected == index if index < 6 else finding.expected == 6


def test_a_dropped_tail_is_found() -> None:
    finding = only(verify([*LINES[:3], LINES[-1]]))
    assert (finding.code, finding.expected, finding.found) == ("record-missing", 6, 2)
    assert finding.message == "the last record exported of table t1 is 6, the last one here is 2"


@pytest.mark.parametrize("index", range(1, 7))
@pytest.mark.parametrize("to", range(1, 7))
def test_a_doubled_record_is_found_once(index: int, to: int) -> None:
    if to < index:
        return  # then it is the first of the two that is out of place: see the moved ones
    finding = only(verify([*LINES[: to + 1], LINES[index], *LINES[to + 1 :]]))
    assert (finding.code, finding.record, finding.seq) == ("record-doubled", to + 1, index)


@pytest.mark.parametrize("source", range(1, 7))
@pytest.mark.parametrize("to", range(1, 7))
def test_a_moved_record_is_found_once(source: int, to: int) -> None:
    lines = list(LINES)
    lines.insert(to, lines.pop(source))
    if source != to:
        assert only(verify(lines)).code == "record-reordered"


# -- keys, certificates, algorithms


def replaced(index: int, jws: str) -> list[bytes]:
    return [*LINES[:index], line_of(jws), *LINES[index + 1 :]]


def record(index: int) -> str:
    found: str = json.loads(LINES[index])["record"]
    return found


@pytest.mark.parametrize("index", range(1, 7))
def test_a_record_signed_by_another_key(index: int) -> None:
    finding = only(verify(replaced(index, resign(record(index), lambda header, body: None))))
    assert (finding.code, finding.record) == ("signature-invalid", index)


@pytest.mark.parametrize("index", range(1, 7))
def test_a_record_certified_by_another_root(index: int) -> None:
    payload = json.loads(unb64url(record(index).split(".")[1]))
    foreign = EphemeralSigner(root=MemoryRoot(), audience="test").sign(payload)
    finding = only(verify(replaced(index, foreign)))
    assert (finding.code, finding.record) == ("certificate-foreign", index)


def test_a_forked_last_record() -> None:
    payload = json.loads(unb64url(record(6).split(".")[1])) | {"request": {"note": "another"}}
    finding = only(verify(replaced(6, SIGNER.sign(payload))))
    assert (finding.code, finding.seq) == ("chain-forked", 6)


def test_a_forked_record_in_the_middle() -> None:
    payload = json.loads(unb64url(record(3).split(".")[1])) | {"request": {"note": "another"}}
    finding = only(verify(replaced(3, SIGNER.sign(payload))))
    assert (finding.code, finding.record, finding.field) == ("chain-broken", 4, "prev")


def test_both_records_of_a_fork() -> None:
    payload = json.loads(unb64url(record(6).split(".")[1])) | {"request": {"note": "another"}}
    fork = line_of(SIGNER.sign(payload))
    assert only(verify([*LINES[:7], fork, LINES[7]])).code == "chain-forked"


def test_an_expired_certificate() -> None:
    payload = json.loads(unb64url(record(6).split(".")[1])) | {"at": "2026-11-30T09:30:00.000Z"}
    finding = only(verify(replaced(6, signed_by_an_old_key(SIGNER, payload))))
    assert (finding.code, finding.record) == ("certificate-expired", 6)


def test_another_deployment() -> None:
    assert {finding.code for finding in verify(LINES, audience="other").findings} == {
        "certificate-foreign",
        "trailer-invalid",
    }
    assert verify(LINES, audience=None).ok


# -- the file as a whole


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([], "export-empty"),
        (LINES[:-1], "export-truncated"),
        (LINES[:1], "export-truncated"),
        (LINES[1:], "header-missing"),
        (export(Chain()), "no-records"),
        ([*LINES, LINES[1], LINES[2]], "after-trailer"),
        ([*LINES[:4], b"x" * 400_000 + b"\n", *LINES[5:]], "malformed"),
        ([*LINES[:4], b"\n", *LINES[4:]], "malformed"),
        ([b'{"cardroom_export":1,"operator":"op","table_id":"t2"}\n', *LINES[1:]], "header-changed"),
        ([b'{"cardroom_export":2,"operator":"op","table_id":"t1"}\n', *LINES[1:]], "header-invalid"),
        ([*LINES[:-1], export(Chain(operator="foreign"))[-1]], "operator-foreign"),
        ([*LINES[:-1], line_of(record(6)).replace(b"record", b"trailer")], "trailer-invalid"),
        ([*LINES[:4], LINES[-1].replace(b"trailer", b"record"), *LINES[5:]], "type-foreign"),
        ([*LINES[:-1], line_of(Chain("t2").open("r9").records[0]), LINES[-1]], "record-surplus"),
    ],
)
def test_the_file_as_a_whole(lines: list[bytes], code: str) -> None:
    findings = verify(lines).findings
    if code == "operator-foreign":  # its header differs as well
        findings = tuple(finding for finding in findings if finding.code != "header-changed")
    assert [finding.code for finding in findings] == [code], findings


def test_nothing_audited_is_not_a_pass() -> None:
    assert not verify(export(Chain())).ok


# -- what a genuine chain says


@pytest.mark.parametrize(
    ("chain", "code", "number"),
    [
        (Chain().open("r1").open("r2"), "round-order", 2),
        (Chain().open("r1").void("r1").open("r1"), "round-reused", 3),
        (Chain().tombstone("r1").open("r1"), "round-reused", 2),
        (Chain().open("r1").settle("r1"), "round-order", 2),
        (Chain().open("r1").deal("r1").settle("r2"), "round-order", 3),
        (Chain().settle("r1"), "round-order", 1),
        (Chain().open("r1").settle("r1", kind="paused"), "kind-unknown", 2),
        (Chain().open("r1").deal("r1").settle("r1", live={"round_id": "r1", "state": "dealt"}), "table-after-wrong", 3),
        (Chain().open("r1").void("r1", body={"was": "opened"}), "seed-missing", 2),
        (Chain().open("r1").void("r1", body={"was": "opened", "seed": None}), "seed-lost", 2),
        (Chain().shoe("s1").shoe("s1", close=True, body={"seed": None}), "seed-lost", 2),
        (Chain().open("r1").deal("r1").settle("r1", body={"seed": None}), "seed-missing", 3),
        (Chain().open("r1").void("r1", body={"was": "opened", "seed": "00" * 32}), "commitment-broken", 2),
        (Chain().open("r1").deal("r1").settle("r1", body={"seed": "xx"}), "payload-invalid", 3),
        (Chain().open("r1").deal("r1", body={}), "opened-changed", 2),
        (Chain().open("r1").deal("r1", body={"opened": {}}), "opened-changed", 2),
        (Chain().open("r1", ruleset={"id": "demo/2", "sha256": "ab" * 32}), "ruleset-unknown", 1),
        (Chain().open("r1", ruleset={"id": "demo/1", "sha256": "cd" * 32}), "ruleset-changed", 1),
        (Chain().open("r1").draw("d1", live={"round_id": "r1", "state": "opened"}), "round-order", 2),
        (Chain().draw("d1").draw("d1"), "round-reused", 2),
        (Chain().draw("d1", body={"commitment": commitment(seed_of("d1"))}), "seed-missing", 1),
        (Chain().shoe("s1").shoe("s1", close=True, body={"seed": "00" * 32}), "commitment-broken", 2),
        (Chain().shoe("s1").shoe("s1", close=True).shoe("s1"), "round-reused", 3),
        (Chain().open("r1", v=1), "version-unknown", 1),
        (Chain().open("r1", more=1), "malformed", 1),
        (Chain().open("r1").void("r1", operator="other"), "operator-foreign", 2),
        (Chain().open("r1", prev="00" * 32), "chain-broken", 1),
        (Chain().open("r1").void("r1", prev=None), "chain-broken", 2),
    ],
)
def test_a_genuine_record_that_does_not_fit(chain: Chain, code: str, number: int) -> None:
    finding = only(verify(export(chain)))
    assert (finding.code, finding.record or finding.seq) == (code, number)


class Scripted:
    """A replayer that notes what it is given, and finds fault with one record."""

    def __init__(self, fault_at: int | None = None, error: Exception | None = None) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.deals: list[tuple[int, int]] = []
        self._fault_at, self._error = fault_at, error

    kinds = KINDS

    def check(self, table: Json | None, live: Live | None, payload: Json) -> Replayed:
        known = live is not None and live.opened is not None, live is not None and live.dealt is not None
        self.calls.append((table is not None, *known, payload["seq"]))
        return self._found(payload)

    def check_deal(self, live: Live, payload: Json, shoe: Any) -> Replayed:
        assert live.dealt is not None and shoe is None
        self.deals.append((live.dealt["seq"], payload["seq"]))
        return self._found(live.dealt)

    def _found(self, payload: Json) -> Replayed:
        if payload["seq"] != self._fault_at:
            return Replayed()
        if self._error:
            raise self._error
        return Replayed([Difference("body.net", 5, 6), Difference("body.postings", [], [1])])

    def check_shoe_settlement(self, table: Json, live: Live, payload: Json, shoe: Any) -> Replayed:
        raise AssertionError("no shoe here")

    def shoe(self, closed: Json, table: Json) -> Any:
        raise AssertionError("no shoe here")

    def avoided(self, live: Live, voided: Json, shoe: Any) -> Json | None:
        return None


def test_replay_is_given_the_round_so_far() -> None:
    replay = Scripted()
    assert verify(LINES, replay=replay).ok
    assert replay.calls == [
        (False, False, False, 1),
        (True, True, False, 2),
        (True, True, True, 3),
        (True, False, False, 4),
        (True, True, False, 5),
        (True, False, False, 6),
    ]
    assert replay.deals == [(2, 3)]


def test_replay_finds_one_fault() -> None:
    finding = only(verify(LINES, replay=Scripted(fault_at=3)))
    assert (finding.code, finding.record, finding.seq, finding.round_id) == ("replay-differs", 3, 3, "r1")
    assert (finding.field, finding.expected, finding.found) == ("body.net", 5, 6)
    assert finding.message == "replay gives another body.net, and 1 more"


def test_a_replay_that_fails_is_a_finding() -> None:
    finding = only(verify(LINES, replay=Scripted(fault_at=3, error=KeyError("wagers"))))
    assert (finding.code, finding.record) == ("replay-failed", 3)
    assert finding.message == "the record cannot be replayed: KeyError: 'wagers'"


def test_what_depends_on_a_missing_record_is_not_replayed_with_another() -> None:
    replay = Scripted()
    only(verify(LINES[:1] + LINES[2:], replay=replay))
    assert replay.calls[:2] == [(False, False, False, 2), (True, False, True, 3)]
