"""A misread card put right over HTTP: before the settlement, after it, again; and all that is refused."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest
from werkzeug.test import Client

from cardroom.adapters import environment
from cardroom.audit.replay import Replay
from cardroom.audit.verify import Report, verify_export
from cardroom.services.catalogue import published
from cardroom_desk.exports.write import exported
from cardroom_desk.local.api import LocalApi
from tests.functional.caller import Answer, Caller, opening
from tests.functional.conftest import token

Json = dict[str, Any]

SEATS: Final = [{"seat": seat, "bettor": name} for seat, name in ((1, "ann"), (2, "bob"), (3, "cyd"))]


def hand(seat: int, text: str) -> Json:
    return {"seat": seat, "cards": text.split()}


ANN: Final = hand(1, "Ac Ad 2h 3h 9d 8d Jh")  # a pair of aces behind; misread, his five-card hand is high card
ANN_MISREAD: Final = hand(1, "5c Ad 2h 3h 9d 8d Jh")
BOB: Final = hand(2, "Ks Kh 2c 3d 5s 7c 9h")
CYD: Final = hand(3, "Qs Qd 2d 4c 6s 8h Th")


@pytest.fixture
def floor(api: LocalApi, data: Path) -> Caller:
    """An operator that may play, read and correct."""
    return Caller(Client(api), token("house-of-cards", "play", "read", "correct"))


def open_(caller: Caller, round_id: str = "r1", **more: Any) -> Answer:
    terms = {"seats": SEATS, "source": "table", "correction_hands": 2, "round_id": round_id, **more}
    banker = {"seat": 1, "bettor": "ann", "others_passed": True}
    return caller.post("/v1/rounds", opening(banker=banker, **terms))


def deal(caller: Caller, round_id: str = "r1", *hands: Json) -> Answer:
    bets = [
        {"wager_id": f"w{seat}", "seat": seat, "bettor": name, "circle": 1, "kind": "main", "amount": 5_000}
        for seat, name in ((2, "bob"), (3, "cyd"))
    ]
    told = {"wagers": bets, "banker_wager": 20_000, "dice": [1, 2, 3], "hands": [*hands]}
    return caller.post(f"/v1/rounds/{round_id}/deal", told)


def settle(caller: Caller, round_id: str = "r1", **more: Any) -> Answer:
    sets = [{"seat": seat, "how": "house_way"} for seat in (1, 2, 3)]
    return caller.post(f"/v1/rounds/{round_id}/settlement", {"sets": sets, **more})


def settled(caller: Caller, round_id: str = "r1", *, banker: Json = ANN_MISREAD, **more: Any) -> Answer:
    assert open_(caller, round_id, **more).status == 201
    assert deal(caller, round_id, banker, BOB, CYD).status == 200
    return settle(caller, round_id)


def sha256(answer: Answer) -> str:
    return hashlib.sha256(answer.record.encode()).hexdigest()


def correction(of: Answer | str, name: str = "c1", **more: Any) -> Json:
    corrects = of if isinstance(of, str) else sha256(of)
    return {"correction_id": name, "corrects": corrects, "reason": "misread_card", "by": "floor-7", **more}


def correct(caller: Caller, of: Answer | str, name: str = "c1", *, round_id: str = "r1", **more: Any) -> Answer:
    return caller.post(f"/v1/rounds/{round_id}/corrections", correction(of, name, **more))


def correct_deal(caller: Caller, of: Answer | str, name: str = "c1", *, round_id: str = "r1", **more: Any) -> Answer:
    return caller.post(f"/v1/rounds/{round_id}/deal/corrections", correction(of, name, **more))


def nets(answer: Answer) -> dict[str, int]:
    return {one["account"]: one["amount"] for one in answer.payload["body"]["net"]}


def audit() -> Report:
    ledger, operator = environment.ledger(), "house-of-cards"
    lines = exported(ledger, operator, table_id=None, round_id=None)
    return verify_export(
        (line.encode() for line in lines),
        environment.ports().signer.roots(),
        rulesets=published().hashes,
        replay=Replay(published()),
        shapes=published().shapes,
    )


# After the settlement


def test_a_card_misread_is_put_right_and_the_difference_is_due(floor: Caller) -> None:
    before = settled(floor)
    assert [one["result"] for one in before.payload["body"]["results"]] == ["push", "push"] and nets(before) == {}
    after = correct(floor, before, hands=[ANN])
    assert after.payload["kind"] == "corrected"
    assert nets(after) == {"bettor:ann": 10_000, "bettor:bob": -5_000, "bettor:cyd": -5_000}
    assert {one["why"] for one in after.payload["body"]["postings"]} == {"correction"}
    assert [one["result"] for one in after.payload["body"]["settlement"]["results"]] == ["lose", "lose"]
    assert after.payload["table_after"] == before.payload["table_after"]
    kinds = [one["payload"]["kind"] for one in floor.get("/v1/rounds/r1").json["records"]]
    assert kinds == ["opened", "dealt", "settled", "corrected"]
    report = audit()
    assert report.ok, report.findings
    (listed,) = report.document["listed"]["corrections"]
    assert (listed["reason"], listed["by"], listed["kind"]) == ("misread_card", "floor-7", "corrected")
    assert {one["account"]: one["amount"] for one in listed["moved"]} == nets(after)


def test_a_second_one_corrects_the_first_and_goes_back_to_the_cent(floor: Caller) -> None:
    before = settled(floor)
    first = correct(floor, before, hands=[ANN])
    stale = correct(floor, before, "c2", hands=[hand(2, "Ks Kh 2c 3d 5s 7c 9c")])
    assert stale.refusal() == (409, "correction-stale") and stale.fields() == ["corrects"]
    second = correct(floor, first, "c2", hands=[ANN_MISREAD])
    assert nets(second) == {account: -amount for account, amount in nets(first).items()}
    assert second.payload["body"]["basis"]["corrected"]["sha256"] == sha256(first)
    assert audit().ok


def test_a_retry_is_answered_byte_for_byte_and_another_request_is_refused(floor: Caller) -> None:
    before = settled(floor)
    first = correct(floor, before, hands=[ANN])
    again = correct(floor, before, hands=[ANN])
    assert again.replayed and again.text == first.text
    changed = correct(floor, before, hands=[hand(1, "Ac Ad 2h 3h 9d 8d Js")])
    assert changed.refusal() == (422, "round-changed") and changed.fields() == ["hands[1].cards[6]"]
    assert settled(floor, "r2").status == 200
    elsewhere = correct(floor, before, round_id="r2", hands=[ANN])
    assert elsewhere.refusal() == (409, "correction-elsewhere") and elsewhere.fields() == ["correction_id"]


def test_another_round_may_be_live_and_what_followed_stays(floor: Caller) -> None:
    before = settled(floor)
    open_(floor, "r2")
    deal(floor, "r2", ANN, BOB, CYD)
    after = correct(floor, before, hands=[ANN])
    assert after.payload["table_after"]["live"] == {"round_id": "r2", "state": "dealt"}
    assert settle(floor, "r2").status == 200
    assert audit().ok


@pytest.mark.parametrize(
    ("window", "since", "code"), [(2, 1, None), (2, 2, "correction-late"), (1, 1, "correction-late")]
)
def test_the_window_is_told_by_the_open_in_settled_hands(
    floor: Caller, window: int, since: int, code: str | None
) -> None:
    before = settled(floor, correction_hands=window)
    for number in range(since):
        settled(floor, f"later-{number}")
    answer = correct(floor, before, hands=[ANN])
    assert answer.status == 200 if code is None else answer.refusal() == (409, code)


def test_without_a_word_in_the_open_there_is_none(floor: Caller) -> None:
    before = settled(floor, correction_hands=None)
    assert correct(floor, before, hands=[ANN]).refusal() == (409, "correction-late")


def test_a_set_that_names_a_card_no_longer_there_comes_as_it_lies(floor: Caller) -> None:
    open_(floor)
    deal(floor, "r1", ANN, hand(2, "Ks Kh 2c 3d 5s 7c 9h"), CYD)
    sets = [
        {"seat": 1, "how": "house_way"},
        {"seat": 2, "how": "front", "front": ["9h", "7c"]},
        {"seat": 3, "how": "house_way"},
    ]
    before = settle(floor, sets=sets)
    true = hand(2, "Ks Kh 2c 3d 5s 7c 9c")
    missing = correct(floor, before, hands=[true])
    assert missing.refusal() == (422, "set-not-as-laid") and missing.fields() == ["sets[2]"]
    choice = correct(floor, before, hands=[true], sets=[{"seat": 2, "how": "house_way"}])
    assert choice.refusal() == (422, "set-not-as-laid") and choice.fields() == ["sets[2].how"]
    stranger = correct(floor, before, hands=[true], sets=[{"seat": 7, "how": "house_way"}])
    assert stranger.refusal() == (422, "set-not-as-laid") and stranger.fields() == ["sets[7]"]
    laid = correct(floor, before, hands=[true], sets=[{"seat": 2, "how": "front", "front": ["9c", "7c"]}])
    assert laid.status == 200, laid.text
    assert nets(laid) == {}
    assert audit().ok


# Before the settlement


def test_what_follows_uses_the_cards_as_they_lie(floor: Caller) -> None:
    open_(floor)
    dealt = deal(floor, "r1", ANN_MISREAD, BOB, CYD)
    right = correct_deal(floor, dealt, hands=[ANN])
    assert right.payload["kind"] == "deal_corrected"
    assert right.payload["table_after"]["live"] == {"round_id": "r1", "state": "dealt"}
    assert settle(floor, dealt=dealt.record).refusal() == (409, "record-stale")
    after = settle(floor)
    assert [one["result"] for one in after.payload["body"]["results"]] == ["lose", "lose"]
    report = audit()
    assert report.ok and report.document["listed"]["corrections"][0]["moved"] is None


def test_after_the_sets_fouls_are_judged_anew(floor: Caller) -> None:
    open_(floor)
    deal(floor, "r1", BOB, CYD)
    sets = [{"seat": 2, "how": "front", "front": ["9h", "7c"]}, {"seat": 3, "how": "house_way"}]
    locked = floor.post("/v1/rounds/r1/sets", {"sets": sets})
    assert [one["foul"] for one in locked.payload["body"]["sets"]] == [False, False]
    true = hand(2, "Ks 4h 2c 3d 5s 9c 9h")
    missing = correct_deal(floor, locked, hands=[true])
    assert missing.refusal() == (422, "set-not-as-laid")
    other = correct_deal(floor, locked, hands=[true], sets=[{"seat": 3, "how": "house_way"}])
    assert other.refusal() == (422, "set-not-as-laid") and other.fields() == ["sets[3]"]
    right = correct_deal(floor, locked, hands=[true], sets=[{"seat": 2, "how": "front", "front": ["9h", "9c"]}])
    assert right.status == 200, right.text
    assert [one["foul"] for one in right.payload["body"]["sets"]] == [True, False]
    after = floor.post("/v1/rounds/r1/settlement", {"sets": [{"seat": 1, "how": "house_way"}], "hands": [ANN]})
    assert after.payload["body"]["sets"][1]["foul"]
    assert audit().ok


def test_a_void_after_it_gives_all_back_and_its_avoided_goes_by_the_true_cards(floor: Caller) -> None:
    open_(floor)
    dealt = deal(floor, "r1", ANN_MISREAD, BOB, CYD)
    correct_deal(floor, dealt, hands=[ANN])
    voided = floor.void()
    assert voided.payload["body"]["was"] == "dealt" and len(voided.payload["body"]["returned"]) == 2
    report = audit()
    assert report.ok
    avoided = {one["account"]: one["amount"] for one in report.document["listed"]["voids"][0]["avoided"]}
    assert avoided == {"bettor:ann": 10_000, "bettor:bob": -5_000, "bettor:cyd": -5_000}


def test_what_a_void_avoided_is_not_known_where_the_bankers_hand_was_never_told(floor: Caller) -> None:
    open_(floor)
    deal(floor, "r1", BOB, CYD)
    floor.void()
    assert audit().document["listed"]["voids"][0]["avoided"] is None


# Refusals


def test_each_misuse_is_refused_by_its_name_and_changes_nothing(floor: Caller, other: Caller) -> None:
    before = settled(floor)
    seq = before.payload["seq"]
    zeros = "0" * 64
    cases: list[tuple[Answer, tuple[int, str]]] = [
        (correct(floor, zeros, hands=[ANN]), (409, "correction-stale")),
        (correct(floor, before, round_id="never", hands=[ANN]), (404, "round-unknown")),
        (correct(other, before, hands=[ANN]), (403, "scope-missing")),
        (correct(floor, before), (422, "correction-empty")),
        (correct(floor, before, hands=[ANN_MISREAD]), (422, "correction-empty")),
        (correct(floor, before, hands=[hand(5, "Ah Kd Qh Jc 9s 8c 7h")]), (422, "hand-untold")),
        (correct(floor, before, hands=[hand(1, "Ks Ad 2h 3h 9d 8d Jh")]), (422, "card-duplicate")),
        (correct(floor, before, hands=[hand(1, "Ac Ad 2h 3h 9d 8d")]), (422, "hand-size-wrong")),
        (correct(floor, before, hands=[ANN], wagers=[]), (422, "request-invalid")),
        (correct(floor, before, hands=[ANN], banker_wager=1), (422, "request-invalid")),
        (correct(floor, before, hands=[ANN], reason="because"), (422, "request-invalid")),
        (correct_deal(floor, before, hands=[ANN]), (409, "round-settled")),
    ]
    for answer, expected in cases:
        assert answer.refusal() == expected, answer.text
    assert environment.ledger().head("house-of-cards", "t1").seq == seq  # type: ignore[union-attr]


def test_before_its_time_and_after_a_void(floor: Caller) -> None:
    opened = open_(floor)
    assert correct_deal(floor, opened, hands=[ANN]).refusal() == (409, "round-not-dealt")
    dealt = deal(floor, "r1", ANN, BOB, CYD)
    assert correct(floor, dealt, hands=[ANN]).refusal() == (409, "round-not-settled")
    floor.void()
    assert correct(floor, dealt, hands=[ANN]).refusal() == (409, "round-voided")
    assert correct_deal(floor, dealt, hands=[ANN]).refusal() == (409, "round-voided")


def test_a_shuffled_round_and_one_without_a_banker_are_not_corrected(floor: Caller) -> None:
    floor.open()
    dealt = floor.deal()
    assert correct_deal(floor, dealt, hands=[BOB]).refusal() == (422, "correction-not-offered")
    done = floor.settle()
    assert correct(floor, done, hands=[BOB]).refusal() == (422, "correction-not-offered")


def test_another_operators_round_is_not_there(floor: Caller, api: LocalApi) -> None:
    before = settled(floor)
    stranger = Caller(Client(api), token("another-house", "correct"))
    assert correct(stranger, before, hands=[ANN]).refusal() == (404, "round-unknown")


def test_a_round_is_corrected_so_often_and_no_more(floor: Caller) -> None:
    last = settled(floor)
    for number in range(20):
        last = correct(floor, last, f"c{number}", hands=[ANN if number % 2 == 0 else ANN_MISREAD])
        assert last.status == 200, last.text
    assert correct(floor, last, "one-more", hands=[ANN]).refusal() == (409, "corrections-spent")
    assert audit().ok


def test_of_twenty_callers_with_one_correction_one_writes_it(floor: Caller, api: LocalApi) -> None:
    before = settled(floor)

    def ask(number: int) -> Answer:
        mine = Caller(Client(api), floor.token)
        return correct(mine, before, f"c{number % 2}", hands=[ANN])

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(20)))
    came = Counter((answer.status, answer.replayed) for answer in answers)
    assert came[200, False] == 1 and came[200, True] == 9
    assert {answer.refusal() for answer in answers if answer.status != 200} == {(409, "correction-stale")}
    assert audit().ok


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    environment.forget()


# Baccarat: boxes, misplays and draw cards


def baccarat(floor: Caller, *hands: Json) -> Answer:
    seats = [{"seat": seat, "bettor": f"b{seat}"} for seat in (1, 2, 3)]
    banker = {"seat": 1, "bettor": "b1", "others_passed": True}
    terms = {"round_id": "r1", "table_id": "t1", "ruleset": "california-baccarat/redding-1995", "currency": "USD"}
    floor.post("/v1/rounds", {**terms, "seats": seats, "banker": banker, "source": "table", "correction_hands": 1})
    bets = [
        {"wager_id": f"w{seat}", "seat": seat, "bettor": f"b{seat}", "circle": 1, "kind": "main", "amount": 5_000}
        for seat in (2, 3)
    ]
    told = {"wagers": bets, "banker_wager": 20_000, "dice": [1, 2, 3], "hands": [*hands]}
    return floor.post("/v1/rounds/r1/deal", told)


def test_baccarat_5_6_a_box_that_the_true_cards_forbid_is_a_misplay(floor: Caller) -> None:
    """Five may draw; the card was a seven, and he drew on seven."""
    baccarat(floor, hand(2, "5c Ks"), hand(3, "6c Kd"))
    sets = [{"seat": 2, "how": "box", "box": "hit"}, {"seat": 3, "how": "house_way"}]
    locked = floor.post("/v1/rounds/r1/sets", {"sets": sets})
    true = hand(2, "7c Ks")
    forbidden = correct_deal(floor, locked, hands=[true])
    assert forbidden.refusal() == (422, "box-not-allowed") and forbidden.fields() == ["sets[2].box"]
    told = [{"seat": 2, "how": "by_player"}]
    right = correct_deal(floor, locked, hands=[true], misplayed=told)
    assert right.status == 200, right.text
    last = {
        "hands": [hand(1, "2c Qs")],
        "sets": [],
        "drawn_cards": [{"seat": 1, "card": "3d"}, {"seat": 2, "card": "2d"}],
    }
    done = floor.post("/v1/rounds/r1/settlement", last)
    results = {one["seat"]: one["reason"] for one in done.payload["body"]["results"]}
    assert results == {2: "misplayed", 3: "higher"}
    assert audit().ok


def test_baccarat_5_a_draw_card_and_the_bankers_box_are_corrected_after_the_settlement(floor: Caller) -> None:
    baccarat(floor, hand(1, "5h Qs"), hand(2, "3c Ks"), hand(3, "6c Kd"))
    sets = [
        {"seat": 1, "how": "box", "box": "hit"},
        {"seat": 2, "how": "house_way"},
        {"seat": 3, "how": "house_way"},
    ]
    drawn = [{"seat": 1, "card": "2d"}, {"seat": 2, "card": "4d"}]
    before = floor.post("/v1/rounds/r1/settlement", {"sets": sets, "drawn_cards": drawn})
    assert nets(before) == {"bettor:b1": 5_000, "bettor:b3": -5_000}
    forbidden = correct(floor, before, hands=[hand(1, "7h Qs")])
    assert forbidden.refusal() == (422, "box-not-allowed") and forbidden.fields() == ["sets[1].box"]
    after = correct(floor, before, drawn_cards=[{"seat": 2, "card": "6d"}])
    assert nets(after) == {"bettor:b1": -5_000, "bettor:b2": 5_000}
    again = correct(floor, after, "c2", drawn_cards=[{"seat": 1, "card": "Ad"}])
    assert nets(again) == {"bettor:b1": -5_000, "bettor:b3": 5_000}
    assert audit().ok
