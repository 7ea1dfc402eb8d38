"""What every root key and every master secret must do, in files and in KMS."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from moto import mock_aws

from cardroom.adapters import kms
from cardroom.adapters.clock import SystemClock
from cardroom.adapters.key_files import KeyFileInvalid, KeyFileMaster, KeyFileRoot, read_roots
from cardroom.adapters.kms import KmsMaster, KmsRoot
from cardroom.signing.certificate import EphemeralSigner, KeysUnavailable, Root, RootVerifier, parse_time
from cardroom.signing.signature import Compact, check_signature, jwk_of, key_of, thumbprint

ADAPTERS = ["files", "kms"]


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, value in {"DEFAULT_REGION": "us-east-1", "ACCESS_KEY_ID": "x", "SECRET_ACCESS_KEY": "x"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    kms.kms_client.cache_clear()
    with mock_aws():
        yield boto3.client("kms")
    kms.kms_client.cache_clear()


@pytest.fixture(params=ADAPTERS)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Root:
    if request.param == "files":
        return KeyFileRoot(tmp_path / "keys")
    return KmsRoot(kms_key(request.getfixturevalue("aws"), "ECC_NIST_P256", "SIGN_VERIFY"))


@pytest.fixture(params=ADAPTERS)
def master(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Any]:
    """Makes the master of an epoch, over the same keys each time."""
    if request.param == "files":
        return lambda epoch: KeyFileMaster(tmp_path / "keys", epoch=epoch)
    key = kms_key(request.getfixturevalue("aws"), "HMAC_256", "GENERATE_VERIFY_MAC")
    return lambda epoch: KmsMaster(key, epoch=epoch)


def kms_key(client: Any, spec: str, usage: str) -> str:
    found: str = client.create_key(KeySpec=spec, KeyUsage=usage)["KeyMetadata"]["KeyId"]
    return found


# -- every adapter


def test_a_root_signs_with_the_key_it_shows(root: Root) -> None:
    for number in range(20):  # half of all signatures have the high s before it is turned
        message = b"message %d" % number
        check_signature(Compact("", b"", root.certify(message), message), key_of(root.jwks()[0]))


def test_a_root_is_named_by_its_thumbprint(root: Root) -> None:
    (jwk,) = root.jwks()
    assert jwk["kid"] == thumbprint(jwk)
    assert root.jwks() == root.jwks()


def test_records_verify_by_the_root(root: Root) -> None:
    clock = SystemClock()
    signer = EphemeralSigner(root=root, audience="test")
    payload = {"at": clock.now()}
    assert RootVerifier(signer.roots(), "test").verify(signer.sign(payload)) == payload


def test_a_master_is_32_bytes_and_stays(master: Callable[[str], Any]) -> None:
    one = master("1")
    assert one.epoch == "1"
    assert len(one.secret("1")) == 32
    assert one.secret("1") == master("1").secret("1")


def test_an_earlier_epoch_is_still_known(master: Callable[[str], Any]) -> None:
    first = master("1").secret("1")
    later = master("2")
    assert later.secret("2") != first
    assert later.secret("1") == first


# -- files


def test_secrets_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        KeyFileRoot(tmp_path / "k").jwks()
        KeyFileMaster(tmp_path / "k").secret("1")
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "k").iterdir()}
    assert modes == {"root-key.pem": 0o600, "root.pem": 0o644, "master-1.key": 0o600}
    assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["root-key.pem", "master-1.key"])
def test_a_secret_that_others_may_read_is_refused(tmp_path: Path, name: str) -> None:
    KeyFileRoot(tmp_path).jwks()
    KeyFileMaster(tmp_path).secret("1")
    (tmp_path / name).chmod(0o640)
    with pytest.raises(KeysUnavailable, match=f"{name} may be read by others than its owner: chmod 600") as refused:
        KeyFileRoot(tmp_path).jwks()
        KeyFileMaster(tmp_path).secret("1")
    assert not refused.value.lost


@pytest.mark.parametrize("name", ["root-key.pem", "root.pem", "master-1.key"])
def test_a_file_that_the_system_keeps_from_us_is_no_loss(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir(mode=0o700)
    with pytest.raises(KeysUnavailable, match=rf"{name} cannot be used: .*Is a directory") as refused:
        KeyFileRoot(tmp_path).jwks()
        KeyFileMaster(tmp_path).secret("1")
    assert not refused.value.lost


def test_the_keys_outlive_the_process(tmp_path: Path) -> None:
    assert KeyFileRoot(tmp_path).jwks() == KeyFileRoot(tmp_path).jwks()


def test_eight_starts_at_once_agree_on_the_keys(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        kids = set(pool.map(lambda _: KeyFileRoot(tmp_path).jwks()[0]["kid"], range(8)))
        secrets = set(pool.map(lambda _: KeyFileMaster(tmp_path).secret("1"), range(8)))
    assert (len(kids), len(secrets)) == (1, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["master-1.key", "root-key.pem", "root.pem"]


def test_the_public_file_is_for_the_auditor(tmp_path: Path) -> None:
    root = KeyFileRoot(tmp_path)
    jwks = root.jwks()
    assert read_roots(tmp_path / "root.pem") == jwks
    both = tmp_path / "both.pem"
    other = KeyFileRoot(tmp_path / "other")
    other.jwks()
    both.write_bytes((tmp_path / "root.pem").read_bytes() + (tmp_path / "other/root.pem").read_bytes())
    assert read_roots(both) == [*jwks, *other.jwks()]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no PEM public key"),
        (b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "holds a public key that cannot be read"),
        (
            ec.generate_private_key(ec.SECP384R1())
            .public_key()
            .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
            "holds a key that is not on P-256",
        ),
    ],
)
def test_a_public_file_of_something_else(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "root.pem"
    path.write_bytes(content)
    with pytest.raises(KeyFileInvalid, match=message):
        read_roots(path)


def test_a_root_is_the_one_that_its_public_file_tells_of(tmp_path: Path) -> None:
    KeyFileRoot(tmp_path).jwks()
    KeyFileRoot(tmp_path / "other").jwks()
    (tmp_path / "root-key.pem").write_bytes((tmp_path / "other/root-key.pem").read_bytes())
    with pytest.raises(KeysUnavailable, match=r"root-key\.pem is another key than the one that .*root\.pem") as refused:
        KeyFileRoot(tmp_path).jwks()
    assert refused.value.lost
    public = tmp_path / "root.pem"
    public.write_bytes(b"")
    with pytest.raises(KeysUnavailable, match=r"root\.pem holds no PEM public key: remove it, and it is written again"):
        KeyFileRoot(tmp_path).jwks()
    public.unlink()
    assert KeyFileRoot(tmp_path).jwks() == read_roots(public) == read_roots(tmp_path / "other/root.pem")


def test_a_private_file_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "root-key.pem"
    path.touch(mode=0o600)
    with pytest.raises(KeysUnavailable, match="is no PEM private key without password: put the file back") as refused:
        KeyFileRoot(tmp_path).jwks()
    assert refused.value.lost


def test_a_master_of_another_length(tmp_path: Path) -> None:
    path = tmp_path / "master-1.key"
    path.touch(mode=0o600)
    path.write_bytes(b"short")
    with pytest.raises(KeysUnavailable, match="has 5 bytes, a master secret has 32: put the file back") as refused:
        KeyFileMaster(tmp_path).secret("1")
    assert refused.value.lost


@pytest.mark.parametrize("epoch", ["9", "../x", "", "a/b"])
def test_the_master_of_an_unknown_epoch_is_never_made(tmp_path: Path, epoch: str) -> None:
    told = "master-9.key is missing, and records need it: put" if epoch == "9" else "no master secret of epoch"
    with pytest.raises(KeysUnavailable, match=told) as refused:
        KeyFileMaster(tmp_path).secret(epoch)
    assert refused.value.lost
    assert list(tmp_path.iterdir()) == []


def test_an_epoch_is_no_path(tmp_path: Path) -> None:
    with pytest.raises(KeysUnavailable, match=r"epoch '\.\./x' is none: set CARDROOM_EPOCH to up to 32 letters"):
        KeyFileMaster(tmp_path, epoch="../x")


# -- KMS


def test_the_master_is_the_mac_of_its_epoch(aws: Any) -> None:
    key = kms_key(aws, "HMAC_256", "GENERATE_VERIFY_MAC")
    secret = KmsMaster(key, epoch="7").secret("7")
    assert aws.verify_mac(KeyId=key, Message=b"cardroom/master/v1/7", MacAlgorithm="HMAC_SHA_256", Mac=secret)[
        "MacValid"
    ]


def test_kms_is_asked_once(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    client = kms.kms_client(None)
    client.meta.events.register("before-call.kms", lambda model, **_: calls.append(model.name))
    root = KmsRoot(kms_key(aws, "ECC_NIST_P256", "SIGN_VERIFY"))
    master = KmsMaster(kms_key(aws, "HMAC_256", "GENERATE_VERIFY_MAC"), epoch="1")
    signer = EphemeralSigner(root=root, audience="test")
    assert calls == []
    for _ in range(3):
        signer.sign({"at": SystemClock().now()})
        master.secret("1")
    assert sorted(calls) == ["GenerateMac", "GetPublicKey", "Sign"]


def test_retired_roots_are_still_shown(aws: Any) -> None:
    old = jwk_of(ec.generate_private_key(ec.SECP256R1()).public_key())
    root = KmsRoot(kms_key(aws, "ECC_NIST_P256", "SIGN_VERIFY"), retired=[old])
    assert root.jwks()[1:] == [old]


def test_kms_out_of_reach_is_a_refusal(aws: Any) -> None:
    with pytest.raises(KeysUnavailable, match="KMS get_public_key failed") as refused:
        KmsRoot("00000000-0000-0000-0000-000000000000").jwks()
    assert isinstance(refused.value.__cause__, ClientError)


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        *((code, True) for code in ("NotFoundException", "KMSInvalidStateException")),
        *((code, False) for code in ("DisabledException", "AccessDeniedException")),
        *((code, False) for code in ("ThrottlingException", "KeyUnavailableException", "KMSInternalException")),
        *((code, False) for code in ("DependencyTimeoutException", "ExpiredTokenException")),
        (None, False),  # no answer at all
    ],
)
def test_kms_tells_a_loss_from_what_passes(monkeypatch: pytest.MonkeyPatch, error: str | None, lost: bool) -> None:
    class Client:
        def generate_mac(self, **_: Any) -> Any:
            if error is None:
                raise EndpointConnectionError(endpoint_url="https://kms")
            raise ClientError({"Error": {"Code": error, "Message": "so it is"}}, "GenerateMac")

    monkeypatch.setattr(kms, "kms_client", lambda _: Client())
    with pytest.raises(KeysUnavailable, match="KMS generate_mac failed") as refused:
        KmsMaster("key", epoch="1").secret("1")
    assert refused.value.lost is lost


def test_another_kind_of_kms_key_is_an_error_of_the_deployment(aws: Any) -> None:
    for spec in ("RSA_2048", "ECC_NIST_P384"):
        with pytest.raises(TypeError, match="is not of the kind ECC_NIST_P256"):
            KmsRoot(kms_key(aws, spec, "SIGN_VERIFY")).jwks()


def test_the_clock_has_milliseconds() -> None:
    parse_time(SystemClock().now())
