"""A second, simple model of settlement checks the first over random rounds; and what must hold for every round.

The model moves money one unit at a time, each time asking anew whether the banker's wager reaches; it knows nothing of
claims, purses or postings.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cardroom import canonical
from cardroom.banked.cover import WagersExceedBanker
from cardroom.cards import parse_cards
from cardroom.games.pai_gow_poker.game import GAME
from cardroom.games.pai_gow_poker.rules import PaiGowRules
from cardroom.shuffle import Luck
from tests import kit
from tests.rules.pai_gow_round import BI, CC, NEW_TABLE, PROGRESSIVE, RULESETS, document

Json = dict[str, Any]

LINES = [{"line": line, "pays": pays} for line, pays in (("flush", 4), ("three_of_a_kind", 3), ("straight", 2))]


@cache
def rules_of(ruleset: str, coverage: str, contest: str, spot_cap: int, rate: int = 0) -> PaiGowRules:
    fortune = {
        "cards": "seven",
        "stake_minor": 0,
        "bonus_contest": contest,
        "cap_per_spot_minor": spot_cap,
        "maximum_payout": "posted",
        "lines": LINES,
    }
    changes: Json = {"coverage": coverage, "banker_minimum_minor": 0, "side_bets": {"fortune": fortune}}
    changes["commission"] = {"rate_bps": rate, "increment_minor": 1, "rounding": "half_up"}
    return GAME.load(document(ruleset, **changes))


@dataclass
class Round:
    """A dealt and settled round, with all that went in."""

    rules: PaiGowRules
    opening: Json
    wagering: Json
    luck: Luck
    dealt: Json = field(default_factory=dict)
    request: Json = field(default_factory=dict)
    settled: Json = field(default_factory=dict)

    def play(self) -> Round:
        GAME.check_open(self.rules, self.opening, NEW_TABLE)
        self.dealt = kit.deal(GAME, self.rules, self.opening, self.wagering, NEW_TABLE, self.luck)
        self.settled = kit.settle(GAME, self.rules, self.opening, self.wagering, self.dealt, self.request)
        return self


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    ruleset = draw(st.sampled_from(RULESETS))
    coverage = draw(st.sampled_from(["action", "net", "one_sided", "full"]))
    contest = draw(st.sampled_from(["must_beat", "table"]))
    spot_cap, posted = draw(st.sampled_from([0, 5, 20])), draw(st.sampled_from([None, 7, 30]))
    on = rules_of(ruleset, coverage, contest, spot_cap, draw(st.sampled_from([0, 500, 5_000])))
    seated = draw(st.lists(st.integers(1, on.bank.seats), min_size=2, max_size=7, unique=True))
    house = on.bank.house_bank and draw(st.booleans())
    banker = seated[0]
    wagers: list[Json] = []
    for seat in seated if house else seated[1:]:
        for circle in range(1, draw(st.integers(1, 3)) + 1):
            bettor = f"b{seat}" if circle == 1 else f"x{circle}"
            common = {"seat": seat, "bettor": bettor, "circle": circle}
            main = {**common, "kind": "main", "amount": draw(st.integers(1, 30)), "placed": 10 - circle}
            wagers.append({**main, "wager_id": f"m{seat}{circle}"})
            if draw(st.booleans()):
                side = {**common, "kind": "fortune", "amount": draw(st.integers(1, 5)), "wager_id": f"f{seat}{circle}"}
                wagers.append(side)
    seats = [{"seat": seat, "bettor": f"b{seat}"} for seat in seated]
    opening = {
        "seats": seats,
        "banker": "house" if house else {"seat": banker, "bettor": f"b{banker}"},
        "source": "shuffle",
    }
    if posted is not None:
        opening["maximum_payout"] = posted
    if ruleset == CC:
        opening["jokers"] = draw(st.integers(0, 4))
    wagering: Json = {"wagers": wagers}
    if not house:
        least = sum(wager["amount"] for wager in wagers if wager["kind"] == "main") if coverage == "full" else 1
        wagering["banker_wager"] = draw(st.integers(least, least + 150))
    luck = Luck(server_seed=draw(st.integers(0, 2**64)).to_bytes(32, "big"), terms_sha256=bytes(32), client_seed=None)
    made = Round(on, opening, wagering, luck)
    dealt = kit.deal(GAME, on, opening, wagering, NEW_TABLE, luck)
    made.request = {"sets": draw(sets(on, dealt, bank_seat=7 if house else banker, house=house))}
    return made.play()


@st.composite
def sets(draw: st.DrawFn, on: PaiGowRules, dealt: Json, *, bank_seat: int, house: bool) -> list[Json]:
    chosen: list[Json] = []
    for hand in dealt["hands"]:
        seat = hand["seat"]
        if seat not in dealt["action_order"] and seat != bank_seat:
            continue
        if (seat == bank_seat and (house or on.banker_sets == "house_way")) or draw(st.integers(0, 3)):
            chosen.append({"seat": seat, "how": "house_way"})
        else:
            front = draw(st.lists(st.sampled_from(hand["cards"]), min_size=1, max_size=3, unique=True))
            chosen.append({"seat": seat, "how": "front", "front": front})
    return chosen


def model(round_: Round) -> dict[str, int]:
    """What each account wins or loses, by moving one unit at a time."""
    on, wagering = round_.rules, round_.wagering
    house = round_.opening["banker"] == "house"
    bank = "house" if house else f"bettor:{round_.opening['banker']['bettor']}"
    bank_seat = on.bank.house_seat if house else round_.opening["banker"]["seat"]
    shown = {chosen["seat"]: chosen for chosen in round_.settled["sets"]}
    net: dict[str, int] = {}
    state = {"paid": 0, "collected": 0, "side": 0}
    mains = [wager for wager in wagering["wagers"] if wager["kind"] == "main"]
    main_total = sum(wager["amount"] for wager in mains)
    spot_paid: dict[int, int] = {}
    table_paid = 0
    main_net = 0

    def reaches(side: bool, pays: bool) -> bool:
        if house:
            return True
        stake, paid, collected = wagering["banker_wager"], state["paid"], state["collected"]
        if on.bank.coverage == "action":
            return paid + collected < stake
        if on.bank.coverage == "net":
            return abs(paid - collected) < stake
        if on.bank.coverage == "one_sided":
            return (paid if pays else collected) < stake
        return not side or state["side"] < stake - main_total

    def move(giver: str, taker: str) -> None:
        net[giver] = net.get(giver, 0) - 1
        net[taker] = net.get(taker, 0) + 1

    for seat in round_.dealt["action_order"]:
        outcome = hand_outcome(round_, shown[seat], shown[bank_seat])
        on_seat = [wager for wager in mains if wager["seat"] == seat]
        on_seat.sort(key=lambda w: w["placed"] if on.order_on_hand == "placed" else w["circle"])
        for wager in on_seat:
            account = f"bettor:{wager['bettor']}"
            won = 0
            for _ in range(wager["amount"] if outcome else 0):
                if not reaches(False, outcome > 0):
                    break
                if outcome > 0:
                    move(bank, account)
                    won += 1
                    state["paid"] += 1
                else:
                    move(account, bank)
                    state["collected"] += 1
                main_net -= outcome
            fee = commission(on, won)
            net[account] = net.get(account, 0) - fee
            net["house"] = net.get("house", 0) + fee
        for wager in on_seat:
            for side in wagering["wagers"]:
                if side["kind"] != "fortune" or (side["seat"], side["circle"]) != (seat, wager["circle"]):
                    continue
                bet, most = on.side_bets["fortune"], round_.opening.get("maximum_payout")
                account = f"bettor:{side['bettor']}"
                mine = bet.pay_table.rank(cards_of(shown[seat]))
                theirs = bet.pay_table.rank(cards_of(shown[bank_seat]))
                by_table = bet.contest == "table"
                wins = mine.line is not None and (by_table or mine.value > theirs.value)
                if bet.cap_per_spot_minor and spot_paid.get(seat, 0) >= bet.cap_per_spot_minor:
                    continue
                if most is not None and table_paid >= most:
                    continue
                for _ in range(side["amount"] * (mine.pays if wins else 1)):
                    if not by_table and not reaches(True, wins):
                        break
                    if wins:
                        if bet.cap_per_spot_minor and spot_paid.get(seat, 0) >= bet.cap_per_spot_minor:
                            break
                        if most is not None and table_paid >= most:
                            break
                        spot_paid[seat] = spot_paid.get(seat, 0) + 1
                        table_paid += 1
                    payer, taker = ("house" if by_table else bank, account) if wins else (account, bank)
                    move(payer, "house" if by_table and not wins else taker)
                    if not by_table:
                        state["paid" if wins else "collected"] += 1
                        state["side"] += 1
    if not house:
        fee = commission(on, max(0, main_net))
        net[bank] = net.get(bank, 0) - fee
        net["house"] = net.get("house", 0) + fee
    return {account: amount for account, amount in net.items() if amount}


def commission(on: PaiGowRules, won: int) -> int:
    """Half up to the unit: the only rounding of the published rule sets."""
    return floor(Fraction(won * on.commission.rate_bps, 10_000) + Fraction(1, 2))


def hand_outcome(round_: Round, player: Json, banker: Json) -> int:
    on = round_.rules
    if player["foul"] and on.foul == "lose":
        return -1
    front = on.ranking.two(parse_cards(player["front"])) > on.ranking.two(parse_cards(banker["front"]))
    back = on.ranking.five(parse_cards(player["back"])) > on.ranking.five(parse_cards(banker["back"]))
    return front + back - 1


def cards_of(chosen: Json) -> tuple[Any, ...]:
    return parse_cards([*chosen["front"], *chosen["back"]])


@settings(max_examples=300, deadline=None)
@given(rounds())
def test_the_engine_agrees_with_the_model(round_: Round) -> None:
    found = {entry["account"]: entry["amount"] for entry in round_.settled["net"] if entry["amount"]}
    assert found == model(round_)


@settings(max_examples=100, deadline=None)
@given(rounds())
def test_money_is_never_created(round_: Round) -> None:
    settled = round_.settled
    assert sum(entry["amount"] for entry in settled["net"]) == 0
    by_account: dict[str, int] = {}
    for posting in settled["postings"]:
        assert posting["amount"] > 0
        assert posting["from"] != posting["to"]
        by_account[posting["from"]] = by_account.get(posting["from"], 0) - posting["amount"]
        by_account[posting["to"]] = by_account.get(posting["to"], 0) + posting["amount"]
    assert {entry["account"]: entry["amount"] for entry in settled["net"]} == by_account
    for result in settled["results"]:
        assert result["collected"] + result["returned"] == result["amount"]
        assert not (result["paid"] and result["collected"])
    told = sum(r["paid"] - r["collected"] for r in settled["results"] if r["kind"] == "main")
    sides = round_.rules.side_bets["fortune"].contest == "must_beat"
    told += sum(r["paid"] - r["collected"] for r in settled["results"] if r["kind"] == "fortune" and sides)
    assert settled["banker"]["net"] == -told


@settings(max_examples=150, deadline=None)
@given(rounds())
def test_coverage_is_never_exceeded(round_: Round) -> None:
    if round_.opening["banker"] == "house":
        return
    wager, coverage = round_.wagering["banker_wager"], round_.rules.bank.coverage
    bank = f"bettor:{round_.opening['banker']['bettor']}"
    paid = collected = 0
    for posting in round_.settled["postings"]:
        if posting["why"] != "commission":
            paid += posting["amount"] * (posting["from"] == bank)
            collected += posting["amount"] * (posting["to"] == bank)
        if coverage == "action":
            assert paid + collected <= wager
        elif coverage == "one_sided":
            assert max(paid, collected) <= wager
        else:
            assert abs(paid - collected) <= wager


@settings(max_examples=60, deadline=None)
@given(rounds(), st.randoms(use_true_random=False))
def test_the_order_of_lists_never_matters(round_: Round, chance: random.Random) -> None:
    def turned(items: list[Any]) -> list[Any]:
        return chance.sample(items, len(items))

    sets = [
        {**chosen, "front": turned(chosen["front"])} if "front" in chosen else chosen
        for chosen in round_.request["sets"]
    ]
    again = Round(
        round_.rules,
        {**round_.opening, "seats": turned(round_.opening["seats"])},
        {**round_.wagering, "wagers": turned(round_.wagering["wagers"])},
        round_.luck,
        request={"sets": turned(sets)},
    ).play()
    assert again.dealt == round_.dealt
    assert again.settled == round_.settled


@settings(max_examples=40, deadline=None)
@given(rounds())
def test_bodies_are_plain_json(round_: Round) -> None:
    for body in (round_.dealt, round_.settled, GAME.returned(round_.wagering, round_.dealt)):
        assert canonical.loads(canonical.dumps(body)) == body


@given(st.lists(st.integers(1, 100), min_size=1, max_size=6), st.integers(1, 400))
def test_full_cover_is_refused_exactly_when_the_wagers_exceed_it(amounts: list[int], banker_wager: int) -> None:
    wagers = [
        {"wager_id": f"w{seat}", "seat": seat, "bettor": f"b{seat}", "circle": 1, "kind": "main", "amount": amount}
        for seat, amount in enumerate(amounts, start=1)
    ]
    seats = [{"seat": seat, "bettor": f"b{seat}"} for seat in range(1, 8)]
    opening = {"seats": seats, "banker": {"seat": 7, "bettor": "b7"}, "source": "shuffle"}
    luck = Luck(server_seed=bytes(32), terms_sha256=bytes(32), client_seed=None)
    on = rules_of(BI, "full", "table", 0, 0)
    try:
        kit.deal(GAME, on, opening, {"wagers": wagers, "banker_wager": banker_wager}, NEW_TABLE, luck)
    except WagersExceedBanker:
        assert sum(amounts) > banker_wager
    else:
        assert sum(amounts) <= banker_wager


@st.composite
def house_rounds(draw: st.DrawFn) -> Round:
    """Rounds of a casino that shares its bank, with envy, a meter and a dragon hand."""
    progressive = document(PROGRESSIVE)
    on = GAME.load({**progressive, "co_bank_bps": draw(st.sampled_from([0, 5_000]))})
    house = draw(st.booleans())
    seated = draw(st.lists(st.integers(1, 6), min_size=2, max_size=5, unique=True))
    banker: Any = "house" if house else {"seat": seated[0], "bettor": f"b{seated[0]}"}
    if not house and on.co_bank_bps:
        banker["co_bank_bps"] = draw(st.integers(1, 9_999))
    wagers: list[Json] = []
    for seat in seated if house else seated[1:]:
        common = {"seat": seat, "bettor": f"b{seat}", "circle": 1}
        wagers.append({**common, "wager_id": f"m{seat}", "kind": "main", "amount": draw(st.integers(1, 999))})
        wagers.append({**common, "wager_id": f"f{seat}", "kind": "fortune", "amount": draw(st.sampled_from([1, 500]))})
        wagers.append({**common, "wager_id": f"p{seat}", "kind": "progressive", "amount": 100})
    opening = {
        "seats": [{"seat": seat, "bettor": f"b{seat}"} for seat in seated],
        "banker": banker,
        "source": "shuffle",
    }
    wagering: Json = {"wagers": wagers, "meters": {"progressive": draw(st.integers(10**5, 10**6))}}
    if not house:
        wagering["banker_wager"] = 20_000
    luck = Luck(server_seed=draw(st.integers(0, 2**64)).to_bytes(32, "big"), terms_sha256=bytes(32), client_seed=None)
    made = Round(on, opening, wagering, luck)
    dealt = kit.deal(GAME, on, opening, wagering, NEW_TABLE, luck)
    bank_seat = 7 if house else seated[0]
    made.request = {"sets": [{"seat": seat, "how": "house_way"} for seat in {*dealt["action_order"], bank_seat}]}
    at = dealt["action"]["seat"]
    ring = [(at - 1 - turn) % 7 + 1 for turn in range(7)]
    vacant = [seat for seat in ring if seat not in {7, *seated}]
    if draw(st.booleans()):
        amount = draw(st.integers(1, wagers[0]["amount"]))
        made.request["dragon"] = {
            "wager_id": "d",
            "seat": vacant[0],
            "bettor": wagers[0]["bettor"],
            "amount": amount,
        }
    return made.play()


@settings(max_examples=60, deadline=None)
@given(house_rounds())
def test_accounts_are_what_results_and_the_shared_bank_say(round_: Round) -> None:
    settled, net = round_.settled, {entry["account"]: entry["amount"] for entry in round_.settled["net"]}
    told: dict[str, int] = {}
    for result in settled["results"]:
        envy = sum(paid["paid"] for paid in result.get("envy", []))
        gained = result["paid"] - result["collected"] - result["commission"] + envy
        account = f"bettor:{result['bettor']}"
        told[account] = told.get(account, 0) + gained
    bank = settled["banker"]
    main = [result for result in settled["results"] if result["kind"] in {"main", "dragon"}]
    assert bank["net"] == sum(result["collected"] - result["paid"] for result in main)
    if round_.opening["banker"] != "house":
        shared = round_.opening["banker"].get("co_bank_bps")
        part = bank["net"] if shared is None else int(Fraction(bank["net"] * shared, 10_000))  # toward zero
        assert bank["commission"] == commission(round_.rules, max(0, part))
        told[f"bettor:{round_.opening['banker']['bettor']}"] = part - bank["commission"]
        if shared is not None:
            assert bank["co_bank"] == {"share_bps": shared, "banker": part, "house": bank["net"] - part}
    told["house"] = -sum(told.values())
    assert {account: amount for account, amount in net.items() if amount} == {
        account: amount for account, amount in told.items() if amount
    }
    (meter,) = settled["meters"]
    paid = sum(result["paid"] for result in settled["results"] if result.get("reason") == "line_pays_from_meter")
    bets = sum(result["kind"] == "progressive" for result in settled["results"])
    assert (meter["paid"], meter["added"]) == (paid, 20 * bets)
    assert meter["after"] == meter["before"] + meter["added"] - paid + meter["reseeded"] >= 10**5
