"""Canonical JSON against the reference implementation of RFC 8785, and all that is refused."""

from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from cardroom import canonical
from cardroom.canonical import MAX_INTEGER, NotCanonical, NotJson

keys = st.text(st.characters(max_codepoint=127), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=20,
)


@given(values)
def test_the_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert canonical.dumps(value) == rfc8785.dumps(value)


@given(values)
def test_what_is_written_is_read_again(value: Any) -> None:
    assert canonical.loads(canonical.dumps(value)) == value
    assert canonical.loads_canonical(canonical.dumps(value)) == value


def test_escapes_are_the_short_ones() -> None:
    assert canonical.dumps('\x00\b\t\n\f\r\x1f"\\/\x7f€😀') == '"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/\x7f€😀"'.encode()


def test_tuples_are_arrays() -> None:
    assert canonical.dumps({"cards": ("As", "Kd")}) == b'{"cards":["As","Kd"]}'


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.0, "float 1.0 at $"),
        ({"a": [0, float("nan")]}, "float nan at $.a[1]"),
        (MAX_INTEGER + 1, f"integer {MAX_INTEGER + 1} at $: beyond ±{MAX_INTEGER}"),
        ({"a": -MAX_INTEGER - 1}, "at $.a: beyond"),
        ({1: "x"}, "key 1 at $: keys are ASCII text"),
        ({"a": {"é": 1}}, "key '\\xe9' at $.a: keys are ASCII text"),
        ({"a": b"x"}, "bytes b'x' at $.a"),
        ({"a": {1, 2}}, "set {1, 2} at $.a"),
        ("\ud800", "lone surrogate in '\\ud800'"),
    ],
)
def test_other_values_are_refused(value: object, message: str) -> None:
    with pytest.raises(NotCanonical) as refused:
        canonical.dumps(value)
    assert message in str(refused.value)


def test_a_value_that_holds_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(NotCanonical, match="nested too deeply"):
        canonical.dumps(loop)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a":1,"b":{"c":1,"c":2}}', "the key 'c' comes twice in one object"),
        (b"[NaN]", "NaN is not an integer"),
        (b"[-Infinity]", "-Infinity is not an integer"),
        (b"1.5", "1.5 is not an integer"),
        (b"1e3", "1e3 is not an integer"),
        (b"9007199254740992", "integer 9007199254740992 is beyond"),
        (b"-9007199254740992", "integer -9007199254740992 is beyond"),
        (b"1" * 5000, "integer 111111111111111111111111 is beyond"),
        (b'"\\ud800"', "lone surrogate"),
        (b'{"\\udfff":1}', "lone surrogate"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b"\xef\xbb\xbf{}", "not JSON at character 0"),
        ("{}".encode("utf-16"), "not UTF-8 at byte 0"),
        (b"", "not JSON at character 0: Expecting value"),
        (b"{} {}", "not JSON at character 3: Extra data"),
        (b'"a\nb"', "not JSON at character 2: Invalid control character"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_other_bytes_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(NotJson) as refused:
        canonical.loads(data)
    assert message in str(refused.value)


def test_the_bounds_are_read() -> None:
    assert canonical.loads(b"[9007199254740991,-9007199254740991]") == [MAX_INTEGER, -MAX_INTEGER]


@pytest.mark.parametrize(
    "data", [b'{"b":1,"a":2}', b'{"a": 1}', b'"\\u0041"', b'"\\/"', b"[-0]", b" 1", '{"é":1}'.encode()]
)
def test_bytes_in_another_form_are_refused(data: bytes) -> None:
    canonical.loads(data)
    with pytest.raises(NotCanonical):
        canonical.loads_canonical(data)


def test_the_hash_is_sha256_in_hexadecimal() -> None:
    assert canonical.sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
