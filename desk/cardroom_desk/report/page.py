"""The audit's report as one HTML file: no script, nothing from outside, for a screen, a phone and a printer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from cardroom.currencies import amount_in, money, unit_of
from cardroom.shapes.audits import AuditReport, Listed, SignedBy, TableBanking, Unproved
from cardroom.shapes.parts import Nets
from cardroom_desk.report.markup import folded, grid
from cardroom_desk.report.plots import plots
from cardroom_desk.report.results import results
from cardroom_desk.report.style import STYLE
from cardroom_desk.report.words import summary

SHOWN: Final = 200
"""How many findings are written out; all of them are in the JSON."""
LONG: Final = 20
"""A table of more rows is folded."""

_COUNTS: Final = ("rounds", "settled", "voided", "wagers")
_AMOUNTS: Final = ("staked", "paid", "collected", "commission", "envy", "co_bank", "fees")


def page(report: AuditReport, *, names: Sequence[str] = ()) -> str:
    """The report as an HTML document; `names` are the files that were audited."""
    what = ", ".join(names) or "the records"
    sections = [
        _verdict(report, what),
        _findings(report["findings"]),
        _unproved(report["unproved"]),
        _listed(report["listed"]),
        _totals(report["totals"]),
        *plots(report["counts"]),
        results(report["counts"]["results"]),
        _tables(report["tables"]),
        _signed_by(report["signed_by"]),
    ]
    title = f"{report['verdict'].capitalize()}: audit of {what}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n<body><main>\n"
        + "\n".join(section for section in sections if section)
        + "\n</main></body></html>\n"
    )


# Verdict and findings


def _verdict(report: AuditReport, what: str) -> str:
    verdict, listed_ = report["verdict"], report["listed"]
    facts = [
        ("records", report["records"]),
        ("of them hold", report["held"]),
        ("not proved", sum(one["records"] for one in report["unproved"])),
        ("rounds", report["rounds"]),
        ("tables", len(report["tables"])),
        ("findings", len(report["findings"])),
        ("voided after the deal", len(listed_["voids"])),
        ("voided before it", len(listed_["voids_before_deal"])),
    ]
    days = report["totals"]["days"]
    span = f"{days[0]['day']} to {days[-1]['day']}" if days else "no day"
    return (
        f'<header class="{verdict}"><p class="mark">{verdict.upper()}</p>'
        f"<div><h1>Audit of {escape(what)}</h1><p>{escape(summary(report))} Records of {span} (UTC).</p></div>"
        "</header>\n"
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


def _unproved(unproved: Sequence[Unproved]) -> str:
    if not unproved:
        return ""
    rows = [
        (one["table_id"], f"{one['seq']:,}", one["round_id"], _WHY[one["why"]], one["at"], f"{one['records']:,}")
        for one in unproved
    ]
    each = grid(("table", "record", "round", "why", "since", "records"), rows, numeric=(1, 5))
    shown = each if len(rows) <= LONG else folded(f"Each of the {len(rows):,} reasons", each)
    text = "Nothing is wrong with these records as far as can be seen; that they hold cannot be said."
    return f"<section><h2>Not proved</h2><p>{text}</p>{shown}</section>"


_WHY: Final[Mapping[str, str]] = {
    "shoe-open": "wait for the shoe's seed, which its close reveals",
    "round-live": "wait for the round's end, which reveals its seed",
    "record-missing": "hang on records that are not here",
    "not-replayed": "were not played again",
}


def _listed(seen: Listed) -> str:
    parts = [
        _voids(seen["voids"]),
        _some(
            "Rounds voided before the deal",
            "Many in a row are many looks at who would have acted, or one who waits for something.",
            ("banker", "table", "record", "round", "reason"),
            [
                (one["banker"] or _NO_BANKER, one["table_id"], f"{one['seq']:,}", one["round_id"], one["reason"])
                for one in seen["voids_before_deal"]
            ],
        ),
        _some(
            "Deals and draws without a client seed",
            "Their cards were the service's choice alone, as the signed terms had said.",
            ("table", "record", "round"),
            [(one["table_id"], f"{one['seq']:,}", one["round_id"]) for one in seen["no_client_seed"]],
        ),
        _some(
            "Rounds with all hands shown",
            "The open said so: whoever set a hand could see the banker's.",
            ("table", "record", "round"),
            [(one["table_id"], f"{one['seq']:,}", one["round_id"]) for one in seen["shown_all"]],
        ),
        _some(
            "Corrections of misread cards",
            "What each account gained or lost by it; before the settlement nothing was settled yet.",
            ("table", "record", "round", "reason", "by", "moved"),
            [
                (
                    one["table_id"], f"{one['seq']:,}", one["round_id"], one["reason"], one["by"],
                    "before the settlement" if one["moved"] is None else _moved(one["currency"] or "", one["moved"]),
                )
                for one in seen["corrections"]
            ],
        ),
        _some(
            "Draws replaced",
            "Who had won the draw that was replaced, and who won the one in its place.",
            ("table", "record", "draw", "replaces", "reason", "seat that had won", "seat that won"),
            [
                (
                    one["table_id"], f"{one['seq']:,}", one["round_id"].removeprefix("draw:"), one["replaces"],
                    one["reason"], "not known" if one["won"] is None else str(one["won"]), str(one["seat"]),
                )
                for one in seen["draws_replaced"]
            ],
        ),
        _some(
            "Shoes closed undealt",
            "Their seed was chosen, committed to, and never used.",
            ("table", "record", "shoe"),
            [
                (one["table_id"], f"{one['seq']:,}", one["round_id"].removeprefix("shoe:"))
                for one in seen["shoes_undealt"]
            ],
        ),
        _some(
            "Clocks that went back",
            "The order of a table's records is that of their numbers; its times are what each host's clock said.",
            ("table", "record", "record before", "this record", "back by"),
            [
                (one["table_id"], f"{one['seq']:,}", one["before"], one["at"], f"{one['back_ms'] / 1000:,.3f} s")
                for one in seen["clock_back"]
            ],
        ),
        _banking(seen["banking"]),
    ]  # fmt: skip
    told = "".join(parts)
    return f"<section><h2>Listed, and no fault</h2>{told}</section>" if told else ""


def _banking(tables: Sequence[TableBanking]) -> str:
    if not tables:
        return ""
    rows = [
        (
            one["table_id"], f"{one['hands']:,}", one["bettor"] or "(several)", f"{one['not_offered']:,}",
            f"{one['out_of_turn']:,}", f"{one['drawn_by_hand']:,}",
        )
        for one in tables
    ]  # fmt: skip
    columns = ("table", "hands banked", "by", "not told who passed", "out of turn", "first banker drawn by hand")
    each = grid(columns, rows, numeric=(1, 3, 4, 5))
    shown = each if len(rows) <= LONG else folded(f"Each of the {len(rows):,}", each)
    text = "The option to bank goes round the table; here it did not, or the records do not tell that it did."
    return f"<h3>How the bank went round ({len(rows):,})</h3><p>{text}</p>{shown}"


def _some(title: str, text: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    each = grid(columns, rows, numeric=(columns.index("record"),))
    shown = each if len(rows) <= LONG else folded(f"Each of the {len(rows):,}", each)
    return f"<h3>{title} ({len(rows):,})</h3><p>{text}</p>{shown}"


_NO_BANKER: Final = "(no banker)"


def _moved(currency: str, nets: Nets) -> str:
    return ", ".join(f"{one['account']} {money(currency, one['amount'], plus=True)}" for one in nets) or "nothing"


def _voids(voids: Sequence[Mapping[str, Any]]) -> str:
    if not voids:
        return ""
    rows = [
        (
            void["banker"] or _NO_BANKER, void["table_id"], f"{void['seq']:,}", void["round_id"], void["reason"],
            _avoided(void),
        )
        for void in voids
    ]  # fmt: skip
    each = grid(("banker", "table", "record", "round", "reason", "avoided"), rows, numeric=(2, 5))
    return (
        "<h3>Rounds voided after the deal, by banker</h3>"
        "<p>What the voids avoided: the rounds' net for the banker, had every hand that was not locked been set by the "
        "house way; not known where a hand was never told.</p>"
        + grid(("banker", "voids", "of them lost", "avoided"), _by_banker(voids), numeric=(1, 2, 3))
        + folded(f"Each of the {len(rows):,} rounds", each)
    )


def _by_banker(voids: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str]]:
    """A line for each banker and currency: how many voids, how many of them avoided a loss, and all in all."""
    by: dict[tuple[str, str], list[int | None]] = {}
    for void in voids:
        by.setdefault((void["banker"] or _NO_BANKER, void["currency"]), []).append(_net(void))
    lines = []
    for (banker, currency), nets in sorted(by.items()):
        known = [net for net in nets if net is not None]
        unknown = f"{len(nets) - len(known):,} not known" if banker != _NO_BANKER else "no house way"
        told = [money(currency, sum(known), plus=True)] if known else []
        told += [unknown] if len(known) < len(nets) else []
        lines.append((banker, f"{len(nets):,}", f"{sum(net < 0 for net in known):,}", ", ".join(told)))
    return lines


def _net(void: Mapping[str, Any]) -> int | None:
    if void["avoided"] is None:
        return None
    account = "house" if void["banker"] == "house" else f"bettor:{void['banker']}"
    return next((int(item["amount"]) for item in void["avoided"] if item["account"] == account), 0)


def _avoided(void: Mapping[str, Any]) -> str:
    net = _net(void)
    if net is None:
        return "no house way" if void["banker"] is None else "not known"
    return money(void["currency"], net, plus=True)


# Totals


def _totals(totals: Mapping[str, Any]) -> str:
    parts = []
    for title, name, keys in (
        ("By rule set", "rulesets", ("ruleset",)),
        ("By day", "days", ("day",)),
        ("By table", "tables", ("operator", "table_id")),
    ):
        rows = [
            (
                *(one[key] or "(tombstones)" for key in keys),
                unit_of(one["currency"]) if one["currency"] else "",
                *(f"{one[name]:,}" for name in _COUNTS),
                *(amount_in(one["currency"], one[name]) for name in _AMOUNTS),
            )
            for one in totals[name]
        ]
        heads = (*(key.replace("_id", "").replace("ruleset", "rule set") for key in keys), "currency")
        columns = (*heads, *_COUNTS, *(name.replace("_", "-") for name in _AMOUNTS))
        numeric = range(len(heads), len(columns))
        body = grid(columns, rows, numeric=numeric)
        parts.append(f"<h3>{title}</h3>{body}" if len(rows) <= LONG else folded(f"{title} ({len(rows):,})", body))
    return (
        "<section><h2>Totals</h2><p>Amounts are in the currency beside them; what was staked, paid and collected is "
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


def _signed_by(signed_by: Sequence[SignedBy]) -> str:
    if not signed_by:
        return ""
    rows = [
        (one["root"], one["deployment"], one["engine"]["version"], one["engine"]["sha256"], f"{one['records']:,}")
        for one in signed_by
    ]
    body = grid(("root", "deployment", "engine", "digest of its files", "records"), rows, numeric=(4,))
    return f"<section><h2>Signed by</h2>{folded('Roots, deployments and engines', body)}</section>"
