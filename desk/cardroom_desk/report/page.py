"""The audit's report as one HTML file: no script, nothing from outside, for a screen, a phone and a printer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from itertools import product
from math import erfc, sqrt
from typing import Any, Final

from cardroom_desk.terminal import Json

SHOWN: Final = 200
"""How many findings are written out; all of them are in the JSON."""
LONG: Final = 20
"""A table of more rows is folded."""

_THREE_DICE: Final = {
    total: sum(1 for dice in product(range(1, 7), repeat=3) if sum(dice) == total) / 216 for total in range(3, 19)
}
_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_RANKS: Final = "23456789TJQKA"
_KINDS: Final = 52  # of cards, jokers apart
_FEW: Final = 5  # a chi-square needs about so many expected in each cell
_OUTCOMES: Final = ("win", "push", "lose", "no_action", "returned")
_SHADES: Final = ((-2.5, "c0"), (-1.5, "c1"), (-0.5, "c2"), (0.5, "c3"), (1.5, "c4"), (2.5, "c5"), (float("inf"), "c6"))
_NUMBERS: Final = (
    ("rounds", "rounds"), ("settled", "settled"), ("voided", "voided"), ("wagers", "wagers"), ("staked", "staked"),
    ("paid", "paid"), ("collected", "collected"), ("commission", "commission"), ("fees", "fees"),
)  # fmt: skip


def page(report: Json, *, names: Sequence[str] = ()) -> str:
    """The report as an HTML document; `names` are the files that were audited."""
    passed = report["verdict"] == "pass"
    what = ", ".join(names) or "the records"
    sections = [
        _verdict(report, passed, what),
        _findings(report["findings"]),
        _listed(report),
        _totals(report["totals"]),
        *_plots(report["counts"]),
        _tables(report["tables"]),
    ]
    title = f"{'Pass' if passed else 'Fail'}: audit of {what}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n<body><main>\n"
        + "\n".join(section for section in sections if section)
        + "\n</main></body></html>\n"
    )


# Verdict and findings


def _verdict(report: Json, passed: bool, what: str) -> str:
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


def _findings(findings: Sequence[Json]) -> str:
    if not findings:
        return ""
    shown = "".join(map(_finding, findings[:SHOWN]))
    more = f"<p>And {len(findings) - SHOWN:,} more, in the JSON report.</p>" if len(findings) > SHOWN else ""
    return f"<section><h2>Findings</h2>{shown}{more}</section>"


def _finding(found: Json) -> str:
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


def _listed(report: Json) -> str:
    parts = []
    if report["voids"]:
        rows = [
            (
                void["banker"] or "(no banker)", void["table_id"], f"{void['seq']:,}", void["round_id"], void["reason"],
                _avoided(void),
            )
            for void in report["voids"]
        ]  # fmt: skip
        each = _table(("banker", "table", "record", "round", "reason", "avoided"), rows, numeric=(2, 5))
        parts.append(
            "<h3>Rounds voided after the deal, by banker</h3>"
            "<p>What the voids avoided: the rounds' net for the banker, had every hand been set by the house way.</p>"
            + _table(("banker", "voids", "of them lost", "avoided"), _by_banker(report["voids"]), numeric=(1, 2, 3))
            + _folded(f"Each of the {len(rows):,} rounds", each)
        )
    if report["in_play"]:
        rows_ = [(one["table_id"], f"{one['seq']:,}", one["round_id"], one["message"]) for one in report["in_play"]]
        parts.append("<h3>Rounds in play</h3>" + _table(("table", "record", "round", ""), rows_, numeric=(1,)))
    if report["clock_back"]:
        steps = [
            (one["table_id"], f"{one['seq']:,}", one["before"], one["at"], f"{one['back_ms'] / 1000:,.3f} s")
            for one in report["clock_back"]
        ]
        each = _table(("table", "record", "record before", "this record", "back by"), steps, numeric=(1, 4))
        parts.append(
            "<h3>Clocks that went back</h3>"
            "<p>The order of a table's records is that of their numbers; its times are what each host's clock said.</p>"
            + _folded(f"Each of the {len(steps):,} records", each)
        )
    if report["pending"]:
        shoes = [(one["table_id"], one["shoe_id"], f"{len(one['rounds']):,}") for one in report["pending"]]
        parts.append(
            "<h3>Rounds pending</h3><p>Their cards can be checked once the shoe is closed and its seed revealed.</p>"
            + _table(("table", "open shoe", "rounds"), shoes, numeric=(2,))
        )
    return f"<section><h2>Listed, and no fault</h2>{''.join(parts)}</section>" if parts else ""


def _by_banker(voids: Sequence[Json]) -> list[tuple[str, str, str, str]]:
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


def _net(void: Json) -> int | None:
    if void["avoided"] is None:
        return None
    account = "house" if void["banker"] == "house" else f"bettor:{void['banker']}"
    return next((int(item["amount"]) for item in void["avoided"] if item["account"] == account), 0)


def _avoided(void: Json) -> str:
    net = _net(void)
    return "no house way" if net is None else f"{net:+,} {void['currency']}"


# Totals


def _totals(totals: Mapping[str, Sequence[Json]]) -> str:
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
        body = _table(columns, rows, numeric=numeric)
        parts.append(f"<h3>{title}</h3>{body}" if len(rows) <= LONG else _folded(f"{title} ({len(rows):,})", body))
    return (
        "<section><h2>Totals</h2><p>Amounts are in minor units of the currency; what was staked, paid and collected is "
        f"the players'.</p>{''.join(parts)}</section>"
    )


def _tables(tables: Sequence[Json]) -> str:
    rows = [
        (
            one["operator"], one["table_id"], f"{one['first']:,}", f"{one['last']:,}", f"{one['records']:,}",
            one["sha256"],
        )
        for one in tables
    ]  # fmt: skip
    body = _table(("operator", "table", "first", "last", "records", "hash of the last record"), rows, numeric=(2, 3, 4))
    return f"<section><h2>Chains</h2>{_folded('The tables and where their chains end', body)}</section>"


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Iterable[int] = ()) -> str:
    right = set(numeric)
    classes = [' class="n"' if index in right else "" for index in range(len(columns))]
    head = "".join(f"<th{cls}>{escape(name)}</th>" for name, cls in zip(columns, classes, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{cls}>{escape(cell)}</td>" for cell, cls in zip(row, classes, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


# Plots


def _plots(counts: Json) -> list[str]:
    cards = "".join(_cards(deck, positions) for deck, positions in counts["cards"].items())
    dice = "".join(_dice(ruleset, rolled) for ruleset, rolled in counts["dice"].items())
    seats = "".join(_seats(ruleset, seats) for ruleset, seats in counts["seats"].items())
    results = _results(counts["results"])
    sections = []
    if cards:
        sections.append(
            "<section><h2>Cards by position</h2><p>Each column is a position of the deal, each row a card; white came "
            "as often as it should, blue less often, red more often (a standard deviation each shade). Chi-square "
            "sums the squared deviations of all cells; p is how often chance alone deviates as much: below 0.001 it "
            f"should be looked into.</p>{_LEGEND}{cards}</section>"
        )
    if dice or seats:
        sections.append(
            "<section><h2>Dice and action seats</h2><p>The dark line is what fair dice give. Seats have no expectation "
            f'of their own: who banks and who plays decides.</p><div class="grid">{dice}{seats}</div></section>'
        )
    if results:
        sections.append(f"<section><h2>Results by rule set</h2>{results}</section>")
    return sections


def _cards(deck: str, positions: Sequence[Mapping[str, int]]) -> str:
    jokers = sorted({card for counts in positions for card in counts if card.startswith("Jk")})
    names = [rank + suit for suit in "cdhs" for rank in _RANKS] + jokers
    cells: dict[str, list[str]] = {name: [] for _, name in _SHADES}
    statistic, free, enough = 0.0, 0, True
    for column, counts in enumerate(positions):
        expected = sum(counts.values()) / len(names)
        if not expected:
            continue
        enough &= expected >= _FEW
        free += len(names) - 1
        for row, card in enumerate(names):
            away = (counts.get(card, 0) - expected) / sqrt(expected * (1 - 1 / len(names)))
            statistic += (counts.get(card, 0) - expected) ** 2 / expected
            shade = next(name for limit, name in _SHADES if away < limit)
            if shade != "c3":
                cells[shade].append(f"M{column} {row}h1v1h-1z")
    paths = "".join(f'<path class="{name}" d="{"".join(parts)}"/>' for name, parts in cells.items() if parts)
    width, height = len(positions), len(names)
    lines = "".join(f'<path class="rule" d="M0 {row}H{width}"/>' for row in (13, 26, 39, 52) if row < height)
    picture = (
        f'<svg class="heat" viewBox="0 0 {width} {height}" preserveAspectRatio="none" role="img" '
        f'aria-label="cards by position"><rect class="c3" width="{width}" height="{height}"/>{paths}{lines}</svg>'
    )
    suits = "".join(f"<span>{_SUITS[suit]}</span>" for suit in "cdhs") + ("<i>Jk</i>" if jokers else "")
    told = _told(statistic, free) if enough else "too few for χ²"
    dealt = sum(positions[0].values()) if positions else 0
    if dealt < len(names):
        return f'<p class="few"><b>{escape(deck)}</b>: {dealt:,} deals, too few for a picture.</p>'
    return (
        f"<figure><figcaption><b>{escape(deck)}</b><span>{dealt:,} deals, {width} positions · {told}</span>"
        "</figcaption>"
        f'<div class="map"><div class="suits">{suits}</div>{picture}</div></figure>'
    )


_LEGEND: Final = (
    '<p class="legend" aria-hidden="true"><span>fewer</span>'
    + "".join(f'<i class="{name}"></i>' for _, name in _SHADES)
    + "<span>more</span></p>"
)


def chi_square_p(statistic: float, free: int) -> float:
    """How often chance alone gives a chi-square at least as large, by Wilson and Hilferty's cube root (1931).

    >>> round(chi_square_p(67.5, 50), 2), round(chi_square_p(50, 50), 1)
    (0.05, 0.5)
    """
    if free <= 0:
        return 1.0
    spread = 2 / (9 * free)
    return 0.5 * erfc((((statistic / free) ** (1 / 3)) - (1 - spread)) / sqrt(2 * spread))


def _told(statistic: float, free: int) -> str:
    p = chi_square_p(statistic, free)
    return f"χ² {statistic:,.1f} on {free:,}, p {'< 0.001' if p < 0.001 else f'{p:.3f}'}"


def _dice(ruleset: str, rolled: Mapping[str, int]) -> str:
    total = sum(rolled.values())
    counts = [(str(value), rolled.get(str(value), 0), share * total) for value, share in _THREE_DICE.items()]
    statistic = sum((found - should) ** 2 / should for _, found, should in counts)
    told = _told(statistic, 15) if total >= 1_080 else "too few for χ²"
    return _bars(f"{ruleset}: sum of the dice", f"{total:,} throws · {told}", counts)


def _seats(ruleset: str, seats: Mapping[str, int]) -> str:
    counts = [(seat, number, None) for seat, number in sorted(seats.items(), key=lambda item: int(item[0]))]
    return _bars(f"{ruleset}: seat of the action", f"{sum(seats.values()):,} deals", counts)


def _bars(title: str, told: str, counts: Sequence[tuple[str, int, float | None]]) -> str:
    """Upright bars, each with its expectation as a line where there is one."""
    top = max([1.0, *(max(found, should or 0) for _, found, should in counts)])
    bars = "".join(
        f'<div><div class="bar" style="height:{found / top:.1%}"></div>'
        + (f'<div class="line" style="bottom:{should / top:.1%}"></div>' if should is not None else "")
        + f'<span class="v">{found:,}</span><span class="k">{escape(label)}</span></div>'
        for label, found, should in counts
    )
    return (
        f"<figure><figcaption><b>{escape(title)}</b><span>{told}</span></figcaption>"
        f'<div class="bars">{bars}</div></figure>'
    )


# Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """How a wager of a rule set should come out: in how many hands it wins, pushes and loses, and what counted them.

    Without a `house_way` the counts are of all hands there are; with one they are of simulated rounds in which it set
    both sides.
    """

    counts: Mapping[str, int]
    source: str
    house_way: str | None = None

    @property
    def hands(self) -> int:
        """How many hands were counted."""
        return sum(self.counts.values())

    def share(self, outcome: str) -> float:
        """The part of all hands that come out so."""
        return self.counts[outcome] / self.hands

    def away(self, outcome: str, found: int, of: int) -> float | None:
        """How many standard errors what was found lies from the expectation; None where too few were looked at.

        A simulation's own standard error counts too.

        >>> coin = Expectation(counts={"win": 1, "push": 0, "lose": 1}, source="a fair coin")
        >>> coin.away("win", 225, 400), coin.away("win", 6, 10), coin.away("push", 1, 100)
        (2.5, None, inf)
        """
        share = self.share(outcome)
        if not share:
            return float("inf") if found else 0.0
        variance = share * (1 - share)
        if of * variance < _FEW:
            return None
        return (found / of - share) / sqrt(variance * (1 / of + (1 / self.hands if self.house_way else 0)))


@cache
def expectations() -> dict[str, Expectation]:
    """The known expectations, by rule set and kind of wager as an audit's report names its results."""
    listed = json.loads((files("cardroom_desk.report") / "expectations.json").read_text("utf-8"))
    return {
        name: Expectation(counts=one["counts"], source=one["source"], house_way=one.get("house_way"))
        for one in listed
        for name in one["of"]
    }


def _results(results: Mapping[str, Mapping[str, int]]) -> str:
    known = {name: expectations()[name] for name in results if name in expectations()}
    rows = "".join(_result(name, counts, known.get(name)) for name, counts in results.items())
    if not known:
        return rows
    sources = [
        (name, f"{one.hands:,} {'simulated rounds' if one.house_way else 'hands, all there are'}", one.source)
        for name, one in known.items()
    ]
    return (
        "<p>The thin bar is the expectation, where one is known; z is how many standard errors what was found lies "
        "above it (+) or below it (\N{MINUS SIGN}). Wagers on one hand or against one banker tend to come out alike, "
        "which takes z further from 0 than chance on cards of their own would. This is information, never a "
        "finding.</p>" + rows + _folded("Where the expectations come from", _table(("wager", "counted", "by"), sources))
    )


def _result(name: str, counts: Mapping[str, int], expected: Expectation | None) -> str:
    total = sum(counts.values())
    kinds = [*(kind for kind in _OUTCOMES if kind in counts), *(kind for kind in counts if kind not in _OUTCOMES)]
    told = " · ".join(
        f'<span><i class="dot r-{escape(kind)}"></i>{escape(kind.replace("_", " "))} {counts[kind] / total:.2%} '
        f"± {100 * sqrt(counts[kind] / total * (1 - counts[kind] / total) / total):.2f}</span>"
        for kind in kinds
    )
    bar = _share("share", {kind: counts[kind] / total for kind in kinds}, counts)
    due = '<p class="due">No expectation known.</p>'
    if expected is not None:
        settled = sum(counts.get(outcome, 0) for outcome in expected.counts)
        shares = {outcome: expected.share(outcome) * settled / total for outcome in expected.counts}
        bar += _share("share thin", shares)
        due = _expected(expected, counts, settled, total)
    return f'<div class="result"><b>{escape(name)}</b><span>{total:,}</span>{bar}<p>{told}</p>{due}</div>'


def _share(classes: str, shares: Mapping[str, float], counts: Mapping[str, int] | None = None) -> str:
    """A bar of shares of its width; those of nothing are left out."""
    parts = "".join(
        f'<i class="r-{escape(kind)}" style="width:{share:.2%}"'
        + ("" if counts is None else f' title="{escape(kind)} {counts[kind]:,}"')
        + "></i>"
        for kind, share in shares.items()
        if share
    )
    return f'<div class="{classes}">{parts}</div>'


def _expected(expected: Expectation, counts: Mapping[str, int], settled: int, total: int) -> str:
    """What is expected of those that were won, pushed or lost, beside what was found among them."""
    parts = []
    for outcome in expected.counts:
        found = counts.get(outcome, 0)
        if not expected.counts[outcome] and not found:
            continue
        away = expected.away(outcome, found, settled)
        among = f"found {found / settled:.2%}, " if settled and settled != total else ""
        z = "too few for z" if away is None else f"z {away:+.1f}".replace("-", "\N{MINUS SIGN}").replace("inf", "∞")
        parts.append(f"<span>{outcome} {expected.share(outcome):.2%} ({among}{z})</span>")
    of = f" of the {settled:,} won, pushed or lost" if settled != total else ""
    said = (
        f"; for the house way ({escape(expected.house_way)}) on both sides, so hands set otherwise shift it"
        if expected.house_way
        else ""
    )
    return f'<p class="due">Expected{of}: {" · ".join(parts)}{said}.</p>'


_STYLE: Final = """
:root{--ink:#1c2430;--soft:#5b6675;--line:#d9dee6;--paper:#fff;--tint:#f5f7fa;--good:#1a7f4b;--bad:#b3261e;
  --bar:#3c6e9f}*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:78rem;margin:0 auto;padding:1.25rem}h1{font-size:1.35rem;margin:0;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.2rem 0 .5rem;padding-bottom:.25rem;border-bottom:2px solid var(--line)}
h3{font-size:1rem;margin:1.2rem 0 .4rem}p{margin:.3rem 0}
code{font:.88em/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
header{display:flex;gap:1rem;align-items:center;padding:1rem;border-radius:.6rem;background:var(--tint);
  border-left:.5rem solid}header.pass{border-color:var(--good)}header.fail{border-color:var(--bad)}
.mark{font-size:1.5rem;font-weight:800;margin:0}.pass .mark{color:var(--good)}.fail .mark{color:var(--bad)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.6rem;margin:1rem 0}
.facts div{background:var(--tint);border-radius:.5rem;padding:.5rem .75rem}
.facts dt{color:var(--soft);font-size:.82rem}
.facts dd{margin:0;font-size:1.25rem;font-weight:650;font-variant-numeric:tabular-nums}
article{border:1px solid var(--line);border-left:.3rem solid var(--bad);border-radius:.4rem;
  padding:.6rem .9rem;margin:.6rem 0;break-inside:avoid}article h3{margin:0}
.code{font-family:ui-monospace,monospace;color:var(--bad)}.where{color:var(--soft)}
.where b{color:var(--ink);overflow-wrap:anywhere}
article dl{display:grid;grid-template-columns:5.5rem 1fr;gap:.1rem .6rem;margin:.4rem 0 0}
article dt{color:var(--soft)}article dd{margin:0;min-width:0}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:.4rem}
table{border-collapse:collapse;width:100%;font-size:.82rem}
th,td{padding:.3rem .5rem;text-align:left;white-space:nowrap}
th{background:var(--tint);color:var(--soft);font-weight:600}tbody tr+tr td{border-top:1px solid var(--line)}
.n{text-align:right;font-variant-numeric:tabular-nums}details{margin:.6rem 0}
summary{cursor:pointer;font-weight:600;margin-bottom:.4rem}
figure{margin:1rem 0;break-inside:avoid;min-width:0}
figcaption{display:flex;flex-wrap:wrap;gap:0 .8rem;justify-content:space-between;margin-bottom:.3rem}
figcaption span{color:var(--soft);font-size:.88rem}.map{display:flex;gap:.4rem}
.suits{display:flex;flex-direction:column;width:1.4rem;text-align:center}
.suits span{flex:13;display:flex;align-items:center;justify-content:center}
.suits i{flex:0 0 auto;font-size:.7rem;line-height:.7}
.heat{flex:1;min-width:0;height:15rem;border:1px solid var(--line);shape-rendering:crispEdges}
.rule{stroke:#8893a3;stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
.c0{fill:#2166ac;background:#2166ac}.c1{fill:#67a9cf;background:#67a9cf}.c2{fill:#d1e5f0;background:#d1e5f0}
.c3{fill:#f7f7f7;background:#f7f7f7}.c4{fill:#fddbc7;background:#fddbc7}.c5{fill:#ef8a62;background:#ef8a62}
.c6{fill:#b2182b;background:#b2182b}
.legend{display:flex;align-items:center;gap:.15rem;font-size:.85rem;color:var(--soft)}
.legend i{width:1.3rem;height:.8rem;border:1px solid var(--line)}.legend span{margin:0 .3rem}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:0 1.5rem}
.bars{display:flex;gap:2px;height:9.5rem;padding:1.1rem 0 1.3rem}
.bars>div{flex:1;position:relative;min-width:0}
.bar{position:absolute;bottom:0;left:0;right:0;background:var(--bar);opacity:.8}
.line{position:absolute;left:-1px;right:-1px;border-top:2px solid var(--ink)}
.v,.k{position:absolute;left:50%;transform:translateX(-50%);font-size:.68rem;white-space:nowrap}
.v{top:-1.1rem;color:var(--soft)}.k{bottom:-1.25rem}.result{margin:.7rem 0;break-inside:avoid}
.result>span{float:right;color:var(--soft)}.result b{overflow-wrap:anywhere;font-weight:600}
.share{clear:both;display:flex;height:1rem;border-radius:.25rem;overflow:hidden;margin:.2rem 0}
.thin{height:.3rem;opacity:.75}.due{font-style:italic}
.result p{font-size:.85rem;color:var(--soft)}.result p span{white-space:nowrap}
.dot{display:inline-block;width:.65rem;height:.65rem;border-radius:50%;margin-right:.25rem}
.r-win{background:#2e8b57}.r-push{background:#b9c2ce}.r-lose{background:#c8553d}
.r-no_action{background:#e6c229}.r-returned{background:#8d6cab}
@media(max-width:40rem){main{padding:.75rem}body{font-size:14px}.heat{height:12rem}.bars .v{display:none}
.bars{padding-top:.2rem}article dl{grid-template-columns:1fr}article dt{margin-top:.2rem}
.facts{grid-template-columns:repeat(2,1fr)}th,td{padding:.25rem .45rem}}
@media print{main{max-width:none;padding:0}body{font-size:10pt}.wide{overflow:visible;border:0}
table{font-size:7.5pt}th,td{padding:.15rem .3rem}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
h2{break-after:avoid}}
"""
