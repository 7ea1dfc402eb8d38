"""House ways: how a house sets seven cards, as data read by one interpreter (pai-gow-poker §3, §4).

A house way is a list of rules for each pattern of equal ranks, the joker counted as an ace. The first rule whose
conditions hold, and whose play is possible, sets the hand. `rulesets/house-ways/*.toml` are the published ones.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import combinations
from typing import Any, Final, NamedTuple

from cardroom.cards import (
    ACE_UNIT,
    FLUSH_BIAS,
    FLUSH_MASK,
    JOKER_SHIFT,
    MAX_JOKERS,
    RANK_MASK,
    RANK_UNITS,
    RANKS,
    Card,
    deck,
    deck_index,
    format_cards,
    is_joker,
)
from cardroom.hands import CATEGORIES, Category, Ranking
from cardroom.hands.ranking import CATEGORY_SHIFT
from cardroom.refusals import Refusal

# How many cards of a rank come together, ranks that come once left out; several jokers make up to seven aces.
_PATTERNS: Final[Mapping[str, tuple[tuple[int, ...], ...]]] = {
    "no_pair": ((),),
    "one_pair": ((2,),),
    "two_pairs": ((2, 2),),
    "three_pairs": ((2, 2, 2),),
    "three_of_a_kind": ((3,),),
    "two_threes": ((3, 3),),
    "full_house": ((3, 2),),
    "full_house_and_pair": ((3, 2, 2),),
    "four_of_a_kind": ((4,),),
    "four_and_pair": ((4, 2),),
    "four_and_three": ((4, 3),),
    "five_aces": ((5,), (6,), (7,)),
    "five_aces_and_pair": ((5, 2),),
}
_FRONTS: Final = ("singles", "second and third", "pair of first", "pair of second", "one of first")
_COMPLETE: Final = ("any front", "pair in front")
_CONDITIONS: Final = ("first", "second", "single", "next_single")
_LOWEST_PAIR: Final = CATEGORIES.index(Category.ONE_PAIR) << CATEGORY_SHIFT
_COMPLETE_CATEGORIES: Final = frozenset(
    CATEGORIES.index(category) for category in (Category.STRAIGHT, Category.FLUSH, Category.STRAIGHT_FLUSH)
)

_ACE: Final = 12
_ANY_RANK: Final = (1 << 13) - 1
_RANK: Final = {card: _ACE if is_joker(card) else deck_index(card) % 13 for card in deck(MAX_JOKERS)}
# From the highest rank down, natural aces before the joker, suits in deck order. So of several fronts that are equal
# and leave equal backs, the first in this order keeps the joker behind, then is the earliest in the deck (§4.11).
_PLACE: Final = {
    card: place for place, card in enumerate(sorted(deck(MAX_JOKERS), key=lambda c: (-_RANK[c], deck_index(c))))
}
_ONE_OF_EACH: Final = sum(RANK_UNITS)
_RUNS: Final = (sum(RANK_UNITS[:4]) + ACE_UNIT, *(sum(RANK_UNITS[low : low + 5]) for low in range(9)))  # of straights


class HouseWayInvalid(Refusal):
    """A house way with an unknown field, a value that means nothing, or a pattern without a rule for every hand."""


class HouseWayUnknown(Refusal):
    """The name of a house way that is not among the published ones."""


class Setting(NamedTuple):
    """A hand as set: two cards in front, five behind, and the rule that set it.

    Both parts stand from the highest rank down, the joker after the natural aces, suits as in a new deck.
    """

    front: tuple[Card, ...]
    back: tuple[Card, ...]
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of a house way: if the ranks are in these sets (one bit a rank), set the hand so.

    `first` and `second` are the ranks of the pattern (by count, then rank), `single` and `next_single` the two
    highest cards outside it. `complete` asks for a straight, flush or straight flush behind.
    """

    rule: str
    first: int
    second: int
    single: int
    next_single: int
    complete: str | None
    front: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseWay:
    """One published version of a house way; `rules` are in order of reading, by pattern of counts."""

    name: str
    version: int
    source: str
    rules: Mapping[tuple[int, ...], tuple[Rule, ...]] = field(repr=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> HouseWay:
        """A house way from its file's content. Raises HouseWayInvalid."""
        _refuse_unknown("the house way", data, {"name", "version", "source", "rules"})
        name, version, source, rules = (data.get(key) for key in ("name", "version", "source", "rules"))
        if not (isinstance(name, str) and name and isinstance(source, str)):
            raise HouseWayInvalid(f"a house way has a name and a source, both texts, not {name!r} and {source!r}")
        if type(version) is not int or version < 1:
            raise HouseWayInvalid(f"the version of house way {name} is {version!r}; it is a whole number from 1")
        if not isinstance(rules, Mapping):
            raise HouseWayInvalid(f"the rules of house way {name} are a table of lists, one for each pattern")
        _refuse_unknown(f"the rules of house way {name}", rules, set(_PATTERNS))
        by_pattern: dict[tuple[int, ...], tuple[Rule, ...]] = {}
        for pattern, shapes in _PATTERNS.items():
            read = _rules_of(f"{name}, {pattern}", rules.get(pattern), shapes[0])
            by_pattern |= dict.fromkeys(shapes, read)
        return cls(name=name, version=version, source=source, rules=by_pattern)


def house_way_names() -> tuple[str, ...]:
    """The names of the published house ways, in alphabetical order."""
    folder = resources.files("cardroom") / "rulesets" / "house-ways"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def house_way_document(name: str) -> dict[str, Any]:
    """The content of a published house way's file. Raises HouseWayUnknown."""
    known = house_way_names()
    if name not in known:
        raise HouseWayUnknown(f"there is no house way {name!r}; the house ways are {', '.join(known)}")
    text = (resources.files("cardroom") / "rulesets" / "house-ways" / f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def load_house_way(name: str) -> HouseWay:
    """A published house way by its name. Raises HouseWayUnknown."""
    return HouseWay.from_dict(house_way_document(name))


def is_foul(front: Sequence[Card], back: Sequence[Card], ranking: Ranking) -> bool:
    """Whether a set is foul: the front is not two cards, or outranks the back (§3.1, §3.2).

    Equal leading cards are legal: the front is compared with the category and the first two cards of the back.

    >>> from cardroom.cards import parse_cards
    >>> from cardroom.hands import Joker, Wheel, ranking
    >>> rules = ranking(Joker.BUG, Wheel.SECOND)
    >>> is_foul(parse_cards("8c 8d"), parse_cards("8h 8s 4c 3d 2d"), rules)
    False
    >>> is_foul(parse_cards("Ac Kc"), parse_cards("As Qs 9s 5d 3d"), rules)
    True
    """
    return len(front) != 2 or ranking.two(front) > ranking.five(back)


def set_hand(cards: Iterable[Card], house_way: HouseWay, ranking: Ranking) -> Setting:
    """Seven cards as the house way sets them, whatever their order; never foul.

    >>> from cardroom.cards import format_cards, parse_cards
    >>> from cardroom.hands import Joker, Wheel, ranking
    >>> hand = parse_cards("5s 5h 3c 3d Qh 9s 2c")
    >>> setting = set_hand(hand, load_house_way("florida-fortune"), ranking(Joker.BUG, Wheel.SECOND))
    >>> format_cards(setting.front), setting.rule
    (['Qh', '9s'], 'pai-gow-poker §4.4')
    """
    hand = sorted(cards, key=_PLACE.__getitem__)
    ranks = [_RANK[card] for card in hand]
    grouped = groups, singles = _grouped(ranks)
    first = 1 << ranks[groups[0][0]] if groups else _ANY_RANK
    second = 1 << ranks[groups[1][0]] if len(groups) > 1 else _ANY_RANK
    single = 1 << ranks[singles[0]] if singles else 0
    next_single = 1 << ranks[singles[1]] if len(singles) > 1 else 0
    total = sum(hand) + FLUSH_BIAS
    for rule in house_way.rules[tuple([len(group) for group in groups])]:
        if not (first & rule.first and second & rule.second):
            continue
        if (rule.single and not single & rule.single) or (rule.next_single and not next_single & rule.next_single):
            continue
        if not rule.complete:
            chosen = _by_pattern(hand, total, _fronts(rule.front, grouped), ranking)
            chosen = chosen or _highest_legal(hand, rule.front, grouped, ranking)
        elif not _may_be_complete(total) or not (chosen := _complete_behind(hand, total, rule.complete, ranking)):
            continue
        i, j = chosen
        return Setting((hand[i], hand[j]), (*hand[:i], *hand[i + 1 : j], *hand[j + 1 :]), rule.rule)
    raise AssertionError(f"house way {house_way.name} has no rule for {format_cards(hand)}")  # from_dict sees to it


def _grouped(ranks: list[int]) -> tuple[list[list[int]], list[int]]:
    """The places of equal ranks, the most first, then the highest; and the places of the others, highest first."""
    groups, singles, start = [], [], 0
    for place in range(1, 8):
        if place == 7 or ranks[place] != ranks[start]:
            if place - start == 1:
                singles.append(start)
            else:
                groups.append(list(range(start, place)))
            start = place
    if len(groups) > 1:
        groups.sort(key=len, reverse=True)  # stable, so the higher rank stays first
    return groups, singles


def _fronts(front: str | None, grouped: tuple[list[list[int]], list[int]]) -> list[tuple[int, int]]:
    """The places of two cards that a play allows in front; they differ in suit, or as joker and ace, only."""
    groups, singles = grouped
    match front:
        case "singles":
            return [(singles[0], singles[1])]
        case "second and third":
            return [(singles[1], singles[2])]
        case "one of first":
            other = singles[0]
            return [(place, other) if place < other else (other, place) for place in groups[0]]
        case _:
            return list(combinations(groups[0 if front == "pair of first" else 1], 2))


def _by_pattern(
    hand: list[Card], total: int, fronts: list[tuple[int, int]], ranking: Ranking
) -> tuple[int, int] | None:
    """Of these fronts the one that leaves the highest back; None if all would foul."""
    best, chosen = -1, None
    for i, j in fronts:
        front = hand[i] + hand[j]
        rest = total - front
        back = (ranking.flush if rest & FLUSH_MASK else ranking.plain)[rest & RANK_MASK]
        if back > best and ranking.pair[front & RANK_MASK] <= back:
            best, chosen = back, (i, j)
    return chosen


def _highest_legal(
    hand: list[Card], play: str | None, grouped: tuple[list[list[int]], list[int]], ranking: Ranking
) -> tuple[int, int]:
    """Where the rule would foul (a wild joker in front): the highest legal front, the same pattern behind (§4.10)."""
    groups, singles = grouped
    wanted = _fronts(play, grouped)[0]

    def keeps_the_pattern(front: tuple[int, int]) -> bool:
        if play == "second and third":
            return singles[0] not in front
        return all(
            sum(place in front for place in group) == sum(place in wanted for place in group) for group in groups
        )

    legal = []
    for front in combinations(range(7), 2):
        cards = [hand[place] for place in front]
        rest = [card for card in hand if card not in cards]
        if not is_foul(cards, rest, ranking):
            earliest = [-place for place in front]
            legal.append((keeps_the_pattern(front), ranking.two(cards), ranking.five(rest), earliest, front))
    return max(legal)[-1]


def _may_be_complete(total: int) -> bool:
    """Whether a straight or a flush is among seven cards."""
    held = (total | total >> 1 | total >> 2) & _ONE_OF_EACH
    return bool(total & FLUSH_MASK) or _gap(held) <= (total >> JOKER_SHIFT & 7)


@cache
def _gap(held: int) -> int:
    """How many cards these ranks lack for a straight."""
    return min(5 - (held & run).bit_count() for run in _RUNS)


def _complete_behind(hand: list[Card], total: int, wanted: str, ranking: Ranking) -> tuple[int, int] | None:
    """Of all ways that leave a complete hand the one with the highest front, then the highest back; None if none."""
    plain, flush, pair = ranking.plain, ranking.flush, ranking.pair
    best, chosen = (-1 if wanted == "any front" else _LOWEST_PAIR, -1), None
    for i, j in combinations(range(7), 2):
        front = hand[i] + hand[j]
        rest = total - front
        back = (flush if rest & FLUSH_MASK else plain)[rest & RANK_MASK]
        if back >> CATEGORY_SHIFT in _COMPLETE_CATEGORIES:
            value = (pair[front & RANK_MASK], back)
            if value > best:
                best, chosen = value, (i, j)
    return chosen


def _rules_of(where: str, rules: Any, shape: tuple[int, ...]) -> tuple[Rule, ...]:
    """The rules for one pattern; the last one must hold for every hand."""
    if not isinstance(rules, list) or not rules:
        raise HouseWayInvalid(f"house way {where}: there are no rules; each pattern has a list of at least one")
    read = tuple(_rule(f"house way {where}, rule {number}", rule, shape) for number, rule in enumerate(rules, 1))
    last = read[-1]
    if last.complete or last.single or last.next_single or (last.first, last.second) != (_ANY_RANK, _ANY_RANK):
        raise HouseWayInvalid(f"house way {where}: the last rule has conditions; it must hold for every hand")
    return read


def _rule(where: str, data: Any, shape: tuple[int, ...]) -> Rule:
    if not isinstance(data, Mapping):
        raise HouseWayInvalid(f"{where} is {data!r}; it is a table")
    _refuse_unknown(where, data, {"rule", "complete", "front", *_CONDITIONS})
    if not isinstance(data.get("rule"), str):
        raise HouseWayInvalid(f"{where} has no rule: the text that says where it is published")
    singles = 7 - sum(shape)
    possible = {
        "singles": singles >= 2 and bool(shape),
        "second and third": not shape,
        "one of first": bool(shape) and singles >= 1,
        "pair of first": bool(shape),
        "pair of second": len(shape) > 1,
    }
    plays = [key for key in ("front", "complete") if key in data]
    fronts = [front for front in _FRONTS if possible[front]]
    if plays == ["front"] and data["front"] not in fronts:
        raise HouseWayInvalid(f"{where}: front is {data['front']!r}; here it can be {', '.join(fronts)}")
    if plays == ["complete"] and data["complete"] not in _COMPLETE:
        raise HouseWayInvalid(f"{where}: complete is {data['complete']!r}; it can be {', '.join(_COMPLETE)}")
    if len(plays) != 1:
        raise HouseWayInvalid(f"{where} has {' and '.join(plays) or 'no play'}; it has either front or complete")
    has = {"first": bool(shape), "second": len(shape) > 1, "single": singles >= 1, "next_single": singles >= 2}
    for condition in _CONDITIONS:
        if condition in data and not has[condition]:
            raise HouseWayInvalid(f"{where}: this pattern has no {condition}")
    return Rule(
        rule=data["rule"],
        first=_rank_set(where, data.get("first", "2-A")),
        second=_rank_set(where, data.get("second", "2-A")),
        single=_rank_set(where, data["single"]) if "single" in data else 0,
        next_single=_rank_set(where, data["next_single"]) if "next_single" in data else 0,
        complete=data.get("complete"),
        front=data.get("front"),
    )


def _rank_set(where: str, text: Any) -> int:
    """A rank (`A`) or a span from the lower to the higher (`9-J`) as a set of bits."""
    low, _, high = text.partition("-") if isinstance(text, str) else ("", "", "")
    high = high or low
    if len(low) != 1 or len(high) != 1 or low not in RANKS or high not in RANKS or RANKS.index(low) > RANKS.index(high):
        raise HouseWayInvalid(f"{where}: {text!r} is no rank and no span of ranks, as A or 9-J")
    return (1 << RANKS.index(high) + 1) - (1 << RANKS.index(low))


def _refuse_unknown(where: str, data: Mapping[str, Any], known: set[str]) -> None:
    if unknown := sorted(set(data) - known):
        raise HouseWayInvalid(f"{where}: unknown field {', '.join(unknown)}; the fields are {', '.join(sorted(known))}")
