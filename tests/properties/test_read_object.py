"""What a record's payload may be is what `loads_canonical` takes, however it is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cardroom import canonical
from cardroom.signing import signature
from cardroom.signing.signature import Malformed, NotCanonical

TEXT = st.text(st.sampled_from(' ,:{}[]-0123456789aé§"\\\n\x00\ud800'), max_size=6) | st.sampled_from(
    ["1" * 16, "-0", "a, b", ": ", "true", "x :1"]
)
NUMBERS = st.integers() | st.integers(-(10**16) - 9, 10**16 + 9) | st.sampled_from([0, -1, 2**53 - 1, 2**53, 10**15])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
EDITS = st.lists(st.tuples(st.integers(0, 200), st.sampled_from([*' \t\n\r,:-0"', "-0", ' "', "\\u0061"])), max_size=2)


@given(VALUES, st.booleans(), st.booleans(), EDITS)
@example({"b": 1, "a": 2}, False, False, [])
@example({"a": " : ,"}, True, False, [])
@example({"a": [], "é": 1}, True, False, [])
def test_an_object_is_read_as_canonical_json_is(
    value: Any, in_order: bool, spaced: bool, edits: list[tuple[int, str]]
) -> None:
    text = json.dumps(value, sort_keys=in_order, ensure_ascii=False, separators=None if spaced else (",", ":"))
    for place, edit in edits:
        text = text[:place] + edit + text[place:]
    same_as_canonical(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}', b'{"a":1,"a":":"}', b'{"a":{"b":1,"b":2},"c":":"}', b'{"a":-0}', b'{"a":[-0]}',
        b'{"a":[1,-0]}',
        b'{"a":1}\n', b' {"a":1}', b'{"a" :1}', b'{"a": 1}', b'{ "a":1}', b'{"a":1 }', b'{"a":[1 ,2]}', b'{"a":[1, 2]}',
        b'{"a":"x, y","b": 1}', b'{"a":"x, y"}', b'{"a":"\t"}', b'{"a":\t1}', b'{"a":NaN}', b'{"a":1.0}', b'{"a":1e3}',
        b'{"a":9007199254740991}', b'{"a":9007199254740992}', b'{"a":-9007199254740992}', b'{"a":"1111111111111111"}',
        b'{"a":1,"\xc3\xa9":1}', b'{"a":"\xc3\xa9"}', b'{"a":"\xff"}', b'{"a":"\\u00e9"}', b'{"a":"\\n"}', b"[]", b"1",
        b"", b'"a"', b"{}", b'{"":1}', b"\xef\xbb\xbf{}", b'{"a":01}', b'{"a":' + b"[" * 9_999 + b"]" * 9_999 + b"}",
    ],
)  # fmt: skip
def test_bytes_at_the_edge_are_read_as_canonical_json_is(data: bytes) -> None:
    same_as_canonical(data)


def same_as_canonical(data: bytes) -> None:
    """`read_object` gives or refuses what `loads_canonical` does, a type other than an object apart."""
    try:
        expected = canonical.loads_canonical(data)
    except canonical.NotJson as error:
        with pytest.raises(Malformed) as malformed:
            signature.read_object(data, "payload")
        assert str(malformed.value) == f"payload: {error}"
    except canonical.NotCanonical as error:
        with pytest.raises(NotCanonical) as differs:
            signature.read_object(data, "payload")
        assert str(differs.value) == f"payload: {error}"
    else:
        if isinstance(expected, dict):
            assert repr(signature.read_object(data, "payload")) == repr(expected)
        else:
            with pytest.raises(Malformed):
                signature.read_object(data, "payload")
