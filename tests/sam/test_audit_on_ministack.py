"""The deployed audit and the deployed log, on an emulator of AWS; and the audit's three steps on a local store."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from cardroom.adapters import environment
from cardroom.adapters.key_files import public_pem
from cardroom.adapters.s3 import S3Archive, s3_client
from cardroom.audit.published_leaves import against_leaves
from cardroom.log.checkpoint import VerifierKey
from cardroom.log.published import published
from cardroom.services import audit_tables, credentials
from cardroom.services.credentials import OperatorUnknown
from cardroom.services.play import deal_round, open_round, settle_round
from cardroom.services.ports import ArchiveConflict
from cardroom.services.publish_checkpoint import operator_file
from cardroom.signing.signature import key_of
from cardroom_desk.exports.write import exported
from tests.functional.caller import dealing, opening, settling
from tests.functional.command import cardroom
from tests.sam.deployed import STACK, Stack, deployed

Json = dict[str, Any]
OPERATORS = ("golden-gate", "lucky-lady", "silver-fox")
TABLES = ("t1", "t2")
ROUNDS = 4
BANKER = {"seat": 1, "bettor": "ann", "others_passed": True}


def play(operators: Sequence[str] = OPERATORS) -> None:
    """A few rounds at each table of each operator; the last of each table is opened only."""
    ports = environment.ports()
    for operator in operators:
        credentials.issue(environment.operators(), operator, ("play", "read"), bytes)
        for table in TABLES:
            for number in range(ROUNDS):
                round_id = f"{table}-r{number}"
                asked = opening(table_id=table, round_id=None, banker=BANKER)
                opened = open_round(ports, asked, operator=operator, round_id=round_id)
                if number + 1 < ROUNDS:
                    wagered = dealing()
                    wagered["wagers"].sort(key=lambda wager: wager["wager_id"])
                    dealt = deal_round(ports, wagered, operator=operator, round_id=round_id, opened=opened.record)
                    settle_round(ports, settling(), operator=operator, round_id=round_id, dealt=dealt.record)


def exports(operators: Sequence[str] = OPERATORS) -> dict[str, list[bytes]]:
    ledger = environment.ledger()
    return {
        operator: [line.encode() for line in exported(ledger, operator, table_id=None, round_id=None)]
        for operator in operators
    }


def report_on_exports(folder: Path, operators: Sequence[str]) -> str:
    """What the command `cardroom audit` writes about these operators' exports."""
    root = folder / "root.pem"
    root.write_bytes(b"".join(public_pem(key_of(jwk)) for jwk in environment.signer().roots()))
    files = []
    for operator, lines in exports(operators).items():
        files.append(folder / f"{operator}.jsonl")
        files[-1].write_bytes(b"".join(lines))
    ran = cardroom("audit", *files, "--root", root, "--processes", "1")
    assert ran.status == 0, ran.err
    return ran.out


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CARDROOM_DATA", str(tmp_path))
    environment.forget()
    play(OPERATORS[:2])
    yield
    environment.forget()


def audit_locally(audit: str, span_records: int, *, skip: Sequence[int] = (), **asked: Any) -> Json:
    """The three steps, one after the other; answers the report."""
    archive = environment.reports()
    planned = audit_tables.plan_audit(
        archive,
        environment.ledger(),
        environment.operators(),
        environment.clock(),
        audit=audit,
        span_records=span_records,
        **asked,
    )
    for span in json.loads(archive.get(planned["plan"])):
        if span["span"] not in skip:
            audit_tables.audit_planned(environment.auditor(), span)
    summary = audit_tables.summarise_audit(archive, audit=audit)
    report: Json = json.loads(archive.get(summary["report"]))
    assert (summary["verdict"], summary["records"]) == (report["verdict"], report["records"])
    return report


@pytest.mark.usefixtures("local")
def test_however_tables_are_cut_the_report_is_the_same(tmp_path: Path) -> None:
    """Spans end between the records of a round, too: the context of the next one makes up for it."""
    expected = json.loads(report_on_exports(tmp_path, OPERATORS[:2]))
    assert (expected["verdict"], expected["records"], expected["findings"]) == ("incomplete", 40, [])
    assert (expected["held"], len(expected["unproved"])) == (36, 4)  # of each table a round is in play
    for span_records in (1, 2, 3, 4, 7, 1_000):
        assert audit_locally(f"by-{span_records}", span_records) == expected


@pytest.mark.usefixtures("local")
def test_a_span_that_was_not_audited_is_a_finding() -> None:
    report = audit_locally("lost", 4, skip=[1])
    assert report["verdict"] == "fail"
    (finding,) = report["findings"]
    assert finding["code"] == "span-unaudited"
    assert finding["message"] == "records 5 to 8 of table t1 of golden-gate could not be audited"


@pytest.mark.usefixtures("local")
def test_every_step_may_be_repeated() -> None:
    first = audit_locally("again", 4)
    assert audit_locally("again", 4) == first
    with pytest.raises(KeyError, match=r"audits/never/plan\.json"):
        audit_tables.summarise_audit(environment.reports(), audit="never")


@pytest.mark.usefixtures("local")
def test_who_is_audited() -> None:
    assert {table["operator"] for table in audit_locally("one", 5, names=["lucky-lady"])["tables"]} == {"lucky-lady"}
    with pytest.raises(OperatorUnknown, match=r"^there is no operator nobody$"):
        audit_locally("nobody", 5, names=["nobody", "lucky-lady"])
    nothing = audit_locally("none", 5, names=[])
    assert (nothing["verdict"], [finding["code"] for finding in nothing["findings"]]) == ("fail", ["no-records"])


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """The template deployed; Object Lock is set afterwards, as the emulator ignores it in templates."""
    with deployed() as made:
        made.client("s3").put_object_lock_configuration(
            Bucket=made.outputs["ArchiveName"],
            ObjectLockConfiguration={
                "ObjectLockEnabled": "Enabled",
                "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 30}},
            },
        )
        play()
        yield made


def execute(stack: Stack, name: str, asked: Json) -> Json:
    """An execution of the state machine, when it has ended."""
    states = stack.client("stepfunctions")
    arn = states.start_execution(stateMachineArn=stack.outputs["AuditArn"], name=name, input=json.dumps(asked))
    deadline = time.monotonic() + 120
    while (execution := states.describe_execution(executionArn=arn["executionArn"]))["status"] == "RUNNING":
        assert time.monotonic() < deadline, "the execution does not end"
        time.sleep(0.1)
    ended: Json = execution
    return ended


def run_audit(stack: Stack, name: str, asked: Json) -> Json:
    """The output of an execution that succeeds."""
    execution = execute(stack, name, asked)
    assert execution["status"] == "SUCCEEDED", execution
    output: Json = json.loads(execution["output"])
    return output


def invoke(stack: Stack, function: str) -> Json:
    functions = stack.client("lambda")
    names = [one["FunctionName"] for one in functions.list_functions()["Functions"]]
    (name,) = [name for name in names if name.startswith(f"{STACK}-{function}-")]
    answer = functions.invoke(FunctionName=name, Payload=b"{}")
    payload: Json = json.loads(answer["Payload"].read())
    assert "FunctionError" not in answer, payload
    return payload


def report_of_audit(stack: Stack, output: Json) -> bytes:
    archive = S3Archive(s3_client(stack.endpoint), stack.outputs["ReportsName"])
    return archive.get(output["report"])


@pytest.mark.ministack
@pytest.mark.xdist_group("ministack-audit")
def test_the_deployed_audit_gives_the_report_on_the_exports(stack: Stack, tmp_path: Path) -> None:
    """Three operators' tables, cut into spans of four records that end within rounds: byte for byte the same."""
    output = run_audit(stack, "three", {"operators": list(OPERATORS), "span_records": 4})
    records = len(OPERATORS) * len(TABLES) * (3 * ROUNDS - 2)
    assert (output["verdict"], output["records"], output["findings"]) == ("incomplete", records, 0)
    assert report_of_audit(stack, output) == report_on_exports(tmp_path, OPERATORS).encode()
    one = run_audit(stack, "one", {"operators": ["silver-fox"]})
    assert report_of_audit(stack, one) == report_on_exports(tmp_path, ["silver-fox"]).encode()


@pytest.mark.ministack
@pytest.mark.xdist_group("ministack-audit")
def test_the_deployed_audit_of_nobody(stack: Stack) -> None:
    ended = execute(stack, "nobody", {"operators": ["nobody"]})
    assert (ended["status"], ended["error"]) == ("FAILED", "AuditFailed")
    assert "there is no operator nobody" in ended["cause"]


@pytest.mark.ministack
@pytest.mark.xdist_group("ministack-audit")
def test_the_deployed_log_is_published_and_locked(stack: Stack) -> None:
    first, second = invoke(stack, "PublishCheckpoint"), invoke(stack, "PublishCheckpoint")
    assert (first["size"], first["published"], second) == (6, True, {**first, "published": False})
    archive = environment.archive()
    (key,) = archive.list("log/keys/")
    verifier = VerifierKey.parse(archive.get(key).decode())
    assert verifier.public == environment.checkpoint_key().public()
    for operator, lines in exports().items():
        proven = published({"day": operator_file(archive, operator, first["day"])}, verifier)
        agreement = against_leaves(lines, proven.leaves)
        assert (agreement.findings, agreement.leaves) == ((), 2)
    s3, bucket = stack.client("s3"), stack.outputs["ArchiveName"]
    for name in archive.list("log/"):
        locked = s3.head_object(Bucket=bucket, Key=name)
        assert locked["ObjectLockMode"] == "COMPLIANCE"
        assert locked["ObjectLockRetainUntilDate"] > datetime.now(UTC) + timedelta(days=29)
    where = {"Bucket": bucket, "Key": f"log/checkpoints/{first['day']}"}
    version = s3.head_object(**where)["VersionId"]
    with pytest.raises(ClientError, match="AccessDenied"):
        s3.delete_object(**where, VersionId=version)
    with pytest.raises(ClientError, match="AccessDenied"):
        s3.put_object_retention(
            **where,
            VersionId=version,
            Retention={"Mode": "COMPLIANCE", "RetainUntilDate": datetime.now(UTC) + timedelta(days=1)},
        )
    with pytest.raises(ArchiveConflict, match="is there with other content"):
        archive.put(where["Key"], b"another checkpoint")
    s3.put_object_retention(
        **where,
        VersionId=version,
        Retention={"Mode": "COMPLIANCE", "RetainUntilDate": datetime.now(UTC) + timedelta(days=60)},
    )
    assert s3.get_object(**where)["Body"].read() == archive.get(where["Key"])


@pytest.mark.ministack
@pytest.mark.xdist_group("ministack-audit")
def test_the_deployed_audit_finds_what_was_done_in_the_store(stack: Stack) -> None:
    """Someone with write access to the table puts one operator's settlement in the place of another's."""
    ledger = environment.ledger()
    before = run_audit(stack, "before", {"operators": ["lucky-lady"]})
    assert before["verdict"] == "incomplete"
    key = {"pk": {"S": "T#lucky-lady#t1"}, "sk": {"S": "R#000000000003"}}
    item = {**key, "jws": {"S": ledger.record("golden-gate", "t1", 3)}}
    stack.client("dynamodb").put_item(TableName=stack.outputs["TableName"], Item=item)
    after = run_audit(stack, "after", {"operators": ["lucky-lady"], "span_records": 2})
    assert after["verdict"] == "fail"
    findings = json.loads(report_of_audit(stack, after))["findings"]
    assert findings[0]["code"] == "operator-foreign"
