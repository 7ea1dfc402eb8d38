"""Money where somebody banks: order, cover, fees, commission, courtesies, turns (pai-gow-poker §5.3 to §8.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Json = dict[str, Any]


class Claim(NamedTuple):
    """A wager, what becomes of it without a limit, what it would be paid, and what bounds it."""

    wager: Json
    outcome: str  # win, lose, push
    pays: int
    side: bool = False
    by_house: bool = False
    spot: int = 0  # the most that is paid on its seat, 0: no bound
    posted: bool = False  # bounded by what the table posts


class Moved(NamedTuple):
    """What became of a wager."""

    result: str
    paid: int
    collected: int


def walk(ring: Sequence[int], first: int, way: str) -> list[int]:
    """A ring of seats from one on, one way or the other; from the next if that is not in it."""
    ordered = sorted(ring, reverse=way == "counter_clockwise")
    after = [s for s in ordered if (s >= first if way == "clockwise" else s <= first)]
    return [*after, *(s for s in ordered if s not in after)]


def cover(claims: Sequence[Claim], kind: str, wager: int | None, posted: int | None) -> list[Moved]:
    """Go round the claims as far as the banker's wager reaches (§6.2 to §6.5, §10.4)."""
    moved, up = [], 0
    paid_all = collected_all = used = bonuses = 0
    spots: dict[int, int] = {}
    main = sum(c.wager["amount"] for c in claims if not c.side)
    for claim in claims:
        stake, unlimited = claim.wager["amount"], wager is None or claim.by_house
        if unlimited:
            to_pay = to_collect = 10**30
        elif kind == "action":
            to_pay = to_collect = wager - used
        elif kind == "net":
            to_pay, to_collect = wager + up, wager - up
            if abs(up) >= wager:
                to_pay = to_collect = 0
        elif kind == "one_sided":
            to_pay, to_collect = wager - paid_all, wager - collected_all
        else:  # full: main wagers are covered, a bonus has what they leave
            to_pay = to_collect = (wager - main - used) if claim.side else 10**30
        room = 10**30
        if claim.spot:
            room = claim.spot - spots.get(claim.wager["seat"], 0)
        if claim.posted and posted is not None:
            room = min(room, posted - bonuses)
        reached = {"win": to_pay, "lose": to_collect, "push": max(to_pay, to_collect)}[claim.outcome]
        if reached <= 0 or (claim.side and room <= 0):
            moved.append(Moved("returned" if claim.side else "no_action", 0, 0))
            continue
        paid = min(claim.pays, to_pay, room) if claim.outcome == "win" else 0
        collected = min(stake, to_collect) if claim.outcome == "lose" else 0
        moved.append(Moved(claim.outcome, paid, collected))
        if not unlimited:
            up += collected - paid
            paid_all, collected_all = paid_all + paid, collected_all + collected
            used += (paid + collected) if kind != "full" or claim.side else 0
        if claim.side:
            spots[claim.wager["seat"]] = spots.get(claim.wager["seat"], 0) + paid
            bonuses += paid if claim.posted else 0
    return moved


def account(bettor: str) -> str:
    return "house" if bettor == "house" else f"bettor:{bettor}"


def charge(amount: int, rule: Mapping[str, Any]) -> int:
    """Commission on a win (§5.3)."""
    exact, step = amount * rule["rate_bps"], 10_000 * rule["increment_minor"]
    whole, rest = divmod(exact, step)
    up = {"up": rest > 0, "down": False, "half_up": 2 * rest >= step}[rule["rounding"]]
    return (whole + up) * rule["increment_minor"]


NO_COMMISSION = {"rate_bps": 0, "increment_minor": 1, "rounding": "half_up"}


def net_of(
    claims: Sequence[Claim],
    moved: Sequence[Moved],
    opening: Json,
    *,
    commission: Mapping[str, Any] = NO_COMMISSION,
    share_bps: int = 10_000,
) -> tuple[dict[str, int], list[int]]:
    """What each account gains or loses, and the commission of each wager."""
    net: dict[str, int] = {}
    banker = "house" if opening["banker"] == "house" else opening["banker"]["bettor"]
    bank = on_hands = 0
    charges = []

    def move(payer: str, payee: str, amount: int) -> None:
        net[payer] = net.get(payer, 0) - amount
        net[payee] = net.get(payee, 0) + amount

    for claim, one in zip(claims, moved, strict=True):
        mine, theirs = account(claim.wager["bettor"]), "house" if claim.by_house else account(banker)
        move(theirs, mine, one.paid)
        move(mine, theirs, one.collected)
        due = 0 if claim.side or mine == "house" else charge(one.paid, commission)
        move(mine, "house", due)
        charges.append(due)
        if not claim.by_house:
            bank += one.collected - one.paid
            on_hands += 0 if claim.side else one.collected - one.paid
    if banker != "house":

        def part(amount: int) -> int:
            whole = abs(amount) * share_bps // 10_000
            return whole if amount > 0 else -whole

        move(account(banker), "house", bank - part(bank))
        move(account(banker), "house", charge(max(0, part(on_hands)), commission))
    return {name: amount for name, amount in net.items() if amount}, charges


# Fees and courtesies (§6.4, §7)


def band(amount: int, bands: Iterable[Json]) -> int:
    return next(b["fee"] for b in bands if b["low"] <= amount < b.get("high", 10**30))


def fees_of(doc: Json, opening: Json, wagering: Json, fee_kind: str) -> dict[str, int]:
    """What each account pays the house with the deal."""
    posted, due = opening.get("fees", {}), dict[str, int]()
    for wager in wagering["wagers"] if "wager" in posted else ():
        if wager["kind"] == fee_kind and wager["bettor"] != "house" and "free_collection" not in wager:
            name = account(wager["bettor"])
            due[name] = due.get(name, 0) + band(wager["amount"], posted["wager"])
    if "banker" in posted and opening["banker"] != "house" and "banker_free_collection" not in wagering:
        name = account(opening["banker"]["bettor"])
        due[name] = due.get(name, 0) + band(wagering["banker_wager"], posted["banker"])
    return {name: amount for name, amount in due.items() if amount}


def asked(doc: Json, opening: Json, last: Json | None, drawn: int | None) -> list[int]:
    """The seats in the order in which they are asked whether they bank; none where anyone may be the first (§8.2)."""
    ring, way = sorted(one["seat"] for one in opening["seats"]), doc["rotation"]["direction"]
    if last is None:
        first = drawn if doc["rotation"]["first_banker"] == "draw" else 1
        return [] if doc["rotation"]["first_banker"] == "any" or first is None else walk(ring, first, way)
    his = [one["seat"] for one in opening["seats"] if one["bettor"] == last["bettor"]]
    if his and (not doc["banker_turns"] or last["turns"] < doc["banker_turns"]):
        return walk(ring, his[0], way)
    order = walk(ring, last["seat"], way)
    if order[0] == last["seat"]:
        order = [*order[1:], order[0]]
    return [*(seat for seat in order if seat not in his), *his]


class Table:
    """What a table carries between rounds: turns, courtesies, settled hands."""

    def __init__(self) -> None:
        self.hand_no = 0
        self.banker: Json | None = None
        self.held: list[Json] = []

    def settled(
        self, doc: Json, opening: Json, round_id: str, results: Sequence[tuple[Json, str]], fee_kind: str
    ) -> None:
        """A hand of a game with a banker was settled; `results` are its wagers and what became of them, in order."""
        game = doc["game"]
        self.hand_no += 1
        held = [one for one in self.held if one["game"] == game]
        last = self.banker if self.banker is not None and self.banker["game"] == game else None
        banker = opening["banker"]
        self.banker = None
        if banker != "house":
            runs = last is not None and last["bettor"] == banker["bettor"] and not banker.get("others_passed", False)
            sits = next(s["seat"] for s in opening["seats"] if s["bettor"] == banker["bettor"])
            turns = last["turns"] + 1 if runs and last is not None else 1
            self.banker = {"bettor": banker["bettor"], "seat": sits, "game": game, "turns": turns}
        way = doc["free_collection"]
        earns = {"no_action", "push"} if doc.get("courtesy_on_push", False) else {"no_action"}
        new, had = [], set()
        for wager, result in results:
            if way == "none" or wager["kind"] != fee_kind or result not in earns:
                continue
            if way == "waits" and wager["bettor"] in had:
                continue
            had.add(wager["bettor"])
            new.append({"round_id": round_id, "wager_id": wager["wager_id"], "bettor": wager["bettor"], "game": game,
                        "hand_no": self.hand_no})  # fmt: skip
        played = {wager["bettor"] for wager, _ in results}
        if banker != "house":
            played.add(banker["bettor"])
        kept = [
            one for one in held
            if way == "waits" and one["bettor"] not in played and self.hand_no - one["hand_no"] < doc["courtesy_hands"]
        ]  # fmt: skip
        self.held = [*kept, *sorted(new, key=lambda one: one["wager_id"])][-200:]

    def potted(self) -> None:
        """A hand for a pot was settled, which ends turns and courtesies."""
        self.hand_no += 1
        self.banker, self.held = None, []

    def state(self) -> Json:
        return {"hand_no": self.hand_no, "banker": self.banker, "free_collections": self.held}
