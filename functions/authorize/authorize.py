"""Tells the operator behind a token, and what it may do: the authorizer of the API."""

from typing import Any

from aws_lambda_powertools.utilities.data_classes.api_gateway_authorizer_event import (
    APIGatewayAuthorizerResponse,
    APIGatewayAuthorizerTokenEvent,
)

from cardroom.adapters.environment import operators
from cardroom.services.credentials import TokenInvalid, authenticate


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """The policy for a token's operator; its scopes go with it, for each function to check its own.

    The gateway keeps the policy for a minute and uses it for every call of this token, so it covers the whole stage.
    """
    asked = APIGatewayAuthorizerTokenEvent(event)
    try:
        known = authenticate(operators(), asked.authorization_token)
    except TokenInvalid:
        raise Exception("Unauthorized") from None
    policy = APIGatewayAuthorizerResponse.from_route_arn(
        asked.method_arn,
        principal_id=known.operator,
        context={"operator": known.operator, "scopes": " ".join(sorted(known.scopes))},
    )
    policy.allow_all_routes()
    return policy.asdict()
