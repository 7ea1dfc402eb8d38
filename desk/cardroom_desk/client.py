"""A small client of the HTTP API."""

from __future__ import annotations

import json
from typing import Any, Final

import urllib3

Json = dict[str, Any]

TIMEOUT_SECONDS: Final = 30


class Refused(Exception):
    """The service answered with a problem; `problem` is what it said (RFC 9457)."""

    def __init__(self, call: str, problem: Json) -> None:
        said = problem.get("detail") or problem.get("message") or "no reason given"
        super().__init__(f"{call} was refused with {problem.get('code', 'no code')}: {said}")
        self.problem = problem


class Unreachable(Exception):
    """The service did not answer, or with something that is no answer of its API."""


class Client:
    """Calls one service as one operator. Raises Refused or Unreachable."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self._pool = urllib3.PoolManager(timeout=TIMEOUT_SECONDS, headers={"Authorization": f"Bearer {token}"})

    def get(self, path: str, **query: int) -> Json:
        """The answer of a reading call."""
        return self._call("GET", path, fields=query or None)

    def post(self, path: str, body: Json) -> Json:
        """The answer of a call with a body."""
        return self._call("POST", path, json=body)

    def records(self, table_id: str) -> list[str]:
        """All records of a table, in order."""
        found: list[str] = []
        after: int | None = 0
        while after is not None:
            page = self.get(f"/v1/tables/{table_id}/records", after=after)
            found += page["records"]
            after = page["next"]
        return found

    def close(self) -> None:
        """Close the connections."""
        self._pool.clear()

    def _call(self, method: str, path: str, **parts: Any) -> Json:
        try:
            answer = self._pool.request(method, self.url + path, retries=False, **parts)
        except urllib3.exceptions.HTTPError as error:
            raise Unreachable(f"no answer from {self.url}{path}: {error}") from error
        try:
            value = json.loads(answer.data)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise Unreachable(f"{method} {self.url}{path} answered {answer.status} with no JSON object")
        if answer.status >= 400:
            raise Refused(f"{method} {path}", value)
        return value
