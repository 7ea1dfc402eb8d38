"""Which deployment and which code signed: listed, and asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.functional.command import cardroom
from tests.kit import ENGINE

VECTORS = Path(__file__).parents[2] / "vectors/records"
ROOT = ("--root", VECTORS / "root.pem")


def test_the_report_says_who_signed_how_much() -> None:
    report = json.loads(cardroom("audit", VECTORS / "casino.jsonl", *ROOT).out)
    (one,) = report["signed_by"]
    assert (one["deployment"], one["engine"], one["records"]) == ("vectors", ENGINE, report["records"])
    assert len(one["root"]) == 43  # a thumbprint


def test_two_deployments_in_one_table() -> None:
    report = json.loads(cardroom("audit", VECTORS / "deployment_fail.jsonl", *ROOT).out)
    assert [(one["deployment"], one["records"]) for one in report["signed_by"]] == [("another", 3), ("vectors", 6)]
    assert [found["code"] for found in report["findings"]] == ["deployment-changed"]


@pytest.mark.parametrize("command", ["verify", "audit"])
def test_the_deployment_that_is_asked_for(command: str) -> None:
    assert cardroom(command, VECTORS / "casino.jsonl", *ROOT, "--deployment", "vectors").status == 0
    ran = cardroom(command, VECTORS / "casino.jsonl", *ROOT, "--deployment", "other")
    assert ran.status == 1 and "certificate-foreign" in ran.out
    assert "issued for the deployment 'vectors', not 'other'" in ran.out


def test_the_engines_that_are_asked_for() -> None:
    engine = ("--engine", ENGINE["sha256"])
    assert cardroom("audit", VECTORS / "casino.jsonl", *ROOT, *engine, "--engine", "ab" * 32).status == 0
    ran = cardroom("audit", VECTORS / "casino.jsonl", *ROOT, "--engine", "ab" * 32)
    (found,) = json.loads(ran.out)["findings"]
    assert ran.status == 1
    assert (found["code"], found["field"], found["found"]) == ("engine-foreign", "engine.sha256", ENGINE["sha256"])
    assert found["message"] == "6 of the records were signed by another engine, of version 0.1.0"
