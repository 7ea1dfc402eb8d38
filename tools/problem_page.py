"""Writes docs/problems.md: every refusal of the API, its status, and whether a retry can help.

Run `python -m tools.problem_page` after adding a refusal; a test compares.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cardroom.wire.problems import RETRY, STATUS, every_refusal, said_of, slug_of
from cardroom_desk.local.template import read_api

PAGE: Final = Path(__file__).parent.parent / "docs" / "problems.md"
_HEAD: Final = """# Problems

Every refusal is an answer of type `application/problem+json` (RFC 9457):

```json
{"type": "/docs#round-live", "code": "round-live", "title": "…", "status": 409, "detail": "…", "retry": false,
 "errors": [{"field": "wagers[w-bob].amount", "message": "must be …"}]}
```

`type` leads to the problem's entry in `GET /docs`; `code` is stable; `detail` says what was wrong, with what value, and
what would be right; `errors` names every faulty field (the first hundred) where fields are at fault; `retry` is true
where the same request may succeed later. A refused request changed nothing.

When several faults apply, one answer is given, in this order: the route (404), the token (401) and its scope (403),
the content type (415), the size (413), JSON (400), the shape of the request (422), cards (422), ids in the path and
query (400), a record handed back (422), whether the operation was carried out before (`round-changed`), the state of
the round, the catalogue, then the rules in the order in which a dealer would check them.

| code | status | retry | refuses |
|---|---|---|---|
"""
_GATEWAY_HEAD: Final = """
Before a request reaches the service, the gateway may refuse it by itself:

| code | status | retry | refuses |
|---|---|---|---|
"""


def render() -> str:
    """The page."""
    rows = []
    for refusal in every_refusal():
        slug, said = slug_of(refusal), said_of(refusal)
        retry = "yes" if slug in RETRY else "no"
        rows.append(f'| <a id="{slug}"></a>`{slug}` | {STATUS.get(slug, 422)} | {retry} | {said} |\n')
    return _HEAD + "".join(rows) + _GATEWAY_HEAD + "".join(_gateway_rows())


def _gateway_rows() -> Iterator[str]:
    """A row for each problem that only the gateway gives, as `template.yaml` words it."""
    ours = {slug_of(refusal) for refusal in every_refusal()}
    for response in read_api().responses.values():
        problem = json.loads(response.body)
        if (slug := problem["code"]) not in ours:
            retry = "yes" if problem["retry"] else "no"
            yield f'| <a id="{slug}"></a>`{slug}` | {response.status or "4xx"} | {retry} | {problem["title"]} |\n'


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
