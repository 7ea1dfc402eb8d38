"""The requests of a catalogue's games: shapes, ids, money and cards; the rules are the games' to check.

What an open, a deal and a settlement may hold, the games' own shapes say; here stands what is of the call alone.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple, NotRequired, TypedDict

from pydantic_core import CoreSchema, SchemaValidator, ValidationError
from pydantic_core import core_schema as core

from cardroom.cards import CardInvalid
from cardroom.refusals import FieldFault, Refusal
from cardroom.services.catalogue import Catalogue
from cardroom.services.consult import NOT_PREVIEWED
from cardroom.shapes import parts, records
from cardroom.shapes.bounds import Default, Length
from cardroom.shapes.forms import Object
from cardroom.shapes.merge import extended, object_of, without
from cardroom.shapes.values import Currency, Id, RulesetId
from cardroom.wire.forms import CARD_FAULT, schema_of

Json = dict[str, Any]

MAX_HANDS: Final = 1_000
_PARTS: Final = re.compile(r"\.|\[")
_NO_OBJECT: Final = frozenset({"model_type", "model_attributes_type", "dict_type"})

_BUILDING: Final = threading.Lock()  # two threads may not build at once


class RequestInvalid(Refusal):
    """The body is JSON, but not the request that this call takes."""


# What a body says beside what the record of the call holds

Record = Annotated[str, Length(1, 400_000)]


class _OpenCall(TypedDict):
    round_id: Id


class _DealCall(TypedDict):
    opened: NotRequired[Record]


class _SetsCall(TypedDict):
    dealt: NotRequired[Record]


class _SettleCall(_SetsCall):
    set: NotRequired[Record]


class _ShoeCall(TypedDict):
    shoe_id: Id


class _DrawCall(TypedDict):
    draw_id: Id


class _NoCall(TypedDict):
    pass


class _HouseWay(TypedDict):
    ruleset: RulesetId
    role: Literal["banker", "player"]
    hands: Annotated[list[parts.Cards], Length(1, MAX_HANDS)]


class _Preview(TypedDict):
    ruleset: RulesetId
    currency: Annotated[Currency, Default("USD", held=True)]
    hands: parts.Hands


_INLINE: Final = core.dict_schema(core.str_schema(strict=True), core.any_schema(), strict=True)  # a rule set


class Taken(NamedTuple):
    """A request that was taken: `request` as its record holds it, `call` what the body says beside (ids, records)."""

    request: Json
    call: Json


class RequestModel:
    """The body of a call; what checks it is built when the first one comes, as each function needs few of them.

    `asked` is the form of what the record holds, `call` that of what the body says beside it.
    """

    def __init__(
        self, name: str, words: str, asked: Callable[[], Object], call: type = _NoCall, **also: CoreSchema
    ) -> None:
        self.name = name
        self._words, self._asked, self._call, self._also = words, asked, call, also
        self._beside = tuple(object_of(call).members)

    @cached_property
    def _validator(self) -> SchemaValidator:
        return SchemaValidator(self.schema())

    def parse(self, body: object) -> Taken:
        """The request in a body.

        Raises CardInvalid if nothing but cards is wrong with it, otherwise RequestInvalid naming every faulty field.
        """
        if "_validator" not in self.__dict__:
            with _BUILDING:
                self._validator  # noqa: B018 - built once
        try:
            request = self._validator.validate_python(body)
        except ValidationError as error:
            raise _refusal(error, body) from None
        return Taken(request, {name: request.pop(name) for name in self._beside if name in request})

    def schema(self, definitions: dict[str, CoreSchema] | None = None) -> CoreSchema:
        """What pydantic checks and describes the body by; with `definitions`, the objects in it stand there."""
        whole = extended(object_of(self._call), self._asked())
        return schema_of(replace(whole, name=self.name, words=self._words), definitions, self._also)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """The requests of all calls."""

    open: RequestModel
    deal: RequestModel
    sets: RequestModel
    settle: RequestModel
    correct_deal: RequestModel
    correct: RequestModel
    preview: RequestModel
    void: RequestModel
    open_shoe: RequestModel
    close_shoe: RequestModel
    draw: RequestModel
    house_way: RequestModel


@lru_cache(maxsize=8)
def requests_of(catalogue: Catalogue) -> Requests:
    """The requests that the games of a catalogue take."""

    def preview() -> Object:
        asked = catalogue.asked
        return without(extended(extended(asked.opening, asked.wagering), asked.settling), NOT_PREVIEWED)

    return Requests(
        open=RequestModel("OpenRequest", "`POST /v1/rounds`.", lambda: catalogue.asked.opening, _OpenCall),
        deal=RequestModel(
            "DealRequest", "`POST /v1/rounds/{round_id}/deal`.", lambda: catalogue.asked.wagering, _DealCall
        ),
        sets=RequestModel(
            "SetsRequest", "`POST /v1/rounds/{round_id}/sets`.", lambda: catalogue.asked.locking, _SetsCall
        ),
        settle=RequestModel(
            "SettleRequest", "`POST /v1/rounds/{round_id}/settlement`.", lambda: catalogue.asked.settling, _SettleCall
        ),
        correct_deal=RequestModel(
            "DealCorrectionRequest",
            "`POST /v1/rounds/{round_id}/deal/corrections`.",
            lambda: without(catalogue.asked.correcting, {"drawn_cards"}),
        ),
        correct=RequestModel(
            "CorrectionRequest", "`POST /v1/rounds/{round_id}/corrections`.", lambda: catalogue.asked.correcting
        ),
        preview=RequestModel(
            "PreviewRequest",
            "`POST /v1/settlements/preview`: a round at a physical table, in one piece.",
            lambda: extended(object_of(_Preview), preview()),
            ruleset=_INLINE,
        ),
        void=_of("VoidRequest", "`POST /v1/rounds/{round_id}/void`.", records.VoidRequest),
        open_shoe=_of("ShoeRequest", "`POST /v1/shoes`.", parts.ShoeRequest, _ShoeCall),
        close_shoe=_of("CloseShoeRequest", "`POST /v1/shoes/{shoe_id}/close`.", parts.CloseShoeRequest),
        draw=RequestModel(
            "DrawRequest",
            "`POST /v1/tables/{table_id}/draws`.",
            lambda: without(object_of(parts.DrawRequest), {"table_id"}),  # the path tells it
            _DrawCall,
        ),
        house_way=_of("HouseWayRequest", "`POST /v1/house-way`.", _HouseWay),
    )


def _of(name: str, words: str, shape: type, call: type = _NoCall) -> RequestModel:
    """A request that no game adds to."""
    return RequestModel(name, words, lambda: object_of(shape), call)


def _refusal(error: ValidationError, body: object) -> Refusal:
    errors = error.errors(include_url=False, include_context=False)
    paths = [_path(item["loc"], body, missing=item["type"] == "missing") for item in errors]
    # Of a value that can be one thing or another, the faults inside it say more than that it isn't the other.
    outer = {path[: part.start()] for path in paths for part in _PARTS.finditer(path)}
    faults = [
        FieldFault(path, "Input should be an object" if item["type"] in _NO_OBJECT else item["msg"])
        for path, item in zip(paths, errors, strict=True)
        if path not in outer
    ]
    if all(item["type"] == CARD_FAULT for item in errors):
        return CardInvalid(faults[0].message, *faults)
    first = faults[0]
    return RequestInvalid(f"{first.field or 'the body'}: {first.message}", *faults)


def _path(location: tuple[int | str, ...], body: object, *, missing: bool) -> str:
    """Where a fault is, in the body's own names; pydantic names the alternatives of a union too.

    >>> _path(("wagers", 2, "amount"), {"wagers": [{}, {}, {"amount": 0}]}, missing=False)
    'wagers[2].amount'
    >>> _path(("banker", "Banker", "seat"), {"banker": {"bettor": "ann"}}, missing=True)
    'banker.seat'
    """
    path, inside = "", body
    for place, part in enumerate(location, start=1):
        if (isinstance(inside, dict) and part in inside) or (isinstance(inside, list) and isinstance(part, int)):
            inside = inside[part]  # type: ignore[index]
        elif not missing or place < len(location):
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path
