"""Locks the hands of rounds, settles, corrects and voids them, and previews settlements."""

from aws_lambda_powertools.event_handler import Response

from cardroom.adapters.environment import catalogue, ports
from cardroom.services.consult import preview_settlement
from cardroom.services.correcting import correct_deal, correct_settlement
from cardroom.services.play import lock_sets, settle_round, void_round
from cardroom.wire import http
from cardroom.wire.requests import requests_of

app = http.api()
handler = http.handler(app)


@app.post("/v1/rounds/<round_id>/sets")
def post_sets(round_id: str) -> Response[str]:
    """Lock the players' hands, and show the others."""
    operator = http.caller(app, scope="play")
    request, beside = requests_of(catalogue()).sets.parse(http.body(app))
    round_id = http.identifier(round_id, "round_id")
    return http.written(lock_sets(ports(), request, operator=operator, round_id=round_id, dealt=beside.get("dealt")))


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
        locked=beside.get("set"),
    )
    return http.written(answer)


@app.post("/v1/rounds/<round_id>/deal/corrections")
def post_deal_correction(round_id: str) -> Response[str]:
    """Put right a card that was misread, before the settlement."""
    operator = http.caller(app, scope="correct")
    request, _ = requests_of(catalogue()).correct_deal.parse(http.body(app))
    round_id = http.identifier(round_id, "round_id")
    return http.written(correct_deal(ports(), request, operator=operator, round_id=round_id))


@app.post("/v1/rounds/<round_id>/corrections")
def post_correction(round_id: str) -> Response[str]:
    """Settle again a round of which something was misread."""
    operator = http.caller(app, scope="correct")
    request, _ = requests_of(catalogue()).correct.parse(http.body(app))
    round_id = http.identifier(round_id, "round_id")
    return http.written(correct_settlement(ports(), request, operator=operator, round_id=round_id))


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
