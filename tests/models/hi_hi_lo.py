"""Hi-hi-lo settled slowly, from its sheet (§2, §4 to §10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tests.models.bank import Claim, cover, net_of, walk
from tests.models.cards import is_joker, rank
from tests.models.pai_gow import Expected

Json = dict[str, Any]
KINDS = {"high_one": "one", "high_two": "two", "low": "low"}


def high(card: str) -> int:
    """A joker is an ace."""
    return 14 if is_joker(card) else rank(card)


def two(cards: Sequence[str]) -> tuple[int, int, int]:
    """Two cards high: a pair beats none."""
    top, low = sorted(map(high, cards), reverse=True)
    return int(top == low), top, low


def low_three(cards: Sequence[str]) -> tuple[Any, ...]:
    """Three cards low, the better the smaller: no pair, a pair, three; a joker is the lowest rank that it lacks."""
    ranks = [1 if rank(card) == 14 else rank(card) for card in cards if not is_joker(card)]
    for _ in range(len(cards) - len(ranks)):
        ranks.append(min(r for r in range(1, 14) if r not in ranks))
    counts = sorted(((n, r) for r, n in Counter(ranks).items()), reverse=True)
    return counts[0][0], [r for _, r in counts]


def order_of(doc: Json, opening: Json, wagering: Json) -> list[int]:
    """Hands go clockwise from the banker's left (§10)."""
    banker = opening["banker"]["seat"]
    ring = walk([*range(1, doc["seats"] + 1)], banker % doc["seats"] + 1, "clockwise")
    return [seat for seat in ring if seat in {w["seat"] for w in wagering["wagers"]}]


def settle(
    doc: Json,
    opening: Json,
    wagering: Json,
    hands: Mapping[int, Sequence[str]],
    request: Json,
    shown: Mapping[int, Json],
) -> Expected:
    banker, wrong = opening["banker"]["seat"], list[str]()
    asked = {one["seat"]: one for one in request["sets"]}
    order = order_of(doc, opening, wagering)
    sets = {}
    for seat in (*order, banker):
        one = asked[seat] if asked[seat]["how"] == "arranged" else shown[seat]
        sets[seat] = one
        if sorted([*one["one"], *one["two"], *one["low"]]) != sorted(hands[seat]):
            wrong.append(f"the hand of seat {seat} has other cards")
    claims = []
    for seat in order:
        for kind, part in KINDS.items():
            (wager,) = (w for w in wagering["wagers"] if w["seat"] == seat and w["kind"] == kind)
            mine, his = sets[seat][part], sets[banker][part]
            claims.append(Claim(wager, _compare(kind, mine, his), wager["amount"]))
    moved = cover(claims, doc["coverage"], wagering["banker_wager"], None)
    net, charges = net_of(claims, moved, opening)
    ends = [
        (c.wager["wager_id"], m.result, m.paid, m.collected, x) for c, m, x in zip(claims, moved, charges, strict=True)
    ]
    return Expected(ends, net, {}, {}, wrong, [(c.wager, m.result) for c, m in zip(claims, moved, strict=True)])


def _compare(kind: str, mine: Sequence[str], his: Sequence[str]) -> str:
    """One bet against the banker's own hand of that kind (§7, §8)."""
    if kind == "high_one":
        a, b = high(mine[0]), high(his[0])
        return "win" if a > b else "lose" if a < b or a == 14 else "push"
    if kind == "high_two":
        return "win" if two(mine) >= two(his) else "lose"
    return "win" if low_three(mine) <= low_three(his) else "lose"
