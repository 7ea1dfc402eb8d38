"""What the games of a catalogue ask for, in one form: a request is read before its round's game is known."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType

from cardroom.shapes.bounds import Length
from cardroom.shapes.forms import Either, Form, Integer, List, Null, Object, OneOf, Table, Text, form_of
from cardroom.shapes.games import AnyShapes, NothingSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the requests of an open, a deal, a set, a settlement and a correction may hold, whatever the game."""

    opening: Object
    wagering: Object
    locking: Object
    settling: Object
    correcting: Object


def asked_of(games: Iterable[AnyShapes]) -> Asked:
    """What any of some games asks for; which of it belongs to a round is for that round's game to say."""
    games = list(games)
    return Asked(
        opening=_any_of([game.opening for game in games]),
        wagering=_any_of([game.wagering for game in games]),
        locking=_any_of([game.locking for game in games if game.locking is not NothingSet]),
        settling=_any_of([game.settling for game in games]),
        correcting=_any_of([game.correcting for game in games if game.correcting is not NothingSet]),
    )


def object_of(shape: type) -> Object:
    """The form of a TypedDict."""
    form = form_of(shape)
    if not isinstance(form, Object):
        raise TypeError(f"{shape} is no TypedDict")
    return form


def extended(one: Object, other: Object) -> Object:
    """An object with the members of both, those of the first where both have one."""
    return replace(
        one,
        members=MappingProxyType({**other.members, **one.members}),
        required=one.required | other.required,
        asked=MappingProxyType({**other.asked, **one.asked}),
    )


def without(one: Object, names: Collection[str]) -> Object:
    """An object that has no members of some names."""
    members = {name: member for name, member in one.members.items() if name not in names}
    return replace(one, members=MappingProxyType(members), required=one.required - set(names))


def _any_of(shapes: Iterable[type]) -> Object:
    return reduce(_object, map(object_of, shapes))


def either(one: Form, other: Form) -> Form:
    """What is of one form or of another: of two objects one that has the members of both, none of them at large.

    Objects that a member tells apart (`how`) stay apart.
    """
    if one is other:
        return one
    options = list(_options(one))
    for option in _options(other):
        for place, known in enumerate(options):
            both = _both(known, option)
            if both is not None:
                options[place] = both
                break
        else:
            options.append(option)
    return options[0] if len(options) == 1 else Either(tuple(options))


def _options(form: Form) -> tuple[Form, ...]:
    return form.options if isinstance(form, Either) else (form,)


def _both(one: Form, other: Form) -> Form | None:
    """Two forms of one kind in one, None where they are two kinds of thing."""
    both: Form | None = None
    match one, other:
        case Object(), Object() if not _told_apart(one, other):
            both = _object(one, other)
        case List(), List():
            both = replace(one, item=either(one.item, other.item), length=_length(one.length, other.length))
        case Integer(), Integer():
            both = Integer(min(one.low, other.low), max(one.high, other.high))
        case OneOf(), OneOf() if type(one.values[0]) is type(other.values[0]):
            both = OneOf(tuple(dict.fromkeys((*one.values, *other.values))))
        case Table(), Table() if one.name.pattern == other.name.pattern:
            both = Table(one.name, either(one.value, other.value), _length(one.length, other.length))
        case (Text(), Text()) if (one.pattern, one.length) == (other.pattern, other.length):
            both = one
        case Null(), Null():
            both = one
    return both


def _object(one: Object, other: Object) -> Object:
    members = {**other.members, **one.members}
    shared = {name: either(one.members[name], other.members[name]) for name in one.members.keys() & other.members}
    named = one if "." not in (one.name or ".") else other  # a name that is no single game's says more
    return Object(
        name=named.name,
        members=MappingProxyType({name: shared.get(name, members[name]) for name in sorted(members)}),
        required=one.required & other.required,
        words=max(one.words, other.words, key=len),  # of the one that adds to the other
        asked=MappingProxyType({**other.asked, **one.asked}),
    )


def _told_apart(one: Object, other: Object) -> bool:
    """Whether a member that both must have has no value in common."""
    for name in one.required & other.required:
        mine, theirs = one.members[name], other.members[name]
        if isinstance(mine, OneOf) and isinstance(theirs, OneOf) and not {*mine.values} & {*theirs.values}:
            return True
    return False


def _length(one: Length, other: Length) -> Length:
    return Length(min(one.least, other.least), max(one.most, other.most))
