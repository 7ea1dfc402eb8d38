"""What holds for every round of hi-hi-lo and of California baccarat, whatever is wagered and dealt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cardroom.banked.cover import WagersExceedBanker
from cardroom.cards import Card, parse_card
from cardroom.game import Game
from cardroom.games.california_baccarat.game import GAME as BACCARAT
from cardroom.games.hi_hi_lo.game import GAME as HI_HI_LO
from cardroom.games.hi_hi_lo.rules import KINDS
from cardroom.hands.baccarat import value
from tests.rules.banked_round import document, luck, opening, play, table, wager

Json = dict[str, Any]

COVERAGES = ("action", "net", "one_sided", "full")
FEES = {"wager": [{"low": 0, "high": 20, "fee": 1}, {"low": 20, "fee": 2}], "banker": [{"low": 0, "fee": 3}]}
SHOE_SIZE = 424


@cache
def rules_of(ruleset: str, coverage: str) -> Any:
    return (HI_HI_LO if ruleset.startswith("hi") else BACCARAT).load(document(ruleset, coverage=coverage))


@cache
def shoe() -> tuple[Card, ...]:
    return luck(99).shuffle(BACCARAT.deck(rules_of("california-baccarat/redding-1995", "action"), {}), 100)


@dataclass
class Round:
    """A round that was played, with all that went in."""

    game: Game
    rules: Any
    opening: Json
    wagering: Json
    request: Json
    before: Json
    chance: int
    dealt: Json = field(default_factory=dict)
    settled: Json = field(default_factory=dict)

    def play(self) -> Round:
        self.dealt, self.settled = play(
            self.game,
            self.rules,
            self.opening,
            self.wagering,
            self.request,
            before=self.before,
            chance=luck(self.chance),
            shoe=shoe() if self.game.uses_shoe else None,
        )
        return self


@st.composite
def hi_hi_lo_rounds(draw: st.DrawFn) -> Round:
    seated = draw(st.lists(st.integers(1, 8), min_size=2, max_size=8, unique=True))
    amounts = {seat: draw(st.integers(1, 40)) for seat in seated[1:]}
    wagers = [wager(seat, amount, kind) for seat, amount in amounts.items() for kind in KINDS]
    request = {"sets": [{"seat": seat, "how": "house_way"} for seat in seated]}
    opened = opening(*seated, banker=seated[0], source="shuffle", fees=FEES, drawn_by_hand=True)
    wagering = {"wagers": wagers, "banker_wager": draw(st.integers(1, 200))}
    on = rules_of("hi-hi-lo/redding-1995", draw(st.sampled_from(COVERAGES)))
    return Round(HI_HI_LO, on, opened, wagering, request, table(), draw(st.integers(0, 10_000)))


@st.composite
def baccarat_rounds(draw: st.DrawFn) -> Round:
    seated = draw(st.lists(st.integers(1, 7), min_size=2, max_size=7, unique=True))
    wagers = []
    for seat in seated[1:]:
        circles = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True))
        wagers += [wager(seat, draw(st.integers(1, 40)), circle=circle) for circle in circles]
    request: Json = {"sets": [{"seat": seat, "how": "house_way"} for seat in seated[1:]]}
    moved = draw(st.lists(st.sampled_from(seated[1:]), unique=True))
    request["misplayed"] = [{"seat": seat, "how": "changed_box"} for seat in moved]
    opened = opening(*seated, banker=seated[0], source="shuffle", shoe_id="s1", fees=FEES)
    wagering = {"wagers": wagers, "banker_wager": draw(st.integers(1, 200))}
    on = rules_of("california-baccarat/redding-1995", draw(st.sampled_from(COVERAGES)))
    position = draw(st.integers(0, SHOE_SIZE - on.largest_round))
    before = table(shoe={"shoe_id": "s1", "position": position, "size": SHOE_SIZE})
    return Round(BACCARAT, on, opened, wagering, request, before, draw(st.integers(0, 10_000)))


@st.composite
def played(draw: st.DrawFn, rounds: Callable[[], st.SearchStrategy[Round]]) -> Round:
    one = draw(rounds())
    try:
        return one.play()
    except WagersExceedBanker:
        total = sum(wager["amount"] for wager in one.wagering["wagers"])
        assert one.settled == {} and total > one.wagering["banker_wager"]
        one.wagering["banker_wager"] = total
        return one.play()


ALL = st.one_of(played(hi_hi_lo_rounds), played(baccarat_rounds))


@settings(max_examples=150, deadline=None)
@given(ALL)
def test_money_is_never_created(one: Round) -> None:
    settled, wagers = one.settled, {w["wager_id"]: w for w in one.wagering["wagers"]}
    net: dict[str, int] = {}
    for posting in settled["postings"]:
        assert posting["amount"] > 0
        net[posting["from"]] = net.get(posting["from"], 0) - posting["amount"]
        net[posting["to"]] = net.get(posting["to"], 0) + posting["amount"]
    assert sum(net.values()) == 0
    assert {item["account"]: item["amount"] for item in settled["net"]} == net
    assert settled["banker"]["net"] == sum(r["collected"] - r["paid"] for r in settled["results"])
    assert {result["wager_id"] for result in settled["results"]} == set(wagers)
    for result in settled["results"]:
        stake = wagers[result["wager_id"]]["amount"]
        assert result["collected"] + result["returned"] == stake and 0 <= result["paid"] <= stake
        assert (result["paid"] > 0, result["collected"] > 0) == (
            result["result"] == "win",
            result["result"] == "lose",
        )


@settings(max_examples=150, deadline=None)
@given(ALL)
def test_coverage_is_never_exceeded(one: Round) -> None:
    banker, results = one.settled["banker"], one.settled["results"]
    paid, collected = sum(r["paid"] for r in results), sum(r["collected"] for r in results)
    used = {
        "action": paid + collected,
        "net": abs(collected - paid),
        "one_sided": max(paid, collected),
        "full": max(paid, collected),
    }
    assert used[banker["coverage"]] <= banker["wager"]


@settings(max_examples=100, deadline=None)
@given(ALL, st.randoms(use_true_random=False))
def test_the_order_of_lists_does_not_matter(one: Round, chance: Any) -> None:
    dealt, settled = one.dealt, one.settled
    for items in (one.opening["seats"], one.wagering["wagers"], *one.request.values()):
        chance.shuffle(items)
    one.play()
    assert (one.dealt, one.settled) == (dealt, settled)


@settings(max_examples=100, deadline=None)
@given(ALL)
def test_a_void_gives_everything_back(one: Round) -> None:
    back = one.game.returned(one.wagering, one.dealt)
    assert {item["wager_id"]: item["amount"] for item in back["returned"]} == {
        wager["wager_id"]: wager["amount"] for wager in one.wagering["wagers"]
    }
    fees = [(p["from"], p["to"], p["amount"]) for p in one.dealt["postings"]]
    assert [(p["to"], p["from"], p["amount"]) for p in back["postings"]] == fees
    assert sum(amount for *_, amount in fees) == sum(fee["amount"] for fee in one.dealt["fees"])


@settings(max_examples=100, deadline=None)
@given(played(baccarat_rounds))
def test_baccarat_follows_the_draw_table_and_the_values(one: Round) -> None:
    banker = one.opening["banker"]["seat"]
    worth = {}
    for chosen in one.settled["sets"]:
        cards = [parse_card(text) for text in chosen["cards"]]
        dealt = min(value(cards), 9)
        assert chosen["box"] == ("hit" if dealt <= 5 else "stand")
        assert ("drawn" in chosen) == (chosen["box"] == "hit")
        worth[chosen["seat"]] = value([*cards, parse_card(chosen["drawn"])]) if "drawn" in chosen else value(cards)
    for result in one.settled["results"]:
        mine, bankers = worth[result["seat"]], worth[banker]
        expected = "push" if mine == bankers else "win" if mine > bankers else "lose"
        assert result["result"] in (expected, "no_action")
        assert result.get("free_collection", False) == (result["result"] in ("push", "no_action"))


@settings(max_examples=100, deadline=None)
@given(played(hi_hi_lo_rounds))
def test_hi_hi_lo_loses_no_card(one: Round) -> None:
    for hand, chosen in zip(one.dealt["hands"], one.settled["sets"], strict=True):
        assert hand["seat"] == chosen["seat"]
        assert sorted(hand["cards"]) == sorted(chosen["one"] + chosen["two"] + chosen["low"])
