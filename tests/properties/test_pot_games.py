"""Push nine and the poker showdown against a second, simple model; money conserved, the order of lists irrelevant.

Only `folded` and `dead_order` say something by their order.
"""

import random
import tomllib
from collections import Counter
from copy import deepcopy
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardroom.cards import deck, format_cards
from cardroom.games.poker_showdown.game import GAME as SHOWDOWN
from cardroom.games.poker_showdown.settle import DeadOrderMissing
from cardroom.games.push_nine.betting import BettingUnfinished, Limits, bet_round
from cardroom.games.push_nine.game import GAME as PUSH_NINE
from cardroom.hands.low import best_five
from cardroom.refusals import Refusal
from cardroom.rounds.steps import NEW_TABLE
from tests import kit

Json = dict[str, Any]

RULESETS = Path(__file__).parents[2] / "layers/engine/cardroom/rulesets"
PUSH_RULES = PUSH_NINE.load(tomllib.loads((RULESETS / "push-nine/redding-1995.toml").read_text()))
POKER = tomllib.loads((RULESETS / "poker-showdown/washington.toml").read_text())
HIGH = SHOWDOWN.load(POKER)
RNGS = st.integers(0, 2**32 - 1).map(random.Random)
ACTIONS = ("check", "bet", "raise", "call", "call", "fold")


def random_betting(rng: random.Random, order: list[int], stacks: dict[int, int], limits: Limits) -> list[Json]:
    """Legal betting: actions are tried until the checker takes one, and until it misses none."""
    betting: list[Json] = []
    while True:
        try:
            bet_round(betting, order=order, stacks=stacks, limits=limits)
        except BettingUnfinished as refusal:
            turn = int(refusal.message.split("seat ")[1].split()[0])
            betting.append(legal_action(rng, betting, turn, order=order, stacks=stacks, limits=limits))
        else:
            return betting


def legal_action(rng: random.Random, betting: list[Json], turn: int, **terms: Any) -> Json:
    while True:
        action: Json = {"seat": turn, "action": rng.choice(ACTIONS)}
        if action["action"] in ("bet", "raise"):
            action["amount"] = rng.choice(
                [rng.randint(1, 1_300), rng.choice([100, 200, 300, 600, terms["stacks"][turn]])]
            )
        try:
            bet_round([*betting, action], **terms)
        except BettingUnfinished:
            return action
        except Refusal:
            continue
        return action


# A second model of push nine: ranks by hand, one cent at a time, no pots.


def worth(cards: list[str]) -> tuple[int, int]:
    ranks = sorted("A23456789TJQK".index(card[0]) + 1 for card in cards)
    if len(set(ranks)) == 1:
        return 3, 14 if ranks[0] == 1 else ranks[0]
    if ranks in [[top - 2, top - 1, top] for top in range(3, 14)] or ranks == [1, 12, 13]:
        return 2, 14 if ranks[0] == 1 and ranks[1] == 12 else ranks[-1]
    if min(ranks) > 10:
        return 1, 0
    return 0, sum(rank if rank < 10 else 0 for rank in ranks) % 10


def by_the_cent(put_in: dict[int, int], folded: list[int], hands: dict[int, list[str]]) -> tuple[Counter[int], int]:
    """What each seat gains, uncalled money back included, and how much is pushed."""
    gains: Counter[int] = Counter({seat: -amount for seat, amount in put_in.items()})
    pushed = 0
    for cent in range(max(put_in.values())):
        payers = [seat for seat, amount in put_in.items() if amount > cent]
        live = [seat for seat in payers if seat not in folded]
        best = [seat for seat in live if worth(hands[seat]) == max(worth(hands[other]) for other in live)]
        if len(payers) == 1:
            gains[payers[0]] += 1
        elif len(best) == 1:
            gains[best[0]] += len(payers)
        else:
            pushed += len(payers)
    return gains, pushed


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), RNGS)
def test_a_hand_of_push_nine_is_settled_as_by_the_cent(players: int, rng: random.Random) -> None:
    table = PushTable(rng, players)
    settled = table.play("r1")

    put_in = {result["seat"]: result["amount"] for result in settled["results"]}
    folded = [hand["seat"] for hand in settled["hands"] if hand["folded"]]
    gains, pushed = by_the_cent(put_in, folded, {hand["seat"]: hand["cards"] for hand in settled["hands"]})
    net = {item["account"]: item["amount"] for item in settled["net"]}
    assert net.pop("pot:r1") == pushed
    assert net == {f"bettor:b{seat}": gain for seat, gain in gains.items() if gain or f"bettor:b{seat}" in net}


class PushTable:
    """A table that plays random hands of push nine."""

    def __init__(self, rng: random.Random, players: int, ranks: int = 13) -> None:
        self.rng = rng
        self.seats = sorted(rng.sample(range(1, 10), players))
        self.cards = [card for place, card in enumerate(deck(0)) if place % 13 < ranks]
        self.table: Json = dict(NEW_TABLE)
        self.accounts: Counter[str] = Counter()

    def play(self, round_id: str) -> Json:
        self.opening, self.wagering = self.requests()
        PUSH_NINE.check_open(PUSH_RULES, self.opening, self.table)
        self.dealt = kit.deal(PUSH_NINE, PUSH_RULES, self.opening, self.wagering, self.table, None)
        self.dealt["opened"] = {"terms": {"round_id": round_id}}
        stacks = {item["seat"]: item["amount"] for item in self.wagering["stacks"]}
        limits = Limits(minimum_minor=100, maximum_minor=300, raises=3)
        order = [seat for seat in self.dealt["order"] if seat not in self.wagering["absent"]]
        self.betting = random_betting(self.rng, order, stacks, limits)
        settled = kit.settle(PUSH_NINE, PUSH_RULES, self.opening, self.wagering, self.dealt, {"betting": self.betting})
        self.table |= PUSH_NINE.after_settle(PUSH_RULES, self.opening, settled, round_id, self.table)
        for item in settled["net"]:
            self.accounts[item["account"]] += item["amount"]
        return settled

    def requests(self) -> tuple[Json, Json]:
        rng, pot, last = self.rng, self.table["pot"], self.table["button"]
        sits = {f"b{seat}": seat for seat in self.seats}
        if last is not None:  # all take other seats
            sits = dict(zip(sits, rng.sample(range(1, 10), len(sits)), strict=True))
        bettors = {seat: bettor for bettor, seat in sits.items()}
        opening: Json = {
            "table_id": "t1", "ruleset": PUSH_RULES.ruleset_id, "currency": "USD", "source": "table", "ante": 100,
            "seats": [{"seat": seat, "bettor": bettor} for bettor, seat in sits.items()],
            "button": rng.choice(self.seats) if last is None else sits[last["bettor"]],
        }  # fmt: skip
        kind, put_in, playing = "ante", dict.fromkeys(bettors, 100), set(bettors)
        absent: list[int] = []
        if pot is not None:
            opening |= {"continues": pot["round_id"]}
            tied = {sits[player["bettor"]] for part in pot["pots"] for player in part["tied"]}
            main = {sits[one["bettor"]] for part in pot["pots"] if part["pot"] == "main" for one in part["tied"]}
            price = next((part["buy_in"] for part in pot["pots"] if part["pot"] == "main"), None)
            buyers = [seat for seat in bettors if price and seat not in main and rng.random() < 0.4]
            kind, put_in, playing = "buy_in", dict.fromkeys(buyers, price), tied | set(buyers)
            pots = [{sits[one["bettor"]] for one in part["tied"]} for part in pot["pots"]]
            for seat in tied - set(buyers):
                if rng.random() < 0.3 and not any(players <= {seat, *absent} for players in pots):
                    absent.append(seat)
        cards = format_cards(rng.sample(self.cards, 3 * len(playing)))
        return opening, {
            "wagers": [
                {"wager_id": f"w{seat}", "seat": seat, "bettor": bettors[seat], "circle": 1, "kind": kind, "amount": x}
                for seat, x in put_in.items()
            ],
            "stacks": [{"seat": seat, "amount": rng.choice([0, 50, 350, 900, 9_000])} for seat in sorted(playing)],
            "hands": [{"seat": seat, "cards": [cards.pop(), cards.pop(), cards.pop()]} for seat in sorted(playing)],
            "absent": sorted(absent),
        }  # fmt: skip


def check_results(settled: Json) -> None:
    """What the results say of each player is what the postings moved."""
    net = {item["account"]: item["amount"] for item in settled["net"]}
    for result in settled["results"]:
        assert result["collected"] + result["returned"] == result["amount"]
        assert net.get(f"bettor:{result['bettor']}", 0) == result["paid"] - result["collected"]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), RNGS)
def test_no_money_is_made_or_lost_while_pots_are_pushed_on(players: int, rng: random.Random) -> None:
    table = PushTable(rng, players, ranks=9)  # no faces: ties are frequent
    for number in range(6):
        settled = table.play(f"r{number}")

        assert sum(item["amount"] for item in settled["net"]) == 0
        pot = table.table["pot"]
        held: Counter[str] = Counter()
        for part in [] if pot is None else pot["pots"]:
            held[part["account"]] += part["amount"]
        assert {name: sum_ for name, sum_ in table.accounts.items() if name.startswith("pot:") and sum_} == dict(held)
        check_results(settled)
        check_who_was_absent(table.wagering["absent"], settled)


def check_who_was_absent(absent: list[int], settled: Json) -> None:
    """Who has left wins no pot, ties for none, and loses nothing that he had not put in before."""
    for result in settled["results"]:
        if result["seat"] in absent:
            assert (result["result"], result["reason"], result["amount"]) == ("lose", "absent", 0)
    assert not {seat for pot in settled["pots"] for seat in pot["winners"] + pot["tied"]} & set(absent)


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 9), RNGS)
def test_the_order_of_the_lists_of_push_nine_does_not_matter(players: int, rng: random.Random) -> None:
    table = PushTable(rng, players, ranks=9)
    table.play("r0")
    before = deepcopy(table.table)
    settled = table.play("r1")

    opening, wagering = deepcopy(table.opening), deepcopy(table.wagering)
    for told in (opening["seats"], wagering["wagers"], wagering["stacks"], wagering["hands"]):
        rng.shuffle(told)
    dealt = kit.deal(PUSH_NINE, PUSH_RULES, opening, wagering, before, None)
    dealt["opened"] = {"terms": {"round_id": "r1"}}
    assert dealt == table.dealt
    assert kit.settle(PUSH_NINE, PUSH_RULES, opening, wagering, dealt, {"betting": table.betting}) == settled


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["high", "low", "high_low"]), RNGS)
def test_a_showdown_shares_every_unit_whatever_the_order_of_its_lists(form: str, rng: random.Random) -> None:
    rules = SHOWDOWN.load({**POKER, "form": form, "low_highest": 8 if form == "high_low" else 0})
    seats = sorted(rng.sample(range(1, 11), rng.randint(2, 6)))
    cards = format_cards(rng.sample(deck(1), 7 * len(seats)))
    opening: Json = {
        "table_id": "t1", "ruleset": rules.ruleset_id, "currency": "USD", "source": "table", "jokers": 1,
        "seats": [{"seat": seat, "bettor": f"b{seat}"} for seat in seats], "button": rng.randint(1, 10),
    }  # fmt: skip
    wagering: Json = {
        "wagers": [],
        "hands": [{"seat": seat, "cards": cards[7 * n : 7 * n + 7]} for n, seat in enumerate(seats)],
    }
    folded = rng.sample(seats, rng.randint(0, len(seats) - 1))
    dead = [seat for seat in seats if seat not in folded and rng.random() < 0.2]
    request = {
        "contributions": [{"seat": seat, "amount": rng.choice([0, 33, 70, 101])} for seat in seats],
        "dead_hands": [{"seat": seat} for seat in dead],
    }
    leaving: Json = {"folded": folded, "dead_order": rng.sample(dead, len(dead))}
    SHOWDOWN.check_open(rules, opening, dict(NEW_TABLE))
    dealt = kit.deal(SHOWDOWN, rules, opening, wagering, dict(NEW_TABLE), None)
    settled = kit.settle(SHOWDOWN, rules, opening, wagering, dealt, request | leaving)

    assert sum(result["paid"] - result["collected"] for result in settled["results"]) == 0
    check_results(settled)
    check_the_gains_of_who_left(settled, [*folded, *leaving["dead_order"]])
    assert all(item["amount"] == 0 for item in settled["net"] if item["account"] == "pot:preview")
    for told in (opening["seats"], wagering["hands"], *request.values()):
        rng.shuffle(told)
    again = kit.deal(SHOWDOWN, rules, opening, wagering, dict(NEW_TABLE), None)
    assert again == dealt
    assert kit.settle(SHOWDOWN, rules, opening, wagering, again, request | leaving) == settled


def check_the_gains_of_who_left(settled: Json, leaving: list[int]) -> None:
    """A hand that left has only what it was the last one left for, a chip at a time, and what nobody called."""
    put_in = {result["seat"]: result["amount"] for result in settled["results"]}
    gains: Counter[int] = Counter()
    for chip in range(max(put_in.values())):
        payers = [seat for seat, amount in put_in.items() if amount > chip]
        if set(payers) <= set(leaving):
            gains[max(payers, key=leaving.index)] += len(payers)
    for result in settled["results"]:
        if result["seat"] in leaving:
            assert result["paid"] + result["returned"] == gains[result["seat"]]


@settings(max_examples=150, deadline=None)
@given(RNGS)
def test_an_order_of_dead_hands_is_asked_for_where_it_decides_and_nowhere_else(rng: random.Random) -> None:
    seats = list(range(1, rng.randint(2, 5) + 1))
    folded = rng.sample(seats, rng.randint(0, len(seats) - 1))
    dead = [seat for seat in seats if seat not in folded and rng.random() < 0.7]
    opening: Json = {
        "table_id": "t1", "ruleset": HIGH.ruleset_id, "currency": "USD", "source": "table", "button": 1, "ante": 10,
        "seats": [{"seat": seat, "bettor": f"b{seat}"} for seat in seats],
    }  # fmt: skip
    antes = [
        {"wager_id": f"w{seat}", "seat": seat, "bettor": f"b{seat}", "circle": 1, "kind": "ante", "amount": 10}
        for seat in seats
    ]
    cards = format_cards(rng.sample(deck(0), 5 * len(seats)))
    hands = [{"seat": seat, "cards": cards[5 * n : 5 * n + 5]} for n, seat in enumerate(seats)]
    wagering: Json = {"wagers": antes, "hands": hands}
    request: Json = {
        "contributions": [{"seat": seat, "amount": rng.choice([10, 10, 20, 30])} for seat in seats],
        "folded": folded,
        "dead_hands": [{"seat": seat, "ante_returned": rng.random() < 0.5} for seat in dead],
    }
    dealt = kit.deal(SHOWDOWN, HIGH, opening, wagering, dict(NEW_TABLE), None)

    def pots(**order: Any) -> Any:
        return kit.settle(SHOWDOWN, HIGH, opening, wagering, dealt, request | order)["pots"]

    told = [pots(dead_order=list(order)) for order in permutations(dead)]
    if all(each == told[0] for each in told):
        assert pots() == told[0]
    else:
        with pytest.raises(DeadOrderMissing):
            pots()


@given(RNGS)
def test_the_best_five_of_any_number_is_the_best_of_those_of_each_seven(rng: random.Random) -> None:
    cards = tuple(rng.sample(deck(1), 9))
    sevens = (
        cards[:first] + cards[first + 1 : second] + cards[second + 1 :]
        for second in range(9)
        for first in range(second)
    )
    assert best_five(cards, HIGH.ranking.five).value == max(map(HIGH.ranking.best, sevens))


def test_the_second_model_knows_the_ranks() -> None:
    hands = ["2s 3s 4s", "Qs Kd As", "Js Jd Qs", "9s Td Qd", "2s 2d 2c", "As Ad Ac", "As 2d 3c"]
    assert [worth(hand.split()) for hand in hands] == [(2, 4), (2, 14), (1, 0), (0, 9), (3, 2), (3, 14), (2, 3)]
