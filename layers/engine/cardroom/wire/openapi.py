"""The API's description (OpenAPI 3.1), made from the request models and the calls listed here."""

from __future__ import annotations

import html
from typing import Any, Final, NamedTuple

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema, core_schema

from cardroom import __version__
from cardroom.wire.http import ID_PATTERN
from cardroom.wire.problems import GATEWAY_ONLY, STATUS, every_refusal, said_of, slug_of
from cardroom.wire.requests import RequestModel, Requests

Json = dict[str, Any]


class Call(NamedTuple):
    """One call of the API; `scope` None needs no token, `any` one of whatever scope; `request` is one of `Requests`."""

    method: str
    path: str
    summary: str
    scope: str | None
    request: str | None
    answer: str
    status: int = 200


CALLS: Final = (
    Call("post", "/v1/rounds", "Open a round: answers the commitment, no card", "play", "open", "Written", 201),
    Call("post", "/v1/rounds/{round_id}/deal", "Close the bets and deal", "play", "deal", "Written"),
    Call("post", "/v1/rounds/{round_id}/sets", "Lock the players' hands, show the others", "play", "sets", "Written"),
    Call("post", "/v1/rounds/{round_id}/settlement", "Compare, pay, reveal the seed", "play", "settle", "Written"),
    Call(
        "post",
        "/v1/rounds/{round_id}/deal/corrections",
        "Put right a misread card before the settlement",
        "correct",
        "correct_deal",
        "Written",
    ),
    Call("post", "/v1/rounds/{round_id}/corrections", "Settle again what was misread", "correct", "correct", "Written"),
    Call("post", "/v1/rounds/{round_id}/void", "Return everything, reveal the seed", "play", "void", "Written"),
    Call("post", "/v1/shoes", "Open a shoe: answers the commitment", "play", "open_shoe", "Written", 201),
    Call("post", "/v1/shoes/{shoe_id}/close", "Close a shoe, reveal its seed", "play", "close_shoe", "Written"),
    Call("post", "/v1/tables/{table_id}/draws", "Draw for first banker or button", "play", "draw", "Written", 201),
    Call("post", "/v1/house-way", "Set hands by the house way; nothing is stored", "play", "house_way", "Plain"),
    Call("post", "/v1/settlements/preview", "Settle cards laid open; nothing stored", "play", "preview", "Plain"),
    Call("get", "/v1/rounds/{round_id}", "A round's records", "read", None, "Plain"),
    Call("get", "/v1/tables/{table_id}/records", "A page of a table's chain", "read", None, "Plain"),
    Call("get", "/v1/rulesets", "The published rule sets and their hashes", "any", None, "Plain"),
    Call("get", "/v1/rulesets/{family}/{version}", "One rule set in full", "any", None, "Plain"),
    Call("get", "/v1/keys", "The root public keys (JWKS)", None, None, "Plain"),
    Call("get", "/v1/health", "That the process lives; asks nothing", None, None, "Plain"),
    Call("get", "/v1/ready", "That the store and the root key answer", "read", None, "Plain"),
    Call("get", "/v1/openapi.json", "This description", None, None, "Plain"),
    Call("get", "/docs", "The same as a page, with every problem", None, None, "Page"),
)
_QUERIES: Final = {
    "/v1/tables/{table_id}/records": {
        "after": {"type": "integer", "minimum": 0, "default": 0},
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100},
    }
}


def document(requests: Requests) -> Json:
    """The OpenAPI document of a service that takes these requests."""
    paths: Json = {}
    for call in CALLS:
        paths.setdefault(call.path, {})[call.method] = _operation(call, requests)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "cardroom",
            "version": __version__,
            "summary": "Deals, sets and settles player-banked card games, and writes every step as a signed record.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": {
                **_schemas(requests),
                "Written": _WRITTEN,
                "Plain": {"type": "object"},
                "Page": {"type": "string"},
                "Problem": _PROBLEM,
            },
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "`<operator>.<secret>`"},
            },
        },
    }


def page() -> str:
    """The documentation as one page of HTML: the calls, and what each problem refuses."""
    calls = "".join(
        f"<tr><td><code>{call.method.upper()} {call.path}</code><td>{call.summary}<td>{call.scope or 'no token'}"
        for call in CALLS
    )
    kinds = {slug_of(kind): (STATUS.get(slug_of(kind), 422), said_of(kind)) for kind in every_refusal()}
    problems = "".join(
        f'<tr id="{slug}"><td><code>{slug}</code><td>{status}<td>{html.escape(said)}'
        for slug, (status, said) in sorted({**kinds, **GATEWAY_ONLY}.items())
    )
    return _PAGE.format(version=__version__, calls=calls, problems=problems)


def _schemas(requests: Requests) -> Json:
    """The schemas of all requests, and of the objects in them, each once."""
    parts: dict[str, CoreSchema] = {}
    asked = [_model(requests, call.request).schema(parts) for call in CALLS if call.request]
    whole = core_schema.definitions_schema(core_schema.tuple_schema(asked), list(parts.values()))
    writer = GenerateJsonSchema(ref_template="#/components/schemas/{model}")
    _, definitions = writer.generate_definitions([("requests", "validation", whole)])
    return {str(name): schema for name, schema in definitions.items()}


def _model(requests: Requests, name: str) -> RequestModel:
    model: RequestModel = getattr(requests, name)
    return model


def _operation(call: Call, requests: Requests) -> Json:
    names = [part[1:-1] for part in call.path.split("/") if part.startswith("{")]
    parameters = [{"name": name, "in": "path", "required": True, "schema": _named(name)} for name in names]
    queries = _QUERIES.get(call.path, {})
    parameters += [{"name": name, "in": "query", "schema": schema} for name, schema in queries.items()]
    operation: Json = {
        "summary": call.summary,
        "parameters": parameters,
        "security": [{"token": []}] if call.scope else [],
        "responses": {
            str(call.status): _content(
                "text/html" if call.answer == "Page" else "application/json", call.answer, "The answer"
            ),
            "default": _content("application/problem+json", "Problem", "A refusal (RFC 9457)"),
        },
    }
    if call.scope:
        operation["description"] = (
            f"Needs a token of {'any scope' if call.scope == 'any' else f'scope `{call.scope}`'}."
        )
    if call.request:
        schema = {"$ref": f"#/components/schemas/{_model(requests, call.request).name}"}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return operation


def _named(name: str) -> Json:
    """What a part of a path may be: an id of the caller's, or half of a rule set's."""
    return {"type": "string", "pattern": f"^{ID_PATTERN.pattern}$" if name.endswith("_id") else "^[a-z0-9-]{1,64}$"}


def _content(media_type: str, schema: str, description: str) -> Json:
    return {
        "description": description,
        "content": {media_type: {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
    }


_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>cardroom {version}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }}
table {{ border-collapse: collapse; width: 100% }}
td, th {{ border-top: 1px solid #ccc; padding: .3rem; text-align: left }}
tr:target {{ background: #ffd }}
</style>
<h1>cardroom {version}</h1>
<p>Deals, sets and settles player-banked card games, and writes every step as a signed, chained record. Requests and
answers are described by <a href="v1/openapi.json">v1/openapi.json</a>.
<h2>Calls</h2><table><tr><th>call<th>does<th>scope{calls}</table>
<h2>Problems</h2><table><tr><th>code<th>status<th>refuses{problems}</table>
</html>
"""
_WRITTEN: Final = {
    "type": "object",
    "required": ["record", "payload"],
    "properties": {
        "record": {"type": "string", "description": "The signed record (compact JWS); keep it, hand it back"},
        "payload": {"type": "object", "description": "The same, decoded, for reading only"},
    },
}
_PROBLEM: Final = {
    "type": "object",
    "required": ["type", "code", "title", "status", "detail", "retry", "errors"],
    "properties": {
        "type": {"type": "string"},
        "code": {"type": "string", "description": "A stable slug"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "retry": {"type": "boolean", "description": "Whether the same request may succeed later"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
