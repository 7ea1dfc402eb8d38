"""Writes docs/rules: a page for each published rule set, made from its file, for who runs a floor.

Run `python -m tools.ruleset_pages` after publishing a rule set or changing a sheet; a test compares. What a value
means is worded in `ruleset_words`; the section and the remark beside it are those of the file, decisions those of the
sheets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from cardroom.currencies import money
from cardroom.documents import Document, fixed_sums, with_sums
from cardroom.game import Ruleset
from cardroom.services.catalogue import published
from tools.ruleset_words import METER_WORDS, SIDE_BET_WORDS, WORDS, Words, percent, plain, sum_of

Json = dict[str, Any]

DOCS: Final = Path(__file__).parent.parent / "docs"
FOLDER: Final = DOCS / "rules"
SHEETS: Final = DOCS / "sheets"
# A line of a rule set's file: a field, then its section and a remark as a comment.
_FIELD: Final = re.compile(r"(\w+) = .*?# (.+)|(\w+) = |\[([\w.]+)\](?:\s*# (.+))?")
_SECTIONS: Final = re.compile(r"(\d+(?:\.\d+)?(?:(?:, | to )\d+(?:\.\d+)?)*)(?:[:,] *(.*))?$")
_TABLE: Final = "| | Rule | Note | § |\n|---|---|---|---|"
_META: Final = ("id", "game", "title", "source", "sections")


def render(ruleset: Ruleset) -> str:
    """The page of a rule set."""
    currency, text = ruleset.document.get("currency", ""), _file(ruleset.id)
    sums = {name: money(currency, amount) for name, amount in fixed_sums(ruleset.document).items()}
    document = with_sums(ruleset.document, sums)
    remarks, sheet = _remarks(text), document["game"]
    parts = [
        f"# {document['title']}\n",
        f"Rule set `{ruleset.id}`. Source: {document['source']}.\n",
        f"{_introduction(text)}\n",
        f"Sections are those of the [rule sheet](../sheets/{sheet}.md). Where the source leaves something open, the "
        "choice made here is marked **Decision**; a room that plays otherwise publishes a rule set of its own.\n",
        "## The rules\n",
        _TABLE,
        *_rows(document, WORDS, remarks, ""),
    ]
    for name, bet in document.get("side_bets", {}).items():
        parts += ["", f"## The bet {plain(name)}\n", *_side_bet(name, bet, remarks)]
    decisions = list(_decisions(sheet, document["sections"]))
    if decisions:
        parts += ["", f"## What the sheet decides\n\n{_ABOUT_DECISIONS}\n", *decisions]
    parts += ["", "## Who sets when\n", *_order(ruleset)]
    parts += ["", f"Records name these rules by their SHA-256, `{ruleset.sha256}`.", "", _MADE]
    return "\n".join(parts) + "\n"


def _order(ruleset: Ruleset) -> Iterator[str]:
    """In which order hands are shown and set."""
    if ruleset.game.staging is None:
        yield "Nobody sets a hand, and a deal shows what it deals."
        return
    document = ruleset.document
    house = "; the house's own hand goes by the house way" if document.get("house_seat") else ""
    dragon = " A dragon hand is taken now, unseen." if document.get("dragon_hand") else ""
    by_house_way = document.get("banker_sets") == "house_way"
    yield "1. A shuffled deal shows the hands that bettors wager on, and no other."
    yield f"2. These are set and locked (`POST /v1/rounds/{{round_id}}/sets`){house}.{dragon}"
    yield "3. Then the banker's hand is shown, and all others that were dealt."
    if by_house_way:
        yield "4. The banker's hand is set by the house way, with the settlement."
    else:
        shared = " (by the house way where he banks with the house)" if document.get("co_bank_bps") else ""
        yield f"4. The banker sets his hand as he likes{shared}, with the settlement."
    may = (
        "Since the banker's hand goes by the house way, one" if by_house_way else "Where that is by the house way, one"
    )
    yield f"\n{may} settlement may bring all sets, which is as blind."


_ABOUT_DECISIONS: Final = (
    "From the sections that these rules go by. A sheet is for all rule sets of its game, so some of it may be about "
    "another room's."
)
_MADE: Final = "*Made from the rule set's file by `python -m tools.ruleset_pages`; changes made here are lost.*"


def _file(ruleset_id: str) -> str:
    family, version = ruleset_id.split("/")
    return (files("cardroom") / "rulesets" / family / f"{version}.toml").read_text("utf-8")


def _introduction(text: str) -> str:
    """What the file says of itself in its first lines, without the hint where its sections are."""
    head = [line[2:] for line in text.split("\nid = ", 1)[0].splitlines() if line.startswith("# ")]
    return re.sub(r" ?Section numbers.*?(\.md\.|\.(?= |$))", "", " ".join(head)).strip()


def _remarks(text: str) -> dict[str, tuple[str, str]]:
    """The sections and the remark of each field, as its comment has them."""
    remarks, table = {}, ""
    for line in text.splitlines():
        found = _FIELD.match(line)
        if found is None:
            continue
        name, comment, _, inner, of_table = found.groups()
        if inner is not None:
            table, name, comment = f"{inner}.", inner, of_table
        elif name is not None:
            name = f"{table}{name}"
        if name is not None and comment is not None:
            cited = _SECTIONS.match(comment)
            remarks[name] = (cited[1], cited[2] or "") if cited else ("", comment)
    return remarks


def _rows(
    values: Document, words: Mapping[str, tuple[str, Words]], remarks: Mapping[str, tuple[str, str]], path: str
) -> Iterator[str]:
    for name, value in values.items():
        if name in _META or name in ("side_bets", "lines", "envy", "meter"):
            continue
        title, said = words[name]
        section, remark = remarks.get(f"{path}{name}", ("", ""))
        yield f"| {title} | {said(value)} | {_note(remark)} | {section} |"


def _note(remark: str) -> str:
    """What the file remarks on a rule; what says so is a decision."""
    if "a decision" not in remark:
        return "" if remark == "none" else remark
    rest = re.sub(r":? ?a decision,? ?", " ", remark).strip(" ,:")
    return f"**Decision**{': ' + rest if rest else ''}"


def _side_bet(name: str, bet: Json, remarks: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    yield _TABLE
    yield from _rows(bet, SIDE_BET_WORDS, remarks, f"side_bets.{name}.")
    yield "\n| Hand | Pays |\n|---|---:|"
    for line in bet["lines"]:
        yield f"| {plain(line['line'])} | {_pays(line)} |"
    if "meter" in bet:
        yield f"\nThe meter, which the deal tells:\n\n{_TABLE}"
        yield from _rows(bet["meter"], METER_WORDS, remarks, f"side_bets.{name}.meter.")
    if "envy" in bet:
        least = sum_of(bet["envy"]["minimum_minor"])
        yield f"\nEnvy, paid by the house on a bet of {least} or more, for another's hand:\n"
        yield "| Hand | Pays |\n|---|---:|"
        for line in bet["envy"]["lines"]:
            yield f"| {plain(line['line'])} | {sum_of(line['pays_minor'])} |"


def _pays(line: Json) -> str:
    if "meter_bps" in line:
        return f"{percent(line['meter_bps'])} of the meter"
    return f"{line['pays']:,} to 1" if line["pays"] else "nothing, the bet comes back"


def _decisions(sheet: str, sections: Mapping[str, str]) -> Iterator[str]:
    """What the sheet decides in the sections that the rule set goes by, each with what it is about."""
    text = (SHEETS / f"{sheet}.md").read_text("utf-8")
    cited = {number for listed in sections.values() for number in _numbers(listed)}
    for part in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]:
        number, _, body = part.partition(" ")
        if any(number == one or number.startswith(f"{one}.") for one in cited):
            for block in re.split(r"\n\s*\n|\n(?=\* |\*\*)", body.partition("\n")[2]):
                if "**Decision**" in block:
                    yield f"* §{number}: {' '.join(block.removeprefix('* ').split())}"


def _numbers(listed: str) -> Iterator[str]:
    """The sections that a list such as `1.1, 6.1 to 6.5` names."""
    for part in listed.split(", "):
        first, _, last = part.partition(" to ")
        if not last:
            yield first
            continue
        head, _, low = first.rpartition(".")
        high = last.rpartition(".")[2]
        for number in range(int(low), int(high) + 1):
            yield f"{head}.{number}" if head else str(number)


def pages() -> dict[Path, str]:
    """All pages by file, the list of them included."""
    found = {}
    rows = []
    for ruleset_id in published().ruleset_ids():
        ruleset, name = published().ruleset(ruleset_id), f"{ruleset_id.replace('/', '-')}.md"
        found[FOLDER / name] = render(ruleset)
        rows.append(f"| [{ruleset.document['title']}]({name}) | `{ruleset_id}` | {ruleset.document['source']} |\n")
    head = "# Rule sets\n\nThe published rule sets. Each is a file of data; these pages are made from it.\n\n"
    found[FOLDER / "README.md"] = head + "| Game | Rule set | Source |\n|---|---|---|\n" + "".join(rows)
    return found


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, "utf-8")
