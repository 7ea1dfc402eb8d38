"""Records are signed by a certified key, and everything but a genuine record is refused by name."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from hypothesis import given, settings
from hypothesis import strategies as st

from cardroom import canonical
from cardroom.signing.certificate import (
    CertificateExpired,
    CertificateForeign,
    CertificateInvalid,
    EphemeralSigner,
    KeyForeign,
    KeysUnavailable,
    RootVerifier,
    issue,
)
from cardroom.signing.signature import (
    MAX_CHARS,
    AlgForbidden,
    Malformed,
    NotCanonical,
    RecordFault,
    RecordTooLarge,
    SignatureInvalid,
    SignatureNotLow,
    TypeForeign,
    b64url,
    jwk_of,
    key_of,
    raw_low_s,
    thumbprint,
    unb64url,
)
from tests.audit.play import signed_by_an_old_key

Json = dict[str, Any]
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
ECDSA = ec.ECDSA(hashes.SHA256())
NOW = "2026-11-29T21:00:00.000Z"


class MemoryRoot:
    """A root key in memory that can be out of reach, and counts its signatures."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.down = False
        self.calls = 0

    def jwks(self) -> list[Json]:
        return [jwk_of(self._key.public_key())]

    def certify(self, message: bytes) -> bytes:
        self.calls += 1
        if self.down:
            raise KeysUnavailable("out of reach")
        return raw_low_s(self._key.sign(message, ECDSA))


class SetClock:
    """A clock that stands."""

    def __init__(self, time: str = NOW) -> None:
        self.time = time

    def now(self) -> str:
        return self.time

    def move(self, **by: int) -> None:
        later = datetime.fromisoformat(self.time) + timedelta(**by)
        self.time = later.isoformat(timespec="milliseconds").replace("+00:00", "Z")


ROOT = MemoryRoot()
SIGNER = EphemeralSigner(root=ROOT, audience="test")
VERIFIER = RootVerifier(ROOT.jwks(), "test")
PAYLOAD = {"at": NOW, "note": "Größe ♠ 😀", "amount": 2**53 - 1}
JWS = SIGNER.sign(PAYLOAD)


def read(jws: str) -> tuple[Json, bytes, bytes]:
    head, payload, signature = map(unb64url, jws.split("."))
    return json.loads(head), payload, signature


def put(header: Json | bytes, payload: bytes, key: ec.EllipticCurvePrivateKey) -> str:
    """A JWS of any header and payload by a key of the test's."""
    head = header if isinstance(header, bytes) else canonical.dumps(header)
    signed = f"{b64url(head)}.{b64url(payload)}"
    return f"{signed}.{b64url(raw_low_s(key.sign(signed.encode(), ECDSA)))}"


def own_key(**claims: Any) -> tuple[Json, ec.EllipticCurvePrivateKey]:
    """A genuine header with a key that the test holds, and claims of the test's."""
    key = ec.generate_private_key(ec.SECP256R1())
    jwk = jwk_of(key.public_key())
    kid = jwk.pop("kid")
    start = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
    crt = issue(ROOT, jwk=jwk, audience="test", issued=start, expires=start + timedelta(hours=2))
    if claims:
        head, payload, _ = crt.split(".")
        changed = json.loads(unb64url(payload)) | claims
        signed = f"{head}.{b64url(canonical.dumps(changed))}"
        crt = f"{signed}.{b64url(ROOT.certify(signed.encode()))}"
    return {"alg": "ES256", "crt": crt, "kid": kid, "typ": "cardroom-record+json"}, key


def refused(jws: str, fault: type[RecordFault], message: str, verifier: RootVerifier = VERIFIER) -> None:
    with pytest.raises(RecordFault) as raised:
        verifier.verify(jws)
    assert type(raised.value) is fault, repr(raised.value)
    assert message in str(raised.value)


# -- what is signed


def test_what_was_signed_is_read_back() -> None:
    assert VERIFIER.verify(JWS) == PAYLOAD


def test_the_header_has_exactly_four_fields() -> None:
    header, payload, _ = read(JWS)
    assert header.keys() == {"alg", "crt", "kid", "typ"}
    assert (header["alg"], header["typ"]) == ("ES256", "cardroom-record+json")
    assert payload == canonical.dumps(PAYLOAD)


def test_the_certificate_is_a_jwt_for_half_a_day() -> None:
    header, claims, _ = read(read(JWS)[0]["crt"])
    assert header == {"alg": "ES256", "kid": ROOT.jwks()[0]["kid"], "typ": "cardroom-certificate+jwt"}
    found = json.loads(claims)
    assert found.keys() == {"aud", "cnf", "exp", "iat", "iss", "nbf"}
    assert (found["aud"], found["iss"]) == ("test", ROOT.jwks()[0]["kid"])
    assert (found["iat"] - found["nbf"], found["exp"] - found["nbf"]) == (60, 12 * 3600)


@given(st.dictionaries(st.text(st.characters(max_codepoint=127)), st.text() | st.integers(-9, 9), max_size=4))
def test_signatures_hold_for_another_implementation(extra: Json) -> None:
    """ECDSA over the signing input, checked with nothing but the key of the certificate; s is always the low one."""
    payload = {**extra, "at": NOW}
    jws = SIGNER.sign(payload)
    assert VERIFIER.verify(jws) == payload
    header, _, signature = read(jws)
    key = key_of(json.loads(read(header["crt"])[1])["cnf"]["jwk"])
    r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:])
    key.verify(encode_dss_signature(r, s), jws.rpartition(".")[0].encode(), ECDSA)
    assert s <= ORDER // 2


def test_the_example_of_rfc_7515_verifies() -> None:
    """Appendix A.3: the key, and the thumbprint as RFC 7638 §3.1 makes it."""
    jwk = {
        "kty": "EC",
        "crv": "P-256",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    }
    signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    claims = b'{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}'
    signed = f"eyJhbGciOiJFUzI1NiJ9.{b64url(claims)}"
    raw = unb64url(signature)
    der = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    key_of(jwk).verify(der, signed.encode(), ECDSA)
    text = f'{{"crv":"P-256","kty":"EC","x":"{jwk["x"]}","y":"{jwk["y"]}"}}'
    assert thumbprint(jwk) == b64url(hashlib.sha256(text.encode()).digest())


def test_a_record_that_does_not_fit_the_ledger_is_refused() -> None:
    with pytest.raises(RecordTooLarge, match=f"at most {MAX_CHARS} fit"):
        SIGNER.sign({"at": NOW, "note": "x" * 300_000})


# -- what is refused


def test_alg_none() -> None:
    header, payload, _ = read(JWS)
    none = b64url(canonical.dumps({**header, "alg": "none"}))
    refused(f"{none}.{b64url(payload)}.", AlgForbidden, "alg is 'none': only ES256 is accepted")
    refused(f"{none}.{JWS.split('.', 1)[1]}", AlgForbidden, "alg is 'none'")


@pytest.mark.parametrize("alg", ["HS256", "ES384", "RS256", "es256", None, 1])
def test_other_algorithms(alg: object) -> None:
    header, payload, _ = read(JWS)
    _, key = own_key()
    refused(put({**header, "alg": alg}, payload, key), AlgForbidden, f"alg is {alg!a}")


def test_the_high_s() -> None:
    _, _, signature = read(JWS)
    high = signature[:32] + (ORDER - int.from_bytes(signature[32:])).to_bytes(32)
    refused(f"{JWS.rpartition('.')[0]}.{b64url(high)}", SignatureNotLow, "the high s")


@pytest.mark.parametrize("change", [lambda text: text + "=", lambda text: text + "A", lambda text: text[:-1] + "B"])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_base64url_in_another_form(change: Callable[[str], str], part: int) -> None:
    parts = JWS.split(".")
    parts[part] = change(parts[part])
    with pytest.raises(RecordFault):
        VERIFIER.verify(".".join(parts))


@given(st.text("ABCDwxyz0189-_+/=\n é", max_size=9) | st.binary(max_size=9).map(b64url))
def test_only_the_one_text_of_some_bytes_is_read(text: str) -> None:
    """Beside the plain way: decode leniently, encode again, compare."""
    try:
        decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        expected = decoded if b64url(decoded) == text else None
    except ValueError:
        expected = None
    try:
        found: bytes | None = unb64url(text)
    except Malformed:
        found = None
    assert found == expected


def test_a_last_character_that_decodes_alike() -> None:
    """64 bytes leave four idle bits in the last character: `A` and `B` decode to the same."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    other = JWS[:-1] + alphabet[alphabet.index(JWS[-1]) + 1]
    refused(other, Malformed, "base64url that does not re-encode to itself")


@pytest.mark.parametrize(
    "jws", ["", "a.b", "a.b.c.d", JWS + ".", JWS + "\n", "é." + JWS, "x" * (MAX_CHARS + 1), "..", JWS[:-1]]
)
def test_what_is_no_jws(jws: str) -> None:
    with pytest.raises(Malformed):
        VERIFIER.verify(jws)


@pytest.mark.parametrize(
    ("payload", "fault", "message"),
    [
        (b'{"at": "2026-11-29T21:00:00.000Z"}', NotCanonical, "payload: not in canonical form"),
        (b'{"at":"2026-11-29T21:00:00.000Z","at":"2026-11-29T21:00:00.000Z"}', NotCanonical, "keys unsorted or twice"),
        (b'{"amount":1.5,"at":"2026-11-29T21:00:00.000Z"}', Malformed, "1.5 is not an integer"),
        ('{"at":"2026-11-29T21:00:00.000Z","é":1}'.encode(), NotCanonical, "keys are ASCII text"),
        (b"[]", Malformed, "a JSON list, not an object"),
        (b"{}", Malformed, "at: None is no time"),
        (b'{"at":"2026-11-29T21:00:00Z"}', Malformed, "is no time in the form"),
        (b'{"at":"2026-13-29T21:00:00.000Z"}', Malformed, "at: month must be in 1..12"),
        (b"\xff", Malformed, "not UTF-8"),
        (b"", Malformed, "not JSON"),
    ],
)
def test_a_signed_payload_in_another_form(payload: bytes, fault: type[RecordFault], message: str) -> None:
    header, key = own_key()
    refused(put(header, payload, key), fault, message)


@pytest.mark.parametrize(
    ("change", "fault", "message"),
    [
        ({"typ": "cardroom-export+json"}, TypeForeign, "cardroom-record+json belongs here"),
        ({"typ": "JWT"}, TypeForeign, "typ is 'JWT'"),
        ({"kid": "x"}, KeyForeign, "kid is x, the certificate is for"),
        ({"crit": ["exp"]}, Malformed, "the header has the fields"),
        ({"jwk": {}}, Malformed, "the header has the fields"),
        ({"crt": 1}, Malformed, "the header has the fields"),
        ({"crt": "x"}, CertificateInvalid, "not a compact JWS"),
    ],
)
def test_another_header(change: Json, fault: type[RecordFault], message: str) -> None:
    header, key = own_key()
    refused(put({**header, **change}, canonical.dumps(PAYLOAD), key), fault, message)


def test_a_header_in_another_form() -> None:
    header, key = own_key()
    refused(put(json.dumps(header).encode(), canonical.dumps(PAYLOAD), key), NotCanonical, "header: not in canonical")


def test_another_key_under_a_genuine_certificate() -> None:
    header, _ = own_key()
    _, other = own_key()
    refused(put(header, canonical.dumps(PAYLOAD), other), SignatureInvalid, "the signature does not fit")


def test_a_record_as_a_certificate() -> None:
    header, key = own_key()
    refused(put({**header, "crt": JWS}, canonical.dumps(PAYLOAD), key), CertificateInvalid, "type-foreign")


@pytest.mark.parametrize(
    ("claims", "fault", "message"),
    [
        ({"aud": "other"}, CertificateForeign, "issued for the deployment 'other', not 'test'"),
        ({"iss": "x"}, CertificateInvalid, "the claims are"),
        ({"more": 1}, CertificateInvalid, "the claims are"),
        ({"exp": 1795988400 + 13 * 3600}, CertificateInvalid, "at most 12 hours"),
        ({"exp": "1"}, CertificateInvalid, "ascending integers"),
        ({"nbf": True}, CertificateInvalid, "ascending integers"),
        ({"exp": 1}, CertificateInvalid, "ascending integers"),
        ({"cnf": {}}, CertificateInvalid, "cnf.jwk is no public key"),
        ({"cnf": {"jwk": {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}}}, CertificateInvalid, "32 bytes"),
        (
            {"cnf": {"jwk": {"kty": "EC", "crv": "P-256", "x": b64url(bytes(32)), "y": b64url(bytes(32))}}},
            CertificateInvalid,
            "no point on P-256",
        ),
    ],
)
def test_another_certificate(claims: Json, fault: type[RecordFault], message: str) -> None:
    header, key = own_key(**claims)
    refused(put(header, canonical.dumps(PAYLOAD), key), fault, message)


@pytest.mark.parametrize(
    ("claims", "fault", "message"),
    [
        ({"aud": ["test"]}, CertificateInvalid, "aud is a JSON list: the deployment is one text"),
        ({"aud": 1}, CertificateInvalid, "aud is 1: the deployment is one text"),
        ({"aud": None}, CertificateInvalid, "aud is None"),
        ({"aud": "x" * 3_000}, CertificateForeign, "issued for the deployment 'xxx"),
        ({"iss": ["x"]}, CertificateInvalid, "the claims are"),
        ({"cnf": []}, CertificateInvalid, "the claims are"),
        ({"cnf": {"jwk": [], "more": 1}}, CertificateInvalid, "cnf.jwk is no public key"),
        ({"nbf": 2**53 - 3, "iat": 2**53 - 2, "exp": 2**53 - 1}, CertificateInvalid, "before the year 10000"),
        ({"nbf": -(2**53) + 1, "iat": 1 - 2**53, "exp": 1 - 2**53}, CertificateInvalid, "before the year 10000"),
        ({"nbf": -1, "iat": 0, "exp": 0}, CertificateInvalid, "valid from -1 to 0"),
        ({"nbf": 253402300799, "iat": 253402300799, "exp": 253402300800}, CertificateInvalid, "before the year 10000"),
        ({"nbf": [1], "iat": {}, "exp": "1"}, CertificateInvalid, "are a JSON list, a JSON dict, '1'"),
        ({"nbf": 0, "iat": 0, "exp": 0}, CertificateExpired, "it is from 1970-01-01T00:00:00.000Z until 1970"),
    ],
)
def test_an_odd_certificate_of_the_genuine_root(claims: Json, fault: type[RecordFault], message: str) -> None:
    header, key = own_key(**claims)
    refused(put(header, canonical.dumps(PAYLOAD), key), fault, message)


def test_the_key_of_a_certificate_and_nothing_beside_it() -> None:
    header, key = own_key()
    jwk = json.loads(read(header["crt"])[1])["cnf"]["jwk"]
    for odd in ({"jwk": jwk, "kid": "x"}, {"jwk": {**jwk, "kid": "x"}}, {"jwk": {**jwk, "kty": ["EC"]}}):
        header, key = own_key(cnf=odd)
        refused(put(header, canonical.dumps(PAYLOAD), key), CertificateInvalid, "")


@pytest.mark.parametrize("name", ["x", "y"])
@pytest.mark.parametrize("value", [1, None, [], "", "é" * 43, "+" * 43, "A" * 44, "_" * 43])
def test_a_key_of_odd_coordinates(name: str, value: object) -> None:
    jwk = {**JWK, name: value}
    header, key = own_key(cnf={"jwk": jwk})
    refused(put(header, canonical.dumps(PAYLOAD), key), CertificateInvalid, "")
    with pytest.raises(Malformed):
        RootVerifier([jwk])  # type: ignore[list-item]


def test_a_root_without_coordinates() -> None:
    with pytest.raises(Malformed, match="no P-256 key"):
        RootVerifier([{"kty": "EC", "crv": "P-256"}])  # type: ignore[list-item]


JWK = {name: value for name, value in ROOT.jwks()[0].items() if name != "kid"}
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abé", max_size=3), inner, max_size=3),
    max_leaves=6,
)


def signed_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_whatever_the_genuine_root_certified_is_verified_or_refused_by_name(data: st.DataObject) -> None:
    """One or two claims, or members of the key or of a header, are anything; all is signed by the keys it names."""
    header, key = own_key()
    genuine = header["crt"]
    head, claims, _ = read(genuine)
    places = {"head": head, "claims": json.loads(claims), "header": header}
    places["jwk"] = places["claims"]["cnf"]["jwk"]
    for _ in range(data.draw(st.integers(1, 2))):
        place = places[data.draw(st.sampled_from(["head", "claims", "claims", "jwk", "header"]))]
        name = data.draw(st.sampled_from([*sorted(place), "more"]))
        if data.draw(st.booleans()):
            place.pop(name, None)
        else:
            place[name] = data.draw(ANY_JSON)
    if data.draw(st.booleans()):
        first = data.draw(st.integers(-(2**53) + 1, 2**53 - 10))
        places["claims"] |= {"nbf": first, "iat": first + 1, "exp": first + 2}
    if header.get("crt") == genuine:
        signed = f"{b64url(signed_json(head))}.{b64url(signed_json(places['claims']))}"
        header["crt"] = f"{signed}.{b64url(ROOT.certify(signed.encode()))}"
    try:
        VERIFIER.verify(put(signed_json(header), canonical.dumps(PAYLOAD), key))
    except RecordFault as fault:
        assert fault.code


def deep(depth: int, *, plain: bool) -> bytes:
    """Lists in lists; in the middle a text that has an escape, or none."""
    return b"[" * depth + (b'"x"' if plain else rb'"\\"') + b"]" * depth


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("place", ["payload", "at", "header", "claims"])
def test_deep_nesting_up_to_what_can_be_read_and_beyond(place: str, plain: bool) -> None:
    """The reader, the writer that it is compared with, and who tells of it give up at different depths."""
    for depth in [10, *range(sys.getrecursionlimit() - 200, sys.getrecursionlimit() + 20), 100_000]:
        header, key = own_key_kept()
        nested, payload, head = deep(depth, plain=plain), canonical.dumps(PAYLOAD), canonical.dumps(header)
        if place == "payload":
            payload = b'{"a":' + nested + b"," + payload[1:]
        elif place == "at":
            payload = b'{"at":' + nested + b"}"
        elif place == "header":
            head = b'{"alg":' + nested + b',"crt"' + head.partition(b'"crt"')[2]
        else:
            first, claims, _ = header["crt"].split(".")
            claimed = b'{"aud":' + nested + b',"cnf"' + unb64url(claims).partition(b'"cnf"')[2]
            signed = f"{first}.{b64url(claimed)}"
            head = canonical.dumps({**header, "crt": f"{signed}.{b64url(ROOT.certify(signed.encode()))}"})
        try:
            VERIFIER.verify(put(head, payload, key))
        except RecordFault as fault:
            assert fault.code != "signature-invalid"
        else:
            assert place == "payload"


own_key_kept = cache(own_key)


def test_an_unknown_root() -> None:
    refused(JWS, CertificateForeign, "which is not among the known ones", RootVerifier(MemoryRoot().jwks(), "test"))


def test_several_roots_may_be_valid() -> None:
    assert RootVerifier([*MemoryRoot().jwks(), *ROOT.jwks()]).verify(JWS) == PAYLOAD


def test_a_verifier_tells_which_root_certified_and_for_which_deployment() -> None:
    roots = [MemoryRoot(), MemoryRoot()]
    verifier = RootVerifier([jwk for root in roots for jwk in root.jwks()])
    for root, deployment in zip(roots, ("north", "south"), strict=True):
        record = EphemeralSigner(root=root, audience=deployment).sign(PAYLOAD)
        for _ in range(2):  # the second time the certificate is remembered
            assert verifier.verified(record) == (PAYLOAD, root.jwks()[0]["kid"], deployment)


def test_a_root_that_names_itself_only() -> None:
    """A foreign root cannot pass under the kid of a known one."""
    foreign = MemoryRoot()
    foreign.jwks = ROOT.jwks  # type: ignore[method-assign]
    jws = EphemeralSigner(root=foreign, audience="test").sign(PAYLOAD)
    refused(jws, CertificateInvalid, "signature-invalid")


@pytest.mark.parametrize(
    ("at", "valid"),
    [
        ("2026-11-29T19:58:59.999Z", False),
        ("2026-11-29T19:59:00.000Z", True),
        ("2026-11-29T21:59:59.999Z", True),
        ("2026-11-29T22:00:00.000Z", False),
    ],
)
def test_the_certificate_counts_at_the_time_of_the_record(at: str, valid: bool) -> None:
    header, key = own_key()
    jws = put(header, canonical.dumps({"at": at}), key)
    if valid:
        assert VERIFIER.verify(jws) == {"at": at}
    else:
        refused(jws, CertificateExpired, f"at {at} the certificate was not valid: it is from 2026-11-29T19:59:00.000Z")


# -- the life of a key


def kid_of(jws: str) -> str:
    found: str = read(jws)[0]["kid"]
    return found


def test_a_key_is_made_late_and_kept() -> None:
    root, clock = MemoryRoot(), SetClock()
    signer = EphemeralSigner(root=root, audience="test")
    assert root.calls == 0
    first = signer.sign({"at": clock.now()})
    clock.move(hours=11, minutes=43)
    assert kid_of(signer.sign({"at": clock.now()})) == kid_of(first)
    assert root.calls == 1


def test_a_key_is_renewed_before_it_expires() -> None:
    root, clock = MemoryRoot(), SetClock()
    signer, verifier = EphemeralSigner(root=root, audience="test"), RootVerifier(root.jwks())
    first = signer.sign({"at": clock.now()})
    clock.move(hours=11, minutes=44)
    second = signer.sign({"at": clock.now()})
    assert kid_of(second) != kid_of(first)
    assert root.calls == 2
    verifier.verify(first)
    verifier.verify(second)


def test_a_root_out_of_reach_delays_the_renewal() -> None:
    root, clock = MemoryRoot(), SetClock()
    signer, verifier = EphemeralSigner(root=root, audience="test"), RootVerifier(root.jwks())
    first = signer.sign({"at": clock.now()})
    root.down = True
    clock.move(hours=11, minutes=45)
    for _ in range(3):  # asked once a minute only
        assert kid_of(signer.sign({"at": clock.now()})) == kid_of(first)
    assert root.calls == 2
    clock.move(minutes=13)
    verifier.verify(signer.sign({"at": clock.now()}))
    clock.move(minutes=1)
    with pytest.raises(KeysUnavailable, match="out of reach"):
        signer.sign({"at": clock.now()})


def test_a_root_out_of_reach_at_the_start() -> None:
    root = MemoryRoot()
    root.down = True
    signer = EphemeralSigner(root=root, audience="test")
    with pytest.raises(KeysUnavailable, match="out of reach"):
        signer.sign(PAYLOAD)


def test_twenty_threads_make_one_key() -> None:
    root = MemoryRoot()
    signer = EphemeralSigner(root=root, audience="test")
    kids: list[str] = []
    threads = [threading.Thread(target=lambda: kids.append(kid_of(signer.sign(PAYLOAD)))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kids) == 20
    assert len(set(kids)) == root.calls == 1


@pytest.mark.parametrize(
    ("step", "keys"),
    [
        ({"hours": -13}, 2), ({"days": -2}, 2), ({"days": 400}, 2), ({"minutes": -2}, 2), ({"seconds": -59}, 1),
        ({"minutes": 2}, 1), ({"hours": 12}, 2),
    ],
)  # fmt: skip
def test_the_key_in_use_covers_the_time_that_is_stated(step: dict[str, int], keys: int) -> None:
    root, clock = MemoryRoot(), SetClock()
    signer, verifier = EphemeralSigner(root=root, audience="test"), RootVerifier(root.jwks())
    records = [signer.sign({"at": clock.now()})]
    clock.move(**step)
    records.append(signer.sign({"at": clock.now()}))
    clock.move(**{unit: -size for unit, size in step.items()})
    records.append(signer.sign({"at": clock.now()}))
    for record in records:
        verifier.verify(record)
    assert len({kid_of(record) for record in records[:2]}) == keys


def test_a_root_out_of_reach_and_a_clock_behind_the_key() -> None:
    root, clock = MemoryRoot(), SetClock()
    signer = EphemeralSigner(root=root, audience="test")
    signer.sign({"at": clock.now()})
    root.down = True
    clock.move(minutes=-2)
    with pytest.raises(KeysUnavailable, match="out of reach"):  # no record is signed that nobody could verify
        signer.sign({"at": clock.now()})


def test_the_term_may_be_left_unlooked_at_and_nothing_else() -> None:
    signer, verifier = EphemeralSigner(root=ROOT, audience="test"), RootVerifier(ROOT.jwks())
    signer.sign(PAYLOAD)
    late = {**PAYLOAD, "at": "2027-11-29T12:00:00.000Z"}
    record = signed_by_an_old_key(signer, late)
    with pytest.raises(CertificateExpired):
        verifier.verify(record)
    assert verifier.verify(record, term=False) == late
    with pytest.raises(CertificateForeign):
        RootVerifier(MemoryRoot().jwks()).verify(record, term=False)
    with pytest.raises(SignatureInvalid):
        verifier.verify(f"{record.rpartition('.')[0]}.{JWS.rpartition('.')[2]}", term=False)
