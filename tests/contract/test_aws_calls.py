"""The warm path makes exactly one AWS call for a deal, for sets and for a settlement whose record is handed back."""

from __future__ import annotations

import os
from collections.abc import Iterator

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from cardroom.adapters import environment
from cardroom.banked.sets import SeatNotSet
from cardroom.rounds.record import record_sha256
from cardroom.services.play import settle_round
from cardroom.services.ports import Ports, StoreUnavailable
from cardroom.services.readiness import ready
from cardroom.services.writing import RecordStale, RoundVoided
from cardroom.signing.certificate import KeysUnavailable
from tests.contract.support import aws_environment, create_table
from tests.services import (
    OPERATOR,
    correct_physical,
    deal,
    lock,
    open_,
    physical,
    settle,
    settle_locked,
    void,
)


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ports]:
    """The house as a function makes it on AWS: DynamoDB and KMS, by its environment alone."""
    monkeypatch.delenv("CARDROOM_DATA", raising=False)
    with aws_environment(), mock_aws():
        kms = boto3.client("kms")
        root = kms.create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["KeyId"]
        master = kms.create_key(KeySpec="HMAC_256", KeyUsage="GENERATE_VERIFY_MAC")["KeyMetadata"]["KeyId"]
        monkeypatch.setenv("CARDROOM_TABLE", create_table(boto3.client("dynamodb")))
        monkeypatch.setenv("CARDROOM_ROOT_KEY_ID", root)
        monkeypatch.setenv("CARDROOM_MASTER_KEY_ID", master)
        monkeypatch.setenv("CARDROOM_DEPLOYMENT", "test")
        environment.forget()
        yield environment.ports()
        environment.forget()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The AWS operations called, in order."""
    from botocore.client import BaseClient

    made: list[str] = []
    genuine = BaseClient._make_api_call  # type: ignore[attr-defined]

    def counted(self: object, operation: str, parameters: object) -> object:
        made.append(operation)
        return genuine(self, operation, parameters)

    monkeypatch.setattr(BaseClient, "_make_api_call", counted)
    return made


def test_one_call_for_a_deal_and_one_for_a_settlement(calls: list[str], ports: Ports) -> None:
    opened = open_(ports).record
    cold = calls[calls.index("CreateTable") + 1 :]
    calls.clear()
    dealt = deal(ports, opened).record
    assert calls == ["TransactWriteItems"]
    calls.clear()
    settle(ports, dealt)
    assert calls == ["TransactWriteItems"]
    calls.clear()
    open_(ports, "r2")
    assert calls == ["GetItem", "TransactWriteItems"]
    assert [name for name in cold if name not in {"GetItem", "TransactWriteItems"}] == [
        "GetPublicKey",
        "GenerateMac",
        "Sign",
    ]


def test_one_call_for_sets_and_for_the_settlement_after_them(calls: list[str], ports: Ports) -> None:
    dealt = deal(ports, open_(ports).record).record
    calls.clear()
    locked = lock(ports, dealt).record
    assert calls == ["TransactWriteItems"]
    calls.clear()
    assert settle_locked(ports, locked).payload["kind"] == "settled"
    assert calls == ["TransactWriteItems"]


def test_a_deal_handed_back_after_the_sets_is_stale(calls: list[str], ports: Ports) -> None:
    dealt = deal(ports, open_(ports).record).record
    lock(ports, dealt)
    with pytest.raises(RecordStale, match="the dealt record handed back is not the one that table t1 holds"):
        settle(ports, dealt)
    assert calls[-1] == "GetItem"


def test_a_correction_is_one_transaction_of_four_puts(calls: list[str], ports: Ports) -> None:
    """Record, head, the round's state and its own; before it four reads of states, records and head."""
    dealt = physical(ports)
    corrects = record_sha256(dealt.record)
    calls.clear()
    first = correct_physical(ports, corrects)
    assert calls == [*["GetItem"] * 5, "TransactWriteItems"]
    calls.clear()
    again = correct_physical(ports, corrects)
    assert again.replayed and again.record == first.record
    assert calls == ["GetItem", "GetItem", "GetItem"]


def test_calls_without_the_record(ports: Ports, calls: list[str]) -> None:
    open_(ports)
    calls.clear()
    deal(ports)
    assert calls == ["GetItem", "GetItem", "TransactWriteItems"]  # the round's state, its record
    calls.clear()
    settle(ports)
    assert calls == ["GetItem", "GetItem", "TransactWriteItems"]
    calls.clear()
    void(ports, "late")
    assert calls == ["GetItem", "GetItem", "TransactWriteItems"]  # the round's state, the table's head


def test_a_replay_reads_and_writes_nothing(ports: Ports, calls: list[str]) -> None:
    opened = open_(ports).record
    deal(ports, opened)
    calls.clear()
    assert deal(ports, opened).replayed
    assert calls == ["TransactWriteItems", "GetItem"]  # the write is refused by the round's state


def test_a_refusal_reads_the_state_before_it_is_spoken(ports: Ports, calls: list[str]) -> None:
    opened = open_(ports).record
    dealt = deal(ports, opened).record
    calls.clear()
    with pytest.raises(SeatNotSet):
        settle_round(ports, {"sets": []}, operator=OPERATOR, round_id="r1", dealt=dealt)
    assert calls == ["GetItem", "GetItem"]  # the round's state, and whether its record is the one handed back
    void(ports)
    calls.clear()
    with pytest.raises(RoundVoided):
        settle_round(ports, {"sets": []}, operator=OPERATOR, round_id="r1", dealt=dealt)
    assert calls == ["GetItem"]


def test_ready_asks_dynamodb_and_kms_each_time(ports: Ports, calls: list[str]) -> None:
    def asked() -> None:
        calls.clear()
        assert ready(environment.ledger, environment.root, operator=OPERATOR) == {"status": "ready"}

    open_(ports)
    for _ in range(2):
        asked()
        assert calls == ["GetItem", "GetPublicKey"]
    boto3.client("dynamodb").delete_table(TableName=os.environ["CARDROOM_TABLE"])
    with pytest.raises(StoreUnavailable, match="ResourceNotFoundException"):
        asked()


def test_a_root_key_that_is_disabled_is_not_ready(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although its public half is kept, and the key that it certified goes on to sign."""
    open_(ports)

    class Client:
        def get_public_key(self, **_: str) -> None:
            raise ClientError({"Error": {"Code": "DisabledException", "Message": "it is disabled"}}, "GetPublicKey")

    monkeypatch.setattr("cardroom.adapters.kms.kms_client", lambda _: Client())
    deal(ports)
    with pytest.raises(KeysUnavailable, match=r"KMS get_public_key failed: .*it is disabled"):
        ready(environment.ledger, environment.root, operator=OPERATOR)


def test_another_kind_of_root_key_is_not_ready(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    key = boto3.client("kms").create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["KeyId"]
    monkeypatch.setenv("CARDROOM_ROOT_KEY_ID", key)
    environment.forget()
    with pytest.raises(KeysUnavailable, match="is not of the kind ECC_NIST_P256"):
        ready(environment.ledger, environment.root, operator=OPERATOR)
