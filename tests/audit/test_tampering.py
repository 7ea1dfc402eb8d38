"""Each kind of tampering, done with the genuine keys: found, by its own name, at the right record, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import timedelta
from functools import cache
from typing import Any

import pytest

from cardroom import canonical
from cardroom.audit.finding import Finding
from cardroom.audit.replay import Replay
from cardroom.audit.verify import Report, verify_export
from cardroom.cards import deck, format_cards
from cardroom.services.catalogue import published
from cardroom.shuffle import commitment
from cardroom_desk.report.page import page
from tests.audit import play
from tests.audit.play import (
    BACCARAT,
    BICYCLE,
    CASINO,
    FEES,
    HI_HI_LO,
    PUSH_NINE,
    SHOWDOWN,
    Json,
    Room,
    signed_by_an_old_key,
)

RULESETS = (BICYCLE, CASINO, play.FLORIDA, play.CONTRA_COSTA, BACCARAT, HI_HI_LO, PUSH_NINE, SHOWDOWN)
SHAPES = published().shapes
HASHES = {ruleset: published().ruleset(ruleset).sha256 for ruleset in RULESETS}


@cache
def _played(ruleset: str) -> Room:
    """Three rounds, somebody winning in one, with what the game needs before, and a shoe that is closed in the end."""
    rooms = (_three_rounds(ruleset, seed) for seed in range(1, 20))
    return next(room for room in rooms if any('"result":"win"' in str(canonical.dumps(one)) for one in room.payloads))


def _three_rounds(ruleset: str, seed: int) -> Room:
    room = Room(ruleset, seed=seed)
    if ruleset == HI_HI_LO:
        room.draw("first_banker", (2, 5, 8))
    for _ in range(3):
        room.play()
    if room.state["shoe"] is not None:
        room.close_shoe()
    return room


def played(ruleset: str) -> Room:
    room = _played(ruleset)
    copied = object.__new__(Room)
    copied.__dict__ |= {
        **room.__dict__,
        "records": list(room.records),
        "payloads": canonical.loads(canonical.dumps(room.payloads)),
    }
    return copied


def audit(room: Room, **later: Any) -> Report:
    known = room.known
    return verify_export(
        room.export(**later), room.root.jwks(), rulesets=known.hashes, replay=Replay(known), shapes=known.shapes
    )


def only(room: Room, **later: Any) -> Finding:
    report = audit(room, **later)
    assert [finding.code for finding in report.findings] == [report.findings[0].code], report.findings
    assert report.document["verdict"] == "fail" and not report.ok
    return report.findings[0]


def where(room: Room, kind: str, index: int = 0) -> int:
    """The number of a record: the first of its kind, or the second."""
    return [payload["seq"] for payload in room.payloads if payload["kind"] == kind][index]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_genuine_rounds_pass(ruleset: str) -> None:
    report = audit(played(ruleset))
    assert report.ok, report.findings
    assert report.document["verdict"] == "pass"
    assert report.document["rounds"] == 3


# -- the deal: found at the dealt record, once the settlement reveals the seed


def other_card(body: Json) -> None:
    """The first card of the first hand becomes one that nobody holds."""
    held = {card for hand in body["hands"] for card in hand["cards"]}
    first = body["hands"][0]["cards"]
    first[0] = next(card for card in format_cards(deck(0)) if card not in held)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_card(ruleset: str) -> None:
    room = played(ruleset)
    dealt = where(room, "dealt", 1)
    before = room.payloads[dealt - 1]["body"]["hands"][0]["cards"][0]
    room.forge(dealt, lambda payload: other_card(payload["body"]))
    found = only(room)
    seat = room.payloads[dealt - 1]["body"]["hands"][0]["seat"]
    assert (found.code, found.seq, found.line) == ("card-wrong", dealt, dealt + 1)
    assert (found.field, found.expected) == (f"body.hands[{seat}].cards[0]", before)
    assert found.message.startswith("not the cards that the seed deals: body.hands[")


@pytest.mark.parametrize(
    ("ruleset", "client_seed"),
    [
        *((ruleset, "cd" * 16) for ruleset in (BICYCLE, BACCARAT, HI_HI_LO, PUSH_NINE, SHOWDOWN)),
        (BICYCLE, None),
        (BACCARAT, None),
    ],
)
def test_changed_client_seed(ruleset: str, client_seed: str | None) -> None:
    room = played(ruleset)
    dealt = where(room, "dealt")
    assert client_seed or "client_seed" in room.payloads[dealt - 1]["request"]  # none is taken away where none was

    def change(payload: Json) -> None:
        payload["request"].pop("client_seed", None)
        if client_seed is not None:
            payload["request"]["client_seed"] = client_seed

    payloads = deepcopy(room.payloads)
    change(payloads[dealt - 1])
    for payload in payloads[dealt - 1 :]:  # an open shoe's seed is repeated from record to record
        if payload["table_after"]["shoe"] is not None:
            payload["table_after"]["shoe"]["client_seed"] = client_seed
        if payload["kind"] == "shoe_closed":
            payload["body"]["client_seed"] = client_seed
    room.resign(payloads)
    found = only(room)
    assert (found.code, found.seq, found.field) == ("client-seed-changed", dealt, "request.client_seed")
    assert found.found == client_seed


@pytest.mark.parametrize("ruleset", [BICYCLE, HI_HI_LO])
def test_changed_cut(ruleset: str) -> None:
    room = played(ruleset)
    dealt = where(room, "dealt")
    before = room.payloads[dealt - 1]["request"]["cut"]
    room.forge(dealt, lambda payload: payload["request"].update(cut=11))
    found = only(room)
    assert (found.code, found.seq, found.field) == ("cut-changed", dealt, "request.cut")
    assert (found.expected, found.found) == (before, 11)


@pytest.mark.parametrize("ruleset", [BICYCLE, CASINO])
def test_a_client_seed_against_terms_that_said_none(ruleset: str) -> None:
    """A seed that comes once the service knows its own is no bettor's."""
    room = Room(ruleset)
    room.play()
    opened, dealt = where(room, "opened"), where(room, "dealt")
    payloads = deepcopy(room.payloads)
    payloads[opened - 1]["request"]["client_seed"] = "none"
    payloads[dealt - 1]["body"]["opened"]["terms"]["request"]["client_seed"] = "none"
    room.resign(payloads)
    found = audit(room).findings[0]
    assert (found.code, found.seq, found.field) == ("request-refused", dealt, "request.client_seed")


def test_changed_cut_of_a_large_shoe() -> None:
    """Of 16 decks, cut deeper than a shoe of eight is."""
    document = {**published().ruleset(BACCARAT).document, "id": "baccarat/large", "decks": 16}
    room = Room(document["id"], known=published().with_more(documents={document["id"]: lambda: document}))
    room.open_shoe()
    seats = (1, 2, 3, 4, 5, 6)  # so many cards that another cut gives hardly one of them
    room.open(seats, banker={"seat": 1, "bettor": "b1"}, fees=FEES, shoe_id=room.state["shoe"]["shoe_id"])
    room.deal(wagers=[play.wager(seat, 100) for seat in seats[1:]], banker_wager=900, cut=821)
    room.settle(sets=[{"seat": seat, "how": "house_way"} for seat in seats])
    room.close_shoe()
    assert audit(room).ok
    payloads = deepcopy(room.payloads)
    payloads[2]["request"]["cut"] = payloads[-1]["body"]["cut"] = 11
    for payload in payloads[2:-1]:
        payload["table_after"]["shoe"]["cut"] = 11
    room.resign(payloads)
    found = only(room)
    assert (found.code, found.seq, found.field) == ("cut-changed", 3, "request.cut")
    assert (found.expected, found.found) == (821, 11)


@pytest.mark.parametrize(("name", "seq"), [("community", 3), ("burned", 2)])
def test_cards_that_are_nobodys(name: str, seq: int) -> None:
    """Eight players of stud, so that the last card is turned for all."""
    room = Room(SHOWDOWN)
    room.open(range(1, 9), button=1, ante=10)
    room.deal(wagers=[play.wager(seat, 10, "ante") for seat in range(1, 9)])
    room.settle(sets=[], contributions=[{"seat": seat, "amount": 10} for seat in range(1, 9)])
    assert audit(room).ok
    dealt, settled = room.payloads[1]["body"], room.payloads[2]["body"]
    held = {card for hand in dealt["hands"] for card in hand["cards"]} | {*settled["community"], *dealt["burned"]}
    other = next((card for card in format_cards(deck(0)) if card not in held), dealt["hands"][0]["cards"][0])
    room.forge(seq, lambda payload: payload["body"][name].__setitem__(0, other))
    found = only(room)
    assert (found.code, found.seq, found.field) == ("card-wrong", seq, f"body.{name}[0]")


def test_a_last_card_that_the_deck_did_not_give() -> None:
    room = Room(SHOWDOWN)
    room.play()
    assert audit(room).ok
    drawn = next(hand for hand in room.payloads[2]["body"]["hands"] if "drawn" in hand)
    other = next(hand for hand in room.payloads[2]["body"]["hands"] if "drawn" not in hand)["cards"][0]
    index = room.payloads[2]["body"]["hands"].index(drawn)
    room.forge(3, lambda payload: payload["body"]["hands"][index].__setitem__("drawn", other))
    found = only(room)
    assert (found.code, found.seq) == ("card-wrong", 3)
    assert found.field.endswith(".drawn")


@pytest.mark.parametrize("after", [3, 7])
def test_a_fold_after_another_card(after: int) -> None:
    """Whether more or fewer were in when the last card was due, or as many."""
    room = Room(SHOWDOWN)
    room.play()
    folds = room.payloads[2]["request"]["folded"]
    assert [fold["after"] for fold in folds] == [3, 4, 5, 6]
    room.forge(3, lambda payload: payload["request"]["folded"][-1 if after == 7 else 1].__setitem__("after", after))
    assert {found.seq for found in audit(room).findings} == {3}


def test_the_button_given_to_another() -> None:
    room = Room(PUSH_NINE)
    room.play()
    seq, button = len(room.payloads), room.state["button"]
    room.forge(seq, lambda payload: payload["table_after"].update(button={**button, "bettor": "b9"}))
    found = only(room)
    assert (found.code, found.seq, found.field) == ("table-after-wrong", seq, "table_after.button.bettor")


def test_a_hand_more_of_a_deck() -> None:
    room = Room(SHOWDOWN)
    room.open((1, 2), button=1)
    room.deal(wagers=[], deck={"deck_id": "d1", "colour": "red"})
    room.settle(sets=[], contributions=[{"seat": 1, "amount": 10}, {"seat": 2, "amount": 10}])
    assert audit(room).ok
    room.forge(3, lambda payload: payload["table_after"]["deck"].update(hands=2))
    found = only(room)
    assert (found.code, found.seq, found.field) == ("table-after-wrong", 3, "table_after.deck.hands")


def test_dice() -> None:
    room = played(BICYCLE)
    dealt = where(room, "dealt")
    first = room.payloads[dealt - 1]["body"]["action"]["dice"][0]
    room.forge(dealt, lambda payload: payload["body"]["action"]["dice"].__setitem__(0, first % 6 + 1))
    found = only(room)
    assert (found.code, found.seq) == ("dice-wrong", dealt)


def test_action_order() -> None:
    room = played(BICYCLE)
    dealt = where(room, "dealt")
    room.forge(dealt, lambda payload: payload["body"]["action_order"].reverse())
    found = only(room)
    assert (found.code, found.seq) == ("action-order-wrong", dealt)


@pytest.mark.parametrize("ruleset", [BICYCLE, BACCARAT, HI_HI_LO, PUSH_NINE])
def test_fee(ruleset: str) -> None:
    room = played(ruleset)
    dealt = where(room, "dealt", 1)

    def change(payload: Json) -> None:
        payload["body"]["fees"][0]["amount"] += 3
        payload["body"]["postings"][0]["amount"] += 3

    room.forge(dealt, change)
    found = only(room)
    assert (found.code, found.seq) == ("fee-wrong", dealt)
    assert found.field is not None and found.field.startswith("body.fees[") and found.field.endswith(".amount")
    assert found.found == found.expected + 3


def test_fee_at_a_physical_table_needs_no_seed() -> None:
    room = Room(BICYCLE)
    room.play()
    dealt, settled = (room.payloads[seq - 1]["body"] for seq in (2, 3))
    room.open((1, 2, 3, 4, 5), banker={"seat": 5, "bettor": "b5"}, source="table", fees=FEES)
    dealt_all = sorted(dealt["hands"] + settled["hands"], key=lambda hand: hand["seat"])
    hands = [{"seat": hand["seat"], "cards": hand["cards"]} for hand in dealt_all]
    wagers = [play.wager(seat, 100) for seat in (1, 2, 3, 4)]
    room.deal(wagers=wagers, banker_wager=900, hands=hands, dice=[1, 2, 3])
    assert audit(room).ok
    room.forge(5, lambda payload: payload["body"]["fees"][0].update(amount=9))
    assert (only(room).code, only(room).seq) == ("fee-wrong", 5)


# -- the settlement


def test_setting_by_the_house_way() -> None:
    room = played(BICYCLE)
    settled = where(room, "settled", 1)

    def change(payload: Json) -> None:
        first = payload["body"]["sets"][0]
        first["front"][0], first["back"][4] = first["back"][4], first["front"][0]

    room.forge(settled, change)
    found = only(room)
    assert (found.code, found.seq) == ("setting-wrong", settled)
    assert found.field is not None and found.field.startswith("body.sets[")


def test_setting_that_the_rules_refuse() -> None:
    room = played(BICYCLE)
    settled = where(room, "settled", 1)
    room.forge(settled, lambda payload: payload["request"]["sets"][0].update(how="front", front=["Ah", "As"]))
    found = only(room)
    assert (found.code, found.seq) == ("setting-wrong", settled)
    assert found.message.startswith("the rules refuse it: sets[")


def pay_more(payload: Json) -> None:
    """Everything that follows is changed as well: the posting and the accounts."""
    body = payload["body"]
    result = next(result for result in body["results"] if result["paid"])
    result["paid"] += 50
    posting = next(p for p in body["postings"] if p["why"] in ("win", "bonus") and p["to"].endswith(result["bettor"]))
    posting["amount"] += 50
    for item in body["net"]:
        item["amount"] += 50 * ((item["account"] == posting["to"]) - (item["account"] == posting["from"]))


def first_win(room: Room) -> int:
    return next(
        payload["seq"]
        for payload in room.payloads
        if payload["kind"] == "settled" and any(result["paid"] for result in payload["body"]["results"])
    )


@pytest.mark.parametrize("ruleset", RULESETS)
def test_wrong_payout_signed_by_the_right_key(ruleset: str) -> None:
    room = played(ruleset)
    settled = first_win(room)
    room.forge(settled, pay_more)
    found = only(room)
    assert (found.code, found.seq, found.line) == ("payout-wrong", settled, settled + 1)
    assert found.field is not None and found.field.startswith("body.results[") and found.field.endswith(".paid")
    assert found.found == found.expected + 50


def test_commission() -> None:
    room = played(CASINO)
    settled = first_win(room)

    def change(payload: Json) -> None:
        body = payload["body"]
        result = next(result for result in body["results"] if result["commission"])
        result["commission"] += 1
        posting = next(p for p in body["postings"] if p["why"] == "commission" and p["wager_id"] == result["wager_id"])
        posting["amount"] += 1
        for item in body["net"]:
            item["amount"] += (item["account"] == posting["to"]) - (item["account"] == posting["from"])

    room.forge(settled, change)
    found = only(room)
    assert (found.code, found.seq) == ("commission-wrong", settled)
    assert found.found == found.expected + 1


def test_postings_that_do_not_add_up() -> None:
    room = played(BICYCLE)
    settled = where(room, "settled")
    room.forge(
        settled, lambda payload: payload["body"]["net"][0].update(amount=payload["body"]["net"][0]["amount"] + 1)
    )
    found = only(room)
    assert (found.code, found.seq) == ("net-wrong", settled)


# -- seeds, rule sets, the table


@pytest.mark.parametrize("ruleset", [BICYCLE, HI_HI_LO, PUSH_NINE, BACCARAT])
def test_seed_that_was_not_committed_to(ruleset: str) -> None:
    room = played(ruleset)
    settled = where(room, "settled")
    room.forge(settled, lambda payload: payload["body"].update(seed="00" * 32))
    found = only(room)
    assert (found.code, found.seq, found.field) == ("commitment-broken", settled, "body.seed")


def test_seed_of_a_draw_and_of_a_shoe() -> None:
    for ruleset, kind in ((HI_HI_LO, "drawn"), (PUSH_NINE, "drawn"), (BACCARAT, "shoe_closed")):
        room = played(ruleset)
        room.forge(where(room, kind), lambda payload: payload["body"].update(seed="00" * 32))
        found = only(room)
        assert (found.code, found.seq) == ("commitment-broken", where(room, kind))


def test_cards_of_a_draw() -> None:
    room = played(HI_HI_LO)
    room.forge(1, lambda payload: payload["body"]["cards"][0].update(cards=["2c"]))
    assert (only(room).code, only(room).seq) == ("card-wrong", 1)


def test_commitment_of_one_record_alone() -> None:
    room = played(BICYCLE)
    room.forge(4, lambda payload: payload["body"].update(commitment=commitment(bytes(32))))
    found = only(room)
    assert (found.code, found.seq, found.field) == ("opened-changed", 5, "body.opened")


@pytest.mark.parametrize("everywhere", [False, True])
def test_ruleset_hash(everywhere: bool) -> None:
    room = played(BICYCLE)
    payloads = deepcopy(room.payloads)
    for payload in payloads[3 : 6 if everywhere else 4]:
        payload["ruleset"]["sha256"] = "ab" * 32
        if everywhere and payload["kind"] == "dealt":
            payload["body"]["opened"]["terms"]["ruleset"]["sha256"] = "ab" * 32
    room.resign(payloads)
    found = only(room)
    assert (found.code, found.seq, found.field) == ("ruleset-changed", 4, "ruleset.sha256")
    assert (found.expected, found.found) == (HASHES[BICYCLE], "ab" * 32)


@pytest.mark.parametrize("ruleset", [BICYCLE, BACCARAT, PUSH_NINE])
@pytest.mark.parametrize("kind", ["opened", "dealt", "settled"])
@pytest.mark.parametrize("carried_on", [False, True])
def test_false_table_after(ruleset: str, kind: str, carried_on: bool) -> None:
    """Whether the records that follow were made from the false table or from the true one."""
    room = played(ruleset)
    seq = where(room, kind, 1)
    payloads = deepcopy(room.payloads)
    hand_no = payloads[seq - 1]["table_after"]["hand_no"]
    for payload in payloads[seq - 1 : None if carried_on else seq]:
        payload["table_after"]["hand_no"] += 7
        for held in payload["table_after"]["free_collections"]:
            held["hand_no"] += 7 * (held["hand_no"] > hand_no)
    room.resign(payloads)
    found = only(room)
    assert (found.code, found.seq, found.field) == ("table-after-wrong", seq, "table_after.hand_no")
    assert found.found == found.expected + 7


def test_a_pot_of_records_that_are_not_here_proves_nothing() -> None:
    """A forged pot goes on behind a signed `after`: what is paid out of it does not hold."""
    room = Room(PUSH_NINE)
    while room.state["pot"] is None or room.payloads[-1]["kind"] != "settled":
        room.play()
    after = room.payloads[-1]["seq"] - 1
    while room.state["pot"] is not None:
        room.play()
    ends = room.payloads[-1]["seq"]
    room.play()
    report = audit(room, after=after)
    assert report.ok and not report.complete
    (unproved,) = report.document["unproved"]
    assert (unproved["why"], unproved["records"], unproved["seq"]) == ("record-missing", ends - after, after + 1)
    assert report.document["held"] == room.payloads[-1]["seq"] - ends


@pytest.mark.parametrize("carried_on", [False, True])
@pytest.mark.parametrize("cut", [622, 29])
def test_false_cut_of_a_shoe_in_the_table_after(cut: int, carried_on: bool) -> None:
    """One that is deeper than the shoe ended the audit at the shoe's close."""
    room = played(BACCARAT)
    last = len(room.payloads) - 1
    payloads = deepcopy(room.payloads)
    payloads[last - 1]["table_after"]["shoe"]["cut"] = cut
    if carried_on:
        payloads[last]["body"]["cut"] = cut
    room.resign(payloads)
    report = audit(room)
    assert [(found.code, found.seq) for found in report.findings][:1] == [("table-after-wrong", last)]
    assert all(found.code in ("table-after-wrong", "replay-differs") for found in report.findings)


def test_false_live_round() -> None:
    room = played(BICYCLE)
    room.forge(3, lambda payload: payload["table_after"].update(live={"round_id": "t1-r1", "state": "dealt"}))
    found = only(room)
    assert (found.code, found.seq, found.field) == ("table-after-wrong", 3, "table_after.live")


# -- records


def test_false_live_round_where_the_record_before_is_missing() -> None:
    """The next round opens on a table that nobody can tell: neither the false one nor what it should have been."""
    room = played(BICYCLE)
    room.forge(3, lambda payload: payload["table_after"].update(live={"round_id": "t1-r1", "state": "dealt"}))
    del room.records[1]
    found = [(finding.code, finding.seq) for finding in audit(room).findings]
    assert sorted(found) == [("record-missing", 3), ("table-after-wrong", 3)]


def without(*seqs: int) -> Callable[[Room], None]:
    return lambda room: room.resign([p for p in deepcopy(room.payloads) if p["seq"] not in seqs])


def test_a_settlement_taken_out_of_the_chain() -> None:
    room = played(BICYCLE)
    without(3)(room)
    found = only(room)
    assert (found.code, found.seq) == ("round-order", 3)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_unsettled_round(ruleset: str) -> None:
    room = played(ruleset)
    last = where(room, "settled", 2)
    without(*range(last, len(room.payloads) + 1))(room)
    assert audit(room).ok  # it is still in play
    (waits,) = (one for one in audit(room).document["unproved"] if one["why"] == "round-live")
    assert (waits["seq"], waits["records"]) == (last - 1, 2)
    if ruleset == BACCARAT:
        found, shoe = audit(room, later=timedelta(hours=24)).findings[::-1]
        assert (shoe.code, shoe.seq) == ("shoe-unclosed", 1)
    else:
        found = only(room, later=timedelta(hours=24))
    assert (found.code, found.seq) == ("round-unsettled", last - 1)
    assert found.message.endswith("and neither settled nor voided")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda lines: [*lines[:-2], lines[-1]], "record-missing"),
        (lambda lines: [*lines[:-2], lines[-2][:-9] + lines[-2][-8:], lines[-1]], "malformed"),
        (lambda lines: [*lines[:-2], b"{\n", lines[-1]], "malformed"),
    ],
)
def test_a_settlement_that_is_lost_leaves_no_round_unsettled(
    change: Callable[[list[bytes]], list[bytes]], code: str
) -> None:
    """However late the export was made: one fault is one finding."""
    room = played(BICYCLE)
    lines = change(room.export(later=timedelta(hours=25)))
    report = verify_export(
        lines, room.root.jwks(), rulesets=HASHES, replay=Replay(published()), shapes=published().shapes
    )
    assert [finding.code for finding in report.findings] == [code]


@pytest.mark.parametrize(
    ("change", "code", "record"),
    [
        (lambda lines: [*lines[:4], *lines[5:]], "record-missing", 4),
        (lambda lines: [*lines[:4], lines[3], *lines[4:]], "record-doubled", 4),
        (lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]], "record-reordered", 4),
        (lambda lines: lines[:-1], "export-truncated", None),
        (lambda lines: [], "export-empty", None),
        (lambda lines: [*lines, *lines], "after-trailer", None),
        (lambda lines: [lines[0], *lines[1:-1], *lines[1:-1], lines[-1]], "record-doubled", 10),
    ],
)
def test_lines_of_the_file(change: Callable[[list[bytes]], list[bytes]], code: str, record: int | None) -> None:
    room = played(BICYCLE)
    report = verify_export(
        change(room.export()), room.root.jwks(), rulesets=HASHES, replay=Replay(published()), shapes=published().shapes
    )
    codes = {finding.code for finding in report.findings}
    assert codes == {code} and (report.findings[0].record == record), report.findings
    assert len(report.findings) == 1 or code == "record-doubled"


def test_foreign_key() -> None:
    room, stranger = played(BICYCLE), Room(BICYCLE)
    stranger.clock.time = room.clock.time
    own, room.signer = room.signer, stranger.signer
    records = list(room.records)
    room.resign(deepcopy(room.payloads), 6)
    room.signer = own
    room.records = [*records[:5], room.records[5], *records[6:]]
    found = only(room)
    assert (found.code, found.record) == ("certificate-foreign", 6)


def test_expired_certificate() -> None:
    room = played(BICYCLE)
    room.records[-1] = signed_by_an_old_key(room.signer, {**room.payloads[-1], "at": "2026-11-30T21:00:00.000Z"})
    found = only(room)
    assert (found.code, found.record) == ("certificate-expired", 9)


# -- what is listed, and no fault


@pytest.mark.parametrize("ruleset", RULESETS)
def test_voids_after_the_deal_are_listed_with_what_they_avoided(ruleset: str) -> None:
    room = played(ruleset) if ruleset != BACCARAT else Room(BACCARAT)
    room.play()
    settled = deepcopy(room.payloads[-1]["body"]["net"])
    dealt = room.payloads[-2]
    room.payloads.pop(), room.records.pop()
    room.state = dealt["table_after"]
    voided = room.void()
    if room.state["shoe"] is not None:
        room.close_shoe()
    report = audit(room)
    assert report.ok, report.findings
    (listed,) = report.document["listed"]["voids"]
    assert (listed["seq"], listed["round_id"]) == (voided["seq"], voided["round_id"])
    if ruleset in (PUSH_NINE, SHOWDOWN):
        assert listed["avoided"] is None and listed["banker"] is None
    else:  # that round was set by the house way, so it is what the void avoided
        assert listed["avoided"] == [item for item in settled if item["amount"]]
        assert listed["banker"] == dealt["body"]["opened"]["terms"]["request"]["banker"]["bettor"]


def test_rounds_of_an_open_shoe_are_pending() -> None:
    room = Room(BACCARAT)
    for _ in range(3):
        room.play()
    report = audit(room)
    assert report.ok, report.findings
    assert not report.complete
    (waits,) = report.document["unproved"]
    assert (waits["why"], waits["round_id"], waits["seq"]) == ("shoe-open", "shoe:t1-s1", 1)
    assert (waits["records"], report.document["held"]) == (len(room.records), 0)
    room.close_shoe()
    assert audit(room).complete and audit(room).document["held"] == len(room.records)


def test_shoes_closed_undealt_and_deals_without_a_client_seed_are_listed() -> None:
    room = Room(BACCARAT)
    room.open_shoe()
    closed = room.close_shoe()
    room.play()
    later = room.play(void=True)  # whose dice the service throws, and nobody but it
    room.close_shoe()
    report = audit(room)
    assert report.complete, report.findings
    listed = report.document["listed"]
    assert [one["seq"] for one in listed["shoes_undealt"]] == [closed["seq"]]
    assert [one["seq"] for one in listed["no_client_seed"]] == [later["seq"] - 1]
    assert [one["seq"] for one in listed["voids"]] == [later["seq"]]
    text = page(report.document)
    for title in ("Shoes closed undealt (1)", "Deals and draws without a client seed (1)"):
        assert title in text


def test_a_client_seed_for_the_dice_alone_is_none_for_the_shoe() -> None:
    room = Room(BACCARAT)
    room.make("shoe_opened", "shoe:t1-s0", {"table_id": "t1", "ruleset": BACCARAT, "client_seed": "none"})
    room.play()  # whose client seed throws the dice
    room.play(void=True)
    room.close_shoe()
    report = audit(room)
    assert report.complete, report.findings
    first, later = (payload for payload in room.payloads if payload["kind"] == "dealt")
    assert "client_seed" in first["request"]
    assert [one["seq"] for one in report.document["listed"]["no_client_seed"]] == [first["seq"], later["seq"]]


def test_an_export_that_says_it_is_old_hides_no_open_shoe() -> None:
    """The trailer's time is what its signer says; the table's own last record is later."""
    room = Room(BACCARAT)
    room.play()
    room.clock.time += timedelta(hours=30)
    room.play()
    (found,) = audit(room, later=-timedelta(hours=30)).findings
    assert (found.code, found.seq) == ("shoe-unclosed", 1)


@pytest.mark.parametrize("whole", [False, True])
def test_a_card_that_only_the_shoe_knows(whole: bool) -> None:
    """The third card is drawn in the settlement, so it is checked against the shoe."""
    room = Room(BACCARAT)
    while not any("drawn" in one for p in room.payloads if p["kind"] == "settled" for one in p["body"]["sets"]):
        room.play()
    settled = room.payloads[-1]["seq"]
    room.play()
    room.close_shoe()
    assert audit(room).ok

    def change(payload: Json) -> None:
        one = next(one for one in payload["body"]["sets"] if "drawn" in one)
        one["drawn"] = "Kd" if one["drawn"] != "Kd" else "Kc"
        if whole:
            one["cards"][-1] = one["drawn"]

    room.forge(settled, change)
    found = only(room)
    assert (found.code, found.seq) == ("card-wrong", settled)


def forgiven(payload: Json) -> None:
    """The hand that loses for its number of cards is told as if it had been pushed."""
    result = payload["body"]["results"][0]
    result.update(result="push", reason="equal", collected=0, returned=100)


@pytest.mark.parametrize(
    ("kind", "change", "code"),
    [
        ("settled", lambda p: p["body"]["sets"][0]["cards"].pop(), "card-wrong"),
        ("settled", lambda p: p["body"]["sets"][0].update(rule="california-baccarat §5"), "setting-wrong"),
        ("settled", forgiven, "payout-wrong"),
        ("settled", lambda p: p["body"]["results"][0].update(reason="misplayed"), "payout-wrong"),
        ("settled", lambda p: p["request"]["sets"].insert(0, {"seat": 2, "how": "house_way"}), "setting-wrong"),
        ("dealt", lambda p: p["request"]["hands"][0]["cards"].pop(), "card-wrong"),
        ("dealt", lambda p: p["request"]["hands"][1]["cards"].pop(), "request-refused"),
        ("dealt", lambda p: p["body"]["hands"][0]["cards"].pop(), "card-wrong"),
        ("opened", lambda p: p["request"]["banker"].update(seat=8), "request-refused"),
        ("settled", lambda p: p["table_after"]["banker"].update(seat=7), "table-after-wrong"),
    ],
)
def test_a_hand_of_a_wrong_number_of_cards_that_is_told_otherwise(
    kind: str, change: Callable[[Json], None], code: str
) -> None:
    room = Room(BACCARAT)
    settled = room.wrong_number("9s", "Kh", "Jk")
    assert settled["body"]["results"][0]["reason"] == "wrong_number_of_cards"
    assert audit(room).complete
    room.payloads = deepcopy(room.payloads)
    room.forge(where(room, kind), change)
    assert only(room).code == code
