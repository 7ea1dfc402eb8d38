"""The factories of the functions: nothing at import, one of each, a folder or AWS by the environment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cardroom.adapters import environment
from cardroom.adapters.dynamodb import DynamoLedger, DynamoOperators
from cardroom.adapters.environment import EnvironmentIncomplete
from cardroom.adapters.kms import KmsMaster
from cardroom.adapters.sqlite import SqliteLedger
from cardroom.services.catalogue import published
from cardroom.services.credentials import authenticate, issue
from tests.contract.support import aws_environment

ROOT = Path(__file__).parents[2]
NAMES = ("DATA", "TABLE", "ROOT_KEY_ID", "MASTER_KEY_ID", "DEPLOYMENT", "EPOCH", "AWS_ENDPOINT")


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    for name in NAMES:
        monkeypatch.delenv(f"CARDROOM_{name}", raising=False)
    environment.forget()
    yield monkeypatch
    environment.forget()


def test_importing_needs_no_environment_and_loads_no_store() -> None:
    script = (
        "import sys, cardroom.adapters.environment;"
        "print(sorted({'boto3', 'botocore', 'sqlite3', 'cryptography'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", script], env={}, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_a_folder_loads_nothing_of_aws(tmp_path: Path) -> None:
    script = (
        "import sys; from cardroom.adapters.environment import ports;"
        "print(ports().signer.roots()[0]['crv'], sorted({'boto3', 'botocore'} & set(sys.modules)))"
    )
    variables = {"CARDROOM_DATA": str(tmp_path / "data")}
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "P-256 []\n"


def test_a_folder_holds_ledger_and_keys(variables: pytest.MonkeyPatch, tmp_path: Path) -> None:
    variables.setenv("CARDROOM_DATA", str(tmp_path / "deep" / "data"))
    variables.setenv("CARDROOM_EPOCH", "7")
    ports = environment.ports()
    assert isinstance(ports.ledger, SqliteLedger)
    record = ports.signer.sign({"at": ports.clock.now()})
    assert ports.verifier.verify(record)["at"] <= ports.clock.now()
    assert ports.master.epoch == "7"
    assert len(ports.master.secret("7")) == 32
    token = issue(environment.operators(), "ada", ["read"], environment.entropy())
    environment.forget()
    assert authenticate(environment.operators(), f"Bearer {token}").operator == "ada"
    assert environment.ports() is not ports
    assert environment.ports().verifier.verify(record)
    assert (tmp_path / "deep" / "data").stat().st_mode & 0o777 == 0o700


def test_threads_that_come_at_once_get_the_same(variables: pytest.MonkeyPatch, tmp_path: Path) -> None:
    variables.setenv("CARDROOM_DATA", str(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: environment.ports(), range(32)))
    assert len({id(ports) for ports in made}) == 1


def test_without_a_folder_it_is_aws(variables: pytest.MonkeyPatch) -> None:
    variables.setenv("CARDROOM_TABLE", "ledger")
    variables.setenv("CARDROOM_MASTER_KEY_ID", "key")
    variables.setenv("CARDROOM_AWS_ENDPOINT", "")
    with aws_environment():
        assert isinstance(environment.ledger(), DynamoLedger)
        assert isinstance(environment.operators(), DynamoOperators)
        assert environment._dynamodb().meta.endpoint_url == "https://dynamodb.us-east-1.amazonaws.com"
        assert isinstance(environment.master(), KmsMaster)
        assert environment.master().epoch == "1"


def test_another_endpoint_is_used(variables: pytest.MonkeyPatch) -> None:
    variables.setenv("CARDROOM_AWS_ENDPOINT", "http://127.0.0.1:4566")
    with aws_environment():
        assert environment._dynamodb().meta.endpoint_url == "http://127.0.0.1:4566"


@pytest.mark.parametrize(
    ("factory", "name"),
    [
        (environment.ledger, "CARDROOM_TABLE"),
        (environment.operators, "CARDROOM_TABLE"),
        (environment.signer, "CARDROOM_ROOT_KEY_ID"),
        (environment.verifier, "CARDROOM_ROOT_KEY_ID"),
        (environment.master, "CARDROOM_MASTER_KEY_ID"),
    ],
)
def test_what_is_missing_is_named(variables: pytest.MonkeyPatch, factory: object, name: str) -> None:
    assert callable(factory)
    with aws_environment(), pytest.raises(EnvironmentIncomplete) as caught:
        factory()
    assert str(caught.value) == f"{name} is not set: set it, or CARDROOM_DATA to keep all in a folder"


def test_certificates_on_aws_need_the_deployments_name(variables: pytest.MonkeyPatch) -> None:
    variables.setenv("CARDROOM_ROOT_KEY_ID", "key")
    with pytest.raises(EnvironmentIncomplete, match="CARDROOM_DEPLOYMENT is not set"):
        environment.signer()


def test_a_part_that_is_given_serves_all_that_is_made_of_it(variables: pytest.MonkeyPatch, tmp_path: Path) -> None:
    variables.setenv("CARDROOM_DATA", str(tmp_path))
    before = environment.ports()
    known = published().with_more()
    environment.provide(catalogue=known)
    assert environment.catalogue() is known
    assert environment.ports().catalogue is known and environment.auditor().catalogue is known
    assert environment.ports().ledger is not before.ledger  # all is made anew
    environment.forget()
    assert environment.catalogue() is published()
    with pytest.raises(TypeError, match=r"no part of the environment: catalog; there are .*catalogue"):
        environment.provide(catalog=known)
