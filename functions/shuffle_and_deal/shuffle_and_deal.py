"""Opens rounds and deals them."""

from aws_lambda_powertools.event_handler import Response

from cardroom.adapters.environment import house
from cardroom.services.play import deal_round, open_round
from cardroom.wire import http
from cardroom.wire.requests import DealRequest, OpenRequest

app = http.api()
handler = http.handler(app)


@app.post("/v1/rounds")
def post_round() -> Response[str]:
    """Open a round: answers the commitment, no card."""
    operator = http.caller(app, scope="play")
    request = OpenRequest.parse(http.body(app))
    answer = open_round(house(), request.normalised(), operator=operator, round_id=request.round_id)
    return http.written(answer, status=201)


@app.post("/v1/rounds/<round_id>/deal")
def post_deal(round_id: str) -> Response[str]:
    """Close the bets and deal."""
    operator = http.caller(app, scope="play")
    request = DealRequest.parse(http.body(app))
    answer = deal_round(
        house(),
        request.normalised(),
        operator=operator,
        round_id=http.identifier(round_id, "round_id"),
        opened=request.opened,
    )
    return http.written(answer)
