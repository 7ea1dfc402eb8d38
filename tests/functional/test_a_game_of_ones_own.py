"""A game in one folder with one rule set, given to the service as one more entry of its catalogue.

Whoever wants may take one more card at the settlement, from the same shuffled deck.
"""

from __future__ import annotations

import tomllib
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client

from cardroom.adapters import environment
from cardroom.audit.replay import Replay
from cardroom.audit.verify import Report, verify_export
from cardroom.cards import deck, format_cards
from cardroom.services.catalogue import GameEntry, published
from cardroom_desk.exports.write import exported
from cardroom_desk.local.api import LocalApi
from tests.audit.play import Json, Room
from tests.functional.caller import Answer, Caller
from tests.functional.conftest import token

RULESET = "one-card/tests"
FILE = Path(__file__).parents[1] / "games/one_card/one_card.toml"
KNOWN = published().with_more(
    games={"one-card": GameEntry("tests.games.one_card")},
    documents={RULESET: lambda: tomllib.loads(FILE.read_text("utf-8"))},
)
SEATS = (1, 2, 3)
HOUSE_SEAT = 5


def wager(seat: int) -> Json:
    return {
        "wager_id": f"w{seat}",
        "seat": seat,
        "bettor": f"b{seat}",
        "circle": 1,
        "kind": "bet",
        "amount": 100 * seat,
    }


def sets(*taking: int) -> list[Json]:
    return [{"seat": seat, "how": "take" if seat in taking else "stay"} for seat in SEATS]


@pytest.fixture
def player(api: LocalApi, data: Path) -> Caller:
    """An operator of a service that has the game, until `data` forgets."""
    environment.provide(catalogue=KNOWN)
    return Caller(Client(api), token("house-of-cards", "play", "read"))


def open_(player: Caller, round_id: str, **more: Any) -> Answer:
    return player.post(
        "/v1/rounds",
        {
            "round_id": round_id,
            "table_id": "t1",
            "ruleset": RULESET,
            "currency": "USD",
            "source": "shuffle",
            "seats": [{"seat": seat, "bettor": f"b{seat}"} for seat in reversed(SEATS)],
            **more,
        },
    )


def deal(player: Caller, round_id: str, **more: Any) -> Answer:
    return player.post(
        f"/v1/rounds/{round_id}/deal",
        {"wagers": [wager(seat) for seat in reversed(SEATS)], "client_seed": "ab" * 16, **more},
    )


def settle(player: Caller, round_id: str, chosen: list[Json], **more: Any) -> Answer:
    return player.post(f"/v1/rounds/{round_id}/settlement", {"sets": chosen, **more})


def verified(lines: list[bytes], roots: Any) -> Report:
    return verify_export(lines, roots, rulesets=KNOWN.hashes, replay=Replay(KNOWN), shapes=KNOWN.shapes)


def test_it_is_played_voided_exported_and_replayed(player: Caller) -> None:
    opened = open_(player, "r1")
    assert opened.status == 201, opened.text
    assert [seat["seat"] for seat in opened.payload["request"]["seats"]] == list(SEATS)
    dealt = deal(player, "r1", client_seed="5eed" * 8, cut=11, opened=opened.record)
    hands = {hand["seat"]: hand["cards"] for hand in dealt.payload["body"]["hands"]}
    assert sorted(hands) == [*SEATS, HOUSE_SEAT]
    settled = settle(player, "r1", sets(1, 3)[::-1], dealt=dealt.record)
    assert settled.payload["request"] == {"sets": sets(1, 3)}
    drawn = {one["seat"]: one["drawn"] for one in settled.payload["body"]["sets"] if "drawn" in one}
    seen = [card for cards in hands.values() for card in cards] + list(drawn.values())
    assert sorted(drawn) == [1, 3] and len(set(seen)) == 2 * 4 + 2
    assert sum(item["amount"] for item in settled.payload["body"]["net"]) == 0
    again = settle(player, "r1", sets(1, 3))
    assert again.replayed and again.record == settled.record

    open_(player, "r2")
    assert deal(player, "r2").status == 200
    voided = player.void("r2", reason="other")
    assert voided.payload["body"]["returned"] == [{"wager_id": f"w{seat}", "amount": 100 * seat} for seat in SEATS]

    played = player.open(round_id="r3")  # the published games are there as ever
    assert played.status == 201, played.text

    lines = [line.encode() for line in exported(environment.ledger(), "house-of-cards", table_id="t1", round_id=None)]
    report = verified(lines, environment.signer().roots())
    assert report.ok, report.findings
    assert report.document["rounds"] == 3 and report.document["verdict"] == "incomplete"  # r3 is in play
    assert [(one["why"], one["round_id"]) for one in report.document["unproved"]] == [("round-live", "r3")]
    stranger = verify_export(
        lines,
        environment.signer().roots(),
        rulesets=published().hashes,
        replay=Replay(published()),
        shapes=published().shapes,
    )
    assert not stranger.ok  # whoever has not the game cannot replay it, and is told so


@pytest.mark.parametrize(
    ("chosen", "code", "field"),
    [
        ([{"seat": 1, "how": "front", "front": ["As", "Kd"]}], "choice-astray", "sets[1]"),
        ([{"seat": HOUSE_SEAT, "how": "take"}], "choice-astray", f"sets[{HOUSE_SEAT}]"),
        ([{"seat": 1, "how": "take"}, {"seat": 1, "how": "stay"}], "choice-astray", "sets[1]"),
        ([{"seat": 1, "how": "take", "card": "As"}], "request-invalid", "sets[0].card"),
        ([{"seat": 1, "how": "double"}], "request-invalid", "sets[0]"),
    ],
)
def test_its_refusals(player: Caller, chosen: list[Json], code: str, field: str) -> None:
    open_(player, "r1")
    deal(player, "r1")
    answer = settle(player, "r1", chosen)
    assert answer.refusal() == (422, code), answer.text
    assert answer.fields() == [field]
    assert settle(player, "r1", sets(2)).status == 200


def test_its_sets_are_no_other_games(player: Caller) -> None:
    player.open(shown="all")
    player.deal()
    answer = player.settle(sets=[{"seat": seat, "how": "take"} for seat in (1, 2, 3)])
    assert answer.refusal() == (422, "set-not-offered")


def test_the_description_tells_its_sets(player: Caller) -> None:
    told = player.get("/v1/openapi.json").json["components"]["schemas"]
    assert told["TakeOrStay"]["properties"]["how"]["enum"] == ["take", "stay"]
    kinds = told["SettleRequest"]["properties"]["sets"]["items"]["discriminator"]["mapping"]
    assert kinds["take"] == kinds["stay"] == "#/components/schemas/TakeOrStay"
    assert {"front", "house_way", "box", "arranged"} < kinds.keys()


def test_a_service_without_the_game_takes_nothing_of_it(caller: Caller) -> None:
    answer = open_(caller, "r1")
    assert answer.refusal() == (404, "ruleset-unknown")
    caller.open()
    caller.deal()
    refused = caller.settle(sets=[{"seat": 1, "how": "take"}])
    assert refused.refusal() == (422, "request-invalid")


# The audit, against a forger who has the genuine keys


def played() -> Room:
    room = Room(RULESET, known=KNOWN)
    for taking in ((1, 2), (), (3,)):
        room.open(SEATS)
        room.deal(wagers=[wager(seat) for seat in SEATS], cut=7)
        room.settle(sets=sets(*taking))
    return room


def found_in(room: Room) -> list[tuple[str, int | None, str | None]]:
    report = verified(room.export(later=timedelta(minutes=1)), room.root.jwks())
    return [(found.code, found.record, found.field) for found in report.findings]


def test_genuine_records_of_it_pass() -> None:
    assert found_in(played()) == []


def never_seen(body: Json) -> str:
    seen = {card for one in body["sets"] for card in one["cards"]}
    return next(card for card in format_cards(deck(0)) if card not in seen)


@pytest.mark.parametrize("whole", [False, True])
def test_a_forged_drawn_card(whole: bool) -> None:
    room = played()

    def change(payload: Json) -> None:
        one = payload["body"]["sets"][0]
        one["drawn"] = never_seen(payload["body"])
        if whole:
            one["cards"][-1] = one["drawn"]

    room.forge(3, change)
    assert found_in(room) == [("card-wrong", 3, "body.sets[1].cards[2]" if whole else "body.sets[1].drawn")]


def test_drawn_cards_in_another_order() -> None:
    """Both are the deck's, but each is the other hand's."""
    room = played()

    def change(payload: Json) -> None:
        one, other = payload["body"]["sets"][:2]
        one["drawn"], other["drawn"] = other["drawn"], one["drawn"]
        one["cards"][-1], other["cards"][-1] = one["drawn"], other["drawn"]

    room.forge(3, change)
    assert found_in(room) == [("card-wrong", 3, "body.sets[1].cards[2]")]


def test_a_card_that_nobody_asked_for() -> None:
    room = played()
    payloads = deepcopy(room.payloads)
    payloads[2]["request"]["sets"][0]["how"] = "stay"
    room.resign(payloads)
    ((code, seq, _),) = found_in(room)
    assert (code, seq) == ("card-wrong", 3)


def test_a_member_that_its_shapes_do_not_know() -> None:
    room = played()
    room.forge(3, lambda payload: payload["body"]["sets"][0].update(front=["As"]))
    assert found_in(room) == [("malformed", 3, "body.sets[0].front")]
