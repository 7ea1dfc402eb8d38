"""Canonical JSON: one value, one sequence of bytes, so that signatures and hashes mean something.

Only objects with ASCII keys, arrays, strings, integers that every JSON reader holds exactly, booleans and null are
let in. For these, compact JSON with sorted keys *is* the canonical form of RFC 8785 (its two hard parts, floating
point and UTF-16 key order, cannot arise).
"""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any, Final, NoReturn

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that an IEEE 754 double, and so every JSON reader, holds exactly."""


class NotCanonical(ValueError):
    """A value, or bytes, that canonical JSON does not admit."""


class NotJson(ValueError):
    """Bytes that are not the strict JSON read here."""


def dumps(value: Any, *, largest: float = MAX_INTEGER) -> bytes:
    """Write a value as canonical JSON (RFC 8785) in UTF-8.

    Raises NotCanonical for floats, integers beyond ±`largest` (`math.inf`: none is; then a reader must hold them
    exactly), keys that are not ASCII strings, lone surrogates and any other type. Tuples are arrays.

    >>> dumps({"b": [1, True, None], "a": "5♠"}).decode()
    '{"a":"5♠","b":[1,true,null]}'
    >>> dumps({"amount": 1.0})
    Traceback (most recent call last):
    ...
    cardroom.canonical.NotCanonical: float 1.0 at $.amount: only text, integers, booleans, null, arrays and objects
    """
    try:
        _check(value, "$", largest)
        return _ENCODER.encode(value).encode()
    except RecursionError:
        raise NotCanonical("nested too deeply") from None
    except UnicodeEncodeError as error:
        raise NotCanonical(f"lone surrogate in {error.object[error.start : error.start + 1]!a}") from None


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same canonical JSON, where Python takes true for 1 and false for 0.

    >>> {"foul": False} == {"foul": 0}, same({"foul": False}, {"foul": 0})
    (True, False)
    """
    return bool(one == other) and _ENCODER.encode(one) == _ENCODER.encode(other)


def loads(data: bytes) -> Any:
    """Read JSON strictly; what is read can be written by `dumps` if its keys are ASCII.

    Raises NotJson for anything but UTF-8 JSON, for duplicate keys, NaN and infinities, fractions and exponents,
    integers beyond ±(2^53-1), lone surrogates and too deep nesting.

    >>> loads(b'{"seat": 1, "seat": 2}')
    Traceback (most recent call last):
    ...
    cardroom.canonical.NotJson: the key 'seat' comes twice in one object
    """
    return _decoded(data, _DECODER)


def loads_canonical(data: bytes) -> Any:
    """Read bytes that must be in canonical form already.

    Raises NotJson, or NotCanonical if `dumps` would have written the value otherwise.
    """
    value = _decoded(data, _CANONICAL_DECODER)
    if _ENCODER.encode(value).encode() != data:  # a key that came twice is missing here, so it needs no other check
        raise NotCanonical("not in canonical form: keys unsorted or twice, spaces, or needless escapes")
    return value


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of bytes, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def _decoded(data: bytes, decoder: json.JSONDecoder) -> Any:
    try:
        value = decoder.decode(data.decode())
        if b"\\u" in data:
            _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        raise NotJson("an escape gives a lone surrogate") from None
    except UnicodeDecodeError as error:
        raise NotJson(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise NotJson("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise NotJson(f"not JSON at character {error.pos}: {error.msg}") from None
    return value


def _check(value: Any, path: str, largest: float) -> None:
    """Raise NotCanonical for what the encoder would let through or write in its own way."""
    if isinstance(value, str) or value is None:
        return
    if isinstance(value, int):  # booleans too
        if not -largest <= value <= largest:
            raise NotCanonical(f"integer {value} at {path}: beyond ±{largest}")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not (isinstance(key, str) and key.isascii()):
                raise NotCanonical(f"key {key!a} at {path}: keys are ASCII text")
            if not isinstance(item, str):  # most items are text: spare them the call
                _check(item, f"{path}.{key}", largest)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            if not isinstance(item, str):
                _check(item, f"{path}[{index}]", largest)
    else:
        raise NotCanonical(
            f"{type(value).__name__} {value!r} at {path}: only text, integers, booleans, null, arrays and objects"
        )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise NotJson(f"the key {twice!a} comes twice in one object")
    return found


def _ascii_keys(found: dict[str, Any]) -> dict[str, Any]:
    if not "".join(found).isascii():
        raise NotCanonical(f"the keys {', '.join(map(ascii, found))}: keys are ASCII text")
    return found


@functools.lru_cache(maxsize=4_096)  # amounts and numbers of seats come again and again
def _integer(text: str) -> int:
    if len(text) > 17 or not -MAX_INTEGER <= (value := int(text)) <= MAX_INTEGER:
        raise NotJson(f"integer {text[:24]} is beyond ±{MAX_INTEGER}")
    return value


def _refuse_fraction(text: str) -> NoReturn:
    raise NotJson(f"{text[:24]} is not an integer")


_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, sort_keys=True, separators=(",", ":")
)
_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_refuse_fraction, parse_constant=_refuse_fraction
)
_CANONICAL_DECODER: Final = json.JSONDecoder(
    object_hook=_ascii_keys, parse_int=_integer, parse_float=_refuse_fraction, parse_constant=_refuse_fraction
)
