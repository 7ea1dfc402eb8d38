"""Sets hands by a rule set's house way."""

from aws_lambda_powertools.event_handler import Response

from cardroom.adapters.environment import catalogue
from cardroom.services.consult import set_hands
from cardroom.wire import http
from cardroom.wire.requests import requests_of

app = http.api()
handler = http.handler(app)


@app.post("/v1/house-way")
def post_house_way() -> Response[str]:
    """Each hand set, with the rule used; nothing is stored."""
    http.caller(app, scope="play")
    asked = requests_of(catalogue()).house_way.parse(http.body(app)).request
    return http.plain(set_hands(catalogue(), ruleset_id=asked["ruleset"], hands=asked["hands"], role=asked["role"]))
