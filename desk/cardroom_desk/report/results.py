"""How wagers came out, beside what is expected of them where that is known."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from math import sqrt
from typing import Final

from cardroom_desk.report.expectations import Expectation, expectations
from cardroom_desk.report.markup import folded, grid

_UNKNOWN: Final = "No expectation known: this wager was not counted beforehand, and is compared with nothing."
_OUTCOMES: Final = ("win", "push", "lose", "no_action", "returned")


def results(by_wager: Mapping[str, Mapping[str, int]]) -> str:
    """The section of the results, by rule set and kind of wager; nothing where there are none."""
    if not by_wager:
        return ""
    known = {name: expectations()[name] for name in by_wager if name in expectations()}
    rows = "".join(_result(name, counts, known.get(name)) for name, counts in by_wager.items())
    return f"<section><h2>Results by rule set</h2>{_explained(rows, known) if known else rows}</section>"


def _explained(rows: str, known: Mapping[str, Expectation]) -> str:
    """The results between what their numbers mean and where the expectations come from."""
    sources = [
        (name, f"{one.hands:,} {'simulated rounds' if one.house_way else 'hands, all there are'}", one.source)
        for name, one in known.items()
    ]
    return (
        "<p>The thin bar is the expectation, where one is known; z is how many standard errors what was found lies "
        "above it (+) or below it (\N{MINUS SIGN}). Wagers on one hand or against one banker tend to come out alike, "
        "which takes z further from 0 than chance on cards of their own would. This is information, never a "
        "finding.</p>" + rows + folded("Where the expectations come from", grid(("wager", "counted", "by"), sources))
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
    due = f'<p class="due">{_UNKNOWN}</p>'
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
