"""Who may sign: a short-lived key certified by a root key, and the check that a record came from such a key.

A certificate is a JWT (RFC 7519) signed by the root, with the key in `cnf.jwk` (RFC 7800). It travels in the header
of every record, so a verifier needs the public root keys and nothing else.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Generic, Literal, NamedTuple, Protocol, TypeVar, cast, overload

from cryptography.hazmat.primitives.asymmetric import ec

from cardroom import canonical
from cardroom.refusals import FieldFault, Refusal
from cardroom.shapes.records import ExportTrailer, PublicKey, Record, RootKey
from cardroom.shapes.values import TIME
from cardroom.signing import signature
from cardroom.signing.signature import EXPORT, RECORD, Compact, Malformed, RecordFault, shown

CERTIFICATE: Final = "cardroom-certificate+jwt"
LIFETIME: Final = timedelta(hours=12)
EARLY: Final = timedelta(minutes=1)  # a record may carry a time taken just before its key was made
MARGIN: Final = timedelta(minutes=15)  # a key is renewed so long before its end: the root may be out of reach
RETRY: Final = timedelta(minutes=1)

_RECORD_FIELDS: Final = frozenset({"alg", "crt", "kid", "typ"})
_CERTIFICATE_FIELDS: Final = frozenset({"alg", "kid", "typ"})
_CLAIMS: Final = frozenset({"aud", "cnf", "exp", "iat", "iss", "nbf"})
_TIME: Final = re.compile(TIME.text)
_OF_DAY: Final = re.compile(r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z")
_CACHED: Final = 4_096
_LAST: Final = 253_402_300_799  # the last second that a record's time can state: 9999-12-31T23:59:59

_Signed = TypeVar("_Signed")


class KeysUnavailable(Refusal):
    """The service's keys are out of reach for now; nothing was written."""

    def __init__(self, message: str, *faults: FieldFault, lost: bool = False) -> None:
        super().__init__(message, *faults)
        self.lost = lost  # gone for good, as far as can be told: asking again later will not help


class CertificateInvalid(RecordFault):
    """The certificate is not one: its form, its claims or the root's signature are wrong."""

    code = "certificate-invalid"


class CertificateForeign(RecordFault):
    """The certificate was issued by an unknown root, or for another deployment."""

    code = "certificate-foreign"


class CertificateExpired(RecordFault):
    """The certificate was not valid at the time that the record states."""

    code = "certificate-expired"


class KeyForeign(RecordFault):
    """The record names another key than the one in its certificate."""

    code = "key-foreign"


class Root(Protocol):
    """The key that certifies signing keys. Both methods raise KeysUnavailable when it is out of reach."""

    def jwks(self) -> Sequence[RootKey]:
        """The public root keys as JWKs with `kid`: the one that certifies, then retired ones."""

    def certify(self, message: bytes) -> bytes:
        """The ES256 signature of a message, 64 bytes, low s."""


@dataclass(frozen=True, slots=True)
class _Key:
    private: ec.EllipticCurvePrivateKey
    headers: Mapping[str, str]  # what is signed -> the protected header, in base64url
    begins_at: str
    renew_at: str
    expires_at: str


class EphemeralSigner:
    """Signs with a P-256 key that lives in memory only, made at the first signature and renewed before it expires.

    The key always covers the time `at` that the payload states: where the clock stepped out of its term, back or on,
    another one is made. `audience` names the deployment. Nothing secret or unique exists before the first signature,
    so a process image taken before it may be restored any number of times. Safe for use by several threads.
    """

    def __init__(self, *, root: Root, audience: str) -> None:
        self._root = root
        self._audience = audience
        self._lock = threading.Lock()
        self._key: _Key | None = None

    def sign(self, payload: Record | ExportTrailer, typ: str = RECORD) -> str:
        """The compact JWS of a payload, which states its time `at`. Raises KeysUnavailable or RecordTooLarge."""
        at, key = payload["at"], self._key
        if key is None or not key.begins_at <= at < key.renew_at:
            key = self._renewed(at)
        return signature.compact(key.headers[typ], canonical.dumps(payload), key.private)

    def roots(self) -> Sequence[RootKey]:
        """The public root keys as JWKs, the current one first. Raises KeysUnavailable."""
        return self._root.jwks()

    def _renewed(self, at: str) -> _Key:
        with self._lock:
            key = self._key
            if key is not None and key.begins_at <= at < key.renew_at:  # another thread was faster
                return key
            try:
                key = self._made(parse_time(at).replace(microsecond=0))
            except KeysUnavailable:
                if key is None or not key.begins_at <= at < key.expires_at:
                    raise
                key = replace(key, renew_at=_format(parse_time(at) + RETRY))  # it is good for a while yet
            self._key = key
            return key

    def _made(self, now: datetime) -> _Key:
        private = ec.generate_private_key(ec.SECP256R1())
        named = signature.jwk_of(private.public_key())
        kid = named["kid"]
        jwk: PublicKey = {"kty": named["kty"], "crv": named["crv"], "x": named["x"], "y": named["y"]}
        end = now - EARLY + LIFETIME
        crt = issue(self._root, jwk=jwk, audience=self._audience, issued=now, expires=end)
        headers = {
            typ: signature.b64url(canonical.dumps({"alg": "ES256", "crt": crt, "kid": kid, "typ": typ}))
            for typ in (RECORD, EXPORT)
        }
        return _Key(private, headers, _format(now - EARLY), _format(end - MARGIN), _format(end))


def issue(root: Root, *, jwk: PublicKey, audience: str, issued: datetime, expires: datetime) -> str:
    """A certificate for a key, valid from a minute before it was issued."""
    kid = root.jwks()[0]["kid"]
    claims = {
        "iss": kid,
        "aud": audience,
        "iat": int(issued.timestamp()),
        "nbf": int((issued - EARLY).timestamp()),
        "exp": int(expires.timestamp()),
        "cnf": {"jwk": jwk},
    }
    head = signature.b64url(canonical.dumps({"alg": "ES256", "kid": kid, "typ": CERTIFICATE}))
    signed = f"{head}.{signature.b64url(canonical.dumps(claims))}"
    return f"{signed}.{signature.b64url(root.certify(signed.encode()))}"


@dataclass(frozen=True, slots=True)
class _Certified:
    key: ec.EllipticCurvePublicKey
    root: str
    deployment: str
    not_before: int
    expires: int
    first: str  # the same two as text
    end: str

    def covers(self, at: object) -> bool:
        """Whether a time, compared as text, is plainly within; on no day that is not the first or the last."""
        return (
            isinstance(at, str)
            and self.first <= at < self.end
            and at[:10] in (self.first[:10], self.end[:10])
            and _OF_DAY.fullmatch(at, 10) is not None
        )


class Verified(NamedTuple, Generic[_Signed]):
    """What was signed, the `kid` of the root that certified its key, and the deployment that the key is of."""

    payload: _Signed
    root: str
    deployment: str


class RootVerifier:
    """Verifies records, and what else is signed, by public root keys alone.

    `roots` are JWKs; several may be valid. `audience` names the deployment, None accepts any. A certificate is checked
    once and remembered. Safe for use by several threads.
    """

    def __init__(self, roots: Sequence[PublicKey], audience: str | None = None) -> None:
        keys = [(signature.key_of(jwk), jwk) for jwk in roots]  # first: what is no key has no thumbprint either
        self._roots = {signature.thumbprint(jwk): key for key, jwk in keys}
        self._audience = audience
        self._certified: dict[tuple[str, str], _Certified] = {}

    @overload
    def verify(self, jws: str, typ: Literal["cardroom-record+json"] = ..., *, term: bool = ...) -> Record: ...

    @overload
    def verify(self, jws: str, typ: Literal["cardroom-export+json"], *, term: bool = ...) -> ExportTrailer: ...

    def verify(self, jws: str, typ: str = RECORD, *, term: bool = True) -> Record | ExportTrailer:
        """The payload of a genuine record, parsed from the very bytes that were verified.

        Its type is what a certified key signs; whoever does not trust the key looks at the shape besides.

        Raises a RecordFault: the first one found of form, header, certificate, signature, canonical form, and the
        certificate's term at the record's time `at` (not looked at if `term` is False).
        """
        signed: Record | ExportTrailer = self._verified(jws, typ, term=term).payload
        return signed

    @overload
    def verified(
        self, jws: str, typ: Literal["cardroom-record+json"] = ..., *, term: bool = ...
    ) -> Verified[Record]: ...

    @overload
    def verified(
        self, jws: str, typ: Literal["cardroom-export+json"], *, term: bool = ...
    ) -> Verified[ExportTrailer]: ...

    def verified(self, jws: str, typ: str = RECORD, *, term: bool = True) -> Verified[Record] | Verified[ExportTrailer]:
        """What `verify` gives, with the root that certified the key and the deployment that it is of."""
        return cast("Verified[Record] | Verified[ExportTrailer]", self._verified(jws, typ, term=term))

    def _verified(self, jws: str, typ: str, *, term: bool) -> Verified[Any]:
        parts, certified = self._signed(jws, typ)
        payload = signature.read_object(parts.payload, "payload")
        verified = Verified(payload, certified.root, certified.deployment)
        if not term or certified.covers(payload.get("at")):
            return verified
        try:
            at = parse_time(payload.get("at")).timestamp()
        except ValueError as error:
            raise Malformed(f"at: {error}") from None
        if not certified.not_before <= at < certified.expires:
            raise CertificateExpired(
                f"at {payload['at']} the certificate was not valid: it is from "
                f"{_format_timestamp(certified.not_before)} until {_format_timestamp(certified.expires)}"
            )
        return verified

    def check_signature(self, jws: str, typ: str = RECORD) -> None:
        """The certificate and the signature alone, without a look at what was signed. Raises a RecordFault."""
        self._signed(jws, typ)

    def _signed(self, jws: str, typ: str) -> tuple[Compact, _Certified]:
        parts = signature.split(jws)
        certified = self._certified.get((parts.protected, typ)) or self._certify(parts, typ)
        signature.check_signature(parts, certified.key)
        return parts, certified

    def _certify(self, parts: Compact, typ: str) -> _Certified:
        found = signature.header(parts.protected, fields=_RECORD_FIELDS, typ=typ)
        kid, certified = self._read_certificate(found["crt"])
        if found["kid"] != kid:
            raise KeyForeign(f"kid is {found['kid']}, the certificate is for {kid}")
        if len(self._certified) >= _CACHED:
            self._certified.clear()
        self._certified[parts.protected, typ] = certified
        return certified

    def _read_certificate(self, crt: str) -> tuple[str, _Certified]:
        try:
            parts = signature.split(crt)
            root_kid = signature.header(parts.protected, fields=_CERTIFICATE_FIELDS, typ=CERTIFICATE)["kid"]
            if root_kid not in self._roots:
                raise CertificateForeign(f"issued by the root {root_kid}, which is not among the known ones")
            signature.check_signature(parts, self._roots[root_kid])
            return self._read_claims(signature.read_object(parts.payload, "claims"), root_kid)
        except (CertificateForeign, CertificateInvalid):
            raise
        except RecordFault as fault:
            raise CertificateInvalid(f"certificate: {fault} ({fault.code})") from None

    def _read_claims(self, claims: dict[str, Any], root_kid: str) -> tuple[str, _Certified]:
        if claims.keys() != _CLAIMS or claims["iss"] != root_kid or not isinstance(claims["cnf"], dict):
            raise CertificateInvalid(f"the claims are {', '.join(claims)}: exactly {', '.join(sorted(_CLAIMS))}")
        audience, cnf = claims["aud"], claims["cnf"]
        if not isinstance(audience, str):
            raise CertificateInvalid(f"aud is {shown(audience)}: the deployment is one text")
        if self._audience is not None and audience != self._audience:
            raise CertificateForeign(f"issued for the deployment {shown(audience)}, not {self._audience!a}")
        not_before, expires = _term_of(claims)
        jwk: Any = cnf.get("jwk")
        if cnf.keys() != {"jwk"} or not isinstance(jwk, dict) or jwk.keys() != {"crv", "kty", "x", "y"}:
            raise CertificateInvalid("cnf.jwk is no public key")
        key = signature.key_of(jwk)
        first, end = _format_timestamp(not_before), _format_timestamp(expires)
        return signature.thumbprint(jwk), _Certified(key, root_kid, audience, not_before, expires, first, end)


def _term_of(claims: dict[str, Any]) -> tuple[int, int]:
    """From when until when a certificate is valid, in seconds. Raises CertificateInvalid."""
    times = [claims["nbf"], claims["iat"], claims["exp"]]
    if not all(type(time) is int for time in times) or times != sorted(times):
        raise CertificateInvalid(f"nbf, iat and exp are {', '.join(map(shown, times))}: ascending integers")
    not_before, _, expires = times
    if not_before < 0 or expires > _LAST:
        raise CertificateInvalid(f"valid from {not_before} to {expires}: in seconds from 1970, before the year 10000")
    if expires - not_before > LIFETIME.total_seconds():
        raise CertificateInvalid(f"valid for {expires - not_before} seconds: at most 12 hours")
    return not_before, expires


def parse_time(text: object) -> datetime:
    """The time of a record, which has one form only, so that times compare as text. Raises ValueError.

    >>> parse_time("2026-11-29T21:53:29.123Z").year
    2026
    """
    if not isinstance(text, str) or not _TIME.fullmatch(text):
        raise ValueError(f"{shown(text)} is no time in the form 2026-11-29T21:53:29.123Z")
    return datetime.fromisoformat(text)


def _format(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _format_timestamp(seconds: int) -> str:
    return _format(datetime.fromtimestamp(seconds, UTC))
