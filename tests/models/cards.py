"""Cards as texts, and what hands are worth by trying everything (pai-gow-poker §2, §10; poker-showdown §1, §2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Any

ORDER = "23456789TJQKA"
HIGH, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL, QUADS, STRAIGHT_FLUSH, FIVE, FIVE_ACES = range(11)
Value = tuple[int, tuple[float, ...]]


def is_joker(card: str) -> bool:
    return card.startswith("Jk")


def rank(card: str) -> int:
    return ORDER.index(card[0]) + 2


def grouped(ranks: Sequence[int]) -> Value:
    """The value of ranks alone: how many there are of each."""
    counts = sorted(((n, r) for r, n in Counter(ranks).items()), reverse=True)
    order = tuple(float(r) for n, r in counts for _ in range(n))
    shape = tuple(n for n, _ in counts)
    if shape == (5,):
        return (FIVE_ACES if counts[0][1] == 14 else FIVE), order
    kinds = {(4, 1): QUADS, (3, 2): FULL, (3, 1, 1): TRIPS, (2, 2, 1): TWO_PAIR, (2, 1, 1, 1): PAIR}
    return kinds.get(shape, HIGH), order


def runs(wheel: str, size: int = 5) -> list[tuple[float, frozenset[int]]]:
    """The straights of a size: what each is worth, and its ranks."""
    found = [(float(top), frozenset(range(top - size + 1, top + 1))) for top in range(14, size, -1)]
    low = frozenset([14, *range(2, size + 1)])
    return [*found, (13.5 if wheel == "second" else float(size), low)]


@cache
def five(cards: tuple[str, ...], joker: str, wheel: str) -> Value:
    """The best that five cards can be worth."""
    natural = [card for card in cards if not is_joker(card)]
    jokers = len(cards) - len(natural)
    ranks, suits = [rank(card) for card in natural], {card[1] for card in natural}
    found = []
    if joker == "wild":
        found += [grouped([*ranks, *more]) for more in combinations_with_replacement(range(2, 15), jokers)]
    else:
        found.append(grouped([*ranks, *[14] * jokers]))
    if len(set(ranks)) == len(ranks):
        straights = [worth for worth, run in runs(wheel) if set(ranks) <= run]
        if straights:
            found.append((STRAIGHT, (max(straights),)))
        if len(suits) <= 1:
            free = [r for r in range(14, 1, -1) if r not in ranks][:jokers]
            found.append((FLUSH, tuple(sorted(map(float, [*ranks, *free]), reverse=True))))
            if straights:
                found.append((STRAIGHT_FLUSH, (max(straights),)))
    return max(found)


def best_five(cards: Sequence[str], joker: str, wheel: str) -> Value:
    return max(five(chosen, joker, wheel) for chosen in combinations(sorted(cards), 5))


def two(cards: Sequence[str], joker: str) -> tuple[int, int, int]:
    """The value of two cards in front: a pair or not, the higher, the lower."""
    jokers = sum(map(is_joker, cards))
    ranks = [rank(card) for card in cards if not is_joker(card)]
    if joker == "wild" and jokers == 1:
        ranks.append(ranks[0])
    ranks += [14] * (2 - len(ranks))
    high, low = max(ranks), min(ranks)
    return int(high == low), high, low


def is_foul(front: Sequence[str], back: Sequence[str], joker: str, wheel: str) -> bool:
    """Whether a front outranks its back, or is not two cards (pai-gow-poker §3.1, §3.2)."""
    if len(front) != 2:
        return True
    pair, high, low = two(front, joker)
    category, order = five(tuple(sorted(back)), joker, wheel)
    return (category, order[:2]) < (pair, (float(high), float(low))) if category <= PAIR else False


# Side bets (pai-gow-poker §10)


def _suited(cards: Sequence[str], suit: str) -> list[int]:
    return [rank(card) for card in cards if not is_joker(card) and card[1] == suit]


def line_holds(line: str, cards: Sequence[str], wheel: str) -> Any:
    """What decides inside a line if the cards make it, else None."""
    jokers = sum(map(is_joker, cards))
    natural = [card for card in cards if not is_joker(card)]
    counts = Counter([*map(rank, natural), *[14] * jokers])
    match line:
        case "seven_card_straight_flush" | "seven_card_straight_flush_joker":
            ranks = {rank(card) for card in natural}
            wanted = line.endswith("joker") == bool(jokers)
            whole = len({card[1] for card in natural}) == 1 and len(ranks) == len(natural)
            tops = [top for top, run in runs("lowest", 7) if ranks <= run]
            return (max(tops),) if wanted and whole and tops else None
        case "royal_match":
            for rest in combinations(natural, 2):
                others = [card for card in cards if card not in rest]
                suited = rest[0][1] == rest[1][1] and {card[0] for card in rest} == {"K", "Q"}
                if suited and five(tuple(sorted(others)), "bug", wheel) == (STRAIGHT_FLUSH, (14.0,)):
                    return ()
            return None
        case "five_aces":
            return () if counts[14] >= 5 else None
        case "royal_flush" | "straight_flush" if len(cards) == 7:
            value = best_five(cards, "bug", wheel)
            found = [five(c, "bug", wheel) for c in combinations(sorted(cards), 5)]
            found = [one for one in found if one[0] == STRAIGHT_FLUSH]
            del value
            if not found or (line == "royal_flush" and max(found)[1] != (14.0,)):
                return None
            return max(found)[1]
        case "nine_high" | "ten_high" | "jack_high":
            plain = best_five(cards, "bug", wheel)
            top = {"nine_high": 9, "ten_high": 10, "jack_high": 11}[line]
            return () if plain[0] == HIGH and max(counts) == top else None
    if len(cards) == 3:
        return _line_of_three(line, natural, jokers, counts)
    category = {
        "four_of_a_kind": QUADS, "full_house": FULL, "flush": FLUSH, "three_of_a_kind": TRIPS, "straight": STRAIGHT,
    }[line]  # fmt: skip
    values = [five(chosen, "bug", wheel) for chosen in combinations(sorted(cards), 5)]
    found = [order for kind, order in values if kind == category]
    return max(found) if found else None


def _line_of_three(line: str, natural: Sequence[str], jokers: int, counts: Counter[int]) -> Any:
    ranks = [rank(card) for card in natural]
    distinct, suited = len(set(ranks)) == len(ranks), len({card[1] for card in natural}) <= 1
    straight = distinct and any(set(ranks) <= run for _, run in runs("lowest", 3))
    holds = {
        "straight_flush": straight and suited and not jokers,
        "straight_flush_joker": straight and suited and bool(jokers),
        "three_of_a_kind": max(counts.values()) == 3,
        "straight": straight,
        "flush": suited and distinct,
        "pair": max(counts.values()) >= 2,
    }[line]
    return () if holds else None
