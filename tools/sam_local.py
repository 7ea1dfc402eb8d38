"""Plays a round on `sam local`: the functions in containers of the Lambda runtime, their ledger and keys in ministack.

Needs a Docker engine. Where none answers, the helper `lambda-image` of the machine is asked for one, if there is one;
without an engine this fails and says so. What it starts ends with it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

import boto3
import urllib3

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import ministack  # noqa: E402  (a script finds its neighbours only by the line above)

SAM: Final = ROOT / ".venv-sam/bin/sam"
BUILT: Final = ROOT / ".aws-sam/local"
HELPER: Final = ROOT.parent / "shared/tools/lambda-image"
IMAGE: Final = "public.ecr.aws/lambda/python:3.13"
DOCKER_PID: Final = Path("/var/run/docker.pid")

EVENTS: Final = ROOT / "events"
# The functions, in the order in which their events make sense: who calls, then what is called, then what looks back.
FUNCTIONS: Final = {
    "authorize": "Authorize",
    "shuffle_and_deal": "ShuffleAndDeal",
    "settle_round": "SettleRound",
    "set_house_way": "SetHouseWay",
    "read_records": "ReadRecords",
    "plan_audit": "PlanAudit",
    "audit_span": "AuditSpan",
    "summarise_audit": "SummariseAudit",
    "publish_checkpoint": "PublishCheckpoint",
}


def cases() -> list[tuple[str, int | None]]:
    """Every file of events/ in an order that makes sense, and the status of its answer, None if it is no call of HTTP.

    Calls go in the order of their request ids, the ledger's records before whoever audits them.
    """
    from cardroom.wire import openapi

    statuses = {(call.method.upper(), call.path): (call.status, call.scope) for call in openapi.CALLS}
    calls, others = list[tuple[str, str, int]](), list[str]()
    for path in EVENTS.rglob("*.json"):
        case, event = str(path.relative_to(EVENTS).with_suffix("")), json.loads(path.read_text("utf-8"))
        if "httpMethod" in event:
            called, scope = statuses[event["httpMethod"], event["resource"]]
            granted = event["requestContext"].get("authorizer", {}).get("scopes", "").split()
            if scope == "correct" and scope not in granted:
                called = 403  # a correction names a record by its hash, which no file can know beforehand
            calls.append((event["requestContext"]["requestId"], case, called))
        else:
            others.append(case)
    others.sort(key=lambda case: [*FUNCTIONS].index(case.split("/", maxsplit=1)[0]))
    told: list[tuple[str, int | None]] = [(case, called) for _, case, called in sorted(calls)]
    return [(others[0], None), *told, *((case, None) for case in others[1:])]


class Failed(Exception):
    """A step did not do what it should; the message says which."""


def main() -> int:
    """Run all steps; 0 if each did what it should."""
    try:
        with engine():
            play()
    except (Failed, subprocess.CalledProcessError, RuntimeError) as error:
        print(f"sam-local: {error}", file=sys.stderr)
        return 1
    print("sam-local: a round was played on sam local, and every event of events/ was answered")
    return 0


@contextmanager
def engine() -> Iterator[None]:
    """A Docker engine with the Lambda image; one that was started for us is ended again."""
    was_running = answers("docker", "info")
    is_ready = was_running and answers("docker", "image", "inspect", IMAGE)
    if not is_ready and HELPER.is_file():
        say(f"{HELPER} makes an engine and an image ready")
        subprocess.run([HELPER], check=False)
    if not answers("docker", "info"):
        raise Failed(
            "no Docker engine answers (`docker info`), and `sam local` runs functions in containers: start one"
        )
    try:
        yield
    finally:
        if not was_running and DOCKER_PID.is_file():
            os.kill(int(DOCKER_PID.read_text()), signal.SIGTERM)


def play() -> None:
    """Build, play the demo's round on `sam local start-api`, invoke each event."""
    machine = output("docker", "info", "--format", "{{.Architecture}}")
    architecture = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}[machine]
    say(f"building for {architecture}")
    subprocess.run([ROOT / "tools/build", architecture, BUILT], check=True, stdout=subprocess.DEVNULL)
    # The gateway of a bridge is the first address of its network; the engine names it only once it was used.
    subnet = output("docker", "network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Subnet}}")
    bridge = str(ip_network(subnet)[1])
    before = containers()
    with tempfile.TemporaryDirectory(prefix="cardroom-sam-") as folder, ministack.running(host=bridge) as endpoint:
        try:
            variables = Path(folder) / "variables.json"
            settings = furnish(endpoint)
            variables.write_text(json.dumps({"Parameters": settings}))
            options = ["--template", BUILT / "template.yaml", "--env-vars", variables, "--region", "us-east-1"]
            options += ["--parameter-overrides", f"Architecture={architecture}"]
            if answers("docker", "image", "inspect", IMAGE):
                options += ["--skip-pull-image"]
            token = add_operator(settings)
            with api(options, Path(folder) / "start-api.log") as url:
                refuses_strangers(url)
                subprocess.run(
                    [Path(sys.executable).with_name("cardroom"), "demo", "--url", url, "--token", token], check=True
                )
            for case, status in cases():
                invoke(case, status, options)
        finally:
            for container in containers() - before:
                subprocess.run(["docker", "rm", "--force", container], check=False, stdout=subprocess.DEVNULL)


def furnish(endpoint: str) -> dict[str, str]:
    """A table and keys in ministack; answers the variables that the functions find them by."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        os.environ[name] = "testing"
    os.environ["AWS_DEFAULT_REGION"] = "us-east-1"
    os.environ.pop("AWS_PROFILE", None)
    keys = boto3.client("kms", endpoint_url=endpoint)
    root = keys.create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")
    master = keys.create_key(KeySpec="HMAC_256", KeyUsage="GENERATE_VERIFY_MAC")
    checkpoint = keys.create_key(KeySpec="ECC_NIST_EDWARDS25519", KeyUsage="SIGN_VERIFY")
    for bucket in ("cardroom-archive", "cardroom-reports"):
        boto3.client("s3", endpoint_url=endpoint).create_bucket(Bucket=bucket)
    boto3.client("dynamodb", endpoint_url=endpoint).create_table(
        TableName="cardroom",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    )
    return {
        "CARDROOM_TABLE": "cardroom",
        "CARDROOM_ROOT_KEY_ID": root["KeyMetadata"]["KeyId"],
        "CARDROOM_MASTER_KEY_ID": master["KeyMetadata"]["KeyId"],
        "CARDROOM_CHECKPOINT_KEY_ID": checkpoint["KeyMetadata"]["KeyId"],
        "CARDROOM_ARCHIVE": "cardroom-archive",
        "CARDROOM_REPORTS": "cardroom-reports",
        "CARDROOM_DEPLOYMENT": "sam-local",
        "CARDROOM_AWS_ENDPOINT": endpoint,
    }


def add_operator(settings: dict[str, str]) -> str:
    """The operator of the events, whose secret is all zeros; answers its token."""
    os.environ.update(settings)
    os.environ.pop("CARDROOM_DATA", None)
    from cardroom.adapters import environment  # reads the variables set above
    from cardroom.services import credentials

    return credentials.issue(environment.operators(), "demo", ("play", "read"), bytes)


@contextmanager
def api(options: list[Any], log: Path) -> Iterator[str]:
    """`sam local start-api` on a free port; yields its URL once a function answers."""
    port = ministack.free_port("127.0.0.1")
    url = f"http://127.0.0.1:{port}"
    command = [SAM, "local", "start-api", "--port", str(port), "--warm-containers", "LAZY", *options]
    with log.open("wb") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT, env=sam_environment())
    try:
        say(f"sam local start-api at {url}")
        deadline = time.monotonic() + 180
        while status(url + "/v1/health") != 200:
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"sam local start-api does not answer:\n{log.read_text()}")
            time.sleep(0.5)
        yield url
    except subprocess.CalledProcessError as error:
        raise Failed(f"{error}\n{log.read_text()}") from error
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def refuses_strangers(url: str) -> None:
    """The authorizer lets nobody in without a token, or with a wrong one."""
    wrong = {"Authorization": "Bearer demo." + "B" * 43}
    # An authorizer that raises "Unauthorized" is a 401 on AWS, and a failed authorizer to `sam local`.
    for headers, refusals in ((None, {401}), (wrong, {401, 502})):
        answered = status(url + "/v1/rulesets", headers)
        if answered not in refusals:
            raise Failed(f"GET /v1/rulesets with {'a wrong' if headers else 'no'} token was answered with {answered}")


def invoke(case: str, expected: int | None, options: list[Any]) -> None:
    """`sam local invoke` with one event; its answer has the expected status."""
    function = FUNCTIONS[case.split("/", maxsplit=1)[0]]
    command = [SAM, "local", "invoke", function, "--event", EVENTS / f"{case}.json", *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=sam_environment())
    try:
        answer = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        raise Failed(f"events/{case}.json: no answer\n{done.stdout}\n{done.stderr}") from None
    if "errorMessage" in answer or answer.get("statusCode") != expected:
        raise Failed(f"events/{case}.json: expected {expected}, answered {json.dumps(answer)[:2000]}\n{done.stderr}")
    say(f"events/{case}.json: {expected or ', '.join(answer)}")


def status(url: str, headers: dict[str, str] | None = None) -> int:
    """The status of a GET, 0 if nothing answers."""
    try:
        return urllib3.request("GET", url, headers=headers, retries=False, timeout=60).status
    except urllib3.exceptions.HTTPError:
        return 0


def sam_environment() -> dict[str, str]:
    """The environment of SAM: ours, and nothing told to anyone."""
    return {**os.environ, "SAM_CLI_TELEMETRY": "0"}


def containers() -> set[str]:
    """The ids of all containers."""
    return set(output("docker", "ps", "--all", "--quiet", "--no-trunc").split())


def answers(*command: str) -> bool:
    """Whether a command can be run, and succeeds."""
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def output(*command: str) -> str:
    """What a command prints; raises if it fails."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def say(text: str) -> None:
    """Tell how far we are."""
    print(f"sam-local: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
