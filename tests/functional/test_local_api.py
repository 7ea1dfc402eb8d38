"""The local API: what a function is given, what becomes of its answer, and what the gateway answers by itself."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import urllib3
from werkzeug.test import Client, TestResponse

from cardroom_desk.local.api import LAMBDA_BYTES, LocalApi
from cardroom_desk.local.template import DeclaredApi, Function, Route, TemplateMissing, read_api

ECHO = """
import base64, json

def handler(event, context):
    body = event["body"]
    if body == "raise":
        raise RuntimeError("not for the caller")
    if body == "nonsense":
        return {"no": "status"}
    if body == "long":
        return {"statusCode": 200, "body": "x" * (6 * 1024 * 1024 + 1)}
    if body == "binary":
        return {"statusCode": 201, "isBase64Encoded": True, "body": base64.b64encode(bytes([0, 255])).decode(),
                "multiValueHeaders": {"X-Two": ["a", "b"]}, "headers": {"Content-Type": "image/x"}}
    seen = {**event, "left": context.get_remaining_time_in_millis(), "function": context.function_name}
    return {"statusCode": 200, "headers": {"Content-Type": "application/json"}, "body": json.dumps(seen)}
"""
AUTHORIZER = """
def handler(event, context):
    token = event["authorizationToken"]
    if token == "bad":
        raise Exception("Unauthorized")
    if token == "broken":
        raise KeyError("table")
    stage = "/".join(event["methodArn"].split("/")[:2]) + "/*/*"
    allow = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": [stage]}
    deny = {"Action": "execute-api:Invoke", "Effect": "Deny", "Resource": ["*/GET/*"]}
    statements = {"good": [allow], "writer": [allow, deny], "nobody": []}[token]
    policy = {"Version": "2012-10-17", "Statement": statements}
    return {"principalId": "room-1", "policyDocument": policy, "context": {"operator": "room-1", "scopes": "play"}}
"""
GOOD = {"Authorization": "good"}


@pytest.fixture
def client(tmp_path: Path) -> Client:
    functions = {}
    for name, source in (("Echo", ECHO), ("Gate", AUTHORIZER)):
        module = tmp_path / f"api_test_{name.lower()}.py"
        module.write_text(source)
        functions[name] = Function(name=name, module=module, handler="handler")
    declared = DeclaredApi(
        stage="live",
        functions=functions,
        routes=(
            Route(method="GET", resource="/v1/rounds/{round_id}", function="Echo", authorized=True),
            Route(method="POST", resource="/v1/rounds", function="Echo", authorized=True),
            Route(method="GET", resource="/v1/health", function="Echo", authorized=False),
        ),
        authorizer="Gate",
        responses=read_api().responses,
    )
    return Client(LocalApi(declared))


def problem(response: TestResponse) -> tuple[int, str]:
    assert response.headers["Content-Type"] == "application/problem+json"
    return response.status_code, json.loads(response.data)["code"]


def test_the_event_is_that_of_a_rest_api(client: Client) -> None:
    response = client.get("/v1/rounds/r-1?limit=1&limit=2&q=%C3%A9", headers={**GOOD, "X-Trace": "t"})
    event = json.loads(response.data)
    context = event["requestContext"]
    assert response.status_code == 200
    assert (event["httpMethod"], event["path"], event["resource"]) == (
        "GET",
        "/v1/rounds/r-1",
        "/v1/rounds/{round_id}",
    )
    assert event["pathParameters"] == {"round_id": "r-1"}
    assert event["queryStringParameters"] == {"limit": "2", "q": "é"}
    assert event["multiValueQueryStringParameters"] == {"limit": ["1", "2"], "q": ["é"]}
    assert event["headers"]["X-Trace"] == "t"
    assert event["multiValueHeaders"]["X-Trace"] == ["t"]
    assert event["body"] is None
    assert event["isBase64Encoded"] is False
    assert context["authorizer"] == {"operator": "room-1", "scopes": "play", "principalId": "room-1"}
    assert (context["stage"], context["path"]) == ("live", "/live/v1/rounds/r-1")
    assert context["resourcePath"] == "/v1/rounds/{round_id}"
    assert event["function"] == "Echo"
    assert 0 < event["left"] <= 15_000


def test_an_open_route_asks_no_authorizer(client: Client) -> None:
    event = json.loads(client.get("/v1/health", headers={"Authorization": "broken"}).data)
    assert event["requestContext"]["authorizer"] == {}
    assert event["pathParameters"] is event["queryStringParameters"] is None


def test_a_body_arrives_as_text(client: Client) -> None:
    event = json.loads(client.post("/v1/rounds", data='{"note":"grün"}'.encode(), headers=GOOD).data)
    assert event["body"] == '{"note":"grün"}'


def test_what_is_not_utf_8_arrives_as_the_gateway_hands_it_on(client: Client) -> None:
    event = json.loads(client.post("/v1/rounds", data=b'{"note":"gr\xfcn"}', headers=GOOD).data)
    assert (event["body"], event["isBase64Encoded"]) == ('{"note":"gr\ufffdn"}', False)


def test_an_answer_may_be_binary_and_repeat_headers(client: Client) -> None:
    response = client.post("/v1/rounds", data="binary", headers=GOOD)
    assert (response.status_code, response.data) == (201, bytes([0, 255]))
    assert response.headers.getlist("X-Two") == ["a", "b"]
    assert response.headers["Content-Type"] == "image/x"


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (lambda client: client.get("/v1/rounds/r-1"), (401, "token-invalid")),
        (lambda client: client.get("/v1/rounds/r-1", headers={"Authorization": "bad"}), (401, "token-invalid")),
        (lambda client: client.get("/v1/rounds/r-1", headers={"Authorization": "broken"}), (503, "store-unavailable")),
        (lambda client: client.get("/v1/rounds/r-1", headers={"Authorization": "nobody"}), (403, "access-denied")),
        (lambda client: client.get("/v1/rounds/r-1", headers={"Authorization": "writer"}), (403, "access-denied")),
        (lambda client: client.get("/v2/rounds", headers=GOOD), (404, "route-unknown")),
        (lambda client: client.get("/v1/rounds", headers=GOOD), (404, "route-unknown")),
        (lambda client: client.get("/v1/rounds/", headers=GOOD), (404, "route-unknown")),
        (lambda client: client.get("/v1//rounds/r-1", headers=GOOD), (404, "route-unknown")),
        (lambda client: client.delete("/v1/rounds/r-1", headers=GOOD), (404, "route-unknown")),
        (
            lambda client: client.post("/v1/rounds", data=b" " * (LAMBDA_BYTES + 1), headers=GOOD),
            (413, "body-too-large"),
        ),
        (lambda client: client.post("/v1/rounds", data="raise", headers=GOOD), (502, "internal-error")),
        (lambda client: client.post("/v1/rounds", data="nonsense", headers=GOOD), (502, "internal-error")),
        (lambda client: client.post("/v1/rounds", data="long", headers=GOOD), (502, "internal-error")),
    ],
)
def test_the_gateway_answers_by_itself(
    client: Client, call: Callable[[Client], TestResponse], answer: tuple[int, str]
) -> None:
    response = call(client)
    assert problem(response) == answer
    assert b"not for the caller" not in response.data


def test_head_is_no_route(client: Client) -> None:
    assert client.head("/v1/health").status_code == 404


def test_a_missing_template_is_named(tmp_path: Path) -> None:
    with pytest.raises(TemplateMissing, match="the local service runs from a checkout"):
        read_api(tmp_path / "template.yaml")


SERVE = """
import sys
from cardroom_desk.local import server
server.serve({"CARDROOM_DATA": sys.argv[1]}, host="127.0.0.1", port=0, ready=lambda url: print(url, flush=True))
print("stopped", flush=True)
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Any]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


def test_calls_that_wait_for_a_thread_are_no_fault_to_tell(service: Any) -> None:
    url = service.stdout.readline().strip()
    with urllib3.PoolManager(maxsize=40, retries=False) as pool, ThreadPoolExecutor(40) as callers:
        answers = list(callers.map(lambda _: pool.request("GET", f"{url}/v1/health").status, range(200)))
    assert answers == [200] * 200
    service.terminate()
    assert service.communicate(timeout=20) == ("stopped\n", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_service_stops_cleanly(service: Any, number: signal.Signals) -> None:
    url = service.stdout.readline().strip()
    with urllib3.PoolManager() as pool:
        assert pool.request("GET", f"{url}/v1/health").json()["status"] == "ok"
    service.send_signal(number)
    assert service.communicate(timeout=20) == ("stopped\n", "")
    assert service.returncode == 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(url.rsplit(":", 1)[1]))) != 0
