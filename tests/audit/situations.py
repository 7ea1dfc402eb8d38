"""Situations that robots play, and what somebody with the genuine keys makes of them: for `tests.audit.vectors`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

from cardroom import canonical
from cardroom.cards import deck, format_cards
from cardroom.signing.signature import split
from cardroom_desk.players import Habits
from cardroom_desk.playthrough.simulation import SimulatedClock, play, simulated_table
from tests.audit.play import BACCARAT, BICYCLE, CASINO, Json, Room

CO_BANKED = "pai-gow-poker/casino-co-banked"
FLORIDA = "fortune-pai-gow/florida-2017"
PROGRESSIVE = "fortune-pai-gow/progressive"
HABITS = Habits(void=0, mishap=0.3, physical=0.3, misread=0.3, back_line=0.4, tell=0.5)

Change = Callable[[Json], None]


class RobotRoom(Room):
    """A table that robots play at, its records signed by a signer that others use as well."""

    def __init__(self, ruleset: str, like: Room, seed: str, rounds: int = 2) -> None:
        super().__init__(ruleset)
        self.root, self.clock, self.signer = like.root, like.clock, like.signer
        clock = SimulatedClock()
        clock.time = self.clock.time
        table = simulated_table("t1", signer=self.signer, clock=clock, seed=seed)
        table.operator = "op"
        table.engine = {"version": "0.1.0", "sha256": "e0" * 32}
        self.records = [*play(table, self.ruleset, random=Random(seed), count=rounds, habits=HABITS)]
        self.payloads = [canonical.loads(split(record).payload) for record in self.records]
        self.clock.time = clock.time

    def ends_well(self) -> bool:
        return self.payloads[-1]["table_after"]["live"] is None and self.payloads[-1]["table_after"]["shoe"] is None


def found_by_robots(ruleset: str, like: Room, kind: str, change: Change) -> tuple[Room, int]:
    """A table with a record of a kind that the change fits, forged by it, and the number of that record."""
    for seed in count():
        room = RobotRoom(ruleset, like, f"situation/{seed}")
        for payload in room.payloads if room.ends_well() else ():
            if payload["kind"] == kind and fits(payload, change):
                room.forge(payload["seq"], change)
                return room, payload["seq"]
        if seed == 400:
            break
    raise AssertionError(f"no {kind} record of {ruleset} can be changed so")


def fits(payload: Json, change: Change) -> bool:
    """Whether the change has something to change; tried on a copy."""
    one = canonical.loads(canonical.dumps(payload))
    try:
        change(one)
    except (StopIteration, LookupError, TypeError, ValueError):
        return False
    return canonical.dumps(one) != canonical.dumps(payload)


def pay(payload: Json, result: Json, more: int) -> None:
    """More for a result, with the posting and the accounts that follow from it."""
    body, account = payload["body"], f"bettor:{result['bettor']}"
    posting = next(
        one
        for one in body["postings"]
        if one["to"] == account and one["why"] in ("win", "bonus") and one.get("wager_id") == result["wager_id"]
    )
    result["paid"] += more
    posting["amount"] += more
    for item in body["net"]:
        item["amount"] += more * ((item["account"] == posting["to"]) - (item["account"] == posting["from"]))


def physical_card(payload: Json) -> None:
    """Another card than the reader told."""
    assert_(not payload["body"]["opened"]["terms"]["body"])
    held = {card for hand in payload["body"]["hands"] for card in hand["cards"]}
    payload["body"]["hands"][0]["cards"][0] = next(card for card in format_cards(deck(0)) if card not in held)


def foul_forgiven(payload: Json) -> None:
    next(one for one in payload["body"]["sets"] if one["foul"])["foul"] = False


def foul_front(payload: Json) -> None:
    """Another front than the one that was foul."""
    one = next(one for one in payload["body"]["sets"] if "foul_front" in one)
    one["foul_front"] = one["foul_front"][:1]


def partial_cover(payload: Json) -> None:
    """A wager that the banker's covered in part is paid in full."""
    results = payload["body"]["results"]
    result = next(one for one in results if one["result"] == "win" and 0 < one["paid"] < one["amount"])
    pay(payload, result, result["amount"] - result["paid"])


def free_collection(payload: Json) -> None:
    """A fee is taken though a free collection is used."""
    fee = next(one for one in payload["body"]["fees"] if "free_collection" in one)
    fee["amount"] += 100


def banker_free_collection(payload: Json) -> None:
    """The banker uses a free collection of another hand than he earned."""
    payload["request"]["banker_free_collection"]["wager_id"] += "x"


def free_collection_earned(payload: Json) -> None:
    """The table forgets a free collection that was earned."""
    payload["table_after"]["free_collections"].pop(0)


def dragon(payload: Json) -> None:
    """The dragon hand wins more than it should."""
    named = payload["request"]["dragon"]["wager_id"]
    pay(payload, next(one for one in payload["body"]["results"] if one["wager_id"] == named and one["paid"]), 100)


def co_bank(payload: Json) -> None:
    """A little of the banker's part goes to the house."""
    shared = payload["body"]["banker"]["co_bank"]
    shared["house"] += 1
    shared["banker"] -= 1


def banker_commission(payload: Json) -> None:
    assert_(payload["body"]["banker"]["commission"] > 0)
    payload["body"]["banker"]["commission"] -= 1


def wrong_number(payload: Json) -> None:
    """A hand that lost for its third card is told without it."""
    one = next(one for one in payload["body"]["sets"] if one.get("misplay") == "wrong_number" and len(one["cards"]) > 2)
    one["cards"].pop()


def assert_(fits_: Any) -> None:
    if not fits_:
        raise StopIteration


def hidden_card(payload: Json) -> None:
    """Another card in a hand that was shown with the sets, from the same deck."""
    if "commitment" not in payload["body"]["opened"]["terms"]["body"]:
        raise LookupError("a physical table")
    body = payload["body"]
    seen = {card for one in (*body["hands"], *body["dealt"]["body"]["hands"]) for card in one["cards"]}
    body["hands"][0]["cards"][0] = next(card for card in format_cards(deck(0)) if card not in seen)


def other_set(payload: Json) -> None:
    """A hand that was set by its player, said to have been left to the house way."""
    one = next(one for one in payload["request"]["sets"] if one["how"] == "front")
    del one["front"]
    one["how"] = "house_way"


def repeated_wager(payload: Json) -> None:
    payload["body"]["dealt"]["request"]["wagers"][0]["amount"] += 100


def more_due(payload: Json) -> None:
    """A correction that gives one account a little more, and another one that much less."""
    one, other = payload["body"]["net"][:2]
    one["amount"], other["amount"] = one["amount"] + 1, other["amount"] - 1
    posting = next(p for p in payload["body"]["postings"] if {p["from"], p["to"]} == {one["account"], other["account"]})
    posting["amount"] += 1 if posting["to"] == one["account"] else -1


def another_settlement(payload: Json) -> None:
    """A correction that says of the settlement what that did not: nobody had won anything."""
    basis = payload["body"]["basis"]["settled"]
    if not basis["net"] or payload["body"]["net"]:
        raise LookupError("the correction moves money, or the settlement did not")
    net = payload["body"]["settlement"]["net"]
    ups, downs = ([one for one in net if one["amount"] * sign > 0] for sign in (1, -1))
    if len(ups) != 1 or len(downs) != 1:
        raise LookupError("more than two accounts")
    basis["net"] = []
    payload["body"]["net"] = [one for one in net if one["amount"]]
    posting = {"from": downs[0]["account"], "to": ups[0]["account"], "amount": ups[0]["amount"], "why": "correction"}
    payload["body"]["postings"] = [posting]


def corrects_another(payload: Json) -> None:
    payload["request"]["corrects"] = "ab" * 32


def another_hand(payload: Json) -> None:
    """Cards put right in a hand of which the correction does not speak."""
    told = {hand["seat"] for hand in payload["request"]["hands"]}
    hand = next(hand for hand in payload["body"]["dealt"]["body"]["hands"] if hand["seat"] not in told)
    hand["cards"].reverse()


SITUATIONS: dict[str, tuple[str, str, Change, str]] = {
    "physical_card": (BICYCLE, "dealt", physical_card, "card-wrong"),
    "foul": (FLORIDA, "settled", foul_forgiven, "setting-wrong"),
    "foul_front": (PROGRESSIVE, "settled", foul_front, "setting-wrong"),
    "partial_cover": (BICYCLE, "settled", partial_cover, "payout-wrong"),
    "free_collection": (BICYCLE, "dealt", free_collection, "fee-wrong"),
    "banker_free_collection": (BACCARAT, "dealt", banker_free_collection, "request-refused"),
    "free_collection_earned": (BACCARAT, "settled", free_collection_earned, "table-after-wrong"),
    "dragon": (PROGRESSIVE, "settled", dragon, "payout-wrong"),
    "co_bank": (CO_BANKED, "settled", co_bank, "payout-wrong"),
    "wrong_number": (BACCARAT, "settled", wrong_number, "card-wrong"),
    "banker_commission": (CASINO, "settled", banker_commission, "commission-wrong"),
    "hidden_card": (BICYCLE, "set", hidden_card, "card-wrong"),
    "locked_set": (CASINO, "set", other_set, "setting-wrong"),
    "locked_wager": (BICYCLE, "set", repeated_wager, "dealt-changed"),
    "corrected_due": (BICYCLE, "corrected", more_due, "payout-wrong"),
    "corrected_basis": (BICYCLE, "corrected", another_settlement, "correction-astray"),
    "corrected_another": (CASINO, "corrected", corrects_another, "request-refused"),
    "corrected_hand": (BICYCLE, "deal_corrected", another_hand, "replay-differs"),
}


def nested(payload: Json) -> None:
    """A table nested 850 deep."""
    value: Any = 1
    for _ in range(850):
        value = {"deeper": value}
    payload["table_after"]["live"] = value


def first_commission(payload: Json) -> None:
    next(one for one in payload["body"]["results"] if one["commission"] == 0)["commission"] = False


ODD: dict[str, tuple[str, str, Change, str]] = {
    # A genuine key signs what is no such record: what a card, a currency, true, 0, null and a member more are.
    "card_int": (BICYCLE, "dealt", lambda p: p["body"]["hands"][0]["cards"].__setitem__(0, 5), "malformed"),
    "card_text": (BICYCLE, "dealt", lambda p: p["body"]["hands"][0]["cards"].__setitem__(0, "é"), "malformed"),
    "currency_list": (BICYCLE, "opened", lambda p: p["request"].update(currency=["USD"]), "malformed"),
    "deep_table": (BICYCLE, "opened", nested, "malformed"),
    "true_posting": (BICYCLE, "dealt", lambda p: p["body"]["postings"][0].update(amount=True), "malformed"),
    "false_commission": (BICYCLE, "settled", first_commission, "malformed"),
    "true_turns": (BICYCLE, "settled", lambda p: p["table_after"]["banker"].update(turns=True), "malformed"),
    "zero_foul": (BICYCLE, "settled", lambda p: p["body"]["sets"][0].update(foul=0), "malformed"),
    "ruleset_null": (BICYCLE, "dealt", lambda p: p.update(ruleset=None), "malformed"),
    "wager_extra": (BICYCLE, "dealt", lambda p: p["request"]["wagers"][0].update(tip=1), "malformed"),
    "unsorted": (BICYCLE, "dealt", lambda p: p["request"]["wagers"].reverse(), "malformed"),
    "version": (BICYCLE, "dealt", lambda p: p.update(v=1), "version-unknown"),
    "another_table": (BICYCLE, "opened", lambda p: p["request"].update(table_id="t9"), "table-differs"),
    "largest_fee": (
        BICYCLE, "dealt", lambda p: p["body"]["postings"][0].update(amount=2**53 - 1), "fee-wrong"
    ),
}  # fmt: skip


def used_again(room: Room) -> None:
    """A finished round's id is used again."""
    room.made = 0
    room.play()


def seed_again(room: Room) -> None:
    """Another round is committed to a seed that is revealed by now."""
    first = room.payloads[0]
    room.secrets.seeds["again"], room.secrets.salt = room.secrets.seeds[first["round_id"]], first["body"]["salt"]
    request = {**first["request"], "banker": room.payloads[-3]["request"]["banker"]}
    room.call("opened", "again", request, at=room.clock.now())
    room.void()


def terms_of_a_void(payload: Json) -> None:
    """A void repeats other terms than the round was opened on."""
    payload["body"]["opened"]["terms"]["request"]["limits"] = {"minimum": 1, "maximum": 2}


def wager_of_a_void(payload: Json) -> None:
    """A void repeats other wagers than the round was dealt with."""
    payload["body"]["dealt"]["request"]["wagers"][0]["bettor"] = "b9"


def theft(payload: Json) -> None:
    """A million for somebody, and the accounts say so; nobody can tell until the shoe is closed."""
    posting = payload["body"]["postings"][0]
    more = 1_000_000 - posting["amount"]
    posting["amount"] += more
    for item in payload["body"]["net"]:
        item["amount"] += more * ((item["account"] == posting["to"]) - (item["account"] == posting["from"]))
