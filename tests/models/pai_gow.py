"""Pai gow poker settled slowly, from its sheet (§1.3, §3, §5, §6, §8 to §10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests.models.bank import Claim, Moved, cover, net_of, walk
from tests.models.cards import five, is_foul, line_holds, two

Json = dict[str, Any]


class Expected(NamedTuple):
    """What a settlement must say: each wager's end in order, the money, the meters, the envy."""

    ends: list[tuple[str, str, int, int, int]]  # wager_id, result, paid, collected, commission
    net: dict[str, int]
    meters: dict[str, int]
    envy: dict[str, int]
    wrong: list[str]
    results: list[tuple[Json, str]]


def places(doc: Json, opening: Json) -> list[int]:
    house = doc["house_seat"]
    seats = [*range(1, doc["seats"] + 1)] if doc["piles"] == "all" else sorted(s["seat"] for s in opening["seats"])
    return [*seats, house] if house and (doc["piles"] == "all" or opening["banker"] == "house") else seats


def banker_seat(doc: Json, opening: Json) -> int:
    seat: int = doc["house_seat"] if opening["banker"] == "house" else opening["banker"]["seat"]
    return seat


def deal_of(doc: Json, opening: Json, wagering: Json, action: Json) -> Json:
    """Where the action is, who gets which pile, and in which order hands are settled (§1.4 to §1.6)."""
    ring = places(doc, opening)
    steps = sum(action["dice"]) if action["by"] == "dice" else action["number"]
    way = doc["dice_direction"] if action["by"] == "dice" else doc["number_direction"]
    seat = walk(ring, banker_seat(doc, opening), way)[(steps - 1) % len(ring)]
    first = wagering.get("pile", 1)
    turns = walk(ring, seat, doc["deal_direction"])
    piles = {s: (first - 1 + turn) % len(ring) + 1 for turn, s in enumerate(turns)}
    main = {w["seat"] for w in wagering["wagers"] if w["kind"] == "main"}
    order = [s for s in walk(ring, seat, doc["settle_direction"]) if s in main]
    return {"seat": seat, "piles": piles, "order": order}


def settle(
    doc: Json, opening: Json, wagering: Json, action_seat: int, hands: Mapping[int, Sequence[str]], request: Json,
    shown: Mapping[int, Json],
) -> Expected:  # fmt: skip
    """`request` is the settlement's as if it had brought all; `shown` are the recorded sets, for house ways alone."""
    wrong: list[str] = []
    bank = banker_seat(doc, opening)
    wagers = [dict(w) for w in wagering["wagers"]]
    dragon = request.get("dragon")
    if dragon:
        wagers.append({**dragon, "circle": 1, "kind": "dragon"})
    on_hand = {w["seat"] for w in wagers if w["kind"] in ("main", "dragon")}
    asked = {one["seat"]: one for one in request["sets"]}
    sets = {
        seat: _set(doc, hands[seat], asked.get(seat), shown[seat], seat == bank, wrong) for seat in {*on_hand, bank}
    }
    order = [s for s in walk(places(doc, opening), action_seat, doc["settle_direction"]) if s in on_hand]
    claims: list[Claim] = []
    shares: dict[int, int] = {}
    for seat in order:
        mine = [w for w in wagers if w["seat"] == seat]
        key = (lambda w: w["placed"]) if doc["order_on_hand"] == "placed" else (lambda w: w["circle"])
        main = sorted((w for w in mine if w["kind"] in ("main", "dragon")), key=key)
        turn = {w["circle"]: place for place, w in enumerate(main)}
        side = sorted(
            (w for w in mine if w["kind"] not in ("main", "dragon")), key=lambda w: (turn[w["circle"]], w["kind"])
        )
        claims += [Claim(w, _compare(doc, sets[seat], sets[bank]), w["amount"]) for w in main]
        for wager in side:
            claim, share = _bonus(doc, wager, hands[seat], hands[bank])
            if share:
                shares[len(claims)] = share
            claims.append(claim)
    meters = _meters(doc, wagering, claims, shares)
    wager = None if opening["banker"] == "house" else wagering["banker_wager"]
    moved = cover(claims, doc["coverage"], wager, opening.get("maximum_payout"))
    shared = opening["banker"] != "house" and doc["co_bank_bps"]
    bps = opening["banker"].get("co_bank_bps", doc["co_bank_bps"]) if shared else 10_000
    net, charges = net_of(claims, moved, opening, commission=doc["commission"], share_bps=bps)
    envy = _envy(doc, wagers, hands, order)
    for wager_id, amount in envy.items():
        name = f"bettor:{next(w['bettor'] for w in wagers if w['wager_id'] == wager_id)}"
        net[name], net["house"] = net.get(name, 0) + amount, net.get("house", 0) - amount
    ends = [
        (c.wager["wager_id"], m.result, m.paid, m.collected, charge)
        for c, m, charge in zip(claims, moved, charges, strict=True)
    ]
    results = [(c.wager, m.result) for c, m in zip(claims, moved, strict=True)]
    return Expected(ends, {k: v for k, v in net.items() if v}, meters, envy, wrong, results)


def _set(doc: Json, cards: Sequence[str], asked: Json | None, shown: Json, banks: bool, wrong: list[str]) -> Any:
    """Front and back as they play; None where the hand is fouled and loses (§3.2)."""
    joker, wheel = doc["joker"], doc["wheel"]
    if asked is not None and asked["how"] == "front":
        front = asked["front"]
        back = [card for card in cards if card not in front]
        if not is_foul(front, back, joker, wheel):
            return front, back
        if doc["foul"] == "lose" and not banks:
            return None
    front, back = shown["front"], shown["back"]
    if sorted([*front, *back]) != sorted(cards):
        wrong.append(f"the house way of seat {shown['seat']} loses a card")
    if is_foul(front, back, joker, wheel):
        wrong.append(f"the house way of seat {shown['seat']} fouls")
    return front, back


def _compare(doc: Json, hand: Any, banker: Any) -> str:
    if hand is None:
        return "lose"
    joker, wheel = doc["joker"], doc["wheel"]
    won = (two(hand[0], joker) > two(banker[0], joker)) + (
        five(tuple(sorted(hand[1])), joker, wheel) > five(tuple(sorted(banker[1])), joker, wheel)
    )
    return ("lose", "push", "win")[won]


def _line(bet: Json, cards: Sequence[str], wheel: str) -> tuple[int, Any] | None:
    """The first line of a bet that the cards make: its place, and what decides inside it."""
    looked = cards[:3] if bet["cards"] == "first_three" else cards
    for place, line in enumerate(bet["lines"]):
        key = line_holds(line["line"], looked, wheel)
        if key is not None:
            return place, key
    return None


def _bonus(doc: Json, wager: Json, cards: Sequence[str], banker: Sequence[str]) -> tuple[Claim, int]:
    """A side bet's claim, and its share of the meter in basis points."""
    bet = doc["side_bets"][wager["kind"]]
    mine, must_beat = _line(bet, cards, doc["wheel"]), bet["bonus_contest"] == "must_beat"
    outcome, pays, share = "lose", 0, 0
    if mine is not None:
        line = bet["lines"][mine[0]]
        his = _line(bet, banker, doc["wheel"]) if must_beat else None
        beaten = his is None or mine[0] < his[0] or (mine[0] == his[0] and mine[1] > his[1])
        if beaten:
            share = line.get("meter_bps", 0)
            pays = line.get("pays", 0) * wager["amount"]
            outcome = "win" if share or pays else "push"
    claim = Claim(wager, outcome, pays, side=True, by_house=not must_beat, spot=bet["cap_per_spot_minor"],
                  posted=bet["maximum_payout"] == "posted")  # fmt: skip
    return claim, share


def _meters(doc: Json, wagering: Json, claims: list[Claim], shares: Mapping[int, int]) -> dict[str, int]:
    """The meters after the round; what they pay is put into the claims (§10.8; ours pay in action order)."""
    after = {}
    for name, stood in wagering.get("meters", {}).items():
        rule = doc["side_bets"][name]["meter"]
        bets = [place for place, claim in enumerate(claims) if claim.wager["kind"] == name]
        now = stood + sum(claims[place].wager["amount"] * rule["increment_bps"] // 10_000 for place in bets)
        for place in bets:
            if place in shares:
                paid = now * shares[place] // 10_000
                claims[place] = claims[place]._replace(pays=paid)
                now = max(now - paid, rule["reseed_minor"])
        after[name] = now
    return after


def _envy(
    doc: Json, wagers: Sequence[Json], hands: Mapping[int, Sequence[str]], order: Sequence[int]
) -> dict[str, int]:
    """What the house pays each bet for the other players' hands (§10.5)."""
    found: dict[str, int] = {}
    for kind, bet in doc.get("side_bets", {}).items():
        if "envy" not in bet:
            continue
        pays = {line["line"]: line["pays_minor"] for line in bet["envy"]["lines"]}
        for wager in wagers:
            if wager["kind"] != kind or wager["amount"] < bet["envy"]["minimum_minor"]:
                continue
            own = {w["seat"] for w in wagers if w["bettor"] == wager["bettor"]}
            for seat in order:
                line = None if seat in own or seat == doc["house_seat"] else _line(bet, hands[seat], doc["wheel"])
                amount = pays.get(bet["lines"][line[0]]["line"], 0) if line else 0
                if amount:
                    found[wager["wager_id"]] = found.get(wager["wager_id"], 0) + amount
    return found


__all__ = ["Expected", "Moved", "deal_of", "settle"]
