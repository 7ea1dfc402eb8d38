"""The committed JSON Schemas are those of the shapes, closed at every depth, and admit every record of the vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from cardroom import canonical
from cardroom.rounds.kinds import KINDS
from cardroom.shapes import records
from cardroom.shapes.check import checker
from cardroom.shapes.forms import form_of
from cardroom.signing.signature import split, unb64url
from tools import schemas

VECTORS = Path(__file__).parents[2] / "vectors"
WRITTEN = schemas.files()
EXPORTS = sorted(path for path in (VECTORS / "records").glob("*.jsonl") if not path.stem.endswith("_fail"))
GOLDEN = sorted((VECTORS / "golden").glob("*.jsonl"))


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((schemas.FOLDER / f"{name}.schema.json").read_text("utf-8"))
    return found


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = [*value.values()]
    if isinstance(value, list):
        for item in value:
            yield from objects(item)


def test_there_is_a_schema_of_each_shape_and_no_other() -> None:
    assert {*schemas.FOLDER.iterdir()} == {*WRITTEN}, "run `python -m tools.schemas`"


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_the_schema_is_that_of_the_shape(path: Path) -> None:
    assert path.read_text("utf-8") == WRITTEN[path], "run `python -m tools.schemas`"


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_every_object_is_closed_and_every_text_and_list_is_bounded(path: Path) -> None:
    for one in objects(json.loads(WRITTEN[path])):
        if one.get("type") == "object":
            assert one["additionalProperties"] is False or "propertyNames" in one
        if one.get("type") == "string":
            assert "pattern" in one or "maxLength" in one
        if one.get("type") == "array":
            assert "maxItems" in one


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_playthroughs_are_valid(path: Path) -> None:
    validators = {kind: Draft202012Validator(schema(kind)) for kind in KINDS}
    for line in path.read_bytes().splitlines():
        payload = canonical.loads_canonical(line)
        assert validators[payload["kind"]].is_valid(payload)


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_the_lines_of_an_export_and_what_they_are_signed_with(path: Path) -> None:
    def is_valid(shape: Any, value: Any, name: str | None = None) -> bool:
        fault = checker(form_of(shape))(value)
        assert name is None or Draft202012Validator(schema(name)).is_valid(value) == (fault is None)
        return fault is None

    header, *lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert is_valid(records.ExportHeader, header, "export_header")
    for line in lines:
        ((what, jws),) = line.items()
        signed_by = canonical.loads(unb64url(jws.split(".")[0]))
        assert is_valid(records.RecordHeader if what == "record" else records.TrailerHeader, signed_by)
        certificate = split(signed_by["crt"])
        assert is_valid(records.CertificateHeader, canonical.loads(unb64url(certificate.protected)))
        assert is_valid(records.Certificate, canonical.loads(certificate.payload), "certificate")
        if what == "trailer":
            assert is_valid(records.ExportTrailer, canonical.loads(split(jws).payload), "export_trailer")
