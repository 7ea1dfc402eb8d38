"""Push nine and the poker showdown over HTTP: draws, pots carried from record to record, stud, and their audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
    assert open_round(caller, PUSH_NINE, "r2", ante=100, continues="r1").status == 201
    buyer = [stake(4, "buy_in", 600)]
    hands = cards("As 2s 5s", "Ah 3d 4d", "Ks Qd 8c", "9s 9d 9c")
    assert deal(caller, "r2", wagers=buyer, stacks=STACKS, hands=hands).status == 200
    won = settle(caller, "r2", betting=act("1 check, 2 check, 3 check, 4 bet 300, 1 fold, 2 fold, 3 fold")).payload
    assert [(item["pot"], item["amount"], item["winners"]) for item in won["body"]["pots"]] == [("main", 1_750, [4])]
    assert won["body"]["results"][3]["returned"] == 300
    assert {item["account"]: item["amount"] for item in won["body"]["net"]} == {"bettor:dee": 1_150, "pot:r1": -1_150}
    assert (won["table_after"]["pot"], won["table_after"]["button"]) == (None, 4)


def test_the_first_button_is_drawn_and_the_deck_shuffled(caller: Caller) -> None:
    body = {"draw_id": "d1", "ruleset": PUSH_NINE, "kind": "first_button", "seats": [1, 2, 3, 4]}
    drawn = caller.post("/v1/tables/t1/draws", body).payload["body"]
    assert [item["seat"] for item in drawn["cards"]] == [1, 2, 3, 4]

    again = caller.post("/v1/tables/t1/draws", {**body, "draw_id": "d2"})
    assert again.refusal() == (409, "draw-held")  # nobody draws until he wins
    without_one = [seat for seat in SEATS if seat["seat"] != drawn["seat"] % 4 + 1]
    fewer = open_round(caller, PUSH_NINE, ante=100, button=drawn["seat"], draw_id="d1", seats=without_one)
    assert fewer.refusal() == (422, "draw-not-held")

    no_draw = open_round(caller, PUSH_NINE, ante=100, source="shuffle", button=drawn["seat"])
    assert no_draw.refusal() == (422, "button-invalid")
    opened = open_round(caller, PUSH_NINE, ante=100, source="shuffle", button=drawn["seat"], draw_id="d1")
    assert opened.status == 201
    antes = [stake(seat, "ante", 100) for seat in (1, 2, 3, 4)]
    order = deal(caller, "r1", wagers=antes, stacks=STACKS, client_seed="5eed" * 8, cut=20).payload["body"]["order"]
    assert order[0] == drawn["seat"]
    settled = settle(caller, "r1", betting=[{"seat": seat, "action": "check"} for seat in order]).payload
    assert sum(item["amount"] for item in settled["body"]["net"]) == 0


def test_a_stud_round_and_a_deck_changed_too_early(caller: Caller) -> None:
    for round_id, deck in (("r1", {"deck_id": "d1", "colour": "red"}), ("r2", {"deck_id": "d2", "colour": "red"})):
        assert open_round(caller, WASHINGTON, round_id, source="shuffle").status == 201
        dealt = deal(caller, round_id, wagers=[], deck=deck).payload["body"]
        assert [len(hand["cards"]) for hand in dealt["hands"]] == [7, 7, 7, 7]
        put_in = [{"seat": seat, "amount": 25} for seat in (4, 3, 2, 1)]
        settled = settle(caller, round_id, contributions=put_in, folded=[2]).payload["body"]
        assert sum(item["amount"] for item in settled["pots"][0]["shares"]) == 100
    assert [warning["code"] for warning in dealt["warnings"]] == ["deck_changed_early", "deck_colour_same"]


def test_one_hundred_in_three_over_http(caller: Caller) -> None:
    assert open_round(caller, WASHINGTON).status == 201
    hands = cards("As Kd", "Ad Ks", "Ac Kh")
    assert deal(caller, "r1", wagers=[], hands=hands, community=["Qh", "Jc", "Th", "2d", "3d"]).status == 200
    put_in = [{"seat": seat, "amount": amount} for seat, amount in ((1, 30), (2, 30), (3, 30), (4, 10))]
    body = settle(caller, "r1", contributions=put_in, folded=[4]).payload["body"]
    assert [(item["seat"], item["amount"]) for item in body["pots"][0]["shares"]] == [(2, 34), (3, 33), (1, 33)]


def test_their_records_replay(caller: Caller, data: Path, tmp_path: Path) -> None:
    test_a_three_way_push_is_carried_bought_into_and_won(caller)
    assert audit(data, tmp_path) == (0, "", "6 records of 1 table: all hold.\n")


def test_the_records_of_a_draw_and_a_shuffle_replay(caller: Caller, data: Path, tmp_path: Path) -> None:
    test_the_first_button_is_drawn_and_the_deck_shuffled(caller)
    assert audit(data, tmp_path) == (0, "", "4 records of 1 table: all hold.\n")


def test_the_records_of_stud_replay(caller: Caller, data: Path, tmp_path: Path) -> None:
    test_a_stud_round_and_a_deck_changed_too_early(caller)
    assert audit(data, tmp_path) == (0, "", "6 records of 1 table: all hold.\n")
