"""Refusals as problem details (RFC 9457): one table gives each its status and whether a retry can help."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from cardroom.refusals import Refusal

Json = dict[str, Any]

# The slug of a refusal is its class name in kebab case. Whatever is not named here is a 422 that no retry mends.
STATUS: Final = {
    "json-invalid": 400,
    "parameter-invalid": 400,
    "token-invalid": 401,
    "scope-missing": 403,
    "round-unknown": 404,
    "route-unknown": 404,
    "ruleset-unknown": 404,
    "table-unknown": 404,
    "round-live": 409,
    "round-not-dealt": 409,
    "round-settled": 409,
    "round-voided": 409,
    "record-stale": 409,
    "table-busy": 409,
    "banker-turn-over": 409,
    "body-too-large": 413,
    "content-type-unsupported": 415,
    "internal-error": 500,
    "store-unavailable": 503,
}
RETRY: Final = frozenset({"table-busy", "store-unavailable", "internal-error"})


def slug_of(refusal: type[Refusal]) -> str:
    """The stable name of a refusal.

    >>> from cardroom.rounds import RoundLive
    >>> slug_of(RoundLive)
    'round-live'
    """
    return _kebab(refusal.__name__)


def problem_of(refusal: Refusal) -> Json:
    """The problem details of a refusal; `type` leads to its entry in the documentation."""
    slug = slug_of(type(refusal))
    return {
        "type": f"/docs/problems#{slug}",
        "code": slug,
        "title": (type(refusal).__doc__ or slug).splitlines()[0],
        "status": STATUS.get(slug, 422),
        "detail": refusal.message,
        "retry": slug in RETRY,
        "errors": [{"field": fault.field, "message": fault.message} for fault in refusal.faults],
    }


@cache
def _kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
