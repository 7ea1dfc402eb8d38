"""Settles rounds, voids them, and previews settlements."""

from aws_lambda_powertools.event_handler import Response

from cardroom.adapters.environment import catalogue, ports
from cardroom.services.consult import preview_settlement
from cardroom.services.play import settle_round, void_round
from cardroom.wire import http
from cardroom.wire.requests import requests_of

app = http.api()
handler = http.handler(app)


@app.post("/v1/rounds/<round_id>/settlement")
def post_settlement(round_id: str) -> Response[str]:
    """Compare, pay, and reveal the seed."""
    operator = http.caller(app, scope="play")
    request, beside = requests_of(catalogue()).settle.parse(http.body(app))
    answer = settle_round(
        ports(),
        request,
        operator=operator,
        round_id=http.identifier(round_id, "round_id"),
        dealt=beside.get("dealt"),
    )
    return http.written(answer)


@app.post("/v1/rounds/<round_id>/void")
def post_void(round_id: str) -> Response[str]:
    """Return everything and reveal the seed."""
    operator = http.caller(app, scope="play")
    request, _ = requests_of(catalogue()).void.parse(http.body(app))
    return http.written(void_round(ports(), request, operator=operator, round_id=http.identifier(round_id, "round_id")))


@app.post("/v1/settlements/preview")
def post_preview() -> Response[str]:
    """A settlement from explicit cards; nothing is stored."""
    http.caller(app, scope="play")
    return http.plain(preview_settlement(catalogue(), requests_of(catalogue()).preview.parse(http.body(app)).request))
