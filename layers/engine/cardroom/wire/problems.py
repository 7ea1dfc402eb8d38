"""Refusals as problem details (RFC 9457): one table gives each its status and whether a retry can help."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import cardroom
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
    "correction-elsewhere": 409,
    "correction-late": 409,
    "correction-stale": 409,
    "corrections-spent": 409,
    "round-not-dealt": 409,
    "round-not-settled": 409,
    "round-settled": 409,
    "round-voided": 409,
    "record-expired": 409,
    "record-stale": 409,
    "table-busy": 409,
    "banker-turn-over": 409,
    "draw-held": 409,
    "body-too-large": 413,
    "content-type-unsupported": 415,
    "internal-error": 500,
    "keys-unavailable": 503,
    "store-unavailable": 503,
}
# What only API Gateway answers, by itself; `template.yaml` has the answers.
GATEWAY_ONLY: Final = {
    "access-denied": (403, "A token that does not cover the call."),
    "request-refused": (400, "A request that the gateway lets through to no function."),
    "too-many-requests": (429, "More requests than this deployment takes; wait a second."),
}
RETRY: Final = frozenset({"table-busy", "keys-unavailable", "store-unavailable", "internal-error"})


MOST_ERRORS: Final = 100
"""A problem names no more faults than these, so that its answer stays small whatever was sent."""


def slug_of(refusal: type[Refusal]) -> str:
    """The stable name of a refusal.

    >>> from cardroom.rounds.steps import RoundLive
    >>> slug_of(RoundLive)
    'round-live'
    """
    return _kebab(refusal.__name__)


def problem_of(refusal: Refusal) -> Json:
    """The problem details of a refusal; `type` leads to its entry in the documentation."""
    slug = slug_of(type(refusal))
    return {
        "type": f"/docs#{slug}",
        "code": slug,
        "title": (type(refusal).__doc__ or slug).splitlines()[0],
        "status": STATUS.get(slug, 422),
        "detail": refusal.message,
        "retry": slug in RETRY,
        "errors": [{"field": fault.field, "message": fault.message} for fault in refusal.faults[:MOST_ERRORS]],
    }


@cache
def every_refusal() -> tuple[type[Refusal], ...]:
    """Every kind of refusal that the package has, in order of slug; imports all of it."""
    for module in pkgutil.walk_packages(cardroom.__path__, "cardroom."):
        if not module.name.startswith("cardroom.adapters"):  # which refuse nothing by themselves, and need boto3
            importlib.import_module(module.name)
    ours = {kind for kind in _leaves(Refusal) if kind.__module__.partition(".")[0] == cardroom.__name__}
    return tuple(sorted(ours, key=slug_of))


def said_of(refusal: type[Refusal]) -> str:
    """What a refusal refuses, in its own words."""
    return " ".join((refusal.__doc__ or "").split("\n\n")[0].split())


def _leaves(of: type[Refusal]) -> Iterator[type[Refusal]]:
    for kind in of.__subclasses__():
        yield from _leaves(kind)
    if not of.__subclasses__():
        yield of


@cache
def _kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
