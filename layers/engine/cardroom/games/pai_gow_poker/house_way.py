"""House ways: how a house sets seven cards, as data read by one interpreter (pai-gow-poker §3, §4).

A house way is a list of rules for each pattern of equal ranks, the joker counted as an ace. The first rule whose
conditions hold, and whose play is possible, sets the hand. `rulesets/house-ways/*.toml` are the published ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, product
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
from cardroom.documents import Document
from cardroom.game import HouseWays
from cardroom.hands import CATEGORIES, ROYAL_FLUSH, Category, Ranking
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
_CONDITIONS: Final = ("first", "second", "single", "next_single")
_FRONTS: Final = ("singles", "second and third", "pair of first", "pair of second", "one of first")
_COMPLETE: Final = ("any front", "pair in front")
_OVER: Final = ("a lower front", "an ace-high straight with the joker")
_LOWEST_PAIR, _STRAIGHT, _FLUSH, _FULL_HOUSE, _STRAIGHT_FLUSH, _FIVE_OF_A_KIND = (
    CATEGORIES.index(category) << CATEGORY_SHIFT
    for category in (
        Category.ONE_PAIR,
        Category.STRAIGHT,
        Category.FLUSH,
        Category.FULL_HOUSE,
        Category.STRAIGHT_FLUSH,
        Category.FIVE_OF_A_KIND,
    )
)
_ACE_HIGH: Final = (_STRAIGHT + 0xEDCBA, ROYAL_FLUSH)
_BEHIND: Final = {"straight": _STRAIGHT, "flush": _FLUSH, "straight flush": _STRAIGHT_FLUSH, "royal flush": ROYAL_FLUSH}

_JOKERS: Final = 7  # the bits that count them, once shifted
_NEVER_FOUL: Final = "pai-gow-poker §4.10"  # cited by whatever house way, where its own rule would foul
_SPLITS: Final = tuple(combinations(range(7), 2))
_RANK: Final = {card: 12 if is_joker(card) else deck_index(card) % 13 for card in deck(MAX_JOKERS)}
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


class _Pattern(NamedTuple):
    """Where equal ranks lie in seven cards that stand from the highest rank down.

    `groups` are the places of ranks that come more than once, the most first, then the highest; `singles` those of
    the others, highest first. `leads` are a place of the first and of the second group and the two highest singles,
    0 where there is none. `fronts` are the pairs of places that a play allows in front: they differ in suit, or as
    joker and ace, only.
    """

    counts: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    singles: tuple[int, ...]
    leads: tuple[int, ...]
    fronts: Mapping[str, tuple[tuple[int, int], ...]]

    @classmethod
    def of(cls, equal: Sequence[bool]) -> _Pattern:
        """The pattern in which these neighbours are equal."""
        runs: list[list[int]] = [[0]]
        for place, same in enumerate(equal, 1):
            if same:
                runs[-1].append(place)
            else:
                runs.append([place])
        groups = sorted((tuple(run) for run in runs if len(run) > 1), key=len, reverse=True)  # stable: by rank then
        singles = tuple(run[0] for run in runs if len(run) == 1)
        fronts: dict[str, tuple[tuple[int, int], ...]] = {}
        if not groups:
            fronts["second and third"] = ((1, 2),)
        else:
            fronts["pair of first"] = tuple(combinations(groups[0], 2))
            if len(groups) > 1:
                fronts["pair of second"] = tuple(combinations(groups[1], 2))
            if singles:
                fronts["one of first"] = tuple((min(p, singles[0]), max(p, singles[0])) for p in groups[0])
            if len(singles) > 1:
                fronts["singles"] = ((singles[0], singles[1]),)
        leads = (*[*(group[0] for group in groups), 0, 0][:2], *[*singles, 0, 0][:2])
        return cls(tuple(map(len, groups)), tuple(groups), singles, leads, fronts)


# By six bits: whether the first card is as the second (32), the second as the third (16), … the sixth as the last (1).
_PATTERN_OF: Final = tuple(_Pattern.of(equal) for equal in product((False, True), repeat=6))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of a house way: if its conditions hold and its play is possible, it sets the hand.

    A condition is one of `first`, `second` (the ranks of the pattern), `single`, `next_single` (the two highest cards
    outside it), by number, with the set of ranks that it may have, a bit for each. The play is a front that the
    pattern gives, or `complete`: a straight, flush or straight flush of at least the value `behind`, with a front of at
    least the value `least`. A front played `over` a complete hand is so only if there is one such as `over` says.
    """

    rule: str
    conditions: tuple[tuple[int, int], ...]
    front: str | None
    over: str | None
    complete: bool
    behind: int
    least: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseWay:
    """One published version of a house way; `rules` stand in order of reading, by counts of equal ranks."""

    name: str
    version: int
    source: str
    rules: Mapping[tuple[int, ...], tuple[Rule, ...]] = field(repr=False)

    @classmethod
    def from_dict(cls, data: Document) -> HouseWay:
        """A house way from its file's content. Raises HouseWayInvalid."""
        if not isinstance(data, Mapping):
            raise HouseWayInvalid(f"the house way is {data!r}; it is a table")
        _refuse_unknown("the house way", data, {"name", "version", "source", "rules"})
        name, version, source, rules = (data.get(key) for key in ("name", "version", "source", "rules"))
        if not (isinstance(name, str) and name and isinstance(source, str)):
            raise HouseWayInvalid(f"a house way has a name and a source, both texts, not {name!r} and {source!r}")
        if type(version) is not int or version < 1:
            raise HouseWayInvalid(f"the version of house way {name} is {version!r}; it is a whole number from 1")
        if not isinstance(rules, Mapping):
            raise HouseWayInvalid(f"the rules of house way {name} are a table of lists, one for each pattern")
        _refuse_unknown(f"the rules of house way {name}", rules, set(_PATTERNS))
        by_counts: dict[tuple[int, ...], tuple[Rule, ...]] = {}
        for pattern, counts in _PATTERNS.items():
            by_counts |= dict.fromkeys(counts, _rules_of(f"{name}, {pattern}", rules.get(pattern), counts))
        return cls(name=name, version=version, source=source, rules=by_counts)


def in_full(document: Document, house_way: HouseWays) -> Document:
    """A rule set's document with a house way that it names written out, so that its hash covers it.

    `house_way` finds the content of a house way's file by its name, None if there is none of that name.
    """
    named = document.get("house_way")
    found = house_way(named) if isinstance(named, str) else None
    return {**document} if found is None else {**document, "house_way": found}


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

    >>> from cardroom.cards import parse_cards
    >>> from cardroom.hands import Joker, Wheel, ranking
    >>> hand = parse_cards("5s 5h 3c 3d Qh 9s 2c")
    >>> from cardroom.services.catalogue import published
    >>> setting = set_hand(hand, published().house_way("florida-fortune"), ranking(Joker.BUG, Wheel.SECOND))
    >>> format_cards(setting.front), setting.rule
    (['Qh', '9s'], 'pai-gow-poker §4.4')
    """
    hand = sorted(cards, key=_PLACE.__getitem__)
    ranks = a, b, c, d, e, f, g = [_RANK[card] for card in hand]
    equal = (a == b) << 5 | (b == c) << 4 | (c == d) << 3 | (d == e) << 2 | (e == f) << 1 | (f == g)
    pattern = _PATTERN_OF[equal]
    total = sum(hand) + FLUSH_BIAS
    for rule in house_way.rules[pattern.counts]:
        if rule.conditions and not all(held >> ranks[pattern.leads[which]] & 1 for which, held in rule.conditions):
            continue
        chosen, cited = None, rule.rule
        if rule.complete:
            if _may_be_complete(total):
                chosen = _complete_behind(hand, total, rule, ranking)
        elif not rule.over or _goes_over(hand, total, rule, pattern, ranking):
            chosen = _by_pattern(hand, total, pattern.fronts[rule.front or ""], ranking)
            if chosen is None:
                chosen, cited = _highest_legal(hand, rule.front or "", pattern, ranking), _NEVER_FOUL
        if chosen is None:
            continue
        i, j = chosen
        return Setting((hand[i], hand[j]), (*hand[:i], *hand[i + 1 : j], *hand[j + 1 :]), cited)
    raise AssertionError(f"house way {house_way.name} has no rule for {format_cards(hand)}")  # from_dict sees to it


def _by_pattern(
    hand: list[Card], total: int, fronts: Iterable[tuple[int, int]], ranking: Ranking
) -> tuple[int, int] | None:
    """Of these fronts the one that leaves the highest back (§4.11); None if all would foul."""
    best, chosen = -1, None
    for i, j in fronts:
        front = hand[i] + hand[j]
        rest = total - front
        back = (ranking.flush if rest & FLUSH_MASK else ranking.plain)[rest & RANK_MASK]
        if back > best and ranking.pair[front & RANK_MASK] <= back:
            best, chosen = back, (i, j)
    return chosen


def _highest_legal(hand: list[Card], play: str, pattern: _Pattern, ranking: Ranking) -> tuple[int, int]:
    """Where a rule would foul, with a wild joker: the highest legal front, the same pattern behind (§4.10)."""
    wanted = pattern.fronts[play][0]
    # Behind stay as many of each group as the rule leaves there; without a pair it is the highest card that stays.
    groups = pattern.groups or ((0,),)
    kept = [len({*group} - {*wanted}) for group in groups]
    legal = []
    for front in _SPLITS:
        cards = [hand[place] for place in front]
        rest = [card for card in hand if card not in cards]
        if not is_foul(cards, rest, ranking):
            keeps = [len({*group} - {*front}) for group in groups] == kept
            earliest = [-place for place in front]
            legal.append((keeps, ranking.two(cards), ranking.five(rest), earliest, front))
    return max(legal)[-1]


def _may_be_complete(total: int) -> bool:
    """Whether a straight or a flush is among seven cards."""
    held = (total | total >> 1 | total >> 2) & _ONE_OF_EACH
    return bool(total & FLUSH_MASK) or _gap(held) <= (total >> JOKER_SHIFT & _JOKERS)


@cache
def _gap(held: int) -> int:
    """How many cards these ranks lack for a straight."""
    return min(5 - (held & run).bit_count() for run in _RUNS)


def _complete_behind(hand: list[Card], total: int, rule: Rule, ranking: Ranking) -> tuple[int, int] | None:
    """Of the ways to leave such a complete hand the one with the highest front, then the highest back (§4.9).

    Of equal ones the first that has the fewest jokers in front: a wild one can be wasted there (§4.11).
    """
    plain, flush, pair = ranking.plain, ranking.flush, ranking.pair
    best_front, best_back, lowest, chosen, jokers = rule.least, -1, rule.behind, None, 0
    for i, j in _SPLITS:
        front = hand[i] + hand[j]
        value = pair[front & RANK_MASK]
        if value < best_front:
            continue
        rest = total - front
        back = (flush if rest & FLUSH_MASK else plain)[rest & RANK_MASK]
        if back < lowest or _FULL_HOUSE <= back < _STRAIGHT_FLUSH or back >= _FIVE_OF_A_KIND:
            continue
        in_front = front >> JOKER_SHIFT & _JOKERS
        if value > best_front or back > best_back or (back == best_back and in_front < jokers):
            best_front, best_back, chosen, jokers = value, back, (i, j), in_front
    return chosen


def _goes_over(hand: list[Card], total: int, rule: Rule, pattern: _Pattern, ranking: Ranking) -> bool:
    """Whether there is a complete hand that the rule's front is played over."""
    complete = _complete_behind(hand, total, rule, ranking)
    if complete is None:
        return False
    front = [hand[place] for place in complete]
    if rule.over == "a lower front":
        i, j = pattern.fronts[rule.front or ""][0]
        return ranking.two(front) < ranking.two((hand[i], hand[j]))
    joker = total >> JOKER_SHIFT & _JOKERS
    return bool(joker) and ranking.five([card for card in hand if card not in front]) in _ACE_HIGH


def _rules_of(where: str, rules: Any, counts: tuple[tuple[int, ...], ...]) -> tuple[Rule, ...]:
    """The rules for one pattern; the last one must hold for every hand."""
    if not isinstance(rules, list) or not rules:
        raise HouseWayInvalid(f"house way {where}: there are no rules; each pattern has a list of at least one")
    patterns = [pattern for pattern in _PATTERN_OF if pattern.counts in counts]
    read = tuple(_rule(f"house way {where}, rule {number}", rule, patterns) for number, rule in enumerate(rules, 1))
    if read[-1].complete or read[-1].over or read[-1].conditions:
        raise HouseWayInvalid(f"house way {where}: the last rule has conditions; it must hold for every hand")
    return read


def _rule(where: str, data: Any, patterns: Sequence[_Pattern]) -> Rule:
    """One rule, held to what all these patterns have."""
    if not isinstance(data, Mapping):
        raise HouseWayInvalid(f"{where} is {data!r}; it is a table")
    _refuse_unknown(where, data, {"rule", "front", "over", "complete", "behind", "least", *_CONDITIONS})
    if not isinstance(data.get("rule"), str):
        raise HouseWayInvalid(f"{where} has no rule: the text that says where it is published")
    plays = [key for key in ("front", "complete") if key in data]
    if len(plays) != 1:
        raise HouseWayInvalid(f"{where} has {' and '.join(plays) or 'no play'}; it has either front or complete")
    fronts = [name for name in _FRONTS if all(name in pattern.fronts for pattern in patterns)]
    allowed = {"front": fronts, "over": _OVER} if "front" in data else {"complete": _COMPLETE, "behind": _BEHIND}
    for key in [key for key in ("front", "over", "complete", "behind") if key in data]:
        if key not in allowed:
            raise HouseWayInvalid(f"{where}: {key} does not go with {plays[0]}")
        if data[key] not in (values := list(allowed[key])):
            raise HouseWayInvalid(f"{where}: {key} is {data[key]!r}; here it can be {', '.join(values)}")
    if "least" in data and data.get("complete") != "any front":
        raise HouseWayInvalid(f'{where}: least goes with complete = "any front"')
    ranks = _rank_set(where, data["least"]) if "least" in data else 0
    least = (ranks & -ranks).bit_length() + 1 << 16 if ranks else 0
    return Rule(
        rule=data["rule"],
        conditions=_conditions(where, data, patterns),
        front=data.get("front"),
        over=data.get("over"),
        complete="complete" in data,
        behind=_BEHIND[data.get("behind", "straight")],
        least=_LOWEST_PAIR if data.get("complete") == "pair in front" else least,
    )


def _conditions(where: str, data: Mapping[str, Any], patterns: Sequence[_Pattern]) -> tuple[tuple[int, int], ...]:
    """The conditions of a rule, each one that all these patterns have."""
    groups = min(len(pattern.groups) for pattern in patterns)
    singles = min(len(pattern.singles) for pattern in patterns)
    has = (groups > 0, groups > 1, singles > 0, singles > 1)
    for which, condition in enumerate(_CONDITIONS):
        if condition in data and not has[which]:
            raise HouseWayInvalid(f"{where}: this pattern has no {condition}")
    return tuple((which, _rank_set(where, data[name])) for which, name in enumerate(_CONDITIONS) if name in data)


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
