"""A shape read: what its TypedDicts, lists, texts and integers come to, with the bounds that stand in `Annotated`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NotRequired, TypeVar, Union, get_args, get_origin, get_type_hints
from typing import is_typeddict as is_typed_dict

from cardroom.canonical import MAX_INTEGER
from cardroom.shapes.bounds import Between, Default, Length, Pattern, Several, Sorted

_LIST: Final = Length(0, 1_000)  # where a shape says nothing of it
_TABLE: Final = Length(0, 100)

# Compared by identity, as `form_of` reads each shape once.


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A text: one that matches a pattern, or one of some length."""

    pattern: Pattern | None = None
    length: Length | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Integer:
    """An integer; `true` and `false` are none."""

    low: int = -MAX_INTEGER
    high: int = MAX_INTEGER


@dataclass(frozen=True, slots=True, eq=False)
class OneOf:
    """One of a few texts, or one of a few integers, or one or both of `true` and `false`: never of two kinds."""

    values: tuple[str | int | bool, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Null:
    """Nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class List:
    """A list."""

    item: Form
    length: Length = _LIST
    order: Sorted | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """An object whose members have names that are not known beforehand."""

    name: Text
    value: Form
    length: Length = _TABLE


@dataclass(frozen=True, slots=True, eq=False)
class Object:
    """An object with just these members; `name` is that of its TypedDict, None where that depends on a game.

    `words` say what it is; `asked` says of members how a request may give them otherwise than a record holds them.
    """

    name: str | None
    members: Mapping[str, Form]
    required: frozenset[str]
    words: str
    asked: Mapping[str, Default | Several]

    @property
    def held(self) -> frozenset[str]:
        """What a record says though a request may leave it out."""
        said = {name for name, said in self.asked.items() if isinstance(said, Default) and said.held}
        return self.required | said

    @property
    def unsaid(self) -> Mapping[str, object]:
        """What records leave out, since it is meant without it."""
        return {name: said.value for name, said in self.asked.items() if isinstance(said, Default) and not said.held}


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """One of several forms."""

    options: tuple[Form, ...]


Form = Text | Integer | OneOf | Null | List | Table | Object | Either

_PLAIN: Final[Mapping[Any, Form]] = {
    str: Text(),
    int: Integer(),
    bool: OneOf((True, False)),
    None: Null(),
    NoneType: Null(),
}
_read: Final[dict[object, Form]] = {}


def form_of(shape: Any, given: Mapping[Any, Any] | None = None) -> Form:
    """The form that a type describes; `given` are the types that stand for its type variables.

    Raises TypeError for a type that no shape is made of.
    """
    if given is None:
        if shape not in _read:
            _read[shape] = _form_of(shape, {})
        return _read[shape]
    return _form_of(shape, given)


def _form_of(shape: Any, given: Mapping[Any, Any]) -> Form:
    if isinstance(shape, TypeVar) or (given and not _depends(shape)):
        return form_of(given.get(shape, shape))
    origin, args = get_origin(shape), get_args(shape)
    if is_typed_dict(shape):
        return _object_of(shape, given)
    if is_typed_dict(origin):
        names = origin.__parameters__
        return _object_of(origin, {name: given.get(arg, arg) for name, arg in zip(names, args, strict=True)})
    if origin is Annotated:
        return _bounded(_form_of(args[0], given), shape.__metadata__)
    if origin in (Union, UnionType):
        return Either(tuple(_form_of(arg, given) for arg in args))
    return _plain(shape, [_form_of(arg, given) for arg in args] if origin in (list, dict) else ())


def _plain(shape: Any, args: Sequence[Form]) -> Form:
    if shape in _PLAIN:
        return _PLAIN[shape]
    match get_origin(shape), args:
        case origin, [item] if origin is list:
            return List(item)
        case origin, [Text() as name, value] if origin is dict:
            return Table(name, value)
        case origin, _ if origin is Literal and len({type(value) for value in get_args(shape)}) == 1:
            return OneOf(get_args(shape))
    raise TypeError(f"{shape} is not what shapes are made of")


def _depends(shape: Any) -> bool:
    """Whether a type has type variables, at any depth."""
    return bool(getattr(shape, "__parameters__", ()))


def _object_of(shape: Any, given: Mapping[Any, Any]) -> Object:
    members, required = {}, set()
    asked: dict[str, Default | Several] = {}
    for name, hint in sorted(get_type_hints(shape, include_extras=True).items()):
        optional = get_origin(hint) is NotRequired
        member = get_args(hint)[0] if optional else hint
        members[name] = _form_of(member, given)
        if not optional:
            required.add(name)
        for said in getattr(member, "__metadata__", ()):
            if isinstance(said, Default | Several):
                asked[name] = said
    return Object(
        name=None if given else _name_of(shape),
        members=MappingProxyType(members),
        required=frozenset(required),
        words=shape.__doc__ or "",
        asked=MappingProxyType(asked),
    )


def _name_of(shape: Any) -> str:
    """The shape's name; that of its game before it, since each game has an opening."""
    *_, package, _ = shape.__module__.split(".")
    return shape.__name__ if package == "shapes" else f"{package}.{shape.__name__}"


def _bounded(form: Form, bounds: tuple[object, ...]) -> Form:
    for bound in bounds:
        match form, bound:
            case Text(length=None), Pattern():
                form = replace(form, pattern=bound)
            case Text(pattern=None), Length():
                form = replace(form, length=bound)
            case ((List() | Table()), Length()):
                form = replace(form, length=bound)
            case Integer(), Between():
                form = replace(form, low=bound.low, high=bound.high)
            case List(), Sorted():
                form = replace(form, order=bound)
            case _, Default() | Several():
                pass  # about the member, not about what it holds
            case _:
                raise TypeError(f"{bound} says nothing about {form}")
    return form
