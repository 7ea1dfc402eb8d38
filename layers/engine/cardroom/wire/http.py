"""What every HTTP function shares: the resolver, the caller, the body, and problems as answers.

Faults are told in this order: route (404), scope (403), content type (415), size (413), JSON (400), shape (422),
then what the service refuses.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError

from cardroom import canonical
from cardroom.refusals import FieldFault, Refusal
from cardroom.services.recorded import Answer
from cardroom.shapes.values import ID
from cardroom.wire.problems import problem_of

Json = dict[str, Any]

MAX_BODY_BYTES: Final = 1_048_576
JSON_TYPE: Final = "application/json"
PROBLEM_TYPE: Final = "application/problem+json"

ID_PATTERN: Final = re.compile(ID.text, re.ASCII)
_NOT_TEXT: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd]")

logger = Logger()


class RouteUnknown(Refusal):
    """There is no such call."""


class ScopeMissing(Refusal):
    """The token does not carry the scope that this call needs."""


class ContentTypeUnsupported(Refusal):
    """The body is not declared as `application/json`."""


class BodyTooLarge(Refusal):
    """The body is larger than any request needs to be."""


class JsonInvalid(Refusal):
    """The body is not strict JSON: duplicate keys, fractions, huge integers, U+FFFD, control characters are refused."""


class ParameterInvalid(Refusal):
    """An id in the path, or a query parameter, is not what the call takes."""


class InternalError(Refusal):
    """Something went wrong that is not the caller's fault; nothing was changed, or a retry answers from the record."""


def api() -> APIGatewayRestResolver:
    """A resolver that answers every refusal and every accident with a problem (RFC 9457)."""
    app = APIGatewayRestResolver()

    @app.exception_handler(Refusal)  # type: ignore[untyped-decorator]
    def refuse(refusal: Refusal) -> Response[str]:
        return _problem(refusal)

    @app.exception_handler(Exception)  # type: ignore[untyped-decorator]
    def fail(error: Exception) -> Response[str]:
        logger.exception("uncaught", exc_info=error)
        return _problem(InternalError("something went wrong on our side: the same request can be sent again"))

    @app.not_found
    def not_found(_: NotFoundError) -> Response[str]:
        event = app.current_event
        return _problem(RouteUnknown(f"no call {event.http_method} {event.path}"))

    return app


def handler(app: APIGatewayRestResolver) -> Callable[[Json, object], Json]:
    """The Lambda handler of a resolver."""

    def handle(event: Json, context: Any) -> Json:
        return app.resolve(event, context)

    return handle


def caller(app: APIGatewayRestResolver, *, scope: str) -> str:
    """The operator that calls, as the authorizer found it.

    Raises ScopeMissing.
    """
    if scope not in scopes(app):
        raise ScopeMissing(f"this call needs a token with the scope {scope!r}")
    operator: str = app.current_event.request_context.authorizer["operator"]
    return operator


def scopes(app: APIGatewayRestResolver) -> frozenset[str]:
    """The caller's scopes."""
    granted: str = app.current_event.request_context.authorizer.get("scopes") or ""
    return frozenset(granted.split())


def body(app: APIGatewayRestResolver) -> Any:
    """The request's body, read as strict JSON.

    Raises ContentTypeUnsupported, BodyTooLarge or JsonInvalid.
    """
    event = app.current_event
    content_type = (event.headers.get("content-type") or "").split(";")[0].strip().lower()
    if content_type != JSON_TYPE:
        raise ContentTypeUnsupported(f"the content type is {content_type or 'absent'!r}: send {JSON_TYPE}")
    text = event.body or ""
    try:
        raw = base64.b64decode(text, validate=True) if event.is_base64_encoded else text.encode()
    except ValueError:  # binascii.Error, UnicodeEncodeError, or base64 that is not even ASCII
        raise JsonInvalid("the body is not text in UTF-8") from None
    if len(raw) > MAX_BODY_BYTES:
        raise BodyTooLarge(f"the body has {len(raw)} bytes, at most {MAX_BODY_BYTES} are taken")
    return strict_json(raw, "the body")


def strict_json(raw: bytes, what: str) -> Any:
    """A request read as strict JSON, whose texts are those that were sent and can be shown; `what` names it.

    The gateway replaces bytes that are not UTF-8 by U+FFFD before a function sees them: a text with one may be any
    other text, so none is signed. Raises JsonInvalid.
    """
    try:
        value = canonical.loads(raw)
    except canonical.NotJson as error:
        raise JsonInvalid(f"{what} is not the JSON that we read: {error}") from None
    if not raw.isascii() or b"\\" in raw or b"\x7f" in raw:  # JSON has no other control character outside an escape
        for text in _texts(value):
            if found := _NOT_TEXT.search(text):
                where = f"U+{ord(found[0]):04X} in {text[: found.start() + 1][-40:]!a}"
                raise JsonInvalid(f"{what} has {where}: send text without U+FFFD and control characters")
    return value


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, keys too; by a list of what is left, as calls cannot go as deep as JSON may."""
    left = [value]
    for inside in left:
        if isinstance(inside, str):
            yield inside
        elif isinstance(inside, list):
            left += inside
        elif isinstance(inside, dict):
            left += [*inside, *inside.values()]


def parameter(app: APIGatewayRestResolver, name: str, *, default: int, low: int, high: int) -> int:
    """A whole number from the query string.

    Raises ParameterInvalid.
    """
    given = (app.current_event.query_string_parameters or {}).get(name)
    if given is None:
        return default
    if given.isascii() and given.isdigit() and len(given) <= 16 and low <= int(given) <= high:
        return int(given)
    message = f"must be a whole number from {low} to {high}"
    raise ParameterInvalid(f"{name} is {given!r}: it {message}", FieldFault(name, message))


def identifier(text: str, name: str) -> str:
    """An id from the path.

    Raises ParameterInvalid.
    """
    if ID_PATTERN.fullmatch(text):
        return text
    message = f"must be {ID.words}"
    raise ParameterInvalid(f"{name} is {text!r}: it {message}", FieldFault(name, message))


def written(answer: Answer, *, status: int = 200) -> Response[str]:
    """The answer of a writing call: a pure function of its record, whichever call wrote it."""
    headers = {"Idempotent-Replayed": "true"} if answer.replayed else {}
    return Response(
        status_code=status,
        content_type=JSON_TYPE,
        body=_text({"record": answer.record, "payload": answer.payload}),
        headers=headers,
    )


def plain(value: Mapping[str, object]) -> Response[str]:
    """The answer of a reading call."""
    return Response(status_code=200, content_type=JSON_TYPE, body=_text(value))


def _problem(refusal: Refusal) -> Response[str]:
    problem = problem_of(refusal)
    return Response(status_code=problem["status"], content_type=PROBLEM_TYPE, body=_text(problem))


def _text(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
