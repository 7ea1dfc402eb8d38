"""Every rule that the package, its rule sets or its documents cite is a section of a sheet in docs/sheets."""

import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "layers/engine/cardroom"
RULESETS = PACKAGE / "rulesets"
HOUSE_WAYS = sorted((RULESETS / "house-ways").glob("*.toml"))
ROOMS = sorted(path for path in RULESETS.rglob("*.toml") if path not in HOUSE_WAYS)
SHEETS = sorted((ROOT / "docs/sheets").glob("*.md"))
MODULES = sorted(path for folder in ("layers", "functions", "desk", "tools") for path in (ROOT / folder).rglob("*.py"))
DOCUMENTS = [*SHEETS, *sorted(ROOT.glob("*.md"))]

# What a bare § means in a module that belongs to one sheet; a game's modules belong to the game's.
SHEET_OF = {
    **{f"banked/{name}.py": "pai-gow-poker" for name in ("__init__", "bets", "cover", "fees", "opening", "rules")},
    **{f"banked/{name}.py": "pai-gow-poker" for name in ("sets", "settlement")},
    "hands/bonus.py": "pai-gow-poker",
    "hands/ranking.py": "pai-gow-poker",
    "hands/low.py": "poker-showdown",
    "hands/three.py": "push-nine",
    "hands/hi_hi_lo.py": "hi-hi-lo",
    "hands/baccarat.py": "california-baccarat",
}
BY_HEADING = "house-ways"

NUMBERED = re.compile(r"^#{2,3} (\d+(?:\.\d+)?) \S", re.MULTILINE)
NAMED = re.compile(r"^## ([A-Z].+)$", re.MULTILINE)
CITATION = re.compile(
    r"(?:(?:(?P<other>RFC \d+|FIPS [\d-]+|revision \d+,)|(?P<own>\{SHEET\})|(?P<sheet>[a-z]+(?:-[a-z]+)+)"
    r"|\((?P<link>[a-z-]+)\.md\))\s)?§(?P<number>\d+(?:\.\d+)*)"
)
IN_WORDS = re.compile(
    r"\((pai gow|push nine|hi-hi-lo|california baccarat|poker showdown) sheet section (\d+(?:\.\d+)?)\)"
)
IN_COMMENT = re.compile(r"#\s*(\d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)*)(?!\d|\.\d)", re.MULTILINE)
SAME_SHEET = re.compile(r"[\s,;]*(?:(?:to|and|or)\s)?")


def sections(text: str) -> list[str]:
    """The numbered sections of a sheet, in their order."""
    return NUMBERED.findall(text)


SECTIONS = {path.stem: sections(path.read_text()) for path in SHEETS}
HEADINGS = {heading.lower() for heading in NAMED.findall((ROOT / f"docs/sheets/{BY_HEADING}.md").read_text())}


def cited(text: str, own: str | None) -> Iterator[tuple[str, str]]:
    """The sheets and sections that a text cites; `own` is the sheet of a bare §.

    In `push-nine §2, §3` the second one is push nine's too. Sections of other documents are passed over.
    """
    sheet: str | None = own
    end = 0
    for found in CITATION.finditer(text):
        named = found["sheet"] or found["link"]
        if named or found["own"] or found["other"]:
            sheet, is_other = named or own, found["other"] is not None
        elif not end or not SAME_SHEET.fullmatch(text, end, found.start()):
            sheet, is_other = own, False
        end = found.end()
        if not is_other:
            yield sheet or "a sheet that is not named", found["number"]
    for name, number in IN_WORDS.findall(text):
        yield {"pai gow": "pai-gow-poker"}.get(name, name.replace(" ", "-")), number


def missing(text: str, own: str | None = None) -> list[str]:
    """The citations of a text that are no section of any sheet."""
    return [f"{sheet} §{number}" for sheet, number in cited(text, own) if number not in SECTIONS.get(sheet, ())]


def spans(text: str, sheet: str) -> list[str]:
    """The sections of an entry like `1.1, 3.1 to 3.3`, those between two of them included.

    A section that the sheet does not have is kept, for the caller to find.
    """
    found = []
    for part in text.split(", "):
        first, _, last = part.partition(" to ")
        ends = [number for number in (first, last) if number]
        known = SECTIONS[sheet]
        if len(ends) == 2 and all(number in known for number in ends):
            found += known[known.index(first) : known.index(last) + 1] or [part]
        else:
            found += ends
    return found


def own_sheet(path: Path) -> str | None:
    """The sheet that a bare § in a file means: its own, that of its game, or the only one that it names."""
    if path in SHEETS:
        return path.stem
    inside = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path
    if inside.parts[0] == "games" and len(inside.parts) == 3:
        return inside.parts[1].replace("_", "-")
    named = {sheet for sheet, _ in cited(path.read_text(), None)} & set(SECTIONS)
    return SHEET_OF.get(str(inside)) or (named.pop() if len(named) == 1 else None)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_a_citation_of_no_section_is_found() -> None:
    assert missing("see pai-gow-poker §4.14") == ["pai-gow-poker §4.14"]
    assert missing("see pai-gow-poker §5.2, §5.9 and §6.1") == ["pai-gow-poker §5.9"]
    assert missing('f"{SHEET} §12"', "push-nine") == ["push-nine §12"]
    assert missing("red-dog §1") == ["red-dog §1"]
    assert missing("(push nine sheet section 9)") == ["push-nine §9"]
    assert missing("as §1 says") == ["a sheet that is not named §1"]
    assert missing("RFC 6962 §2.1.1, FIPS 186-4 §99") == []
    assert "3.4" in spans("3.1 to 3.4", "pai-gow-poker")
    assert sections("## 1 Deck\n### 1.1 Cards\n## Sources\n1.2 no heading\n") == ["1", "1.1"]


@pytest.mark.parametrize("path", SHEETS, ids=name)
def test_sections_follow_one_another(path: Path) -> None:
    numbers = [tuple(map(int, number.split("."))) for number in SECTIONS[path.stem]]
    assert numbers == sorted(set(numbers))
    chapters = [number[0] for number in numbers if len(number) == 1]
    assert chapters == list(range(1, len(chapters) + 1))
    for before, after in pairwise(numbers):
        if len(before) == len(after) == 2 and before[0] == after[0]:
            assert after[1] == before[1] + 1


@pytest.mark.parametrize("path", SHEETS, ids=name)
def test_a_sheet_names_its_sources_and_its_decisions(path: Path) -> None:
    text = path.read_text()
    assert re.search(r"^(## Sources|Sources?: )", text, re.MULTILINE) or " Source: " in text
    assert "**Decision" in text


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_cite_sections_that_there_are(path: Path) -> None:
    assert missing(path.read_text(), own_sheet(path)) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_documents_cite_sections_that_there_are(path: Path) -> None:
    assert missing(path.read_text(), own_sheet(path)) == []


def test_citations_are_found_at_all() -> None:
    found = [citation for path in MODULES for citation in cited(path.read_text(), own_sheet(path))]
    assert {sheet for sheet, _ in found} == set(SECTIONS) - {BY_HEADING}
    assert len(found) > 200


@pytest.mark.parametrize("path", ROOMS, ids=name)
def test_rule_sets_cite_sections_that_there_are(path: Path) -> None:
    text = path.read_text()
    document = tomllib.loads(text)
    sheet = document["game"]
    wanted = [number for entry in document["sections"].values() for number in spans(entry, sheet)]
    in_comments = [number for found in IN_COMMENT.findall(text) for number in found.split(", ")]
    assert len(wanted) >= 5 and len(in_comments) >= 5
    assert [number for number in (*wanted, *in_comments) if number not in SECTIONS[sheet]] == []
    assert missing(text) == []


@pytest.mark.parametrize("path", HOUSE_WAYS, ids=name)
def test_house_ways_cite_rules_that_there_are(path: Path) -> None:
    text = path.read_text()
    rules = {rule["rule"] for pattern in tomllib.loads(text)["rules"].values() for rule in pattern}
    by_heading = {rule.removeprefix(f"{BY_HEADING}, ") for rule in rules if rule.startswith(f"{BY_HEADING}, ")}
    by_number = rules - {f"{BY_HEADING}, {heading}" for heading in by_heading}
    assert rules
    assert by_heading - HEADINGS == set()
    assert {rule for rule in by_number if not re.fullmatch(r"[a-z-]+ §[\d.]+", rule)} == set()
    assert missing(text, "pai-gow-poker") == []
