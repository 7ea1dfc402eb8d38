"""Writes schemas/: a JSON Schema of each kind of record, of an export's header and trailer, and of a certificate.

Run `python -m tools.schemas` after a change to a shape; a test compares. What an operator or an auditor holds an export
against is made from the same shapes that the audit checks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from cardroom.rounds.kinds import KINDS
from cardroom.services.catalogue import published
from cardroom.shapes import records
from cardroom.shapes.forms import Either, Form, Integer, List, Null, Object, OneOf, Table, Text, form_of
from cardroom.shapes.games import AnyShapes
from cardroom.shapes.whole import is_of_a_game, record_form

Json = dict[str, Any]

FOLDER: Final = Path(__file__).parent.parent / "schemas"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
OTHERS: Final[Mapping[str, Any]] = {
    "export_header": records.ExportHeader,
    "export_trailer": records.ExportTrailer,
    "certificate": records.Certificate,
}
_TITLES: Final[Mapping[str, str]] = {
    **{kind: f"The payload of a record of kind {kind}" for kind in KINDS},
    "export_header": "The first line of an export",
    "export_trailer": "The payload of an export's last line",
    "certificate": "The claims of a certificate",
}


class Writer:
    """Makes the schemas of forms; objects that have a name stand in `definitions` once."""

    def __init__(self) -> None:
        self.definitions: dict[str, Json] = {}

    def schema(self, form: Form) -> Json:
        """The schema of a form."""
        match form:
            case Object(name=str(name)):
                if name not in self.definitions:
                    self.definitions[name] = {}  # its place, before those of its members
                    self.definitions[name] = self._object(form)
                return {"$ref": f"#/$defs/{name}"}
            case Object():
                return self._object(form)
            case List():
                bounds = {"minItems": form.length.least, "maxItems": form.length.most}
                order = {} if form.order is None else {"$comment": f"in ascending order{form.order.words}"}
                return {"type": "array", "items": self.schema(form.item), **_unless_zero(bounds), **order}
            case Table():
                bounds = {"minProperties": form.length.least, "maxProperties": form.length.most}
                names = {"propertyNames": self.schema(form.name), "additionalProperties": self.schema(form.value)}
                return {"type": "object", **names, **_unless_zero(bounds)}
            case Either():
                return {"anyOf": [self.schema(option) for option in form.options]}
        return _plain(form)

    def _object(self, form: Object) -> Json:
        return {
            "type": "object",
            "properties": {
                name: self.schema(member) | ({"not": {"const": form.unsaid[name]}} if name in form.unsaid else {})
                for name, member in form.members.items()
            },
            "required": sorted(form.held),
            "additionalProperties": False,
        }


def _plain(form: Text | Integer | OneOf | Null) -> Json:
    match form:
        case Text():
            told: Json = {"type": "string"}
            if form.pattern is not None:
                told["pattern"] = f"^({form.pattern.text})$"
            if form.length is not None:
                told |= _unless_zero({"minLength": form.length.least, "maxLength": form.length.most})
            return told
        case Integer():
            return {"type": "integer", "minimum": form.low, "maximum": form.high}
        case OneOf():
            return {"enum": list(form.values)}
        case Null():
            return {"type": "null"}


def _unless_zero(bounds: Mapping[str, int]) -> Json:
    return {name: bound for name, bound in bounds.items() if bound or not name.startswith("min")}


def document(name: str, games: Mapping[str, AnyShapes]) -> Json:
    """The schema of a kind of record or of one of `OTHERS`; a round's record is that of one of the games."""
    writer = Writer()
    if name in OTHERS:
        whole = writer.schema(form_of(OTHERS[name]))
    elif is_of_a_game(KINDS[name].shapes):
        for game, shapes in games.items():
            writer.definitions[game] = {}
            writer.definitions[game] = writer.schema(record_form(KINDS[name].shapes, shapes))
        whole = {"anyOf": [{"$ref": f"#/$defs/{game}"} for game in games]}
    else:
        whole = writer.schema(record_form(KINDS[name].shapes))
    head = {"$schema": DIALECT, "$id": f"{name}.schema.json", "title": _TITLES[name]}
    return {**head, **whole, "$defs": writer.definitions}


def files() -> dict[Path, str]:
    """What is to be written, by file."""
    games = {name: game.shapes() for name, game in published().games.items()}
    return {
        FOLDER / f"{name}.schema.json": json.dumps(document(name, games), indent=1, ensure_ascii=False) + "\n"
        for name in (*KINDS, *OTHERS)
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text, "utf-8")
