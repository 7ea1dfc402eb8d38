"""California baccarat settled slowly, from its sheet (§1 to §9, §11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.models.bank import Claim, cover, net_of, walk
from tests.models.pai_gow import Expected

Json = dict[str, Any]
NATURAL = 10  # two jokers: above any nine


def worth(cards: Sequence[str]) -> int:
    """The value of a hand; a natural is above nine (§2, §3)."""
    jokers = sum(card.startswith("Jk") for card in cards)
    if jokers:
        return NATURAL if jokers == len(cards) == 2 else 9
    points = {"A": 1, "T": 10, "J": 0, "Q": 0, "K": 0}
    return sum(points.get(card[0], 0) or (int(card[0]) if card[0].isdigit() else 0) for card in cards) % 10


def action_of(doc: Json, opening: Json, wagering: Json, dice: Sequence[int]) -> list[int]:
    """All hands in the order in which they are dealt, the banker's in its place (§4)."""
    ring = [*range(1, doc["seats"] + 1)]
    banker = opening["banker"]["seat"]
    first = walk(ring, banker, "clockwise")[(sum(dice) - 1) % len(ring)]
    playing = {w["seat"] for w in wagering["wagers"]} | {banker}
    return [seat for seat in walk(ring, first, "clockwise") if seat in playing]


def box_of(doc: Json, cards: Sequence[str], asked: Json | None, *, banks: bool, moved: bool) -> str:
    """The box that a hand is played in: as asked, or by the house way (§5, §6 (b), §11)."""
    if asked is not None and asked["how"] == "box" and not moved:
        return str(asked["box"])
    limit = doc["house_way"]["banker_hits_up_to" if banks else "player_hits_up_to"]
    return "hit" if worth(cards) <= limit else "stand"


def settle(
    doc: Json, opening: Json, wagering: Json, order: Sequence[int], hands: Mapping[int, Sequence[str]], request: Json,
    drawn: Mapping[int, Sequence[str]],
) -> Expected:  # fmt: skip
    """`order` has all hands in action order; `drawn` the draw cards by seat, told or from the shoe."""
    banker = opening["banker"]["seat"]
    asked = {one["seat"]: one for one in request["sets"]}
    misplays = {one["seat"]: one["how"] for one in request.get("misplayed", [])}
    wrong: list[str] = []
    final: dict[int, int] = {}
    lost = set()
    for seat in order:
        cards, how = hands[seat], misplays.get(seat)
        if len(cards) != 2 or how == "wrong_number":
            lost.add(seat)
            continue
        box = box_of(doc, cards, asked.get(seat), banks=seat == banker, moved=how == "changed_box")
        takes = [*drawn.get(seat, ())]
        if (box == "hit") != (len(takes) == 1):
            wrong.append(f"seat {seat} in the {box} box with {len(takes)} draw cards")
        final[seat] = worth([*cards, *takes])
        if how == "by_player":
            lost.add(seat)
    claims = []
    for seat in order:
        if seat == banker:
            continue
        outcome = "lose"
        if seat not in lost:
            mine, his = final[seat], final[banker]
            outcome = "win" if mine > his else "push" if mine == his else "lose"
        mains = sorted((w for w in wagering["wagers"] if w["seat"] == seat), key=lambda w: w["circle"])
        claims += [Claim(w, outcome, w["amount"]) for w in mains]
    moved = cover(claims, doc["coverage"], wagering["banker_wager"], None)
    net, charges = net_of(claims, moved, opening)
    ends = [
        (c.wager["wager_id"], m.result, m.paid, m.collected, x) for c, m, x in zip(claims, moved, charges, strict=True)
    ]
    return Expected(ends, net, {}, {}, wrong, [(c.wager, m.result) for c, m in zip(claims, moved, strict=True)])
