"""Deploys `template.yaml` into ministack: packed here and handed to CloudFormation, or by SAM itself, which is slower.

With `CARDROOM_BY_SAM` in the environment (`make ministack-audit`) it is `sam build` and `sam deploy`. Either way
ministack ignores Object Lock in a template, reads state machines as JSON only, and runs functions by its own
interpreter, so that what a layer takes from elsewhere is ministack's own.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import boto3
import yaml

from cardroom.adapters import environment
from cardroom_desk.local.template import load_template
from tools import ministack

ROOT = Path(__file__).parents[2]
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
}
CODE = "code"
STACK = "cardroom"
CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
BUILT = ROOT / ".aws-sam/local"


class Stack(NamedTuple):
    endpoint: str
    outputs: dict[str, str]

    def client(self, service: str) -> Any:
        return boto3.client(service, endpoint_url=self.endpoint)


@contextmanager
def deployed(*, architecture: str = "x86_64") -> Iterator[Stack]:
    """The stack in a ministack of its own; this process's environment is that of its functions."""
    with patch.dict(os.environ, CREDENTIALS), ministack.running() as endpoint:
        os.environ.pop("AWS_PROFILE", None)
        s3 = boto3.client("s3", endpoint_url=endpoint)
        s3.create_bucket(Bucket=CODE)
        formation = boto3.client("cloudformation", endpoint_url=endpoint)
        parameters = {"Architecture": architecture, "CardroomAwsEndpoint": endpoint}
        if os.environ.get("CARDROOM_BY_SAM"):
            _deploy_by_sam(endpoint, parameters)
        else:
            s3.put_object(Bucket=CODE, Key="template.json", Body=json.dumps(_packed(s3)).encode())
            formation.create_stack(
                StackName=STACK,
                TemplateURL=f"{endpoint}/{CODE}/template.json",
                Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
                Capabilities=CAPABILITIES,
            )
        formation.get_waiter("stack_create_complete").wait(StackName=STACK, WaiterConfig={"Delay": 1})
        (stack,) = formation.describe_stacks(StackName=STACK)["Stacks"]
        outputs = {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
        with patch.dict(os.environ, _variables(endpoint, outputs)):
            environment.forget()
            yield Stack(endpoint, outputs)
            environment.forget()


def _for_a_laptop(definition: dict[str, Any]) -> dict[str, Any]:
    """Two spans at once: each is a process of its own here."""
    definition["States"]["Spans"]["MaxConcurrency"] = 2
    return definition


def _deploy_by_sam(endpoint: str, parameters: dict[str, str]) -> None:
    subprocess.run([ROOT / "tools/build", parameters["Architecture"], BUILT], check=True, stdout=subprocess.DEVNULL)
    definition = BUILT / "audit.asl.json"
    definition.write_text(json.dumps(_for_a_laptop(json.loads(definition.read_text()))))
    options = ["--template-file", BUILT / "template.yaml", "--stack-name", STACK, "--s3-bucket", CODE]
    options += ["--region", "us-east-1", "--no-confirm-changeset", "--capabilities", *CAPABILITIES]
    options += ["--parameter-overrides", *(f"{name}={value}" for name, value in parameters.items())]
    subprocess.run(
        [ROOT / ".venv-sam/bin/sam", "deploy", *options],
        check=True,
        capture_output=True,
        env={**os.environ, "AWS_ENDPOINT_URL": endpoint, "SAM_CLI_TELEMETRY": "0"},
    )


def _variables(endpoint: str, outputs: dict[str, str]) -> dict[str, str]:
    return {
        "CARDROOM_DATA": "",
        "CARDROOM_AWS_ENDPOINT": endpoint,
        "CARDROOM_TABLE": outputs["TableName"],
        "CARDROOM_ROOT_KEY_ID": outputs["RootKeyArn"],
        "CARDROOM_MASTER_KEY_ID": outputs["MasterKeyArn"],
        "CARDROOM_CHECKPOINT_KEY_ID": outputs["CheckpointKeyArn"],
        "CARDROOM_ARCHIVE": outputs["ArchiveName"],
        "CARDROOM_REPORTS": outputs["ReportsName"],
        "CARDROOM_DEPLOYMENT": f"us-east-1/000000000000/{STACK}",
    }


def _packed(s3: Any) -> dict[str, Any]:
    """The template with the places of its code, which is put there."""
    template: dict[str, Any] = load_template(ROOT / "template.yaml")
    for name, resource in template["Resources"].items():
        properties = resource["Properties"]
        if "CodeUri" in properties:
            properties["CodeUri"] = _put(s3, name, ROOT / properties["CodeUri"], "")
        elif "ContentUri" in properties:
            properties["ContentUri"] = _put(s3, name, ROOT / properties["ContentUri"], "python/")
        elif "DefinitionUri" in properties:
            definition = yaml.safe_load((ROOT / properties.pop("DefinitionUri")).read_text())
            properties["Definition"] = _for_a_laptop(definition)
    return template


def _put(s3: Any, name: str, folder: Path, prefix: str) -> str:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, prefix + str(path.relative_to(folder)))
    s3.put_object(Bucket=CODE, Key=f"{name}.zip", Body=content.getvalue())
    return f"s3://{CODE}/{name}.zip"
