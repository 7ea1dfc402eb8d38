"""Reads records, rule sets and keys."""

from aws_lambda_powertools.event_handler import Response

from cardroom.adapters.environment import catalogue, engine, ledger, ports, root
from cardroom.canonical import MAX_INTEGER
from cardroom.services.read_records import list_records, read_round
from cardroom.services.readiness import ready
from cardroom.wire import http

app = http.api()
handler = http.handler(app)


@app.get("/v1/rounds/<round_id>")
def get_round(round_id: str) -> Response[str]:
    """A round's records."""
    operator = http.caller(app, scope="read")
    return http.plain(
        read_round(ports(), operator=operator, round_id=http.identifier(round_id, "round_id"), may_play=_may_play())
    )


@app.get("/v1/tables/<table_id>/records")
def get_records(table_id: str) -> Response[str]:
    """A page of a table's chain."""
    operator = http.caller(app, scope="read")
    after = http.parameter(app, "after", default=0, low=0, high=MAX_INTEGER)
    limit = http.parameter(app, "limit", default=100, low=1, high=1_000)
    return http.plain(
        list_records(
            ports(),
            operator=operator,
            table_id=http.identifier(table_id, "table_id"),
            after=after,
            limit=limit,
            may_play=_may_play(),
        )
    )


@app.get("/v1/rulesets")
def get_rulesets() -> Response[str]:
    """The published rule sets and their hashes."""
    return http.plain({"rulesets": [catalogue().ruleset(name).reference for name in catalogue().ruleset_ids()]})


@app.get("/v1/rulesets/<family>/<version>")
def get_ruleset(family: str, version: str) -> Response[str]:
    """One rule set in full: what its hash is taken over."""
    found = catalogue().ruleset(f"{family}/{version}")
    return http.plain({**found.reference, "document": found.document})


@app.get("/v1/keys")
def get_keys() -> Response[str]:
    """The root public keys that every record's certificate leads to (JWKS)."""
    return http.plain({"keys": list(ports().signer.roots())})


@app.get("/v1/health")
def get_health() -> Response[str]:
    """That the process lives, and with which engine; nothing else is asked."""
    return http.plain({"status": "ok", "engine": engine()})


@app.get("/v1/ready")
def get_ready() -> Response[str]:
    """That the store and the root key answer now."""
    operator = http.caller(app, scope="read")
    return http.plain(ready(ledger, root, operator=operator))


@app.get("/v1/openapi.json")
def get_openapi() -> Response[str]:
    """The API's description."""
    from cardroom.wire import openapi
    from cardroom.wire.requests import requests_of

    return http.plain(openapi.document(requests_of(catalogue())))


@app.get("/docs")
def get_docs() -> Response[str]:
    """The API and its problems as a page."""
    from cardroom.wire import openapi

    return Response(status_code=200, content_type="text/html; charset=utf-8", body=openapi.page())


def _may_play() -> bool:
    return "play" in http.scopes(app)
