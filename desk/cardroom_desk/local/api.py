"""The API in one process: what API Gateway does with a request, in front of our own functions.

A request becomes the REST proxy event that Lambda would get, the function's answer becomes the response. Routes,
functions, authorizer and the gateway's own answers are those of `template.yaml`, so that it stays the one truth.
Unlike the deployed gateway it caches no authorization: here a revoked token ends at once.
"""

from __future__ import annotations

import base64
import importlib.util
import logging
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from cardroom_desk.local.template import DeclaredApi, Function, Route

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

Json = dict[str, Any]
Handler = Callable[[Json, "Context"], Any]

LAMBDA_BYTES: Final = 6 * 1024 * 1024
"""The longest body that Lambda takes or gives."""

ACCOUNT: Final = "000000000000"
API_ID: Final = "local"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What Lambda tells a handler of its invocation."""

    function_name: str
    aws_request_id: str
    invoked_function_arn: str
    function_version: str = "live"
    memory_limit_in_mb: int = 1024
    log_group_name: str = "/cardroom/local"
    log_stream_name: str = "local"
    deadline: float = field(default_factory=lambda: time.monotonic() + 15)

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda would give up."""
        return max(0, int((self.deadline - time.monotonic()) * 1000))


class _GatewayFault(Exception):
    """The gateway answers by itself: `kind` is API Gateway's name of the answer."""

    def __init__(self, kind: str, status: int) -> None:
        super().__init__(kind)
        self.kind = kind
        self.status = status


class LocalApi:
    """A WSGI application that answers as the deployed API would."""

    def __init__(self, declared: DeclaredApi) -> None:
        """Loads every function; a fault in one of them shows here and not at the first request."""
        self._declared = declared
        self._handlers = {name: load_handler(function) for name, function in declared.functions.items()}
        self._routes = _url_map(declared.routes)
        # A Lambda environment works on one event at a time, and powertools keeps the event of its process in one
        # variable of a class: so do we.
        self._one_event = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """One request."""
        request = Request(environ)
        try:
            response = self._answer(request)
        except _GatewayFault as fault:
            response = self._own_answer(fault)
        return response(environ, start_response)

    def _answer(self, request: Request) -> Response:
        route, parameters = self._route(request)
        request_id = str(uuid.uuid4())
        authorizer = self._authorize(request, request_id) if route.authorized else None
        if (request.content_length or 0) > LAMBDA_BYTES:
            raise _GatewayFault("REQUEST_TOO_LARGE", 413)
        event = rest_event(
            request,
            resource=route.resource,
            parameters=parameters,
            stage=self._declared.stage,
            request_id=request_id,
            authorizer=authorizer,
        )
        try:
            return _response(self._call(route.function, event, request_id))
        except Exception:
            logger.exception("%s failed on %s %s", route.function, request.method, request.path)
            raise _GatewayFault("DEFAULT_5XX", 502) from None

    def _route(self, request: Request) -> tuple[Route, dict[str, str]]:
        adapter = self._routes.bind("")
        try:
            route, parameters = adapter.match(request.path, method=request.method)
        except HTTPException:
            raise _GatewayFault("MISSING_AUTHENTICATION_TOKEN", 403) from None
        if route.method != request.method:  # werkzeug adds HEAD to every GET, API Gateway does not
            raise _GatewayFault("MISSING_AUTHENTICATION_TOKEN", 403)
        return route, dict(parameters)

    def _authorize(self, request: Request, request_id: str) -> Json:
        """The authorizer's context for the function."""
        token = request.headers.get("Authorization", "")
        if not token:
            raise _GatewayFault("UNAUTHORIZED", 401)  # the gateway asks no authorizer about nothing
        arn = (
            f"arn:aws:execute-api:local:{ACCOUNT}:{API_ID}/{self._declared.stage}/{request.method}"
            f"/{request.path.removeprefix('/')}"
        )
        event = {"type": "TOKEN", "authorizationToken": token, "methodArn": arn}
        try:
            policy = self._call(self._declared.authorizer, event, request_id)
        except Exception as error:
            if str(error) == "Unauthorized":
                raise _GatewayFault("UNAUTHORIZED", 401) from None
            logger.exception("the authorizer failed")
            raise _GatewayFault("AUTHORIZER_FAILURE", 500) from None
        if not _allows(policy["policyDocument"], arn):
            raise _GatewayFault("ACCESS_DENIED", 403)
        return {**policy.get("context", {}), "principalId": policy["principalId"]}

    def _call(self, function: str, event: Json, request_id: str) -> Any:
        context = Context(
            function_name=function,
            aws_request_id=request_id,
            invoked_function_arn=f"arn:aws:lambda:local:{ACCOUNT}:function:{function}:live",
        )
        with self._one_event:
            return self._handlers[function](event, context)

    def _own_answer(self, fault: _GatewayFault) -> Response:
        responses = self._declared.responses
        declared = responses.get(fault.kind) or responses[f"DEFAULT_{fault.status // 100}XX"]
        return Response(declared.body, status=declared.status or fault.status, headers=dict(declared.headers))


def rest_event(
    request: Request,
    *,
    resource: str,
    parameters: dict[str, str],
    stage: str,
    request_id: str,
    authorizer: Json | None,
) -> Json:
    """The event of a REST API's proxy integration (payload version 1.0) for a request.

    Absent maps are null and headers keep the last of several values, as API Gateway has it.
    """
    headers = {name: request.headers.getlist(name) for name in request.headers.keys()}  # noqa: SIM118  (not a dict)
    query = dict(request.args.lists())
    now = time.time()
    return {
        "resource": resource,
        "path": request.path,
        "httpMethod": request.method,
        "headers": {name: values[-1] for name, values in headers.items()},
        "multiValueHeaders": headers,
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": parameters or None,
        "stageVariables": None,
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": API_ID,
            "authorizer": authorizer or {},
            "domainName": request.host,
            "extendedRequestId": request_id,
            "httpMethod": request.method,
            "identity": {"sourceIp": request.remote_addr, "userAgent": request.headers.get("User-Agent")},
            "path": f"/{stage}{request.path}",
            "protocol": request.environ.get("SERVER_PROTOCOL"),
            "requestId": request_id,
            "requestTime": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
            "requestTimeEpoch": int(now * 1000),
            "resourcePath": resource,
            "stage": stage,
        },
        # The API declares no binary media types: what is not UTF-8 reaches a function as U+FFFD, which it refuses.
        "body": request.get_data().decode("utf-8", "replace") or None,
        "isBase64Encoded": False,
    }


def _url_map(routes: Iterable[Route]) -> Map:
    rules = [
        Rule(route.resource.replace("{", "<").replace("}", ">"), methods=[route.method], endpoint=route)
        for route in routes
    ]
    return Map(rules, merge_slashes=False, redirect_defaults=False)


def load_handler(function: Function) -> Handler:
    """The handler of a function, its module imported under its own name, as Lambda does."""
    name = function.module.stem
    spec = importlib.util.spec_from_file_location(name, function.module)
    if spec is None or spec.loader is None:
        raise ImportError(f"no module {function.module}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    handler: Handler = getattr(module, function.handler)
    return handler


def _allows(policy: Json, arn: str) -> bool:
    """Whether an authorizer's policy lets a call through; a Deny outweighs every Allow."""
    effects = {
        statement["Effect"]
        for statement in policy["Statement"]
        if any(fnmatchcase(arn, pattern) for pattern in _listed(statement["Resource"]))
    }
    return effects == {"Allow"}


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _response(answer: Json) -> Response:
    """The response that a function's answer describes; anything but such an answer raises."""
    text = answer.get("body") or ""
    content = base64.b64decode(text) if answer.get("isBase64Encoded") else text.encode()
    if len(content) > LAMBDA_BYTES:
        raise ValueError(f"the answer has {len(content)} bytes, Lambda gives {LAMBDA_BYTES}")
    response = Response(content, status=int(answer["statusCode"]))
    response.headers.clear()
    for name, value in (answer.get("headers") or {}).items():
        response.headers[name] = str(value)
    for name, values in (answer.get("multiValueHeaders") or {}).items():
        response.headers.setlist(name, [str(value) for value in values])
    response.headers["Content-Length"] = str(len(content))
    return response
