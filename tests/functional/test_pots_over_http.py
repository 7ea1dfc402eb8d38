"""Push nine and the poker showdown over HTTP: draws, pots carried from record to record, stud, and their audit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.functional.caller import Answer, Caller
from tests.functional.command import cardroom

Json = dict[str, Any]

PUSH_NINE = "push-nine/redding-1995"
WASHINGTON = "poker-showdown/washington"
SEATS = [{"seat": seat, "bettor": bettor} for seat, bettor in enumerate(("ann", "bob", "cyd", "dee"), start=1)]


def stake(seat: int, kind: str, amount: int) -> Json:
    bettor = SEATS[seat - 1]["bettor"]
    return {"wager_id": f"w{seat}", "seat": seat, "bettor": bettor, "circle": 1, "kind": kind, "amount": amount}


def act(text: str) -> list[Json]:
    words = [action.split() for action in text.split(", ")]
    return [
        {"seat": int(seat), "action": kind, **({"amount": int(amount[0])} if amount else {})}
        for seat, kind, *amount in words
    ]


def open_round(caller: Caller, ruleset: str, round_id: str = "r1", **more: Any) -> Answer:
    body = {"round_id": round_id, "table_id": "t1", "ruleset": ruleset, "currency": "USD", "seats": SEATS, "button": 1}
    return caller.post("/v1/rounds", {**body, "source": "table", **more})


def deal(caller: Caller, round_id: str, **body: Any) -> Answer:
    return caller.post(f"/v1/rounds/{round_id}/deal", body)


def settle(caller: Caller, round_id: str, **body: Any) -> Answer:
    return caller.post(f"/v1/rounds/{round_id}/settlement", body)


def cards(*hands: str) -> list[Json]:
    return [{"seat": seat, "cards": hand.split()} for seat, hand in enumerate(hands, start=1)]


LEAVING = json.loads((Path(__file__).parents[2] / "vectors/poker_showdown/leaving.json").read_text())
STACKS = [{"seat": seat, "amount": 5_000} for seat in (1, 2, 3, 4)]
THREE_EIGHTS = cards("As 2s 5s", "Ah 3d 4d", "Ks Qd 8c", "Ac 2c 4c")


def audit(data: Path, tmp_path: Path) -> tuple[int, str, str]:
    export = tmp_path / "export.jsonl"
    export.write_text(cardroom("export", "--table", "t1", "--operator", "house-of-cards", "--data", data).out)
    ran = cardroom("verify", export, "--root", data / "root.pem")
    return ran.status, ran.out, ran.err


def test_a_three_way_push_is_carried_bought_into_and_won(caller: Caller) -> None:
    assert open_round(caller, PUSH_NINE, ante=100).status == 201
    antes = [stake(seat, "ante", 100) for seat in (1, 2, 3, 4)]
    assert deal(caller, "r1", wagers=antes, stacks=STACKS, hands=THREE_EIGHTS).status == 200
    refused = settle(caller, "r1", betting=act("1 bet 300, 2 raise 600, 3 raise 900, 4 raise 1200, 1 raise 1200"))
    assert refused.refusal() == (422, "raise-too-many")
    assert refused.fields() == ["betting[4].action"]

    pushed = settle(caller, "r1", betting=act("1 bet 250, 2 call, 3 call, 4 fold")).payload
    (pot,) = pushed["table_after"]["pot"]["pots"]
    assert (pot["amount"], pot["buy_in"], len(pot["tied"])) == (1_150, 600, 3)

    assert open_round(caller, PUSH_NINE, "r2", ante=100).refusal() == (422, "pot-not-continued")
    assert caller.open(round_id="r2").refusal() == (422, "pot-not-continued")  # nor does another game come first
    own = {"minimum_bet_minor": 100, "chip_unit_minor": 100}
    for currency, sums in (("EUR", own), ("JPY", own)):  # a carried pot keeps its currency
        changed = open_round(caller, PUSH_NINE, "r2", ante=100, continues="r1", currency=currency, sums=sums)
        assert (changed.refusal(), changed.fields()) == ((422, "pot-changed"), ["currency", "sums"])
    assert open_round(caller, PUSH_NINE, "r2", ante=100, continues="r1").status == 201
    buyer = [stake(4, "buy_in", 600)]
    hands = cards("As 2s 5s", "Ah 3d 4d", "Ks Qd 8c", "9s 9d 9c")
    assert deal(caller, "r2", wagers=buyer, stacks=STACKS, hands=hands).status == 200
    won = settle(caller, "r2", betting=act("1 check, 2 check, 3 check, 4 bet 300, 1 fold, 2 fold, 3 fold")).payload
    assert [(item["pot"], item["amount"], item["winners"]) for item in won["body"]["pots"]] == [("main", 1_750, [4])]
    assert won["body"]["results"][3]["returned"] == 300
    assert {item["account"]: item["amount"] for item in won["body"]["net"]} == {"bettor:dee": 1_150, "pot:r1": -1_150}
    assert (won["table_after"]["pot"], won["table_after"]["button"]) == (None, {"seat": 4, "bettor": "dee"})


def test_7_a_carried_pot_in_another_currency_keeps_the_sums_that_were_posted_for_it(
    caller: Caller, data: Path, tmp_path: Path
) -> None:
    """A least bet of 500 yen and chips of 1,000: half of 4,500 is bought for 3,000."""
    own = {"minimum_bet_minor": 500, "chip_unit_minor": 1_000}
    yen: Json = {"ante": 500, "currency": "JPY", "sums": own}
    assert open_round(caller, PUSH_NINE, ante=500, currency="JPY").refusal() == (422, "sum-missing")
    refused = open_round(caller, PUSH_NINE, **yen | {"ante": 100})
    assert (refused.refusal(), refused.fields()) == ((422, "ante-invalid"), ["ante"])
    assert open_round(caller, PUSH_NINE, **yen).status == 201
    antes = [stake(seat, "ante", 500) for seat in (1, 2, 3, 4)]
    dealt = deal(caller, "r1", wagers=antes, stacks=STACKS, hands=THREE_EIGHTS).payload
    assert dealt["body"]["limits"] == {"minimum": 500, "maximum": 1_500}
    pushed = settle(caller, "r1", betting=act("1 bet 500, 2 call, 3 fold, 4 fold")).payload
    carried = pushed["table_after"]["pot"]
    assert (carried["currency"], carried["sums"], carried["pots"][0]["buy_in"]) == ("JPY", own, 2_000)
    for sums, right in (({**own, "chip_unit_minor": 10}, 422), (own, 201)):
        again = open_round(caller, PUSH_NINE, "r2", continues="r1", **yen | {"sums": sums})
        assert again.status == right
        if right == 422:
            assert (again.refusal(), again.fields()) == ((422, "pot-changed"), ["sums"])
    stacks = [{"seat": seat, "amount": 5_000} for seat in (1, 2)]
    hands = cards("As 2s 5s", "9s 9d 9c")
    assert deal(caller, "r2", wagers=[], stacks=stacks, hands=hands).status == 200
    assert settle(caller, "r2", betting=act("1 check, 2 check")).payload["table_after"]["pot"] is None
    assert audit(data, tmp_path) == (0, "", "6 records of 1 table: all hold.\n")


def test_the_first_button_is_drawn_and_the_deck_shuffled(caller: Caller) -> None:
    body = {"draw_id": "d1", "ruleset": PUSH_NINE, "kind": "first_button", "seats": [1, 2, 3, 4]} | {
        "client_seed": "ab" * 16
    }
    drawn = caller.post("/v1/tables/t1/draws", body).payload["body"]
    assert [item["seat"] for item in drawn["cards"]] == [1, 2, 3, 4]

    again = caller.post("/v1/tables/t1/draws", {**body, "draw_id": "d2"})
    assert again.refusal() == (422, "drawn-already")  # nobody draws until he wins
    without_one = [seat for seat in SEATS if seat["seat"] != drawn["seat"] % 4 + 1]
    fewer = open_round(caller, PUSH_NINE, ante=100, button=drawn["seat"], draw_id="d1", seats=without_one)
    assert fewer.refusal() == (422, "draw-not-held")

    no_draw = open_round(caller, PUSH_NINE, ante=100, source="shuffle", button=drawn["seat"])
    assert no_draw.refusal() == (422, "button-invalid")
    opened = open_round(caller, PUSH_NINE, ante=100, source="shuffle", button=drawn["seat"], draw_id="d1")
    assert opened.status == 201
    antes = [stake(seat, "ante", 100) for seat in (1, 2, 3, 4)]
    order = deal(caller, "r1", wagers=antes, stacks=STACKS, client_seed="5eed" * 8).payload["body"]["order"]
    assert order[0] == drawn["seat"]
    settled = settle(caller, "r1", betting=[{"seat": seat, "action": "check"} for seat in order]).payload
    assert sum(item["amount"] for item in settled["body"]["net"]) == 0


def test_a_stud_round_and_a_deck_changed_too_early(caller: Caller) -> None:
    for round_id, deck in (("r1", {"deck_id": "d1", "colour": "red"}), ("r2", {"deck_id": "d2", "colour": "red"})):
        assert open_round(caller, WASHINGTON, round_id, source="shuffle").status == 201
        dealt = deal(caller, round_id, wagers=[], deck=deck, client_seed="ab" * 16).payload["body"]
        assert [len(hand["cards"]) for hand in dealt["hands"]] == [6, 6, 6, 6]
        put_in = [{"seat": seat, "amount": 25} for seat in (4, 3, 2, 1)]
        assert settle(caller, round_id, contributions=put_in, folded=[2]).refusal() == (422, "fold-street-invalid")
        folded = [{"seat": 2, "after": 4}]
        settled = settle(caller, round_id, contributions=put_in, folded=folded).payload["body"]
        assert [hand.get("drawn") is None for hand in settled["hands"]] == [False, True, False, False]
        assert sum(item["amount"] for item in settled["pots"][0]["shares"]) == 100
    assert [warning["code"] for warning in dealt["warnings"]] == ["deck_changed_early", "deck_colour_same"]


def test_one_hundred_in_three_over_http(caller: Caller) -> None:
    assert open_round(caller, WASHINGTON).status == 201
    hands = cards("As Kd", "Ad Ks", "Ac Kh")
    assert deal(caller, "r1", wagers=[], hands=hands, community=["Qh", "Jc", "Th", "2d", "3d"]).status == 200
    put_in = [{"seat": seat, "amount": amount} for seat, amount in ((1, 30), (2, 30), (3, 30), (4, 10))]
    body = settle(caller, "r1", contributions=put_in, folded=[4]).payload["body"]
    assert [(item["seat"], item["amount"]) for item in body["pots"][0]["shares"]] == [(2, 34), (3, 33), (1, 33)]


def leaving(case: Json) -> tuple[Json, Json, Json]:
    """What a case of the vectors asks for: the open, the deal and the settlement, in parts."""
    put_in = dict(case["put_in"])
    opening = {"seats": [seat for seat in SEATS if seat["seat"] in put_in]}
    if "ante" in case:
        opening["ante"] = case["ante"]
    dealing = {
        "wagers": [stake(seat, "ante", case["ante"]) for seat in put_in] if "ante" in case else [],
        "hands": [{"seat": seat, "cards": hand} for seat, hand in LEAVING["hands"] if seat in put_in],
        "community": LEAVING["community"],
    }
    settling = {name: case[name] for name in ("folded", "dead_hands", "dead_order") if name in case}
    settling["contributions"] = [{"seat": seat, "amount": amount} for seat, amount in put_in.items()]
    return opening, dealing, settling


def check_right(case: Json, body: Json) -> None:
    assert [[pot["amount"], pot["eligible"], pot["winners"]] for pot in body["pots"]] == case["pots"]
    assert [[result["seat"], result["returned"]] for result in body["results"] if result["returned"]] == case[
        "returned"
    ]
    assert [[result["seat"], result["paid"] - result["collected"]] for result in body["results"]] == case["net"]


def play_all_who_left(caller: Caller) -> None:
    for number, case in enumerate(LEAVING["cases"]):
        opening, dealing, settling = leaving(case)
        round_id = f"r{number}"
        assert open_round(caller, WASHINGTON, round_id, **opening).status == 201
        assert deal(caller, round_id, **dealing).status == 200
        settled = settle(caller, round_id, **settling)
        if case["name"].endswith("_fail"):
            assert settled.refusal() == (422, case["refused"])
            assert caller.void(round_id).status == 200
        else:
            check_right(case, settled.payload["body"])
            assert settled.payload["request"].get("folded") == case.get("folded")  # as told, not sorted


def test_the_last_one_left_in_a_pot_has_it_over_http_and_in_replay(caller: Caller, data: Path, tmp_path: Path) -> None:
    play_all_who_left(caller)
    assert audit(data, tmp_path) == (0, "", f"{3 * len(LEAVING['cases'])} records of 1 table: all hold.\n")


def test_another_order_of_leaving_is_another_request(caller: Caller) -> None:
    assert open_round(caller, WASHINGTON).status == 201
    assert deal(caller, "r1", wagers=[], hands=cards("As Ad 2c 3c 4h", "Ks Kd 5c 6c 8h")).status == 200
    put_in = [{"seat": seat, "amount": amount} for seat, amount in ((1, 10), (2, 10), (3, 50), (4, 50))]
    told = {"contributions": put_in, "folded": [4, 3]}
    first = settle(caller, "r1", **told)
    assert first.payload["body"]["pots"][1]["winners"] == [3]

    changed = settle(caller, "r1", **told | {"folded": [3, 4]})
    assert changed.refusal() == (422, "round-changed")
    assert changed.fields() == ["folded[0]", "folded[1]"]
    again = settle(caller, "r1", **told | {"contributions": put_in[::-1]})
    assert (again.replayed, again.text) == (True, first.text)


BY_COMMAND = (
    "a_side_pot_that_all_left",
    "the_winner_of_the_side_pot_folds_for_the_main_pot",
    "the_winner_of_the_side_pot_shows",
    "two_dead_hands_alone_in_a_pot",
    "two_dead_hands_alone_in_a_pot_fail",
)


@pytest.mark.parametrize("name", BY_COMMAND)
def test_the_last_one_left_in_a_pot_has_it_by_command(name: str) -> None:
    (case,) = (case for case in LEAVING["cases"] if case["name"] == name)
    opening, dealing, settling = leaving(case)
    request = {"ruleset": WASHINGTON, "button": 1, **opening, **dealing, **settling}
    ran = cardroom("settle", "-", stdin=json.dumps(request))
    if "refused" in case:
        assert (ran.status, json.loads(ran.err or ran.out)["code"]) == (1, case["refused"])
    else:
        assert ran.status == 0
        check_right(case, ran.lines[0]["settled"])


def test_their_records_replay(caller: Caller, data: Path, tmp_path: Path) -> None:
    test_a_three_way_push_is_carried_bought_into_and_won(caller)
    assert audit(data, tmp_path) == (0, "", "6 records of 1 table: all hold.\n")


def test_the_records_of_a_draw_and_a_shuffle_replay(caller: Caller, data: Path, tmp_path: Path) -> None:
    test_the_first_button_is_drawn_and_the_deck_shuffled(caller)
    assert audit(data, tmp_path) == (0, "", "4 records of 1 table: all hold.\n")


def test_the_records_of_stud_replay(caller: Caller, data: Path, tmp_path: Path) -> None:
    test_a_stud_round_and_a_deck_changed_too_early(caller)
    assert audit(data, tmp_path) == (0, "", "6 records of 1 table: all hold.\n")
