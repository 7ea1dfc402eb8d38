"""Nobody chooses a deck or a draw alone: a client seed is needed, or forgone in the open; draws are not ground."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from cardroom import canonical
from cardroom.adapters import environment
from cardroom.signing.signature import split
from cardroom_desk.exports.audit import Asked
from cardroom_desk.exports.verify import verified
from cardroom_desk.exports.write import exported
from tests.functional.caller import Answer, Caller, dealing, opening

BACCARAT = "california-baccarat/redding-1995"
PUSH_NINE = "push-nine/redding-1995"
HI_HI_LO = "hi-hi-lo/redding-1995"
SEED = "5eed" * 8
FOUR = [{"seat": seat, "bettor": name} for seat, name in enumerate(("ann", "bob", "cyd", "dee"), start=1)]


def draw(caller: Caller, draw_id: str, seats: Sequence[int], ruleset: str = PUSH_NINE, **more: str) -> Answer:
    kind = "first_button" if ruleset == PUSH_NINE else "first_banker"
    body = {"draw_id": draw_id, "ruleset": ruleset, "kind": kind, "seats": list(seats), "client_seed": SEED, **more}
    return caller.post("/v1/tables/t1/draws", body)


# -- the client's seed


def test_a_deal_without_a_client_seed_is_refused_and_changes_nothing(caller: Caller) -> None:
    opened = caller.open()
    for changes in ({"client_seed": None}, {"client_seed": None, "opened": opened.record}):
        refused = caller.deal(**changes)
        assert (refused.refusal(), refused.fields()) == ((422, "client-seed-missing"), ["client_seed"])
    dealt = caller.deal()
    assert dealt.status == 200 and dealt.payload["seq"] == 2
    assert caller.deal().record == dealt.record
    assert caller.deal(client_seed=None).refusal() == (422, "round-changed")  # what was done before is told first


def test_the_open_may_say_that_there_is_none(caller: Caller) -> None:
    opened = caller.open(client_seed="none")
    assert opened.payload["request"]["client_seed"] == "none"
    assert caller.open().refusal() == (422, "round-changed")
    refused = caller.deal(opened=opened.record)  # the signed terms said otherwise before any bet
    assert (refused.refusal(), refused.fields()) == ((422, "field-not-used"), ["client_seed"])
    dealt = caller.deal(client_seed=None, opened=opened.record)
    assert dealt.status == 200 and "client_seed" not in dealt.payload["request"]
    assert caller.settle().status == 200
    lines = exported(environment.ledger(), "house-of-cards", table_id="t1", round_id=None)
    report = verified((line.encode() for line in lines), Asked(roots=environment.signer().roots()))
    assert report.complete, report.findings
    assert [one["round_id"] for one in report.document["listed"]["no_client_seed"]] == ["r1"]


@pytest.mark.parametrize("said", ["None", "", "none ", SEED, 0, ["none"]])
def test_an_open_says_none_or_nothing(caller: Caller, said: object) -> None:
    assert caller.open(client_seed=said).refusal() == (422, "request-invalid")


def test_a_physical_table_has_no_seed_to_forgo(caller: Caller) -> None:
    assert caller.open(source="table", client_seed="none").refusal() == (422, "field-not-used")


def shoe_round(caller: Caller, round_id: str, banker: int, **changes: object) -> Answer:
    seats = [{"seat": seat, "bettor": f"b{seat}"} for seat in (1, 2)]
    more = {"fees": None, "limits": None, "shoe_id": "s1", "ruleset": BACCARAT}
    asked = opening(round_id=round_id, seats=seats, banker={"seat": banker, "bettor": f"b{banker}"}, **more)
    opened = caller.post("/v1/rounds", asked)
    assert opened.status == 201
    wager = {"wager_id": "w1", "seat": 3 - banker, "bettor": f"b{3 - banker}", "circle": 1, "kind": "main"}
    wager |= {"amount": 2_000}
    shoe = opened.payload["table_after"]["shoe"]
    body = dealing(wagers=[wager], banker_wager=9_000, **{"cut": None if shoe["position"] else 11, **changes})
    return caller.post(f"/v1/rounds/{round_id}/deal", body)


def end(caller: Caller, round_id: str) -> None:
    assert caller.void(round_id, reason="banker_wrong_number_of_cards").status == 200


def test_a_shoe_needs_one_for_its_cards_and_a_later_deal_for_its_dice(caller: Caller) -> None:
    assert caller.post("/v1/shoes", {"shoe_id": "s1", "table_id": "t1", "ruleset": BACCARAT}).status == 201
    first = shoe_round(caller, "r1", 1, client_seed=None, dice=[1, 2, 3])  # the dice are told, but not the cards
    assert first.refusal() == (422, "client-seed-missing")
    end(caller, "r1")
    assert shoe_round(caller, "r2", 1).status == 200
    end(caller, "r2")
    dice = shoe_round(caller, "r3", 1, client_seed=None)  # who gets which known cards
    assert dice.refusal() == (422, "client-seed-missing")
    end(caller, "r3")
    assert shoe_round(caller, "r4", 1, client_seed=None, dice=[1, 2, 3]).status == 200


def test_a_shoe_whose_open_says_none(caller: Caller) -> None:
    shoe = {"shoe_id": "s1", "table_id": "t1", "ruleset": BACCARAT, "client_seed": "none"}
    assert caller.post("/v1/shoes", shoe).status == 201
    assert shoe_round(caller, "r1", 1, client_seed=None).refusal() == (422, "client-seed-missing")  # for the dice
    end(caller, "r1")
    dealt = shoe_round(caller, "r2", 1)
    assert dealt.payload["table_after"]["shoe"]["client_seed"] is None  # which has no part in the shoe's cards
    end(caller, "r2")
    assert caller.post("/v1/shoes/s1/close", {"table_id": "t1"}).status == 200


# -- draws


def test_a_draw_needs_a_client_seed_or_says_that_there_is_none(caller: Caller) -> None:
    body = {"draw_id": "d1", "ruleset": PUSH_NINE, "kind": "first_button", "seats": [1, 2]}
    assert caller.post("/v1/tables/t1/draws", body).refusal() == (422, "client-seed-missing")
    assert caller.post("/v1/tables/t1/draws", body | {"client_seed": "none"}).status == 201


def test_a_draw_is_not_ground_by_alternating_lists(caller: Caller) -> None:
    first = draw(caller, "d1", [1, 2, 3])
    assert first.status == 201
    assert draw(caller, "d1", [3, 2, 1]).record == first.record  # the same request again
    for number, seats in enumerate(permutations([1, 2, 3])):
        assert draw(caller, f"again-{number}", seats).refusal() == (422, "drawn-already")
    assert draw(caller, "d2", [1, 2]).refusal() == (409, "draw-held")  # without a word of why
    assert draw(caller, "d2", [1, 2], replaces="d1").refusal() == (409, "draw-held")
    assert draw(caller, "d2", [1, 2], replaces="d0", reason="seat_left").refusal() == (409, "draw-held")
    for seats, reason in (([1, 2], "seat_taken"), ([1, 2, 4], "seat_left"), ([1, 2, 4], "seat_taken")):
        refused = draw(caller, "d2", seats, replaces="d1", reason=reason)
        assert refused.refusal() == (422, "draw-reason-wrong"), (seats, reason)
    second = draw(caller, "d2", [1, 2], replaces="d1", reason="seat_left")
    assert second.status == 201
    back = draw(caller, "d3", [1, 2, 3], replaces="d2", reason="seat_taken")  # and so to the first list again
    assert back.refusal() == (422, "drawn-already")
    held = second.payload["table_after"]["draw"]
    assert [one["seats"] for one in (*held["before"], held)] == [[1, 2, 3], [1, 2]]
    lines = exported(environment.ledger(), "house-of-cards", table_id="t1", round_id=None)
    report = verified((line.encode() for line in lines), Asked(roots=environment.signer().roots()))
    assert report.complete, report.findings
    (replaced,) = report.document["listed"]["draws_replaced"]
    assert (replaced["replaces"], replaced["reason"], replaced["won"], replaced["seat"]) == (
        "d1",
        "seat_left",
        first.payload["body"]["seat"],
        second.payload["body"]["seat"],
    )


def test_the_ninth_draw_waits_for_a_settled_hand(caller: Caller) -> None:
    assert draw(caller, "d1", [1, 2]).status == 201
    for number in range(2, 9):
        more = {"replaces": f"d{number - 1}", "reason": "seat_taken"}
        assert draw(caller, f"d{number}", range(1, number + 2), **more).status == 201
    ninth = draw(caller, "d9", [3, 4, 5, 6, 7, 8, 9], replaces="d8", reason="seat_left")
    assert ninth.refusal() == (422, "draws-spent")
    assert draw(caller, "b1", [1, 2], HI_HI_LO).refusal() == (422, "draws-spent")  # of the other kind neither
    by_hand = opening(ruleset=HI_HI_LO, seats=FOUR, limits=None, fees=None, drawn_by_hand=True)  # by the floor
    assert caller.post("/v1/rounds", by_hand).status == 201


def test_a_draw_of_the_other_kind_frees_no_list(caller: Caller) -> None:
    assert draw(caller, "d1", [1, 2, 3]).status == 201
    assert draw(caller, "b1", [1, 2, 3], HI_HI_LO).status == 201
    assert draw(caller, "d2", [3, 1, 2]).refusal() == (422, "drawn-already")
    assert draw(caller, "b2", [1, 2, 3], HI_HI_LO).refusal() == (422, "drawn-already")
    assert draw(caller, "d2", [1, 3], replaces="b1", reason="seat_left").refusal() == (409, "draw-held")
    assert draw(caller, "d2", [1, 3], replaces="d1", reason="seat_left").status == 201


def test_a_draw_of_the_other_kind_is_no_second_try(caller: Caller) -> None:
    """Whoever dislikes the first banker draws for the first button, and may not bank by that."""
    first = draw(caller, "b1", [1, 2, 3, 4], HI_HI_LO).payload["body"]["seat"]
    second = draw(caller, "d1", [1, 2, 3, 4]).payload["body"]["seat"]

    def open_by(draw_id: str, seat: int) -> Answer:
        banker = {"seat": seat, "bettor": FOUR[seat - 1]["bettor"]}
        asked = opening(ruleset=HI_HI_LO, seats=FOUR, banker=banker, limits=None, fees=None, draw_id=draw_id)
        return caller.post("/v1/rounds", asked)

    other = open_by("d1", second)
    assert other.refusal() == (422, "draw-not-held")
    assert "the table's draw for first_banker is b1, the round cites d1" in other.text
    assert open_by("b1", first % 4 + 1).refusal() == (422, "draw-not-held")
    assert open_by("b1", first).status == 201  # which stands as it was


def test_what_replaces_nothing_is_refused(caller: Caller) -> None:
    assert draw(caller, "d1", [1, 2], replaces="d0", reason="seat_left").refusal() == (422, "draw-not-held")
    assert draw(caller, "d1", [1, 2], reason="seat_left").refusal() == (422, "draw-not-held")


# -- which code, and which version


def test_a_record_names_the_code_that_wrote_it(caller: Caller) -> None:
    payload = caller.open().payload
    assert payload["v"] == 2
    assert payload["engine"] == environment.engine() == caller.get("/v1/health").json["engine"]


def test_a_record_of_version_1_is_refused_by_name(caller: Caller) -> None:
    payload = canonical.loads(split(caller.open().record).payload)
    old = environment.signer().sign({**payload, "v": 1})
    refused = caller.deal(opened=old)
    assert refused.refusal() == (422, "record-invalid")
    assert "version-unknown: v is 1: records of version 2 are read here" in refused.text
