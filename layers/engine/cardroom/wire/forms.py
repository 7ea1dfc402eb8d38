"""Forms as pydantic reads them: each fault of a request named by its field, and the request in its normal form.

In its normal form a request is as the records hold it: absent members left out, lists whose order says nothing in
order, cards written in one way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core import core_schema as core

from cardroom.cards import CardInvalid, format_card, parse_card
from cardroom.shapes.bounds import Default, Length, Several, Sorted
from cardroom.shapes.forms import Either, Form, Integer, List, Null, Object, OneOf, Table, Text
from cardroom.shapes.values import CARD

CARD_FAULT: Final = "card_invalid"
_CARD_AS_TOLD: Final = "^((10|[2-9TJQKA])[cdhs]|Jk([2-9]|[1-9][0-9]+)?)$"  # one card can be written in several ways
_LONGEST_CARD: Final = 8
_ANY_LENGTH: Final = Length(0, 1_000_000)
_NOTHING: Final[Mapping[str, CoreSchema]] = {}


def schema_of(
    form: Object,
    definitions: dict[str, CoreSchema] | None = None,
    also: Mapping[str, CoreSchema] = _NOTHING,
) -> CoreSchema:
    """What pydantic checks a request by; with `definitions`, objects that have a name stand there, by name, once.

    `also` is what else a member of the request may be that no shape can tell.
    """
    return _Schemas(form, definitions, also).schema(form)


class _Schemas:
    def __init__(
        self, request: Object, definitions: dict[str, CoreSchema] | None, also: Mapping[str, CoreSchema]
    ) -> None:
        self._request = request
        self._definitions = definitions
        self._also = also

    def schema(self, form: Form) -> CoreSchema:
        match form:
            case Object():
                return self._named(form)
            case List():
                least, most = form.length
                told = core.list_schema(self.schema(form.item), min_length=least or None, max_length=most, strict=True)
                return told if form.order is None else core.no_info_after_validator_function(_sorter(form.order), told)
            case Table():
                names, values = self.schema(form.name), self.schema(form.value)
                least, most = form.length
                return core.dict_schema(names, values, min_length=least or None, max_length=most, strict=True)
            case Either():
                return self._either(form)
        return _plain(form)

    def _named(self, form: Object) -> CoreSchema:
        if self._definitions is None or form.name is None:
            return self._object(form)
        if form.name not in self._definitions:
            self._definitions[form.name] = core.none_schema()  # its place, before those of its members
            self._definitions[form.name] = self._object(form, ref=form.name)
        return core.definition_reference_schema(form.name)

    def _object(self, form: Object, ref: str | None = None) -> CoreSchema:
        fields = {name: self._member(form, name) for name in form.members}
        titled = None if ref is None else type(ref.rpartition(".")[2], (), {"__doc__": form.words})
        told = core.typed_dict_schema(fields, cls=titled, ref=ref, extra_behavior="forbid", strict=True)
        if all(field["required"] for field in fields.values()):
            return told
        return core.no_info_after_validator_function(_tidier(form.unsaid), told)

    def _member(self, form: Object, name: str) -> core.TypedDictField:
        member, said = form.members[name], form.asked.get(name)
        if isinstance(said, Several):
            member = Either((member, List(member, said.length)))
        told = self.schema(member)
        if form is self._request and name in self._also:
            told = core.union_schema([told, self._also[name]])
        if isinstance(said, Default):
            return core.typed_dict_field(core.with_default_schema(told, default=said.value), required=False)
        required = name in form.required
        return core.typed_dict_field(told if required else core.nullable_schema(told), required=required)

    def _either(self, form: Either) -> CoreSchema:
        """One of several; objects that a member tells apart are looked at by it alone."""
        tags = _tags(form)
        if tags is None:
            return core.union_schema([self.schema(option) for option in form.options])
        name, options = tags
        return core.tagged_union_schema(
            {value: self.schema(option) for value, option in options.items()}, discriminator=name
        )


def _tags(form: Either) -> tuple[str, Mapping[Any, Form]] | None:
    """The member that tells objects apart, and the object of each of its values; None if there is no such member."""
    objects = [option for option in form.options if isinstance(option, Object)]
    if len(objects) < len(form.options):
        return None
    for name in sorted(frozenset.intersection(*(option.required for option in objects))):
        kinds = [option.members[name] for option in objects]
        values = [value for kind in kinds if isinstance(kind, OneOf) for value in kind.values]
        if all(isinstance(kind, OneOf) for kind in kinds) and len(set(values)) == len(values):
            return name, {
                value: option
                for option, kind in zip(objects, kinds, strict=True)
                if isinstance(kind, OneOf)
                for value in kind.values
            }
    return None


def _plain(form: Text | Integer | OneOf | Null) -> CoreSchema:
    match form:
        case Text():
            return _text(form)
        case Integer():
            return core.int_schema(ge=form.low, le=form.high, strict=True)
        case OneOf(values=(True, False) | (False, True)):
            return core.bool_schema(strict=True)
        case OneOf():
            return core.literal_schema(list(form.values))
        case Null():
            return core.none_schema()


def _text(form: Text) -> CoreSchema:
    pattern, length = form.pattern, form.length or _ANY_LENGTH
    if pattern == CARD:
        told = core.str_schema(max_length=_LONGEST_CARD, strict=True)
        shown = {"pydantic_js_updates": {"pattern": _CARD_AS_TOLD}}
        return core.no_info_after_validator_function(_card, told, metadata=shown)
    if pattern is not None:
        return core.str_schema(pattern=whole(pattern.text), strict=True)
    return core.str_schema(min_length=length.least or None, max_length=length.most, strict=True)


def whole(pattern: str) -> str:
    """A pattern as JSON Schema says that a whole text matches it."""
    return f"^(?:{pattern})$" if "|" in pattern else f"^{pattern}$"


# The normal form


def _card(text: str) -> str:
    try:
        return format_card(parse_card(text))
    except CardInvalid as refusal:
        raise PydanticCustomError(CARD_FAULT, "{message}", {"message": refusal.message}) from refusal


def _sorter(order: Sorted) -> Callable[[list[Any]], list[Any]]:
    def in_order(items: list[Any]) -> list[Any]:
        order.sort(items)
        return items

    return in_order


def _tidier(unsaid: Mapping[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Leaves out what is null, and what says no more than if it were left out."""

    def tidy(found: dict[str, Any]) -> dict[str, Any]:
        for name, value in unsaid.items():
            if name in found and found[name] == value:
                del found[name]
        if None in found.values():
            return {name: value for name, value in found.items() if value is not None}
        return found

    return tidy
