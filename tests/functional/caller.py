"""How the functional tests call the API, and the rounds they play."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from werkzeug.test import Client

Json = dict[str, Any]


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def record(self) -> str:
        assert self.status in (200, 201), self.text
        record: str = self.json["record"]
        return record

    @property
    def payload(self) -> Json:
        assert self.status in (200, 201), self.text
        payload: Json = self.json["payload"]
        return payload

    @property
    def replayed(self) -> bool:
        return self.headers.get("Idempotent-Replayed") == "true"

    def refusal(self) -> tuple[int, str]:
        assert self.headers["Content-Type"] == "application/problem+json", self.text
        assert self.json["status"] == self.status
        assert self.json["type"] == f"/docs#{self.json['code']}"
        return self.status, self.json["code"]

    def fields(self) -> list[str]:
        return [error["field"] for error in self.json["errors"]]


class Caller(NamedTuple):
    client: Client
    token: str

    def send(self, method: str, path: str, *, body: bytes | None = None, **headers: str) -> Answer:
        given = {"Authorization": f"Bearer {self.token}"} | {k.replace("_", "-"): v for k, v in headers.items()}
        answer = self.client.open(path, method=method, data=body, headers=given)
        return Answer(answer.status_code, dict(answer.headers), answer.get_data(as_text=True))

    def post(self, path: str, body: Any) -> Answer:
        return self.send("POST", path, body=json.dumps(body).encode(), content_type="application/json")

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def open(self, **changes: Any) -> Answer:
        return self.post("/v1/rounds", opening(**changes))

    def deal(self, round_id: str = "r1", **changes: Any) -> Answer:
        return self.post(f"/v1/rounds/{round_id}/deal", dealing(**changes))

    def settle(self, round_id: str = "r1", **changes: Any) -> Answer:
        return self.post(f"/v1/rounds/{round_id}/settlement", settling(**changes))

    def void(self, round_id: str = "r1", **changes: Any) -> Answer:
        return self.post(f"/v1/rounds/{round_id}/void", {"table_id": "t1", "reason": "exposed_card", **changes})


def _changed(body: Json, changes: Json) -> Json:
    return {key: value for key, value in (body | changes).items() if value is not None}


def opening(**changes: Any) -> Json:
    """A full table of the Bicycle's rules, ann banking from seat 1; None leaves a field out."""
    bettors = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus")
    body = {
        "round_id": "r1",
        "table_id": "t1",
        "ruleset": "pai-gow-poker/bicycle",
        "currency": "USD",
        "seats": [{"seat": seat, "bettor": bettor} for seat, bettor in enumerate(bettors, start=1)],
        "banker": {"seat": 1, "bettor": "ann"},
        "limits": {"minimum": 1_000, "maximum": 100_000},
        "fees": {"wager": [{"low": 0, "fee": 100}], "banker": [{"low": 0, "fee": 300}]},
        "source": "shuffle",
    }
    return _changed(body, changes)


def wager(name: str, seat: int, amount: int = 5_000, circle: int = 1, **more: Any) -> Json:
    body = {"wager_id": f"w-{name}", "seat": seat, "bettor": name, "circle": circle, "kind": "main", "amount": amount}
    return body | more


def dealing(**changes: Any) -> Json:
    """Bob and cyd wager on their own hands, and hal behind bob."""
    body = {
        "wagers": [wager("bob", 2), wager("hal", 2, 4_000, circle=2), wager("cyd", 3)],
        "banker_wager": 20_000,
        "client_seed": "5eed" * 8,
        "cut": 11,
    }
    return _changed(body, changes)


def settling(**changes: Any) -> Json:
    return _changed({"sets": [{"seat": seat, "how": "house_way"} for seat in (1, 2, 3)]}, changes)


def round_calls(round_id: str, table_id: str = "t1") -> Iterator[tuple[str, Json]]:
    """The calls of a round; every banker says that the others passed, so that the table never stops."""
    banker = {"seat": 1, "bettor": "ann", "others_passed": True}
    yield "/v1/rounds", opening(round_id=round_id, table_id=table_id, banker=banker)
    yield f"/v1/rounds/{round_id}/deal", dealing()
    yield f"/v1/rounds/{round_id}/settlement", settling()
