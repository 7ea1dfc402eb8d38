"""The command that counts what a side bet pays over all hands there are (pai-gow-poker §10.9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from cardroom.cards import Card, deck
from cardroom.hands.bonus import BonusTable, ThreeCardTable
from cardroom_desk.cores import ProcessesOption, each_on_cores
from cardroom_desk.terminal import Json, console, grid, lines, on_terminal, usage

if TYPE_CHECKING:
    from cardroom.games.pai_gow_poker.rules import SideBet

PayTable = BonusTable | ThreeCardTable

RANKS: Final = 13
SUITS: Final = 4
HAND: Final = 7
THREE: Final = 3
FLUSH: Final = 5
PARTS: Final = 32
DECK: Final = deck(1)
JOKER: Final = DECK[-1]


class Kind(NamedTuple):
    """Hands that no poker ranking tells apart: one of them, and how many of all hands are such."""

    cards: tuple[Card, ...]
    hands: int


class Part(NamedTuple):
    """One part in `PARTS` of the hands, to be counted for a side bet of a rule set."""

    ruleset_id: str
    bet: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """How often a side bet's lines come up over all hands; `paying` are (line, pays to one, hands), high to low.

    The lines of `meter_bps` pay such a share of the bet's meter instead of odds (§10.8).
    """

    ruleset_id: str
    bet: str
    cards: int
    hands: int
    paying: tuple[tuple[str, int, int], ...]
    meter_bps: Mapping[str, int]

    @property
    def losing(self) -> int:
        """Hands without a line."""
        return self.hands - sum(hands for _, _, hands in self.paying)

    @property
    def edge(self) -> int:
        """What the house keeps of one unit bet on each of the hands, what meters pay apart."""
        return self.losing - sum(pays * hands for _, pays, hands in self.paying)


def odds(
    bet: Annotated[
        str, typer.Argument(metavar="BET", help="A side bet (fortune), or a family of rule sets (pai-gow-mania).")
    ],
    ruleset: Annotated[
        str | None, typer.Option(metavar="ID", help="The rule set whose pay table counts; the first that has the bet.")
    ] = None,
    processes: ProcessesOption = None,
) -> None:
    """Count exactly how often a side bet pays, over all hands there are, against its pay table alone.

    Writes a JSON line for each bet: its lines with what they pay to one and in how many hands, how many hands lose,
    and the edge of the house as a fraction of all hands and in percent, what a meter pays apart.
    """
    found = [count(ruleset_id, name, processes=processes) for ruleset_id, name in _named(bet, ruleset)]
    if not on_terminal():
        lines(in_json(each) for each in found)
        return
    for each in found:
        _show(each)


def kinds(part: int = 0, parts: int = 1) -> Iterator[Kind]:
    """All C(53, 7) = 154,143,080 hands of seven, or one part of them, by kinds.

    Suits matter through flushes only. Where no suit has five cards (the joker counts for each) hands of the same ranks
    are one kind; where one has, at most two cards are of other suits, and hands that another order of those suits
    turns into each other are one kind.

    >>> sum(kind.hands for kind in kinds(part=3, parts=400))
    354222
    """
    for joker in ((), (JOKER,)):
        size, enough = HAND - len(joker), FLUSH - len(joker)
        multisets = combinations_with_replacement(range(RANKS), size)
        for ranks in list(multisets)[part::parts]:
            hands = _without_flush(tuple(sorted(Counter(ranks).values())), enough)
            if hands:
                # Suits in turn: equal ranks, of which there are four at most, get different ones.
                yield Kind((*(_card(rank, place % SUITS) for place, rank in enumerate(ranks)), *joker), hands)
        for suited in range(enough, size + 1):
            others = _of_other_suits(size - suited)
            for ranks in list(combinations(range(RANKS), suited))[part::parts]:
                cards = (*(_card(rank, 0) for rank in ranks), *joker)
                for rest, ways in others:
                    yield Kind(cards + rest, SUITS * ways)


def tally(table: PayTable, part: int = 0, parts: int = 1) -> Counter[str | None]:
    """How many of all hands, or of one part of them, make each line of a pay table; None is without."""
    rank = table.rank
    counts: Counter[str | None] = Counter()
    for cards, hands in _hands_for(table, part, parts):
        counts[rank(cards).line] += hands
    return counts


def count_part(part: Part) -> Counter[str | None]:
    """The tally of one part of the hands for a side bet of a published rule set."""
    return tally(_side_bet(part.ruleset_id, part.bet).pay_table, part.number, PARTS)


def count(ruleset_id: str, bet: str, *, processes: int | None = None) -> Odds:
    """The exact odds of a side bet of a published rule set."""
    side_bet = _side_bet(ruleset_id, bet)
    table = side_bet.pay_table
    parts = [Part(ruleset_id, bet, number) for number in range(PARTS)]
    counts: Counter[str | None] = Counter()
    for counted in each_on_cores(count_part, parts, processes=processes, doing=f"counting {bet}"):
        counts.update(counted)
    return Odds(
        ruleset_id=ruleset_id,
        bet=bet,
        cards=THREE if isinstance(table, ThreeCardTable) else HAND,
        hands=counts.total(),
        paying=tuple((line.value, pays, counts[line]) for line, pays in table.lines),
        meter_bps=side_bet.meter_bps,
    )


def _hands_for(table: PayTable, part: int, parts: int) -> Iterator[Kind]:
    if isinstance(table, ThreeCardTable):  # so few that each of them is looked at
        return (Kind(cards, 1) for cards in list(combinations(DECK, THREE))[part::parts])
    return kinds(part, parts)


def _card(rank: int, suit: int) -> Card:
    return DECK[RANKS * suit + rank]


@cache
def _without_flush(times: Sequence[int], enough: int) -> int:
    """In how many ways ranks that come these many times can have suits, no suit `enough` times."""
    # In how many ways no, one, two … cards are of one given suit: a product of polynomials, one for each rank.
    ways = [1]
    for each in times:
        without, with_it = comb(SUITS - 1, each), comb(SUITS - 1, each - 1)
        ways = [
            as_many * without + one_less * with_it for as_many, one_less in zip([*ways, 0], [0, *ways], strict=True)
        ]
    return prod(comb(SUITS, each) for each in times) - SUITS * sum(ways[enough:])  # two suits cannot both have enough


def _of_other_suits(size: int) -> list[tuple[tuple[Card, ...], int]]:
    """The kinds of so many cards of the other three suits, and in how many ways each comes."""
    suits = range(1, SUITS)
    ways: Counter[tuple[Card, ...]] = Counter()
    for cards in combinations([(suit, rank) for suit in suits for rank in range(RANKS)], size):
        by_suit = sorted(([rank for held, rank in cards if held == suit] for suit in suits), reverse=True)
        ways[tuple(_card(rank, suit) for suit, ranks in zip(suits, by_suit, strict=True) for rank in ranks)] += 1
    return list(ways.items())


def _side_bet(ruleset_id: str, bet: str) -> SideBet:
    from cardroom.services.catalogue import published

    side_bet: SideBet = published().ruleset(ruleset_id).rules.side_bets[bet]
    return side_bet


def _named(name: str, ruleset: str | None) -> list[tuple[str, str]]:
    """The side bets that a name means, each with its rule set."""
    from cardroom.services.catalogue import published

    having = [
        (ruleset_id, bet)
        for ruleset_id in published().ruleset_ids()
        for bet in getattr(published().ruleset(ruleset_id).rules, "side_bets", ())
    ]
    chosen = [(i, bet) for i, bet in having if name in (bet, i.partition("/")[0]) and ruleset in (None, i)]
    if not chosen:
        there_are = ", ".join(dict.fromkeys(f"{bet} ({i})" for i, bet in having))
        usage(f"no side bet {name!r}{f' in {ruleset}' if ruleset else ''}: there are {there_are}.")
    return [each for each in chosen if each[0] == chosen[0][0]]


def in_json(odds: Odds) -> Json:
    """The odds as the command writes them."""
    return {
        "bet": odds.bet,
        "ruleset": odds.ruleset_id,
        "cards": odds.cards,
        "hands": odds.hands,
        "lines": [
            {"line": line, **({"meter_bps": odds.meter_bps[line]} if line in odds.meter_bps else {"pays": pays})}
            | {"hands": hands}
            for line, pays, hands in odds.paying
        ],
        "losing": odds.losing,
        "edge": {"numerator": odds.edge, "denominator": odds.hands, "percent": round(100 * odds.edge / odds.hands, 4)},
    }


def _show(odds: Odds) -> None:
    shown = grid("line", "pays", "hands", "chance", right=("pays", "hands", "chance"))
    rows = [
        (line, f"{odds.meter_bps[line] / 100:g} % of the meter" if line in odds.meter_bps else f"{pays} to 1", hands)
        for line, pays, hands in odds.paying
    ]
    for line, pays, hands in [*rows, ("no line", "loses", odds.losing)]:
        shown.add_row(line.replace("_", " "), pays, f"{hands:,}", f"{100 * hands / odds.hands:.6f} %")
    out = console()
    out.print(f"{odds.bet} of {odds.ruleset_id}, over all {odds.hands:,} hands of {odds.cards} cards:")
    out.print(shown)
    apart = ", what the meter pays apart" if odds.meter_bps else ""
    out.print(
        f"The house keeps {odds.edge:,} of {odds.hands:,} units bet{apart}: {100 * odds.edge / odds.hands:.4f} %."
    )
