"""Checker, its quick reader and JSON Schema give one verdict on records, whatever is changed in them at any depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from jsonschema_rs import Draft202012Validator

from cardroom import canonical
from cardroom.money import MAX_MINOR
from cardroom.rounds.kinds import KINDS
from cardroom.services.catalogue import published
from cardroom.shapes.bounds import Length, Pattern
from cardroom.shapes.check import _FAST, checker, fault_of
from cardroom.shapes.forms import Form, form_of
from cardroom.shapes.whole import RecordShapes, is_of_a_game, record_form
from tools import schemas

Json = dict[str, Any]

GOLDEN = sorted((Path(__file__).parents[2] / "vectors/golden").glob("*.jsonl"))
RECORDS = [canonical.loads_canonical(line) for path in GOLDEN for line in path.read_bytes().splitlines()]
GAMES = {name: game.shapes() for name, game in published().games.items()}
KNOWN = published().shapes
ANY = RecordShapes(lambda _: None, GAMES.values, {name: kind.shapes for name, kind in KINDS.items()})
VALUES = (
    None, True, False, 0, 1, -1, 10, 1_001, MAX_MINOR, "", "a", "main", "house", "As", "Jk2", "r-1", "USD", "usd", "é",
    "bettor:ann", "pot:r1", "win", "ab" * 16, "ab" * 32, "2026-11-29T21:53:29.123Z", "a/b", "shoe:s1", [], {}, [1],
    ["As"], {"seat": 1}, {"seat": 1, "bettor": "ann"}, [{"seat": 1, "how": "house_way"}],
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every object or list with each of its keys."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def changed(payload: Json, random: Random) -> Json:
    """A record with one member dropped, added, renamed or of another value."""
    copy = deepcopy(payload)
    inside, key = random.choice([*places(copy)])
    match random.choice(("drop", "add", "value", "value", "text", "copy")):
        case "drop":
            del inside[key]
        case "add" if isinstance(inside, dict):
            inside[random.choice(("more", "seat", "note", "seed", "shoe", "placed", ""))] = random.choice(VALUES)
        case "add":
            inside.append(random.choice(VALUES))
        case "text" if isinstance(inside[key], str):
            inside[key] += random.choice(("x", "\n", "0", " "))
        case "copy":
            other, other_key = random.choice([*places(copy)])
            inside[key] = deepcopy(other[other_key])
        case _:
            inside[key] = random.choice(VALUES)
    return copy


@cache
def compiled(form: Form) -> Callable[[Any], bool]:
    return _FAST.function(form)


def quick(form: Form, value: Any) -> bool:
    try:
        return compiled(form)(value)
    except (KeyError, TypeError):
        return False


@pytest.mark.parametrize("payload", RECORDS, ids=lambda payload: f"{payload['kind']}-{payload['seq']}")
def test_genuine_records_are_of_their_shape(payload: Json) -> None:
    assert KNOWN.fault(payload) is None
    assert ANY.fault(payload) is None


def test_the_quick_reader_and_the_schema_say_what_the_checker_says() -> None:
    random = Random("shapes")
    validators = {kind: Draft202012Validator(schemas.document(kind, GAMES)) for kind in KINDS}
    forms = {
        name: [record_form(kind.shapes, game) for game in GAMES.values()]
        if is_of_a_game(kind.shapes)
        else [record_form(kind.shapes)]
        for name, kind in KINDS.items()
    }
    verdicts: Counter[tuple[str, bool]] = Counter()
    for _ in range(40):
        for payload in RECORDS:
            one = changed(payload, random)
            if random.random() < 0.2:
                one = changed(one, random)
            if one.get("kind") not in [*KINDS]:
                continue
            fault = ANY.fault(one)
            valid = validators[one["kind"]].is_valid(one)
            unsorted = fault is not None and "ascending order" in fault.message  # no schema can say that
            assert valid == (fault is None) or (valid and unsorted), (fault, one)
            for form in forms[one["kind"]]:
                assert quick(form, one) == (fault_of(form, one) is None)
            verdicts[payload["kind"], fault is None] += 1
    assert sum(verdicts.values()) > 3_000
    for kind in ("opened", "dealt", "settled"):
        assert verdicts[kind, True] > 100
        assert verdicts[kind, False] > 1_000


def test_a_known_rule_set_has_the_shapes_of_its_game_alone() -> None:
    dealt = next(one for one in RECORDS if one["kind"] == "dealt" and one["ruleset"]["id"].startswith("push-nine"))
    other = {**dealt, "ruleset": {**dealt["ruleset"], "id": "hi-hi-lo/redding-1995"}}
    assert ANY.fault(other) is None
    assert KNOWN.fault(other) is not None


@pytest.mark.parametrize(
    ("kind", "change", "path"),
    [
        ("opened", lambda one: one["request"].update(currency="usd"), "request.currency"),
        ("opened", lambda one: one["request"].update(currency=["USD"]), "request.currency"),
        ("opened", lambda one: one.update(operator="-op"), "operator"),
        ("opened", lambda one: one["request"].update(tip=1), "request.tip"),
        ("opened", lambda one: one["table_after"].pop("deck"), "table_after.deck"),
        ("opened", lambda one: one.update(ruleset=None), "ruleset"),
        ("dealt", lambda one: one["request"].update(client_seed="ab" * 15), "request.client_seed"),
        ("dealt", lambda one: one["request"].update(client_seed="ab" * 16 + "a"), "request.client_seed"),
        ("dealt", lambda one: one["request"].update(client_seed="AB" * 16), "request.client_seed"),
        ("dealt", lambda one: one["body"]["hands"][0]["cards"].__setitem__(1, "10h"), "body.hands[0].cards[1]"),
        ("dealt", lambda one: one["body"]["opened"]["terms"].update(seq=1), "body.opened.terms.seq"),
        ("settled", lambda one: one["body"]["postings"][0].update(amount=True), "body.postings[0].amount"),
        ("settled", lambda one: one["body"]["sets"][0].update(foul=0), "body.sets[0].foul"),
        ("settled", lambda one: one["body"]["results"][0].update(paid=MAX_MINOR + 1), "body.results[0].paid"),
        ("settled", lambda one: one["body"]["net"][0].update(amount=-MAX_MINOR - 1), "body.net[0].amount"),
        ("settled", lambda one: one.update(at="2026-11-29T21:53:29Z"), "at"),
    ],
)
def test_the_path_of_the_first_fault(kind: str, change: Any, path: str) -> None:
    payload = deepcopy(
        next(one for one in RECORDS if one["kind"] == kind and (one["ruleset"]["id"]).startswith("pai-gow-poker"))
    )
    change(payload)
    fault = KNOWN.fault(payload)
    assert fault is not None and fault.path == path


def test_a_kind_that_has_no_shape_is_looked_at_as_far_as_it_goes() -> None:
    """The chain says that nobody knows the kind."""
    payload = {**RECORDS[0], "kind": "noted", "request": {"anything": 1}}
    assert KNOWN.fault(payload) is None
    assert str(KNOWN.fault({**payload, "seq": 0})) == f"seq: must be an integer from 1 to {MAX_MINOR}, not 0"
    assert str(KNOWN.fault([])) == "must be an object, not a list"


INTEGER = f"an integer from {-MAX_MINOR} to {MAX_MINOR}"
Short = Annotated[str, Pattern("[a-c]{1,2}", "one or two of abc")]


class First(TypedDict):
    kind: Literal["first"]
    names: Annotated[list[Short], Length(0, 2)]


class Loose(TypedDict):
    one: NotRequired[int]


class Second(TypedDict):
    kind: Literal["second"]
    by_name: dict[Short, int]
    loose: NotRequired[Loose]
    more: NotRequired[First | Literal["none"] | None]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"kind": "first", "names": ["a", "bc"]}, None),
        ({"kind": "first", "names": ["a", "bcd"]}, "names[1]: must be one or two of abc, not 'bcd'"),
        ({"kind": "first", "names": ["a", "b", "c"]}, "names: must be a list of 0 to 2 items, not 3"),
        ({"kind": "first", "names": [[]]}, "names[0]: must be one or two of abc, not a list"),
        ({"kind": "second", "by_name": {"a": 1}, "more": None}, None),
        ({"kind": "second", "by_name": {"a": 1}, "more": "none"}, None),
        ({"kind": "second", "by_name": {"a": True}}, f"by_name.a: must be {INTEGER}, not true"),
        ({"kind": "second", "by_name": {"d": 1}}, "by_name: must have names that are one or two of abc, not 'd'"),
        ({"kind": "second", "by_name": {}, "more": {"kind": "first"}}, "more.names: is missing"),
        ({"kind": "second", "by_name": {}, "more": 1}, "more: must be an object or 'none' or null, not 1"),
        ({"kind": "second", "names": []}, "by_name: is missing"),
        ({"kind": "third", "names": []}, "kind: must be 'first', not 'third'"),
        ([], "must be an object, not a list"),
        ({"kind": "second", "by_name": {}, "loose": {}}, None),
        ({"kind": "second", "by_name": {}, "loose": {"one": 1}}, None),
        ({"kind": "second", "by_name": {}, "loose": []}, "loose: must be an object, not a list"),
        ({"kind": "second", "by_name": {}, "loose": ""}, "loose: must be an object, not ''"),
        ({"kind": "first", "names": [], "\x1b[2J": 1}, "'\\x1b[2J': is unknown: must be one of kind, names"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_value(value: Any, fault: str | None) -> None:
    form = form_of(First | Second)
    found = checker(form)(value)
    assert (None if found is None else str(found)) == fault
    assert quick(form, value) == (fault is None)


@pytest.mark.parametrize("shape", [float, list, Literal["a", 1], dict[int, str], Annotated[int, Length(1, 2)]])
def test_what_no_shape_is_made_of(shape: Any) -> None:
    with pytest.raises(TypeError):
        form_of(shape)


def test_texts_of_a_pattern_are_forgotten_before_they_are_too_many() -> None:
    form = form_of(Annotated[str, Pattern("[0-9]{1,9}", "digits")])
    check = checker(form)
    assert [check(str(number)) for number in range(10_000)] == [None] * 10_000
    texts = next(value for name, value in _FAST._names.items() if name.endswith("_texts") and "9999" in value)
    assert len(texts) < 5_000


def test_it_says_nothing_long_of_what_is_long() -> None:
    assert len(str(KNOWN.fault({**RECORDS[0], "a" * 10_000: 1}))) < 500
    assert len(str(KNOWN.fault({**RECORDS[0], "at": "x" * 10_000}))) < 500
