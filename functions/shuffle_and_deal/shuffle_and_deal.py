"""Opens rounds and deals them; opens and closes shoes; holds draws."""

from aws_lambda_powertools.event_handler import Response

from cardroom.adapters.environment import catalogue, ports
from cardroom.services.play import close_shoe, deal_round, hold_draw, open_round, open_shoe
from cardroom.wire import http
from cardroom.wire.requests import requests_of

app = http.api()
handler = http.handler(app)


@app.post("/v1/rounds")
def post_round() -> Response[str]:
    """Open a round: answers the commitment, no card."""
    operator = http.caller(app, scope="play")
    request, beside = requests_of(catalogue()).open.parse(http.body(app))
    answer = open_round(ports(), request, operator=operator, round_id=beside["round_id"])
    return http.written(answer, status=201)


@app.post("/v1/rounds/<round_id>/deal")
def post_deal(round_id: str) -> Response[str]:
    """Close the bets and deal."""
    operator = http.caller(app, scope="play")
    request, beside = requests_of(catalogue()).deal.parse(http.body(app))
    answer = deal_round(
        ports(),
        request,
        operator=operator,
        round_id=http.identifier(round_id, "round_id"),
        opened=beside.get("opened"),
    )
    return http.written(answer)


@app.post("/v1/shoes")
def post_shoe() -> Response[str]:
    """Open a shoe: answers the commitment, no card."""
    operator = http.caller(app, scope="play")
    request, beside = requests_of(catalogue()).open_shoe.parse(http.body(app))
    answer = open_shoe(ports(), request, operator=operator, shoe_id=beside["shoe_id"])
    return http.written(answer, status=201)


@app.post("/v1/shoes/<shoe_id>/close")
def post_shoe_close(shoe_id: str) -> Response[str]:
    """Close a shoe, and reveal its seed."""
    operator = http.caller(app, scope="play")
    request, _ = requests_of(catalogue()).close_shoe.parse(http.body(app))
    shoe_id = http.identifier(shoe_id, "shoe_id")
    return http.written(close_shoe(ports(), request, operator=operator, shoe_id=shoe_id))


@app.post("/v1/tables/<table_id>/draws")
def post_draw(table_id: str) -> Response[str]:
    """Draw for first banker or first button."""
    operator = http.caller(app, scope="play")
    request, beside = requests_of(catalogue()).draw.parse(http.body(app))
    table_id = http.identifier(table_id, "table_id")
    request = {"table_id": table_id, **request}
    return http.written(hold_draw(ports(), request, operator=operator, draw_id=beside["draw_id"]), status=201)
