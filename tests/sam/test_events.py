"""The events that `sam local invoke` is given are complete, and every function answers its own as it should."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardroom.adapters import environment
from cardroom.services import credentials
from cardroom_desk.local.api import Context, load_handler
from cardroom_desk.local.template import read_api
from tools.sam_local import EVENTS, FUNCTIONS, cases

CASES = cases()
API = read_api()


def event_of(case: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((EVENTS / f"{case}.json").read_text("utf-8"))
    return event


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CARDROOM_DATA", str(tmp_path))
    environment.forget()
    credentials.issue(environment.operators(), "demo", ("play", "read"), bytes)
    yield
    environment.forget()


def test_every_function_has_an_event() -> None:
    assert {case.split("/")[0] for case, _ in CASES} == {*FUNCTIONS}
    assert set(FUNCTIONS.values()) == set(API.functions)


def test_who_calls_comes_first_and_who_looks_back_last() -> None:
    """Calls of HTTP have a status and an order of their own; no two have one number, or their order were chance."""
    assert CASES[0] == ("authorize/token", None)
    others = ["plan_audit/operator", "audit_span/span", "summarise_audit/audit", "publish_checkpoint/daily"]
    assert CASES[-4:] == [(case, None) for case in others]
    numbers = [event_of(case)["requestContext"]["requestId"] for case, _ in CASES[1:-4]]
    assert len({*numbers}) == len(numbers)


def test_every_route_has_an_event() -> None:
    events = [event_of(case) for case, status in CASES if status]
    assert {(event["httpMethod"], event["resource"]) for event in events} == {
        (route.method, route.resource) for route in API.routes
    }


@pytest.mark.usefixtures("store")
def test_every_function_answers_its_events() -> None:
    answers = {case: answer(case) for case, _ in CASES}
    assert {case: got.get("statusCode") for case, got in answers.items()} == dict(CASES)
    policy = answers["authorize/token"]
    assert policy["context"] == {"operator": "demo", "scopes": "play read"}
    assert policy["policyDocument"]["Statement"] == [
        {
            "Action": "execute-api:Invoke",
            "Effect": "Allow",
            "Resource": ["arn:aws:execute-api:us-east-1:123456789012:a1b2c3d4e5/live/*/*"],  # the whole stage
        }
    ]
    read = json.loads(answers["read_records/round"]["body"])
    assert [record["payload"]["kind"] for record in read["records"]] == ["opened", "dealt", "set", "settled"]
    assert answers["audit_span/span"] == {"audit": "events", "span": 0, "records": 4, "findings": 0}
    assert answers["publish_checkpoint/daily"]["size"] > 0


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "token", ["", "Bearer", "Bearer demo." + "B" * 43, "Bearer other." + "A" * 43, "demo." + "A" * 43]
)
def test_the_authorizer_knows_only_its_own(token: str) -> None:
    authorize = load_handler(API.functions["Authorize"])
    with pytest.raises(Exception, match=r"\AUnauthorized\Z"):
        authorize({**event_of("authorize/token"), "authorizationToken": token}, context("Authorize"))


def answer(case: str) -> dict[str, Any]:
    name = FUNCTIONS[case.split("/", maxsplit=1)[0]]
    given: dict[str, Any] = load_handler(API.functions[name])(event_of(case), context(name))
    return given


def context(name: str) -> Context:
    return Context(function_name=name, aws_request_id="r-1", invoked_function_arn=f"arn:aws:lambda:::function:{name}")
