"""Games for a pot, slowly, from their sheets: push nine (§2 to §7), poker showdown of high hands (§5, §8, §9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tests.models.bank import band, walk
from tests.models.cards import best_five, five, rank

Json = dict[str, Any]


class Pot(NamedTuple):
    """An amount, and who can still win it."""

    amount: int
    left: list[int]


def remaining(players: Iterable[int], leaving: Sequence[int]) -> list[int]:
    """Who is left of some when others leave in turn; the last one cannot leave any more (push-nine §6)."""
    left = sorted(players)
    for seat in leaving:
        if seat in left and len(left) > 1:
            left.remove(seat)
    return left


def uncalled(put_in: Mapping[int, int]) -> dict[int, int]:
    """What one put in beyond all others goes back."""
    most = max(put_in.values(), default=0)
    highest = [seat for seat, amount in put_in.items() if amount == most]
    if len(highest) != 1:
        return {}
    others = [amount for seat, amount in put_in.items() if seat != highest[0]]
    return {highest[0]: most - max(others, default=0)}


def pots_of(put_in: Mapping[int, int], leaving: Sequence[int]) -> list[Pot]:
    """Chip by chip upwards: a pot as long as the same players can win it."""
    pots: list[Pot] = []
    below = 0
    for level in sorted({amount for amount in put_in.values() if amount}):
        matched = [seat for seat, amount in put_in.items() if amount >= level]
        left, amount = remaining(matched, leaving), (level - below) * len(matched)
        if pots and pots[-1].left == left:
            pots[-1] = Pot(pots[-1].amount + amount, left)
        else:
            pots.append(Pot(amount, left))
        below = level
    return pots


# Push nine


def three(cards: Sequence[str]) -> tuple[int, int]:
    """The value of three cards (push-nine §2, §3)."""
    ranks = sorted(rank(card) for card in cards)
    if ranks[0] == ranks[2]:
        return 3, ranks[0]
    if ranks == [2, 3, 14]:
        return 2, 3
    if ranks[0] + 1 == ranks[1] == ranks[2] - 1:
        return 2, ranks[2]
    if all(11 <= one <= 13 for one in ranks):
        return 1, 0
    return 0, sum({14: 1}.get(one, one if one < 10 else 0) for one in ranks) % 10


class Table:
    """Who has the button, and what was pushed."""

    def __init__(self) -> None:
        self.button: Json | None = None
        self.carried: list[Json] = []  # name, amount, tied bettors, buy_in or None


def hold_deal(room: Any, opening: Json, payload: Json) -> None:
    """Where the button is, who plays in which order, what is carried, and the fees (§1, §4, §7)."""
    table: Table = room.pots
    wagering, body = payload["request"], payload["body"]
    bettors = {one["seat"]: one["bettor"] for one in opening["seats"]}
    seats = {bettor: seat for seat, bettor in bettors.items()}
    button, absent = opening["button"], wagering.get("absent", [])
    holder = bettors.get(button)
    if table.button is not None and (table.carried or table.button["bettor"] in seats):
        button = seats.get(table.button["bettor"], table.button["seat"])
        holder = table.button["bettor"]
    room.differ("the button", {"seat": button, "bettor": holder}, body["button"])
    bought = {w["seat"]: w["amount"] for w in wagering["wagers"] if w["kind"] == "buy_in"}
    carried = []
    for part in table.carried:
        mine = bought if part["buy_in"] is not None else {}
        room.differ("buy-ins", {part["buy_in"]} if mine else set(), set(mine.values()))
        carried.append((part["amount"] + sum(mine.values()), sorted({*(seats[one] for one in part["tied"]), *mine})))
    found = body.get("carried", {"pots": []})["pots"]
    room.differ("what is carried", carried, [(p["amount"], sorted(e["seat"] for e in p["eligible"])) for p in found])
    playing = {seat for _, players in carried for seat in players} if carried else set(bettors)
    room.differ("the order", walk(sorted(playing), button, "clockwise"), body["order"])
    fee = band(opening["ante"], opening["fees"]["wager"]) if "fees" in opening else 0
    due = {f"bettor:{bettors[seat]}": fee for seat in sorted(playing - set(absent)) if fee}
    paid = {one["from"]: one["amount"] for one in body["postings"]}
    room.differ("fees", due, paid)
    if any(one["to"] != "house" for one in body["postings"]):
        room.differ("fees go to the house", True, False)


def hold(room: Any, doc: Json, opening: Json, before: Json, payload: Json) -> None:
    """Hold a settlement of a game for a pot against the model."""
    (_push_nine if doc["game"] == "push-nine" else _showdown)(room, doc, opening, before, payload)


def _bets(request: Json, stacks: Mapping[int, int]) -> tuple[dict[int, int], list[int]]:
    """What each has bet, and who folded, in turn."""
    bet, folded, level = dict.fromkeys(stacks, 0), [], 0
    for one in request.get("betting", []):
        seat = one["seat"]
        match one["action"]:
            case "fold":
                folded.append(seat)
            case "call":
                bet[seat] = min(level, stacks[seat])
            case "bet" | "raise":
                bet[seat] += one["amount"]
                level = max(level, bet[seat])
    return bet, folded


def _push_nine(room: Any, doc: Json, opening: Json, before: Json, payload: Json) -> None:
    table: Table = room.pots
    wagering, body = before["request"], payload["body"]
    bettors = {one["seat"]: one["bettor"] for one in opening["seats"]}
    seats = {bettor: seat for seat, bettor in bettors.items()}
    hands = {one["seat"]: three(one["cards"]) for one in body["hands"]}
    bets, folded = _bets(payload["request"], {one["seat"]: one["amount"] for one in wagering["stacks"]})
    leaving = [*wagering.get("absent", []), *folded]
    bought = {w["seat"]: w["amount"] for w in wagering["wagers"] if w["kind"] == "buy_in"}
    antes = {w["seat"]: w["amount"] for w in wagering["wagers"] if w["kind"] == "ante"}
    put_in = {seat: bets[seat] + antes.get(seat, 0) for seat in bets}
    returned = uncalled(put_in)
    put_in = {seat: amount - returned.get(seat, 0) for seat, amount in put_in.items()}
    parts: list[tuple[Pot, bool]] = []  # with whether it is the main one
    for part in table.carried:
        mine = bought if part["buy_in"] is not None else {}
        players = {*(seats[one] for one in part["tied"]), *mine}
        parts.append(
            (Pot(part["amount"] + sum(mine.values()), remaining(players, leaving)), part["buy_in"] is not None)
        )
    new = pots_of(put_in, leaving)
    parts += [(pot, not table.carried and not place) for place, pot in enumerate(new)]
    won: dict[int, int] = {}
    ends, pushed, tied_seats = [], list[Json](), set[int]()
    for pot, is_main in parts:
        best = max(hands[seat] for seat in pot.left)
        tied = [seat for seat in pot.left if hands[seat] == best]
        ends.append((pot.amount, tied if len(tied) > 1 else [], tied if len(tied) == 1 else []))
        if len(tied) == 1:
            won[tied[0]] = won.get(tied[0], 0) + pot.amount
            continue
        tied_seats |= set(tied)
        unit = doc["chip_unit_minor"]
        share = -(-pot.amount * doc["buy_in_percent"] // (100 * unit)) * unit
        names = sorted(bettors[seat] for seat in tied)
        pushed.append({"amount": pot.amount, "tied": names, "buy_in": share if is_main else None})
    room.differ("the pots", ends, [(p["amount"], p["tied"], p["winners"]) for p in body["pots"]])
    paid_in = {seat: put_in[seat] + bought.get(seat, 0) for seat in put_in}
    _hold_money(room, body, bettors, paid_in, won, returned, tied_seats)
    carried_before = sum(part["amount"] for part in table.carried)
    in_pots = sum(one["amount"] for one in body["net"] if one["account"].startswith("pot:"))
    room.differ("what stays in pots", sum(part["amount"] for part in pushed) - carried_before, in_pots)
    first = ends[0][2]
    if first and not pushed:
        table.button = {"seat": first[0], "bettor": bettors[first[0]]}
    else:
        table.button = before["body"]["button"]  # which was held against the model with the deal
    table.carried = pushed
    left = payload["table_after"]
    room.differ("the button after", table.button, left["button"])
    found = [] if left["pot"] is None else left["pot"]["pots"]
    room.differ("what is pushed", pushed, [
        {"amount": p["amount"], "tied": sorted(t["bettor"] for t in p["tied"]), "buy_in": p.get("buy_in")}
        for p in found
    ])  # fmt: skip


def _hold_money(
    room: Any, body: Json, bettors: Mapping[int, str], paid_in: Mapping[int, int], won: Mapping[int, int],
    returned: Mapping[int, int], tied: Iterable[int],
) -> None:  # fmt: skip
    """What each player wins or loses; `paid_in` is without what is returned."""
    net = {f"bettor:{bettors[seat]}": won.get(seat, 0) - amount for seat, amount in paid_in.items()}
    found = {one["account"]: one["amount"] for one in body["net"] if not one["account"].startswith("pot:")}
    room.differ("net", {k: v for k, v in net.items() if v}, {k: v for k, v in found.items() if v})
    told = {r["seat"]: (r["result"], r["paid"], r["collected"], r["returned"]) for r in body["results"]}
    for seat, amount in paid_in.items():
        result = "push" if seat in tied and not won.get(seat) else "win" if won.get(seat) else "lose"
        mine = (result, won.get(seat, 0), amount, returned.get(seat, 0))
        if seat in told or amount or returned.get(seat):
            room.differ(f"seat {seat}", mine, told.get(seat))


# Poker showdown


def _showdown(room: Any, doc: Json, opening: Json, before: Json, payload: Json) -> None:
    request, body, dealt = payload["request"], payload["body"], before["body"]
    if doc["form"] != "high":
        raise NotImplementedError(doc["form"])
    bettors = {one["seat"]: one["bettor"] for one in opening["seats"]}
    told = request.get("folded", [])
    folded = [one["seat"] if isinstance(one, dict) else one for one in told]
    dead = [one["seat"] for one in request.get("dead_hands", [])]
    leaving = [*folded, *request.get("dead_order", dead)]
    hands = _hands(
        room, opening, request, body, dealt, {one["seat"]: one["after"] for one in told if isinstance(one, dict)}
    )
    put_in = {one["seat"]: one["amount"] for one in request["contributions"]}
    returned = uncalled(put_in)
    put_in = {seat: amount - returned.get(seat, 0) for seat, amount in put_in.items()}
    pots = pots_of(put_in, leaving)
    for one in request.get("dead_hands", []):
        if one["ante_returned"]:
            pots[0] = Pot(pots[0].amount - opening["ante"], pots[0].left)
            put_in[one["seat"]] -= opening["ante"]
            returned[one["seat"]] = returned.get(one["seat"], 0) + opening["ante"]
    won: dict[int, int] = {}
    ends = []
    for pot in pots:
        values = {
            seat: best_five(hands[seat], doc["joker"], doc["wheel"]) if len(pot.left) > 1 else 0 for seat in pot.left
        }
        best = max(values.values())
        winners = [seat for seat in pot.left if values[seat] == best]
        in_turn = walk(winners, opening["button"] % doc["seats"] + 1, "clockwise")
        chips, rest = divmod(pot.amount, doc["chip_unit_minor"])
        shares = {seat: chips // len(winners) * doc["chip_unit_minor"] for seat in in_turn}
        for seat in in_turn[: chips % len(winners)]:
            shares[seat] += doc["chip_unit_minor"]
        shares[in_turn[0]] += rest
        ends.append((pot.amount, pot.left, winners, sorted(shares.items())))
        for seat, amount in shares.items():
            won[seat] = won.get(seat, 0) + amount
    room.differ("the pots", ends, [
        (p["amount"], p["eligible"], sorted(p["winners"]), sorted((s["seat"], s["amount"]) for s in p["shares"]))
        for p in body["pots"]
    ])  # fmt: skip
    _hold_money(room, body, bettors, put_in, won, returned, ())


def _hands(
    room: Any, opening: Json, request: Json, body: Json, dealt: Json, after: Mapping[int, int]
) -> dict[int, list[str]]:
    """All cards of each hand, the last ones as the deck's rest allows (§9)."""
    first = {one["seat"]: one["cards"] for one in dealt["hands"]}
    last = {one["seat"]: [*one["cards"], *([one["drawn"]] if "drawn" in one else [])] for one in body["hands"]}
    shared = [*body.get("community", dealt.get("community", []))]
    for seat, cards in first.items():
        room.differ(f"the cards of seat {seat}", cards, last[seat][: len(cards)])
    if opening["source"] == "shuffle":
        players, jokers = len(first), opening.get("jokers", 0)
        there = sum(after.get(seat, 7) > 6 for seat in first)
        left = 52 + jokers - 6 * players - 4
        more = dict.fromkeys(first, 0)
        procedure = None
        if there > 1:
            if there <= left:
                procedure = None
            elif there <= left + 3:
                procedure = "scrambled"
            elif there == left + 4:
                procedure = "scrambled_no_burn"
            else:
                procedure = "community"
            if procedure != "community":
                more = {seat: int(after.get(seat, 7) > 6) for seat in first}
        room.differ("short deck", procedure, body.get("short_deck", {}).get("procedure"))
        room.differ("last cards", more, {seat: len(last[seat]) - len(first[seat]) for seat in first})
        room.differ("shared", int(procedure == "community"), len(shared))
        if procedure == "community":
            still_in = [seat for seat in first if after.get(seat, 7) > 6]
            room.differ("who opens", _opener(opening, first, shared, still_in), body["short_deck"]["opens"])
    else:
        drawn = {one["seat"]: one["card"] for one in request.get("drawn_cards", [])}
        room.differ("drawn", {s: [*cards, *([drawn[s]] if s in drawn else [])] for s, cards in first.items()}, last)
        told = [request["turned"]] if "turned" in request else dealt.get("community", [])
        room.differ("shared", told, shared)
    every = [card for cards in last.values() for card in cards] + shared
    if len(set(every)) != len(every):
        room.differ("a card is there twice", [], every)
    return {seat: [*cards, *shared] for seat, cards in last.items()}


def _opener(opening: Json, hands: Mapping[int, Sequence[str]], shared: Sequence[str], still_in: Sequence[int]) -> int:
    """Who has the best open cards, the third to the sixth and the one that was turned (§9)."""
    ring = walk(still_in, opening["button"] % 10 + 1, "clockwise")
    values = {seat: five(tuple(sorted([*hands[seat][2:6], *shared])), "bug", "lowest") for seat in ring}
    return next(seat for seat in ring if values[seat] == max(values.values()))


__all__ = ["Table", "hold", "hold_deal"]
