"""Requests made from shapes: what the games of a catalogue ask for, in one form, and read into its normal form."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from cardroom.cards import CardInvalid
from cardroom.refusals import Refusal
from cardroom.services.catalogue import published
from cardroom.shapes.bounds import Default, Length, Several, Sorted
from cardroom.shapes.forms import Either, Integer, List, Object
from cardroom.shapes.merge import either, object_of
from cardroom.shapes.values import Amount, CardText, Id, Slug, Stake
from cardroom.wire.requests import RequestInvalid, RequestModel, requests_of

ROOT = Path(__file__).parents[2]
Json = dict[str, Any]


class Left(TypedDict):
    how: Literal["left"]
    seat: Stake


class Right(TypedDict):
    how: Literal["right"]
    seat: Stake


class One(TypedDict):
    name: Id
    sets: Annotated[list[Left], Length(1, 3), Sorted("seat"), Default([], held=True)]
    low: NotRequired[Stake]
    passed: NotRequired[Annotated[bool, Default(False)]]


class Other(TypedDict):
    name: Id
    sets: Annotated[list[Right], Length(0, 7), Sorted("seat"), Default([], held=True)]
    low: NotRequired[Amount]
    cards: NotRequired[Annotated[list[CardText], Length(0, 3), Sorted()]]
    pile: NotRequired[Annotated[Left, Several(Length(2, 3))]]
    meters: NotRequired[dict[Slug, Amount]]


def merged() -> Object:
    form = either(object_of(One), object_of(Other))
    assert isinstance(form, Object)
    return form


MODEL = RequestModel("Both", "Both.", merged)


def test_two_shapes_in_one_form() -> None:
    form = merged()
    assert sorted(form.members) == ["cards", "low", "meters", "name", "passed", "pile", "sets"]
    assert form.required == {"name", "sets"}
    sets = form.members["sets"]
    assert isinstance(sets, List) and sets.length == (0, 7) and sets.order == Sorted("seat")
    assert isinstance(sets.item, Either) and len(sets.item.options) == 2  # told apart by `how`
    low = form.members["low"]
    assert isinstance(low, Integer) and low.low == 0


@pytest.mark.parametrize(
    ("body", "request_"),
    [
        ({"name": "n"}, {"name": "n", "sets": []}),
        ({"name": "n", "low": None, "passed": False, "cards": None}, {"name": "n", "sets": []}),
        ({"name": "n", "passed": True}, {"name": "n", "sets": [], "passed": True}),
        ({"name": "n", "cards": ["As", "10s", "2c"]}, {"name": "n", "sets": [], "cards": ["2c", "As", "Ts"]}),
        (
            {"name": "n", "sets": [{"how": "right", "seat": 2}, {"how": "left", "seat": 1}]},
            {"name": "n", "sets": [{"how": "left", "seat": 1}, {"how": "right", "seat": 2}]},
        ),
        (
            {"name": "n", "pile": [{"how": "left", "seat": 2}] * 2},
            {"name": "n", "sets": [], "pile": [{"how": "left", "seat": 2}] * 2},
        ),
    ],
)
def test_normal_form(body: Json, request_: Json) -> None:
    assert MODEL.parse(body).request == request_


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ([], [""]),
        ({}, ["name"]),
        ({"name": "n", "more": 1}, ["more"]),
        ({"name": "n", "low": True}, ["low"]),
        ({"name": "n", "low": -1}, ["low"]),
        ({"name": "n", "passed": None}, ["passed"]),
        ({"name": "n", "passed": 0}, ["passed"]),
        ({"name": "a b"}, ["name"]),
        ({"name": "n", "sets": [{"how": "up", "seat": 1}]}, ["sets[0]"]),
        ({"name": "n", "sets": [{"how": "left", "seat": 0}]}, ["sets[0].seat"]),
        ({"name": "n", "sets": None}, ["sets"]),
        ({"name": "n", "pile": [{"how": "left", "seat": 2}]}, ["pile"]),
        ({"name": "n", "pile": {"how": "left"}}, ["pile.seat"]),
        ({"name": "n", "meters": {"Bad Key": 1}}, ["meters.Bad Key"]),
    ],
)
def test_faults(body: Any, fields: list[str]) -> None:
    with pytest.raises(RequestInvalid) as refused:
        MODEL.parse(body)
    assert sorted({fault.field for fault in refused.value.faults}) == fields


def test_nothing_but_cards() -> None:
    with pytest.raises(CardInvalid):
        MODEL.parse({"name": "n", "cards": ["As", "Xx"]})
    with pytest.raises(RequestInvalid):
        MODEL.parse({"name": "n", "cards": ["As", "Xx"], "low": -1})


def test_a_body_is_left_as_it_came() -> None:
    body = {"name": "n", "sets": [{"how": "right", "seat": 2}, {"how": "left", "seat": 1}], "low": None}
    told = repr(body)
    first = MODEL.parse(body).request
    first["sets"].clear()
    assert repr(body) == told
    MODEL.parse({"name": "n"}).request["sets"].append(1)
    assert MODEL.parse({"name": "n"}).request["sets"] == []  # what is meant by leaving it out is nobody's to change


def test_threads_that_come_at_once() -> None:
    """Two may not build the same at once."""
    for _ in range(5):
        requests = requests_of(published().with_more())
        with ThreadPoolExecutor(8) as pool:
            told = list(pool.map(lambda _: requests.settle.parse({}).request, range(16)))  # noqa: B023
        assert told == [{"sets": []}] * 16


@pytest.mark.parametrize("name", sorted(published().games))
def test_an_entry_has_the_shapes_of_its_game_without_the_game(name: str) -> None:
    entry = published().games[name]
    assert entry.load().shapes is entry.shapes()
    script = (
        "import sys; from cardroom.services.catalogue import published;"
        f"published().games[{name!r}].shapes();"
        f"print([one for one in sys.modules if one.startswith('cardroom.games.') and one.count('.') > 2])"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"['cardroom.games.{name.replace('-', '_')}.shapes']"


def test_what_a_function_imports_for_its_first_request() -> None:
    script = (
        "import sys; sys.path.insert(0, 'functions/settle_round'); import settle_round;"
        "from cardroom.wire.requests import requests_of; from cardroom.adapters import environment;"
        "requests_of(environment.catalogue()).settle.parse({'sets': []});"
        "print([one for one in sys.modules if one == 'pydantic' or one.endswith('.settle')])"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_each_games_own_requests_are_taken() -> None:
    """Whatever a game's shape says of a request, the model of all games takes."""
    requests = requests_of(published())
    with pytest.raises(Refusal) as refused:
        requests.preview.parse({"source": "table", "cut": 3, "wagers": []})
    assert {fault.field for fault in refused.value.faults} == {"source", "cut", "ruleset", "hands", "seats"}
