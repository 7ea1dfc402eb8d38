"""What chance dealt and threw, drawn beside what it should: cards by position, dice, seats of the action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from math import erfc, sqrt
from typing import Final

from cardroom.shapes.audits import Counts

_THREE_DICE: Final = {
    total: sum(1 for dice in product(range(1, 7), repeat=3) if sum(dice) == total) / 216 for total in range(3, 19)
}
_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_RANKS: Final = "23456789TJQKA"
_FEW: Final = 5  # a chi-square needs about so many expected in each cell
_SHADES: Final = ((-2.5, "c0"), (-1.5, "c1"), (-0.5, "c2"), (0.5, "c3"), (1.5, "c4"), (2.5, "c5"), (float("inf"), "c6"))


def plots(counts: Counts) -> list[str]:
    """The sections of what chance dealt and threw, those without anything left out."""
    cards = "".join(_cards(deck, positions) for deck, positions in counts["cards"].items())
    dice = "".join(_dice(ruleset, rolled) for ruleset, rolled in counts["dice"].items())
    seats = "".join(_seats(ruleset, seats) for ruleset, seats in counts["seats"].items())
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
