"""What `template.yaml` declares of the API: its routes, the functions behind them, the authorizer, gateway answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).resolve().parents[3]
TEMPLATE: Final = ROOT / "template.yaml"


class TemplateMissing(Exception):
    """The template is not where a checkout has it: the local service runs from a checkout only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One Lambda function: the file of its module, and the name of the handler in it."""

    name: str
    module: Path
    handler: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One method of one resource (`/v1/rounds/{round_id}`) and the function that answers it."""

    method: str
    resource: str
    function: str
    authorized: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayResponse:
    """What the gateway answers by itself; `status` None keeps the status that the fault has."""

    status: int | None
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredApi:
    """The API as declared; `responses` by API Gateway's names of them (`UNAUTHORIZED`)."""

    stage: str
    functions: Mapping[str, Function]
    routes: tuple[Route, ...]
    authorizer: str
    responses: Mapping[str, GatewayResponse]


def read_api(template: Path = TEMPLATE) -> DeclaredApi:
    """The API that a template declares.

    Raises TemplateMissing.
    """
    if not template.is_file():
        raise TemplateMissing(f"no {template}: the local service runs from a checkout of the repository")
    resources = load_template(template)["Resources"]
    api = resources["Api"]["Properties"]
    functions = {
        name: resource["Properties"]
        for name, resource in resources.items()
        if resource["Type"] == "AWS::Serverless::Function"
    }
    auth = api["Auth"]
    authorizer = auth["Authorizers"][auth["DefaultAuthorizer"]]
    return DeclaredApi(
        stage=api["StageName"],
        functions={name: _function(name, properties, template.parent) for name, properties in functions.items()},
        routes=tuple(route for name, properties in functions.items() for route in _routes(name, properties)),
        authorizer=authorizer["FunctionArn"]["Fn::GetAtt"].removesuffix(".Arn"),
        responses={name: _response(declared) for name, declared in api["GatewayResponses"].items()},
    )


def load_template(path: Path) -> Any:
    """A CloudFormation template, its short intrinsics in their long form.

    `!Ref Table` is `{"Ref": "Table"}`, `!GetAtt Table.Arn` is `{"Fn::GetAtt": "Table.Arn"}`.
    """
    return yaml.load(path.read_text("utf-8"), _Loader)  # noqa: S506  (a SafeLoader with CloudFormation's tags)


class _Loader(yaml.SafeLoader):
    """Safe YAML that knows the tags of CloudFormation."""


def _intrinsic(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    name = suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}"
    if isinstance(node, yaml.ScalarNode):
        return {name: loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    assert isinstance(node, yaml.MappingNode)  # noqa: S101  (YAML has no fourth kind)
    return {name: loader.construct_mapping(node, deep=True)}


_Loader.add_multi_constructor("!", _intrinsic)


def _function(name: str, properties: Mapping[str, Any], folder: Path) -> Function:
    module, handler = properties["Handler"].rsplit(".", 1)
    return Function(name=name, module=folder / properties["CodeUri"] / f"{module}.py", handler=handler)


def _routes(name: str, properties: Mapping[str, Any]) -> list[Route]:
    events = [event["Properties"] for event in properties.get("Events", {}).values() if event["Type"] == "Api"]
    return [
        Route(
            method=event["Method"].upper(),
            resource=event["Path"],
            function=name,
            authorized=event.get("Auth", {}).get("Authorizer") != "NONE",
        )
        for event in events
    ]


def _response(declared: Mapping[str, Any]) -> GatewayResponse:
    headers = declared["ResponseParameters"]["Headers"]
    return GatewayResponse(
        status=declared.get("StatusCode"),
        headers={name: quoted.strip("'") for name, quoted in headers.items()},
        body=declared["ResponseTemplates"]["application/json"],
    )
