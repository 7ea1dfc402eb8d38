"""A round over HTTP, from the open to the settled record, and what retries, races of meaning and other eyes get."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import rfc8785

from cardroom.adapters import environment
from cardroom.services.read_records import list_records, read_round
from tests.functional.caller import Caller, dealing, opening, settling, wager


def play(caller: Caller, *, hand_back: bool = True) -> tuple[str, str, str]:
    """Open, deal and settle round r1; answers the three records."""
    opened = caller.open().record
    dealt = caller.deal(opened=opened if hand_back else None).record
    settled = caller.settle(dealt=dealt if hand_back else None).record
    return opened, dealt, settled


class TestRound:
    def test_open_answers_a_commitment_and_no_card(self, caller: Caller) -> None:
        answer = caller.open()
        assert answer.status == 201
        assert set(answer.payload["body"]) == {"commitment", "salt", "epoch"}
        assert answer.payload["table_after"]["live"] == {"round_id": "r1", "state": "opened"}

    @pytest.mark.parametrize("hand_back", [True, False])
    def test_the_whole_round(self, caller: Caller, hand_back: bool) -> None:
        play(caller, hand_back=hand_back)
        answer = caller.get("/v1/rounds/r1").json
        assert answer["state"] == "settled"
        opened, dealt, settled = (entry["payload"] for entry in answer["records"])
        assert [opened["seq"], dealt["seq"], settled["seq"]] == [1, 2, 3]
        shown, hidden = ([hand["seat"] for hand in one["body"]["hands"]] for one in (dealt, settled))
        assert (shown, hidden) == ([2, 3], [1, 4, 5, 6, 7])
        assert {result["wager_id"] for result in settled["body"]["results"]} == {"w-bob", "w-hal", "w-cyd"}
        assert settled["table_after"]["live"] is None
        assert settled["table_after"]["hand_no"] == 1
        assert settled["table_after"]["banker"] == {"bettor": "ann", "seat": 1, "game": "pai-gow-poker", "turns": 1}

    def test_order_of_lists_does_not_matter(self, caller: Caller) -> None:
        body = opening()
        body["seats"].reverse()
        caller.post("/v1/rounds", body)
        assert caller.open().replayed
        caller.deal()
        assert caller.deal(wagers=dealing()["wagers"][::-1]).replayed
        caller.settle()
        assert caller.settle(sets=settling()["sets"][::-1]).replayed

    def test_next_round_follows_on_the_same_chain(self, caller: Caller) -> None:
        play(caller)
        second = caller.open(round_id="r2").payload
        assert (second["seq"], second["table_after"]["hand_no"]) == (4, 1)


class TestRetry:
    @pytest.mark.parametrize("hand_back", [True, False])
    def test_every_call_answers_the_same_bytes_again(self, caller: Caller, hand_back: bool) -> None:
        opened, dealt, _ = play(caller, hand_back=hand_back)
        first = {
            "open": caller.open(),
            "deal": caller.deal(opened=opened if hand_back else None),
            "settle": caller.settle(dealt=dealt if hand_back else None),
        }
        again = {
            "open": caller.open(),
            "deal": caller.deal(opened=None if hand_back else opened),  # handed back or not is no part of a request
            "settle": caller.settle(dealt=None if hand_back else dealt),
        }
        for call, answer in first.items():
            assert answer.replayed, call
            assert (answer.status, answer.text) == (again[call].status, again[call].text)
        assert caller.get("/v1/tables/t1/records").json["records"][1] == dealt

    def test_replay_is_byte_for_byte_the_first_answer(self, caller: Caller) -> None:
        assert caller.open().text == caller.open().text
        assert caller.deal().text == caller.deal().text
        assert caller.settle().text == caller.settle().text

    def test_void_retried(self, caller: Caller) -> None:
        caller.open()
        first, again = caller.void(), caller.void()
        assert (first.replayed, again.replayed, first.text == again.text) == (False, True, True)

    def test_retry_of_a_settled_round_is_no_round_live(self, caller: Caller) -> None:
        """A lost reply of an open is answered from its record although another round is live by now."""
        play(caller)
        caller.open(round_id="r2")
        assert caller.open().replayed

    def test_changed_retry_names_the_fields(self, caller: Caller) -> None:
        opened, dealt, _ = play(caller)
        changed = caller.open(limits={"minimum": 1_000, "maximum": 200_000})
        assert changed.refusal() == (422, "round-changed")
        assert changed.fields() == ["limits.maximum"]
        changed = caller.deal(opened=opened, wagers=[wager("bob", 2, 6_000), *dealing()["wagers"][1:]], cut=None)
        assert changed.refusal() == (422, "round-changed")
        assert changed.fields() == ["cut", "wagers[w-bob].amount"]
        changed = caller.settle(dealt=dealt, sets=settling()["sets"][:2])
        assert changed.refusal() == (422, "round-changed")
        assert changed.fields() == ["sets[3]"]
        caller.open(round_id="r2")
        caller.void("r2")
        changed = caller.void("r2", reason="equipment")
        assert changed.refusal() == (422, "round-changed")
        assert changed.json["detail"] == "round r2 was voided before with another request; it differs in reason"

    def test_changed_retry_that_the_rules_would_refuse_is_round_changed_too(self, caller: Caller) -> None:
        caller.open()
        caller.deal()
        assert caller.deal(wagers=[wager("nobody", 5)]).refusal() == (422, "round-changed")
        assert caller.open(ruleset="pai-gow-poker/none").refusal() == (422, "round-changed")


class TestOrderOfCalls:
    def test_second_open_while_a_round_is_live(self, caller: Caller) -> None:
        caller.open()
        answer = caller.open(round_id="r2")
        assert answer.refusal() == (409, "round-live")
        assert answer.json["detail"] == "round r1 is opened at table t1: settle or void it first"
        assert caller.get("/v1/rounds/r2").refusal() == (404, "round-unknown")

    def test_other_tables_are_free(self, caller: Caller) -> None:
        caller.open()
        assert caller.open(round_id="r2", table_id="t2").status == 201

    def test_steps_out_of_order(self, caller: Caller) -> None:
        assert caller.deal().refusal() == (404, "round-unknown")
        assert caller.settle().refusal() == (404, "round-unknown")
        caller.open()
        assert caller.settle().refusal() == (409, "round-not-dealt")
        caller.deal()
        caller.settle()
        assert caller.void().refusal() == (409, "round-settled")

    def test_voided_is_final(self, caller: Caller) -> None:
        opened = caller.open().record
        caller.void()
        assert caller.deal(opened=opened).refusal() == (409, "round-voided")
        assert caller.deal().refusal() == (409, "round-voided")
        assert caller.settle().refusal() == (409, "round-voided")
        assert caller.open().replayed  # the open was carried out, and is answered for ever

    def test_void_of_a_dealt_round_returns_all_and_reveals_the_seed(self, caller: Caller) -> None:
        caller.open()
        dealt = caller.deal().payload
        body = caller.void().payload["body"]
        assert body["was"] == "dealt"
        assert len(body["seed"]) == 64
        assert {item["wager_id"]: item["amount"] for item in body["returned"]} == {
            "w-bob": 5_000,
            "w-hal": 4_000,
            "w-cyd": 5_000,
        }
        paid = sum(posting["amount"] for posting in dealt["body"]["postings"])
        assert paid == 600  # three main wagers and the banker
        assert sum(posting["amount"] for posting in body["postings"]) == paid

    def test_tombstone_refuses_the_late_open(self, caller: Caller) -> None:
        tombstone = caller.void("late")
        assert tombstone.payload["body"] == {"was": None, "returned": [], "postings": []}
        assert tombstone.payload["ruleset"] is None
        assert caller.open(round_id="late").refusal() == (409, "round-voided")

    def test_tombstone_leaves_the_live_round_alone(self, caller: Caller) -> None:
        opened = caller.open().record
        caller.void("late")
        dealt = caller.deal(opened=opened)
        assert (dealt.payload["seq"], dealt.replayed) == (3, False)
        caller.void("later")
        settled = caller.settle(dealt=dealt.record).payload
        assert (settled["seq"], settled["table_after"]["live"]) == (5, None)

    def test_void_names_the_right_table(self, caller: Caller) -> None:
        caller.open()
        answer = caller.void(table_id="t2")
        assert answer.refusal() == (422, "table-differs")
        assert answer.json["detail"] == "round r1 is at table t1, not t2"

    def test_void_for_an_unknown_reason(self, caller: Caller) -> None:
        caller.open()
        answer = caller.void(reason="bad_luck")
        assert answer.refusal() == (422, "void-reason-unknown")
        assert "exposed_card" in answer.json["detail"]


class TestHandedBack:
    def test_on_another_round(self, caller: Caller) -> None:
        opened = caller.open().record
        caller.open(round_id="r2", table_id="t2")
        answer = caller.deal("r2", opened=opened)
        assert answer.refusal() == (422, "record-misplaced")
        assert answer.json["detail"] == "the record in `opened` is the opened record of round r1"

    def test_of_another_kind(self, caller: Caller) -> None:
        opened = caller.open().record
        caller.deal()
        assert caller.settle(dealt=opened).refusal() == (422, "record-misplaced")

    def test_of_another_operator(self, caller: Caller, other: Caller) -> None:
        opened = caller.open().record
        other.open()
        answer = other.deal(opened=opened)
        assert answer.refusal() == (422, "record-foreign")
        assert "house-of-cards" not in answer.text

    def test_tampered(self, caller: Caller) -> None:
        opened = caller.open().record
        header, payload, signature = opened.split(".")
        swapped = "B" if payload[40] != "B" else "C"
        for bad in (f"{header}.{payload[:40]}{swapped}{payload[41:]}.{signature}", "not.a.record", opened + "A"):
            answer = caller.deal(opened=bad)
            assert answer.refusal() == (422, "record-invalid")
            assert answer.fields() == ["opened"]
        assert caller.deal(opened=opened).status == 200

    def test_after_the_table_moved_on(self, caller: Caller) -> None:
        opened = caller.open().record
        caller.void()
        caller.open(round_id="r2")
        assert caller.deal(opened=opened).refusal() == (409, "round-voided")


class TestEyes:
    def test_another_operator_sees_nothing(self, caller: Caller, other: Caller) -> None:
        caller.open()
        assert other.get("/v1/rounds/r1").refusal() == (404, "round-unknown")
        assert other.get("/v1/tables/t1/records").refusal() == (404, "table-unknown")
        assert other.void().payload["body"]["was"] is None  # a tombstone of its own
        assert caller.get("/v1/rounds/r1").json["state"] == "opened"

    def test_reader_may_not_play(self, reader: Caller) -> None:
        answer = reader.open()
        assert answer.refusal() == (403, "scope-missing")
        assert answer.json["detail"] == "this call needs a token with the scope 'play'"

    def test_reader_sees_no_card_before_the_settlement(self, caller: Caller, data: Path) -> None:
        caller.open()
        caller.deal()
        ports = environment.ports()
        page = list_records(ports, operator="house-of-cards", table_id="t1", after=0, limit=10, may_play=False)
        assert (len(page["records"]), page["next"]) == (1, None)
        shown = read_round(ports, operator="house-of-cards", round_id="r1", may_play=False)
        assert [entry["payload"]["kind"] for entry in shown["records"]] == ["opened"]
        caller.settle()
        page = list_records(ports, operator="house-of-cards", table_id="t1", after=0, limit=10, may_play=False)
        assert len(page["records"]) == 3

    def test_pages(self, caller: Caller) -> None:
        play(caller)
        first = caller.get("/v1/tables/t1/records?limit=2").json
        assert (len(first["records"]), first["next"]) == (2, 2)
        rest = caller.get("/v1/tables/t1/records?limit=2&after=2").json
        assert (len(rest["records"]), rest["next"]) == (1, None)
        assert caller.get("/v1/tables/t1/records?limit=zero").refusal() == (400, "parameter-invalid")
        assert caller.get("/v1/tables/t1/records?after=-1").refusal() == (400, "parameter-invalid")


class TestCatalogue:
    def test_rulesets(self, caller: Caller) -> None:
        listed = caller.get("/v1/rulesets").json["rulesets"]
        assert {"pai-gow-poker/bicycle", "fortune-pai-gow/florida-2017"} <= {item["id"] for item in listed}
        for item in listed:
            shown = caller.get(f"/v1/rulesets/{item['id']}").json
            assert shown["sha256"] == item["sha256"]

    def test_hash_is_of_the_document_shown(self, caller: Caller) -> None:
        shown = caller.get("/v1/rulesets/pai-gow-poker/casino").json
        assert hashlib.sha256(rfc8785.dumps(shown["document"])).hexdigest() == shown["sha256"]

    def test_keys_and_health_need_no_token(self, caller: Caller) -> None:
        nobody = caller._replace(token="")
        assert nobody.get("/v1/health").json["status"] == "ok"
        (key,) = nobody.get("/v1/keys").json["keys"]
        assert (key["kty"], key["crv"]) == ("EC", "P-256")
        assert "d" not in key

    def test_house_way(self, caller: Caller) -> None:
        hand = ["5s", "5h", "3c", "3d", "Qh", "9s", "2c"]
        body = {"ruleset": "fortune-pai-gow/florida-2017", "role": "player", "hands": [hand]}
        answer = caller.post("/v1/house-way", body).json
        assert answer["settings"][0]["front"] == ["Qh", "9s"]
        assert answer["settings"][0]["rule"] == "pai-gow-poker §4.4"
