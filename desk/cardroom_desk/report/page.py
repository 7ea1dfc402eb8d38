"""The audit's report as one HTML file: no script, nothing from outside, for a screen, a phone and a printer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from cardroom.shapes.audits import AuditReport
from cardroom_desk.report.markup import folded, grid
from cardroom_desk.report.plots import plots
from cardroom_desk.report.results import results
from cardroom_desk.report.style import STYLE

SHOWN: Final = 200
"""How many findings are written out; all of them are in the JSON."""
LONG: Final = 20
"""A table of more rows is folded."""

_NUMBERS: Final = (
    ("rounds", "rounds"), ("settled", "settled"), ("voided", "voided"), ("wagers", "wagers"), ("staked", "staked"),
    ("paid", "paid"), ("collected", "collected"), ("commission", "commission"), ("fees", "fees"),
)  # fmt: skip


def page(report: AuditReport, *, names: Sequence[str] = ()) -> str:
    """The report as an HTML document; `names` are the files that were audited."""
    passed = report["verdict"] == "pass"
    what = ", ".join(names) or "the records"
    sections = [
        _verdict(report, passed, what),
        _findings(report["findings"]),
        _listed(report),
        _totals(report["totals"]),
        *plots(report["counts"]),
        results(report["counts"]["results"]),
        _tables(report["tables"]),
    ]
    title = f"{'Pass' if passed else 'Fail'}: audit of {what}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n<body><main>\n"
        + "\n".join(section for section in sections if section)
        + "\n</main></body></html>\n"
    )


# Verdict and findings


def _verdict(report: AuditReport, passed: bool, what: str) -> str:
    found = len(report["findings"])
    said = "Every record holds." if passed else f"{found:,} {'finding' if found == 1 else 'findings'}."
    voided = len(report["voids"])
    pending = sum(len(one["rounds"]) for one in report["pending"])
    facts = [
        ("records", report["records"]),
        ("rounds", report["rounds"]),
        ("tables", len(report["tables"])),
        ("findings", found),
        ("voided after the deal", voided),
        ("in play", len(report["in_play"])),
        ("pending", pending),
    ]
    days = report["totals"]["days"]
    span = f"{days[0]['day']} to {days[-1]['day']}" if days else "no day"
    return (
        f'<header class="{"pass" if passed else "fail"}"><p class="mark">{"PASS" if passed else "FAIL"}</p>'
        f"<div><h1>Audit of {escape(what)}</h1><p>{said} Records of {span} (UTC).</p></div></header>\n"
        '<dl class="facts">'
        + "".join(f"<div><dt>{name}</dt><dd>{number:,}</dd></div>" for name, number in facts)
        + "</dl>"
    )


def _findings(findings: Sequence[Mapping[str, Any]]) -> str:
    if not findings:
        return ""
    shown = "".join(map(_finding, findings[:SHOWN]))
    more = f"<p>And {len(findings) - SHOWN:,} more, in the JSON report.</p>" if len(findings) > SHOWN else ""
    return f"<section><h2>Findings</h2>{shown}{more}</section>"


def _finding(found: Mapping[str, Any]) -> str:
    places = (
        ("file", found.get("file")), ("table", found.get("table_id")), ("record", found.get("seq")),
        ("round", found.get("round_id")), ("line", found.get("line")),
    )  # fmt: skip
    where = " · ".join(f"{name} <b>{escape(str(value))}</b>" for name, value in places if value is not None)
    rows = "".join(
        f"<dt>{name}</dt><dd><code>{escape(_short(found[name]))}</code></dd>"
        for name in ("field", "expected", "found")
        if name in found
    )
    return (
        f'<article><h3><span class="code">{escape(found["code"])}</span></h3><p class="where">{where}</p>'
        f"<p>{escape(found['message'])}</p>" + (f"<dl>{rows}</dl>" if rows else "") + "</article>"
    )


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 300 else text[:300] + "…"


# What is listed


def _listed(report: AuditReport) -> str:
    parts = []
    if report["voids"]:
        rows = [
            (
                void["banker"] or "(no banker)", void["table_id"], f"{void['seq']:,}", void["round_id"], void["reason"],
                _avoided(void),
            )
            for void in report["voids"]
        ]  # fmt: skip
        each = grid(("banker", "table", "record", "round", "reason", "avoided"), rows, numeric=(2, 5))
        parts.append(
            "<h3>Rounds voided after the deal, by banker</h3>"
            "<p>What the voids avoided: the rounds' net for the banker, had every hand been set by the house way.</p>"
            + grid(("banker", "voids", "of them lost", "avoided"), _by_banker(report["voids"]), numeric=(1, 2, 3))
            + folded(f"Each of the {len(rows):,} rounds", each)
        )
    if report["in_play"]:
        rows_ = [(one["table_id"], f"{one['seq']:,}", one["round_id"], one["message"]) for one in report["in_play"]]
        parts.append("<h3>Rounds in play</h3>" + grid(("table", "record", "round", ""), rows_, numeric=(1,)))
    if report["clock_back"]:
        steps = [
            (one["table_id"], f"{one['seq']:,}", one["before"], one["at"], f"{one['back_ms'] / 1000:,.3f} s")
            for one in report["clock_back"]
        ]
        each = grid(("table", "record", "record before", "this record", "back by"), steps, numeric=(1, 4))
        parts.append(
            "<h3>Clocks that went back</h3>"
            "<p>The order of a table's records is that of their numbers; its times are what each host's clock said.</p>"
            + folded(f"Each of the {len(steps):,} records", each)
        )
    if report["pending"]:
        shoes = [(one["table_id"], one["shoe_id"], f"{len(one['rounds']):,}") for one in report["pending"]]
        parts.append(
            "<h3>Rounds pending</h3><p>Their cards can be checked once the shoe is closed and its seed revealed.</p>"
            + grid(("table", "open shoe", "rounds"), shoes, numeric=(2,))
        )
    return f"<section><h2>Listed, and no fault</h2>{''.join(parts)}</section>" if parts else ""


def _by_banker(voids: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str]]:
    """A line for each banker and currency: how many voids, how many of them avoided a loss, and all in all."""
    by: dict[tuple[str, str], list[int | None]] = {}
    for void in voids:
        by.setdefault((void["banker"] or "(no banker)", void["currency"]), []).append(_net(void))
    lines = []
    for (banker, currency), nets in sorted(by.items()):
        known = [net for net in nets if net is not None]
        told = f"{sum(known):+,} {currency}" if known else "no house way"
        lines.append((banker, f"{len(nets):,}", f"{sum(net < 0 for net in known):,}", told))
    return lines


def _net(void: Mapping[str, Any]) -> int | None:
    if void["avoided"] is None:
        return None
    account = "house" if void["banker"] == "house" else f"bettor:{void['banker']}"
    return next((int(item["amount"]) for item in void["avoided"] if item["account"] == account), 0)


def _avoided(void: Mapping[str, Any]) -> str:
    net = _net(void)
    return "no house way" if net is None else f"{net:+,} {void['currency']}"


# Totals


def _totals(totals: Mapping[str, Any]) -> str:
    parts = []
    for title, name, keys in (
        ("By rule set", "rulesets", ("ruleset",)),
        ("By day", "days", ("day",)),
        ("By table", "tables", ("operator", "table_id")),
    ):
        rows = [
            (*(one[key] or "(tombstones)" for key in keys), one["currency"], *(f"{one[n]:,}" for n, _ in _NUMBERS))
            for one in totals[name]
        ]
        heads = (*(key.replace("_id", "").replace("ruleset", "rule set") for key in keys), "currency")
        columns = (*heads, *(label for _, label in _NUMBERS))
        numeric = range(len(heads), len(columns))
        body = grid(columns, rows, numeric=numeric)
        parts.append(f"<h3>{title}</h3>{body}" if len(rows) <= LONG else folded(f"{title} ({len(rows):,})", body))
    return (
        "<section><h2>Totals</h2><p>Amounts are in minor units of the currency; what was staked, paid and collected is "
        f"the players'.</p>{''.join(parts)}</section>"
    )


def _tables(tables: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (
            one["operator"], one["table_id"], f"{one['first']:,}", f"{one['last']:,}", f"{one['records']:,}",
            one["sha256"],
        )
        for one in tables
    ]  # fmt: skip
    body = grid(("operator", "table", "first", "last", "records", "hash of the last record"), rows, numeric=(2, 3, 4))
    return f"<section><h2>Chains</h2>{folded('The tables and where their chains end', body)}</section>"
