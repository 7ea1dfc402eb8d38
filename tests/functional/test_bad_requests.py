"""Bad input of every kind gets a problem with a stable slug, and changes nothing."""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardroom.wire.http import JsonInvalid, strict_json
from cardroom_desk.local.api import Context, LocalApi, load_handler
from cardroom_desk.local.template import read_api
from tests.functional.caller import Answer, Caller, dealing, opening, settling, wager

ROOT = Path(__file__).parents[2]


def raw(caller: Caller, body: bytes, **headers: str) -> Answer:
    return caller.send("POST", "/v1/rounds", body=body, **({"content_type": "application/json"} | headers))


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "not JSON at character 0"),
        (b"{", "not JSON"),
        (b'{"round_id": "r1", "round_id": "r2"}', "the key 'round_id' comes twice"),
        (b'{"amount": NaN}', "NaN"),
        (b'{"amount": 1.5}', "1.5"),
        (b'{"amount": 1e3}', "1e3"),
        (b'{"amount": 99999999999999999999}', "99999999999999999999"),
        (b"\xff\xfe", "not JSON at character 0"),
        (b'"\\ud800"', "lone surrogate"),
        (b'{"round_id": "r\xff"}', "U+FFFD in 'r\\ufffd'"),
        (b'{"r\xc3\x28": 1}', "U+FFFD in 'r\\ufffd'"),
        (b'{"round_id": "r1", "seats": [{"bettor": "a\xed\xa0\x80"}]}', "U+FFFD in 'a\\ufffd'"),
        ('"\ufffd"'.encode(), "the body has U+FFFD in '\\ufffd': send text without U+FFFD and control characters"),
        (b'{"a": {"b": ["x", "\\ufffd"]}}', "U+FFFD"),
        (b'{"a": {"\\uFFFD": 1}}', "U+FFFD"),
        (b'{"note": "a\\nb"}', "U+000A in 'a\\n'"),
        (b'{"note": "a\nb"}', "Invalid control character"),
        (b'{"note": "\\u0000"}', "U+0000"),
        (b'{"note": "\x7f"}', "U+007F"),
        ('{"note": "\x9b31m"}'.encode(), "U+009B"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_json(caller: Caller, body: bytes, detail: str) -> None:
    answer = raw(caller, body)
    assert answer.refusal() == (400, "json-invalid")
    assert detail in answer.json["detail"]


@pytest.mark.parametrize("sent", [b"\xff", b"\xe2\x99", "\ufffd".encode(), b"\\ufffd", b"\\t", b"\\u0085"])
def test_text_that_did_not_arrive_as_it_was_sent_is_not_signed(caller: Caller, sent: bytes) -> None:
    """Nor is it taken for a retry of the text that it stands for."""
    caller.open()
    void = b'{"table_id": "t1", "reason": "other", "note": "caf%s"}'
    path, json_ = "/v1/rounds/r1/void", {"content_type": "application/json"}
    assert caller.send("POST", path, body=void % sent, **json_).refusal() == (400, "json-invalid")
    assert caller.get("/v1/rounds/r1").json["state"] == "opened"
    note = 'caf\u00e9 \u2660 "\\'
    assert caller.void(reason="other", note=note).payload["request"]["note"] == note
    assert caller.send("POST", path, body=void % sent, **json_).refusal() == (400, "json-invalid")


def test_a_function_refuses_the_bytes_that_a_gateway_did_not_read(caller: Caller) -> None:
    """A body that an event carries in base64 arrives as it was sent."""
    function = load_handler(read_api().functions["SettleRound"])
    event = json.loads((ROOT / "events/settle_round/void.json").read_text("utf-8"))
    context = Context(function_name="SettleRound", aws_request_id="r", invoked_function_arn="arn")
    for sent, detail in ((b"\xff", "not UTF-8 at byte 10"), (b"\\ufffd", "U+FFFD in '\\ufffd'")):
        body = base64.b64encode(b'{"note": "%s"}' % sent).decode()
        answer = function({**event, "body": body, "isBase64Encoded": True}, context)
        assert (answer["statusCode"], json.loads(answer["body"])["code"]) == (400, "json-invalid")
        assert detail in json.loads(answer["body"])["detail"]


@given(st.text() | st.text("\\\x1f\x20\x7e\x7f\x9f\xa0\ufffc\ufffd\ufffe\n\u2028"))
def test_a_text_is_taken_exactly_if_it_has_no_such_character(text: str) -> None:
    taken = not any(unicodedata.category(one) == "Cc" or one == "\ufffd" for one in text)
    for escaped in (True, False):
        for value in (text, [text], {text: 1}, {"a": [{"b": text}]}):
            try:
                assert strict_json(json.dumps(value, ensure_ascii=escaped).encode(), "it") == value
            except JsonInvalid:
                assert not taken
            else:
                assert taken


def test_texts_cost_no_more_than_their_number() -> None:
    deep = b"[" * 900 + b'"\\n"' + b"]" * 900
    wide = b'{"%s": [%s"\\n"]}' % (b"k" * 400_000, b'"",' * 200_000)
    for body in (deep, wide):
        with pytest.raises(JsonInvalid, match="it has U"):
            strict_json(body, "it")


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_content_type(caller: Caller, content_type: str) -> None:
    answer = raw(caller, b"{}", content_type=content_type)
    assert answer.refusal() == (415, "content-type-unsupported")
    assert "send application/json" in answer.json["detail"]


def test_charset_is_fine(caller: Caller) -> None:
    body = json.dumps(opening()).encode()
    assert raw(caller, body, content_type="application/json; charset=utf-8").status == 201


def test_size(caller: Caller) -> None:
    answer = raw(caller, b'{"note": "' + b"x" * 1_100_000 + b'"}')
    assert answer.refusal() == (413, "body-too-large")
    assert raw(caller, b'{"note": "' + b"x" * 7_000_000 + b'"}').refusal()[0] == 413


@pytest.mark.parametrize("token", ["", "nobody.secret", "house-of-cards.wrong", "house-of-cards"])
def test_token(caller: Caller, token: str) -> None:
    answer = caller._replace(token=token).open()
    assert answer.refusal() == (401, "token-invalid")


def test_unknown_route(caller: Caller) -> None:
    assert caller.get("/v1/nothing").refusal()[0] == 404
    assert caller.send("DELETE", "/v1/rounds/r1").refusal()[0] == 404


Case = tuple[Callable[[Caller], Answer], str, str]


def _open(**changes: Any) -> Callable[[Caller], Answer]:
    return lambda caller: caller.open(**changes)


def _deal(**changes: Any) -> Callable[[Caller], Answer]:
    return lambda caller: caller.deal(**changes)


def _settle(**changes: Any) -> Callable[[Caller], Answer]:
    return lambda caller: caller.settle(**changes)


SHAPES: list[Case] = [
    (_open(round_id="no spaces"), "request-invalid", "round_id"),
    (_open(round_id="x" * 65), "request-invalid", "round_id"),
    (_open(table_id=7), "request-invalid", "table_id"),
    (_open(currency="usd"), "request-invalid", "currency"),
    (_open(extra=1), "request-invalid", "extra"),
    (_open(seats=[]), "request-invalid", "seats"),
    (_open(source="moon"), "request-invalid", "source"),
    (_open(limits={"minimum": "10", "maximum": 20}), "request-invalid", "limits.minimum"),
    (_open(limits={"minimum": True, "maximum": 20}), "request-invalid", "limits.minimum"),
    (_open(limits={"minimum": -1, "maximum": 20}), "request-invalid", "limits.minimum"),
    (_open(limits={"minimum": 1, "maximum": 2**53}), "json-invalid", ""),
]
OPENS: list[Case] = [
    (_open(ruleset="pai-gow-poker/none"), "ruleset-unknown", "ruleset"),
    (_open(seats=[{"seat": 9, "bettor": "ann"}]), "seat-unknown", "seats[9]"),
    (_open(seats=[{"seat": 1, "bettor": "ann"}, {"seat": 1, "bettor": "bob"}]), "seat-duplicate", "seats[1]"),
    (_open(seats=[{"seat": 1, "bettor": "house"}]), "bettor-reserved", "seats[1].bettor"),
    (_open(banker="house"), "house-cannot-bank", "banker"),
    (_open(banker={"seat": 2, "bettor": "ann"}), "banker-not-seated", "banker"),
    (_open(jokers=2), "jokers-out-of-range", "jokers"),
    (_open(limits={"minimum": 20, "maximum": 10}), "limits-invalid", "limits.maximum"),
    (_open(fees={"wager": [{"low": 5, "high": 5, "fee": 1}]}), "fees-invalid", "fees.wager[0].high"),
    (_open(ruleset="fortune-pai-gow/florida-2017"), "fees-not-allowed", "fees.wager"),
]
DEALS: list[Case] = [
    (_deal(wagers=[wager("bob", 2), wager("bob", 2)]), "wager-duplicate", "wagers[w-bob]"),
    (_deal(wagers=[wager("bob", 2, kind="fortune")]), "wager-kind-not-offered", "wagers[w-bob].kind"),
    (_deal(wagers=[wager("bob", 8)]), "seat-unknown", "wagers[w-bob].seat"),
    (_deal(wagers=[wager("bob", 2, circle=4)]), "circle-unknown", "wagers[w-bob].circle"),
    (_deal(wagers=[wager("ann", 1)]), "banker-wagers", "wagers[w-ann].bettor"),
    (_deal(wagers=[wager("cyd", 2)]), "bettor-not-seated", "wagers[w-cyd].bettor"),
    (_deal(wagers=[wager("bob", 2), wager("bob", 2, circle=2) | {"wager_id": "w2"}]), "back-line-by-seated", ""),
    (_deal(wagers=[wager("hal", 2, circle=2)]), "back-line-without-seated", "wagers[w-hal].circle"),
    (_deal(wagers=[wager("bob", 2, 999)]), "wager-outside-limits", "wagers[w-bob].amount"),
    (_deal(wagers=[wager("bob", 2), wager("hal", 2, circle=2)]), "placed-missing", ""),
    (_deal(banker_wager=None), "banker-wager-missing", "banker_wager"),
    (_deal(banker_wager=999), "banker-wager-below-minimum", "banker_wager"),
    (_deal(cut=53), "cut-invalid", "cut"),
    (_deal(pile=8), "pile-invalid", "pile"),
    (_deal(dice=[1, 2, 7]), "request-invalid", "dice[2]"),
    (_deal(number=3), "draw-not-offered", "number"),
    (_deal(hands=[{"seat": 1, "cards": ["As"]}]), "hands-not-wanted", "hands"),
    (_deal(hands=[{"seat": 1, "cards": ["Xs"]}]), "card-invalid", "hands[0].cards[0]"),
    (_deal(client_seed="00" * 15), "request-invalid", "client_seed"),
    (_deal(wagers=[wager("bob", 2, 0)]), "request-invalid", "wagers[0].amount"),
    (
        _deal(wagers=[wager("bob", 2, free_collection={"round_id": "r0", "wager_id": "w"})]),
        "free-collection-unknown",
        "wagers[w-bob].free_collection",
    ),
]
SETTLEMENTS: list[Case] = [
    (_settle(sets=settling()["sets"][1:]), "seat-not-set", "sets[1]"),
    (_settle(sets=[*settling()["sets"], {"seat": 4, "how": "house_way"}]), "seat-without-wager", "sets[4]"),
    (_settle(sets=[*settling()["sets"], {"seat": 3, "how": "house_way"}]), "seat-set-twice", "sets[3]"),
    (_settle(sets=[{"seat": 1, "how": "magic"}]), "request-invalid", "sets[0]"),
    (_settle(sets=[{"seat": 1, "how": "front"}]), "request-invalid", "sets[0].front"),
]


def refused(caller: Caller, case: Case) -> None:
    call, slug, field = case
    before = caller.get("/v1/tables/t1/records").text
    answer = call(caller)
    assert answer.refusal()[1] == slug, answer.text
    assert answer.json["detail"]
    if field:
        assert field in answer.fields(), answer.fields()
    assert caller.get("/v1/tables/t1/records").text == before


def _name(value: object) -> str:
    return value[1] if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize("case", SHAPES + OPENS, ids=_name)
def test_opens(caller: Caller, case: Case) -> None:
    refused(caller, case)


@pytest.mark.parametrize("case", DEALS, ids=_name)
def test_deals(caller: Caller, case: Case) -> None:
    caller.open()
    refused(caller, case)
    assert caller.deal().status == 200  # and the round goes on


@pytest.mark.parametrize("case", SETTLEMENTS, ids=_name)
def test_settlements(caller: Caller, case: Case) -> None:
    caller.open()
    caller.deal()
    refused(caller, case)
    assert caller.settle().status == 200


def test_cards_of_another_seat(caller: Caller) -> None:
    caller.open()
    hands = {hand["seat"]: hand["cards"] for hand in caller.deal().payload["body"]["hands"]}
    sets = [{"seat": 2, "how": "front", "front": hands[3][:2]}, *settling()["sets"][::2]]
    answer = caller.settle(sets=sets)
    assert answer.refusal() == (422, "card-not-dealt")
    twice = [{"seat": 2, "how": "front", "front": [hands[2][0]] * 2}, *settling()["sets"][::2]]
    assert caller.settle(sets=twice).refusal() == (422, "card-not-dealt")


def test_banker_turns(caller: Caller) -> None:
    for number in (1, 2):
        caller.open(round_id=f"r{number}")
        caller.deal(f"r{number}")
        caller.settle(f"r{number}")
    answer = caller.open(round_id="r3")
    assert answer.refusal() == (409, "banker-turn-over")
    assert "ann has banked 2 of at most 2 in a row" in answer.json["detail"]
    passed = {"seat": 1, "bettor": "ann", "others_passed": True}
    assert caller.open(round_id="r3", banker=passed).status == 201


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_one_field_replaced_by_anything(caller: Caller, data: st.DataObject) -> None:
    """Never a 500, and never a record, unless what came is what the call takes."""
    body = data.draw(st.sampled_from([opening(), dealing(), settling()]))
    path = (
        "/v1/rounds" if "round_id" in body else "/v1/rounds/r1/deal" if "wagers" in body else "/v1/rounds/r1/settlement"
    )
    body[data.draw(st.sampled_from(sorted(body)))] = data.draw(json_values)
    answer = caller.post(path, body)
    assert answer.status < 500, answer.text
    if answer.status >= 400:
        answer.refusal()


def test_what_the_description_generates(caller: Caller, api: LocalApi) -> None:
    """Requests that Schemathesis makes from our own OpenAPI document are answered or refused, never failed."""
    schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", api)

    for operation in schema.get_all_operations():
        for_one = operation.ok()

        @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=for_one.as_strategy())
        def one(case: schemathesis.Case) -> None:
            answer = case.call(headers={"Authorization": f"Bearer {caller.token}"})
            assert answer.status_code < 500, answer.text

        one()
