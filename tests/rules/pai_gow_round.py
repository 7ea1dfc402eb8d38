"""Rounds for the pai gow tests: rule sets with changes, and seven hands whose outcomes are known by their names."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from cardroom.games.pai_gow_poker.game import GAME
from cardroom.games.pai_gow_poker.rules import PaiGowRules
from cardroom.services.catalogue import published
from tests import kit
from tests.rules.banked_round import in_usd

Json = dict[str, Any]

BI = "pai-gow-poker/bicycle"
FL = "fortune-pai-gow/florida-2017"
CC = "double-hand-poker/contra-costa-1991"
CASINO = "pai-gow-poker/casino"
CO_BANKED = "pai-gow-poker/casino-co-banked"
WILD = "pai-gow-poker/southern-california-wild"
EMPEROR = "emperors-challenge/standard"
MANIA = "pai-gow-mania/standard"
PROGRESSIVE = "fortune-pai-gow/progressive"
RULESETS = (BI, FL, CC, CASINO)

# All 53 cards but four: against the banker's K-Q in front of a pair of eights, W wins, L loses, P pushes.
BANKER = "Ks Qd 8s 8h 6c 4d 2h"
HANDS = {
    "W1": "As Jc 9s 9h 7h 5d 3c",
    "W2": "Ah Jd Ts Th 7d 5s 3s",
    "W3": "Ad Tc 9c 9d 7s 5h 3h",
    "L1": "Jh Td Kc 7c 5c 4h 2c",
    "L2": "Qc Js Kh 6d 4s 3d 2d",
    "P1": "Ac Kd 6s 6h Qs 4c 2s",
}
NEW_TABLE: Json = {"hand_no": 0, "banker": None, "free_collections": [], "live": None}


def document(ruleset: str, **changes: Any) -> Json:
    """A published rule set's document with its house way written out, and other values for some fields."""
    toml = tomllib.loads((files("cardroom") / "rulesets" / f"{ruleset}.toml").read_text("utf-8"))
    whole = in_usd({**toml, **changes})
    return {**whole, "house_way": published().house_ways[whole["house_way"]]()}


def rules(ruleset: str, **changes: Any) -> PaiGowRules:
    return GAME.load(document(ruleset, **changes)) if changes else _published(ruleset)


@cache
def _published(ruleset: str) -> PaiGowRules:
    return GAME.load(document(ruleset))


def seats(*numbers: int) -> list[Json]:
    return [{"seat": seat, "bettor": f"b{seat}"} for seat in numbers]


def opening(
    *, banker: int | str = 7, seated: Sequence[int] = range(1, 8), source: str = "shuffle", **more: Any
) -> Json:
    chosen = banker if isinstance(banker, str) else {"seat": banker, "bettor": f"b{banker}"}
    return {"table_id": "t1", "seats": seats(*seated), "banker": chosen, "source": source, **more}


def wager(wager_id: str, seat: int, amount: int = 100, *, circle: int = 1, bettor: str = "", **more: Any) -> Json:
    return {
        "wager_id": wager_id,
        "seat": seat,
        "bettor": bettor or f"b{seat}",
        "circle": circle,
        "kind": "main",
        "amount": amount,
        **more,
    }


def fortune(wager_id: str, seat: int, amount: int = 10, **more: Any) -> Json:
    return wager(wager_id, seat, amount, **{"kind": "fortune", **more})


def physical(
    on: PaiGowRules,
    *,
    hands: Mapping[int, str],
    wagers: Sequence[Json],
    banker: int | str,
    banker_hand: str = BANKER,
    action_seat: int,
    banker_wager: int | None = 100,
    sets: Mapping[int, str] | None = None,
    table: Json = NEW_TABLE,
    vacant: Mapping[int, str] | None = None,
    dragon: Any = None,
    meters: Json | None = None,
    share: int | None = None,
    **more: Any,
) -> tuple[Json, Json]:
    """Deal and settle a round at a physical table: the bodies of both.

    `vacant` are the hands of seats that nobody sits at, `dragon` the wager that one of them is played for, `meters`
    what progressive bets are paid from, `share` the banker's of a bank with the house.

    The action hand is moved to its seat by the dice or the number; `sets` gives the fronts that are not the
    first two cards of the hand, or `house_way`.
    """
    where = 7 if banker == "house" else int(banker)
    cards = {seat: HANDS.get(named, named) for seat, named in hands.items()} | {where: banker_hand}
    opened = opening(
        banker=banker, seated=[seat for seat in sorted(cards) if seat <= on.bank.seats], source="table", **more
    )
    if share is not None:
        opened["banker"] = {**opened["banker"], "co_bank_bps": share}
    dealt_cards = cards | {seat: HANDS.get(named, named) for seat, named in (vacant or {}).items()}
    dealing: Json = {
        "wagers": list(wagers),
        "hands": [{"seat": seat, "cards": hand.split()} for seat, hand in dealt_cards.items()],
        **_draw(on, opened, where, action_seat),
    }
    if meters is not None:
        dealing["meters"] = meters
    if banker_wager is not None:
        dealing["banker_wager"] = banker_wager
    GAME.check_open(on, opened, table)
    dealt = kit.deal(GAME, on, opened, dealing, table, None)
    fronts = {seat: " ".join(cards[seat].split()[:2]) for seat in {*dealt["action_order"], where}} | dict(sets or {})
    if on.banker_sets == "house_way" or banker == "house":
        fronts[where] = "house_way"
    if on.co_bank_bps and where not in (sets or {}):
        fronts[where] = "house_way"
    chosen = [
        {"seat": seat, "how": "house_way"}
        if front == "house_way"
        else {"seat": seat, "how": "front", "front": front.split()}
        for seat, front in fronts.items()
    ]
    request: Json = {"sets": chosen} if dragon is None else {"sets": chosen, "dragon": dragon}
    return dealt, kit.settle(GAME, on, opened, dealing, dealt, request)


def _draw(on: PaiGowRules, opened: Json, banker_seat: int, action_seat: int) -> Json:
    """Three dice whose sum, or else the number that, counts from the banker to the action seat."""
    places = [seat["seat"] for seat in opened["seats"]] if on.piles == "seated" else list(range(1, on.bank.seats + 1))
    if on.piles == "all" and on.bank.house_seat:
        places.append(on.bank.house_seat)
    ahead = (places.index(action_seat) - places.index(banker_seat)) % len(places)
    total = next(total for total in range(3, 19) if (total - 1 - ahead) % len(places) == 0)
    first = min(6, total - 2)
    second = min(6, total - first - 1)
    return {"dice": [first, second, total - first - second]}


def by_wager(settled: Json) -> dict[str, Json]:
    return {result["wager_id"]: result for result in settled["results"]}


def net_of(settled: Json) -> dict[str, int]:
    return {entry["account"]: entry["amount"] for entry in settled["net"]}
