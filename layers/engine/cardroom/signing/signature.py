"""Signed records: compact JWS (RFC 7515) with ES256 over the exact bytes of canonical JSON.

One record has exactly one valid serialisation, so that its hash can carry a chain: the header's fields are fixed, its
JSON and that of the payload are canonical, base64url must re-encode identically, and of the two signatures that
ECDSA admits only the one with the low s counts.
"""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import json
from collections.abc import Mapping
from typing import ClassVar, Final, NamedTuple, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from cardroom import canonical
from cardroom.refusals import Refusal
from cardroom.shapes.records import PublicKey, Record, RootKey

RECORD: Final = "cardroom-record+json"
EXPORT: Final = "cardroom-export+json"
MAX_CHARS: Final = 390_000
"""The longest record, so that it fits into one DynamoDB item of 400 KB."""

_TO_BASE64: Final = bytes.maketrans(b"-_+/=", b"+/...")  # what base64url lacks becomes what base64 lacks
_SHOWN: Final = 80
ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256, FIPS 186-4 §D.1.2.3
_ECDSA: Final = ec.ECDSA(hashes.SHA256())


class RecordTooLarge(Refusal):
    """A round whose record would not fit into the ledger."""


class RecordFault(Exception):
    """What is wrong with something signed; every leaf class is one kind of fault, `code` is its slug."""

    code: ClassVar[str]


class Malformed(RecordFault):
    """Not a compact JWS with our header over a JSON object."""

    code = "malformed"


class NotCanonical(RecordFault):
    """Signed, but the JSON is not in canonical form."""

    code = "not-canonical"


class AlgForbidden(RecordFault):
    """Signed by another algorithm than ES256, or not at all."""

    code = "alg-forbidden"


class TypeForeign(RecordFault):
    """Signed as something else: a record where an export's trailer belongs, say."""

    code = "type-foreign"


class SignatureInvalid(RecordFault):
    """The signature is not that of the certified key over these bytes."""

    code = "signature-invalid"


class SignatureNotLow(RecordFault):
    """The signature is the other one of the pair that ECDSA admits; only the one with the low s counts."""

    code = "signature-not-low"


class VersionUnknown(RecordFault):
    """A record of another version of the format than is read here."""

    code = "version-unknown"


class Compact(NamedTuple):
    """The three parts of a compact JWS: header and payload decoded, and what the signature is over."""

    protected: str
    payload: bytes
    signature: bytes
    signed: bytes


def compact(protected: str, payload: bytes, private_key: ec.EllipticCurvePrivateKey) -> str:
    """Sign: `protected` is the header in base64url already, as it stays the same from record to record.

    Raises RecordTooLarge.
    """
    signed = f"{protected}.{b64url(payload)}"
    jws = f"{signed}.{b64url(raw_low_s(private_key.sign(signed.encode(), _ECDSA)))}"
    if len(jws) > MAX_CHARS:
        raise RecordTooLarge(f"the signed record would have {len(jws)} characters: at most {MAX_CHARS} fit")
    return jws


def split(jws: str) -> Compact:
    """The parts of a compact JWS; nothing is verified yet. Raises Malformed."""
    parts = jws.split(".") if len(jws) <= MAX_CHARS else []
    if len(parts) != 3 or not jws.isascii():
        raise Malformed(f"not a compact JWS of at most {MAX_CHARS} characters in three parts")
    protected, payload, signature = parts
    return Compact(protected, unb64url(payload), unb64url(signature), f"{protected}.{payload}".encode())


def check_signature(parts: Compact, key: ec.EllipticCurvePublicKey) -> None:
    """Raise SignatureInvalid or SignatureNotLow unless the key signed these bytes."""
    if len(parts.signature) != 64:
        raise SignatureInvalid(f"a signature of {len(parts.signature)} bytes: ES256 has 64")
    r, s = int.from_bytes(parts.signature[:32]), int.from_bytes(parts.signature[32:])
    try:
        key.verify(encode_dss_signature(r, s), parts.signed, _ECDSA)
    except InvalidSignature:
        raise SignatureInvalid("the signature does not fit these bytes and the certified key") from None
    if s > ORDER // 2:
        raise SignatureNotLow("the signature has the high s")


def header(protected: str, *, fields: frozenset[str], typ: str) -> dict[str, str]:
    """The protected header, which must have exactly these fields, all text, `alg` ES256 and this `typ`.

    Raises Malformed, NotCanonical, AlgForbidden or TypeForeign.
    """
    found = read_object(unb64url(protected), "header")
    if (alg := found.get("alg")) != "ES256":
        raise AlgForbidden(f"alg is {shown(alg)}: only ES256 is accepted")
    if found.get("typ") != typ:
        raise TypeForeign(f"typ is {shown(found.get('typ'))}: {typ} belongs here")
    texts = {name: value for name, value in found.items() if isinstance(value, str)}
    if found.keys() != fields or texts.keys() != fields:
        raise Malformed(f"the header has the fields {', '.join(found)}: {', '.join(sorted(fields))} are required")
    return texts


def check_version(payload: Record, known: int) -> None:
    """Raise VersionUnknown for a record that says to be of another version than the one known."""
    version = payload.get("v")
    if type(version) is int and version != known:
        raise VersionUnknown(f"v is {version}: records of version {known} are read here")


def shown(value: object) -> str:
    """A value in a message: a short text or number as it stands there, of anything else only what it is.

    >>> shown("RS256"), shown(["RS256"])
    ("'RS256'", 'a JSON list')
    """
    if not isinstance(value, str | int | None):
        return f"a JSON {type(value).__name__}"
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def read_object(data: bytes, what: str) -> dict[str, object]:
    """A JSON object from canonical bytes, whose shape nobody has looked at. Raises Malformed or NotCanonical."""
    value = _plain(data)
    if value is not None:
        return value
    try:
        value = canonical.loads_canonical(data)
    except canonical.NotJson as error:
        raise Malformed(f"{what}: {error}") from None
    except canonical.NotCanonical as error:
        raise NotCanonical(f"{what}: {error}") from None
    if not isinstance(value, dict):
        raise Malformed(f"{what}: a JSON {type(value).__name__}, not an object")
    return value


def _plain(data: bytes) -> dict[str, object] | None:
    """The object of bytes that are plainly canonical, faster than `loads_canonical`; None leaves it to that.

    Without escapes a string has one form only. Outside strings there is no white space, no -0, and no 16 digits in a
    row, so that every integer is exact. Each object has ascending ASCII keys, and all together as many as there are
    colons, so that none came twice.
    """
    outside = b"".join(data.split(b'"')[::2])
    if b"\\" in data or outside.split() != [outside] or b"-0" in outside or _LONG_NUMBER in outside.translate(_DIGITS):
        return None
    keys: list[tuple[str, ...]] = []

    def note_keys(found: dict[str, object]) -> dict[str, object]:
        keys.append(tuple(found))
        return found

    try:
        decoder = json.JSONDecoder(object_hook=note_keys, parse_float=_no_fraction, parse_constant=_no_fraction)
        value = decoder.decode(data.decode())
    except (ValueError, RecursionError):
        return None
    plain = type(value) is dict and all(map(_ascending, set(keys))) and sum(map(len, keys)) == outside.count(b":")
    return value if plain else None


@functools.lru_cache(maxsize=1_024)  # records have few kinds of objects
def _ascending(keys: tuple[str, ...]) -> bool:
    return [*keys] == sorted(keys) and "".join(keys).isascii()


def _no_fraction(text: str) -> NoReturn:
    raise ValueError(text)


_DIGITS: Final = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
_LONG_NUMBER: Final = b"0" * 16
_WRITER: Final = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def plain_json(value: object) -> bytes:
    """What `canonical.dumps` writes, without its checks: for what was read from canonical bytes."""
    return _WRITER.encode(value).encode()


def raw_low_s(der: bytes) -> bytes:
    """An ECDSA signature over P-256 from DER to the 64 bytes r and s of JWS, with the low s."""
    r, s = decode_dss_signature(der)
    return r.to_bytes(32) + min(s, ORDER - s).to_bytes(32)


def b64url(data: bytes) -> str:
    """Base64url without padding.

    >>> b64url(bytes([255, 254]))
    '__4'
    """
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64url(text: str) -> bytes:
    """The bytes of unpadded base64url text, which must be the one text for them. Raises Malformed.

    >>> unb64url("__5")
    Traceback (most recent call last):
    ...
    cardroom.signing.signature.Malformed: base64url that does not re-encode to itself
    """
    try:
        data = binascii.a2b_base64(
            text.encode("ascii").translate(_TO_BASE64) + b"=" * (-len(text) % 4), strict_mode=True
        )
    except ValueError:
        raise Malformed("not base64url") from None
    if not text.endswith(b64url(data[len(data) - (len(data) % 3) :])):  # idle bits that are set
        raise Malformed("base64url that does not re-encode to itself")
    return data


def jwk_of(key: ec.EllipticCurvePublicKey) -> RootKey:
    """A P-256 public key as a JWK (RFC 7517) with its thumbprint as `kid`."""
    numbers = key.public_numbers()
    x, y = b64url(numbers.x.to_bytes(32)), b64url(numbers.y.to_bytes(32))
    jwk: PublicKey = {"kty": "EC", "crv": "P-256", "x": x, "y": y}
    return {**jwk, "kid": thumbprint(jwk)}


def key_of(jwk: Mapping[str, object]) -> ec.EllipticCurvePublicKey:
    """The public key of a JWK. Raises Malformed if it is not one on P-256."""
    x, y = jwk.get("x"), jwk.get("y")
    if (jwk.get("kty"), jwk.get("crv")) != ("EC", "P-256") or not (isinstance(x, str) and isinstance(y, str)):
        raise Malformed("the JWK is no P-256 key")
    if (len(x), len(y)) != (43, 43):
        raise Malformed("the JWK's coordinates have other than 32 bytes")
    try:
        numbers = ec.EllipticCurvePublicNumbers(
            int.from_bytes(unb64url(x)), int.from_bytes(unb64url(y)), ec.SECP256R1()
        )
        return numbers.public_key()
    except ValueError:
        raise Malformed("the JWK is no point on P-256") from None


def thumbprint(jwk: Mapping[str, object]) -> str:
    """The JWK thumbprint of RFC 7638, which names a key.

    The members of an EC key that count, in canonical JSON, hashed with SHA-256 and in base64url.
    """
    members = {name: jwk[name] for name in ("crv", "kty", "x", "y")}
    return b64url(hashlib.sha256(canonical.dumps(members)).digest())
