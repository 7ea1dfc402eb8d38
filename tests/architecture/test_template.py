"""The template: what each function may do, and that it, the functions and the problems tell the same story."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardroom.wire.problems import GATEWAY_ONLY, STATUS
from cardroom_desk.local.template import load_template, read_api

ROOT = Path(__file__).parents[2]
TEMPLATE = load_template(ROOT / "template.yaml")
RESOURCES: dict[str, Any] = TEMPLATE["Resources"]
API = read_api(ROOT / "template.yaml")

READ = {("dynamodb:GetItem", "Table")}
WRITE = {*READ, ("dynamodb:PutItem", "Table")}
KEYS = {("kms:Sign", "RootKey"), ("kms:GetPublicKey", "RootKey"), ("kms:GenerateMac", "MasterKey")}
AUDIT_FILES = {("s3:GetObject", "Reports/audits/*"), ("s3:PutObject", "Reports/audits/*")}
ACTIONS = {
    "Authorize": READ,
    "ShuffleAndDeal": WRITE | KEYS,
    "SettleRound": WRITE | KEYS,
    "SetHouseWay": set(),
    "ReadRecords": {*READ, ("dynamodb:Query", "Table"), ("kms:GetPublicKey", "RootKey")},
    "PublishCheckpoint": {
        *READ,
        ("dynamodb:Query", "Table"),
        ("kms:Sign", "CheckpointKey"),
        ("kms:GetPublicKey", "CheckpointKey"),
        ("s3:ListBucket", "Archive"),
        ("s3:GetObject", "Archive/log/*"),
        ("s3:PutObject", "Archive/log/*"),
    },
    "PlanAudit": {*READ, ("dynamodb:Query", "Table"), *AUDIT_FILES},
    "AuditSpan": {("dynamodb:Query", "Table"), ("kms:GetPublicKey", "RootKey"), *AUDIT_FILES},
    "SummariseAudit": {("s3:ListBucket", "Reports"), *AUDIT_FILES},
}
BUCKETS = ("Archive", "Reports")


def actions_of(function: str) -> Iterator[tuple[str, str]]:
    """What a function may do, and to which resource: `("kms:Sign", "RootKey")`."""
    for policy in RESOURCES[function]["Properties"].get("Policies", []):
        for statement in policy["Statement"]:
            assert set(statement) == {"Effect", "Action", "Resource"}
            assert statement["Effect"] == "Allow"
            yield from ((action, named(statement["Resource"])) for action in statement["Action"])


def named(resource: dict[str, str]) -> str:
    """A resource by its name in the template, and what of it: `Table`, `Archive/log/*`."""
    if "Fn::GetAtt" in resource:
        owner, attribute = resource["Fn::GetAtt"].split(".")
        assert attribute == "Arn"
        return owner
    whole = re.fullmatch(r"\$\{(\w+)\.Arn\}(/\w+/\*)", resource["Fn::Sub"])
    assert whole, resource
    return whole[1] + whole[2]


def test_each_function_may_do_exactly_this() -> None:
    assert {name: set(actions_of(name)) for name in API.functions} == ACTIONS


def test_nobody_deletes_and_nobody_has_a_wildcard() -> None:
    granted = [action for name in API.functions for action, _ in actions_of(name)]
    assert granted
    assert [action for action in granted if "*" in action or "Delete" in action or "Update" in action] == []


def test_functions_have_unique_module_names() -> None:
    modules = [function.module for function in API.functions.values()]
    assert all(module.is_file() for module in modules)
    assert sorted(modules) == sorted((ROOT / "functions").glob("*/*.py"))
    assert len({module.name for module in modules}) == len(modules)
    assert all(module.stem == module.parent.name for module in modules)


def declared_in(module: Path) -> set[tuple[str, str]]:
    """The routes that a function's module answers, in the template's notation."""
    decorators = [
        decorator
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    ]
    return {
        (call.func.attr.upper(), str(ast.literal_eval(call.args[0])).replace("<", "{").replace(">", "}"))
        for call in decorators
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    }


@pytest.mark.parametrize("name", sorted({route.function for route in API.routes}))
def test_template_and_function_name_the_same_routes(name: str) -> None:
    declared = {(route.method, route.resource) for route in API.routes if route.function == name}
    assert declared == declared_in(API.functions[name].module) != set()


def test_functions_without_routes() -> None:
    assert set(API.functions) - {route.function for route in API.routes} == {
        "Authorize",
        "PublishCheckpoint",
        "PlanAudit",
        "AuditSpan",
        "SummariseAudit",
    }
    assert all(not declared_in(API.functions[name].module) for name in ("PlanAudit", "PublishCheckpoint"))


def test_only_these_routes_are_open() -> None:
    open_routes = {route.resource for route in API.routes if not route.authorized}
    assert open_routes == {"/docs", "/v1/keys", "/v1/health", "/v1/openapi.json"}


def test_the_authorizer_is_the_function_authorize() -> None:
    assert API.authorizer == "Authorize"
    authorizer = RESOURCES["Api"]["Properties"]["Auth"]["Authorizers"]["Operator"]
    assert authorizer["Identity"] == {"Header": "Authorization", "ReauthorizeEvery": 60}


@pytest.mark.parametrize("kind", sorted(API.responses))
def test_the_gateway_answers_in_the_form_of_our_problems(kind: str) -> None:
    response = API.responses[kind]
    problem = json.loads(response.body)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert set(problem) | {"status"} == {"type", "code", "title", "status", "detail", "retry", "errors"}
    assert problem.get("status") == response.status
    assert problem["type"] == f"/docs#{problem['code']}"
    assert problem["code"] in GATEWAY_ONLY or STATUS[problem["code"]] == (response.status or 500)


def test_the_ledger_cannot_be_lost_by_a_slip() -> None:
    for name in ("Table", "RootKey", "MasterKey", "CheckpointKey", "TableKey", *BUCKETS):
        assert RESOURCES[name]["DeletionPolicy"] == RESOURCES[name]["UpdateReplacePolicy"] == "Retain"
    table = RESOURCES["Table"]["Properties"]
    assert table["DeletionProtectionEnabled"] is True
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["SSESpecification"]["KMSMasterKeyId"] == {"Fn::GetAtt": "TableKey.Arn"}


@pytest.mark.parametrize("bucket", BUCKETS)
def test_buckets_are_private_encrypted_and_versioned(bucket: str) -> None:
    properties = RESOURCES[bucket]["Properties"]
    assert properties["VersioningConfiguration"] == {"Status": "Enabled"}
    assert set(properties["PublicAccessBlockConfiguration"].values()) == {True}
    assert len(properties["PublicAccessBlockConfiguration"]) == 4
    (rule,) = properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"
    statements = RESOURCES[f"{bucket}Policy"]["Properties"]["PolicyDocument"]["Statement"]
    assert {statement["Effect"] for statement in statements} == {"Deny"}
    assert {"Bool": {"aws:SecureTransport": "false"}} in [statement.get("Condition") for statement in statements]


def test_what_is_published_is_locked() -> None:
    properties = RESOURCES["Archive"]["Properties"]
    assert properties["ObjectLockEnabled"] is True
    retention = properties["ObjectLockConfiguration"]["Rule"]["DefaultRetention"]
    assert retention == {"Mode": "COMPLIANCE", "Days": {"Ref": "LockDays"}}
    (denied,) = [
        statement["Action"]
        for statement in RESOURCES["ArchivePolicy"]["Properties"]["PolicyDocument"]["Statement"]
        if statement["Sid"] == "NothingIsDeleted"
    ]
    assert {"s3:DeleteObject", "s3:DeleteObjectVersion"} <= set(denied)


def test_the_state_machine_calls_what_it_may() -> None:
    audit = RESOURCES["Audit"]["Properties"]
    definition = (ROOT / audit["DefinitionUri"]).read_text()
    steps = ["PlanAudit", "AuditSpan", "SummariseAudit"]
    assert set(re.findall(r"\$\{(\w+)\}", definition)) == set(audit["DefinitionSubstitutions"]) == {*steps, "Reports"}
    invoked = audit["Policies"][0]["Statement"][0]
    assert invoked["Action"] == ["lambda:InvokeFunction"]
    assert [one["Ref"] for one in invoked["Resource"]] == [f"{name}.Alias" for name in steps]
    granted = [action for statement in audit["Policies"][0]["Statement"] for action in statement["Action"]]
    states = ["states:StartExecution", "states:DescribeExecution", "states:StopExecution"]
    assert granted == ["lambda:InvokeFunction", "s3:GetObject", *states]


def test_the_layer_is_what_a_lock_names() -> None:
    assert RESOURCES["EngineLayer"]["Properties"]["ContentUri"] == "layers/engine"
    layer = {line for line in (ROOT / "layers/engine/requirements.txt").read_text().splitlines() if "==" in line}
    desk = set((ROOT / "requirements/desk.txt").read_text().splitlines())
    dev = set((ROOT / "requirements/dev.txt").read_text().splitlines())
    assert layer
    assert layer <= desk
    assert layer <= dev
