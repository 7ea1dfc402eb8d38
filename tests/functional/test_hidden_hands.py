"""Of two rounds that differ in hidden hands alone, every answer is alike until the players' hands are locked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest
from werkzeug.test import Client

from cardroom.adapters import environment
from cardroom.cards import format_cards
from cardroom.game import Ruleset
from cardroom.services.catalogue import published
from cardroom.services.read_records import list_records, read_round
from cardroom.shuffle import Cut, Luck
from cardroom_desk.local.api import LocalApi
from tests.functional.caller import Answer, Caller
from tests.functional.conftest import token

Json = dict[str, Any]

BANKED: Final = [one for one in published().ruleset_ids() if published().ruleset(one).game.staging is not None]
HOUSE_BANKS: Final = [one for one in BANKED if published().ruleset(one).document.get("house_bank", False)]
SEATS: Final = (1, 2, 3, 4)
BANKER: Final = 2  # unless the house banks
PROBES: Final = 25
ALLOWED: Final = {"salt", "commitment", "at", "prev", "sha256", "record", "records"}


@pytest.fixture(params=[*((one, BANKER) for one in BANKED), *((one, None) for one in HOUSE_BANKS)], ids=str)
def game(request: pytest.FixtureRequest) -> Game:
    ruleset_id, banker = request.param
    ruleset = published().ruleset(ruleset_id)
    house_seat: int = ruleset.document.get("house_seat", 0)
    return Game(ruleset, banker or house_seat, house_banks=banker is None)


class Game(NamedTuple):
    """A rule set, and the seat of who banks."""

    ruleset: Ruleset
    banker: int
    house_banks: bool

    @property
    def players(self) -> list[int]:
        """The seats that wager."""
        return [seat for seat in SEATS if seat != self.banker]


class House:
    """A service in a folder of its own, whose every shuffle gives the cards in an order of the test's."""

    def __init__(self, api: LocalApi, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder.mkdir()
        environment.forget()
        monkeypatch.setenv("CARDROOM_DATA", str(folder))
        self.player, self.reader, self.other = (
            Caller(Client(api), token(name, *scopes))
            for name, scopes in (("house", ("play", "read")), ("reader", ("read",)), ("other", ("play", "read")))
        )


def opening(game: Game, **more: Any) -> Json:
    ruleset, document = game.ruleset, game.ruleset.document
    body: Json = {
        "round_id": "r1",
        "table_id": "t1",
        "ruleset": ruleset.id,
        "currency": "USD",
        "seats": [{"seat": seat, "bettor": f"b{seat}"} for seat in SEATS],
        "banker": "house" if game.house_banks else {"seat": game.banker, "bettor": f"b{game.banker}"},
        "source": "shuffle",
    }
    if document["rotation"]["first_banker"] == "draw":
        body["drawn_by_hand"] = True
    if ruleset.game.uses_shoe:
        body["shoe_id"] = "s1"
    return body | more


def dealing(game: Game) -> Json:
    ruleset = game.ruleset
    kinds = ("high_one", "high_two", "low") if ruleset.document["game"] == "hi-hi-lo" else ("main",)
    wagers = [
        {
            "wager_id": f"{kind}-{seat}", "seat": seat, "bettor": f"b{seat}", "circle": 1, "kind": kind,
            "amount": 5_000, "placed": seat,
        }
        for seat in game.players
        for kind in kinds
    ]  # fmt: skip
    body: Json = {"wagers": wagers, "client_seed": "ab" * 16}
    if not game.house_banks:
        body["banker_wager"] = 3_000_000
    if "dice" in ruleset.document.get("action_draw", ["dice"]) and ruleset.document["game"] != "hi-hi-lo":
        body["dice"] = [1, 2, 3]
    elif "action_draw" in ruleset.document:
        body["number"] = 1
    if ruleset.rules.cut is not Cut.NONE:
        body["cut"] = 20
    return body


def orders(ruleset: Ruleset, shown: set[str]) -> tuple[list[Any], list[Any]]:
    """Two orders of the deck in which the shown cards lie at the same places, and no other card does."""
    deck = [
        *dict.fromkeys(ruleset.game.deck(ruleset.rules, {}))
    ]  # of a shoe each card once, so that none is like another
    names = dict(zip(format_cards(deck), deck, strict=True))
    one = [*deck]
    Random(1).shuffle(one)
    places = [place for place, card in enumerate(one) if card not in {names[name] for name in shown}]
    other = [*one]
    for place, source in zip(places, places[1:] + places[:1], strict=True):
        other[place] = one[source]
    return one, other


def scrubbed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: "…" if name in ALLOWED else scrubbed(item) for name, item in value.items()}
    if isinstance(value, list):
        return [scrubbed(item) for item in value]
    return re.sub(r"[0-9a-f]{64}", "…", value) if isinstance(value, str) else value


def told(answer: Answer) -> tuple[int, Any]:
    return answer.status, scrubbed(answer.json)


def probes(game: Game, every: Sequence[str]) -> Iterator[tuple[str, str, Json | None]]:
    """Calls that must not go through: they ask for the hidden hands in every way that there is."""
    ruleset, random = game.ruleset, Random(f"probes/{game.ruleset.id}")
    players = [{"seat": seat, "how": "house_way"} for seat in game.players]
    round_ = "/v1/rounds/r1"

    def cards(count: int) -> list[str]:
        return sorted(random.sample(every, count))

    by_hand: dict[str, Callable[[], Json]] = {
        "pai-gow-poker": lambda: {"how": "front", "front": cards(2)},
        "hi-hi-lo": lambda: {"how": "arranged", "one": cards(1), "two": cards(2), "low": cards(3)},
        "california-baccarat": lambda: {"how": "box", "box": random.choice(["hit", "stand"])},
    }
    own = by_hand[ruleset.document["game"]]
    for _ in range(PROBES):
        banker = {"seat": game.banker, **own()}
        yield "POST", f"{round_}/settlement", {"sets": sorted([*players, banker], key=lambda one: one["seat"])}
        yield "POST", f"{round_}/settlement", {"sets": [banker]}
        yield "POST", f"{round_}/sets", {"sets": sorted([*players, banker], key=lambda one: one["seat"])}
        idle = {"seat": random.choice([5, 6, 7]), **own()}
        yield "POST", f"{round_}/settlement", {"sets": [*players, idle]}
        yield "POST", f"{round_}/sets", {"sets": [*players, idle]}
        yield "POST", f"{round_}/settlement", {"sets": players[:-1]}
        player = {"seat": players[0]["seat"], **own()}
        yield "POST", f"{round_}/settlement", {"sets": [player, *players[1:], banker]}
        house = {"seat": game.banker, "how": "house_way"}
        dragon = {"wager_id": "d", "seat": random.randint(1, 7), "bettor": "nobody", "amount": random.randint(1, 9_000)}
        yield "POST", f"{round_}/settlement", {"sets": [*players, house], "dragon": dragon}
        yield "POST", f"{round_}/sets", {"sets": players, "dragon": {**dragon, "amount": 10_000_000}}
        misplay = {"seat": game.banker, "how": random.choice(["by_player", "changed_box", "wrong_number"])}
        yield "POST", f"{round_}/settlement", {"sets": [*players, house], "misplayed": [misplay]}
        told_hand = {"seat": game.banker, "cards": cards(7)}
        yield "POST", f"{round_}/sets", {"sets": players, "hands": [told_hand]}
        yield "POST", f"{round_}/settlement", {"sets": [*players, house], "hands": [told_hand]}
    yield "POST", f"{round_}/void", {"table_id": "t1", "reason": "they_would_win"}
    yield "POST", f"{round_}/deal", dealing(game) | {"wagers": []}
    yield "GET", round_, None
    yield "GET", "/v1/tables/t1/records", None


def played(house: House, game: Game, every: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """What a round answers until its hands are locked, and all probes in between."""
    player, ruleset = house.player, game.ruleset
    if ruleset.game.uses_shoe:
        yield told(player.post("/v1/shoes", {"shoe_id": "s1", "table_id": "t1", "ruleset": ruleset.id}))
    yield told(player.post("/v1/rounds", opening(game)))
    dealt = player.post("/v1/rounds/r1/deal", dealing(game))
    assert dealt.status == 200, dealt.text
    yield told(dealt)
    for method, path, body in probes(game, every):
        for caller in (player, house.reader, house.other):
            answer = caller.get(path) if method == "GET" else caller.post(path, body)
            assert method == "GET" or answer.status >= 400, (path, body, answer.text)
            yield told(answer)


def test_every_answer_before_the_hands_are_locked_is_alike(
    game: Game,
    api: LocalApi,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    one, _ = orders(game.ruleset, set())
    every = format_cards(one)

    def in_order(order: Sequence[Any], name: str) -> tuple[House, list[tuple[int, Any]]]:
        monkeypatch.setattr(Luck, "shuffle", lambda self, deck, cut: (*order, *order, *order))
        house = House(api, tmp_path / name, monkeypatch)
        return house, list(played(house, game, every))

    _, answers = in_order(one, "first")
    (dealt,) = (payload for _, said in answers[:3] if (payload := said.get("payload", {})).get("kind") == "dealt")
    hands = dealt["body"]["hands"]
    assert [hand["seat"] for hand in hands] == game.players
    shown = {card for hand in hands for card in hand["cards"]}
    first, second = orders(game.ruleset, shown)
    assert first == one
    house, others = in_order(second, "second")
    assert len(answers) == len(others) > PROBES
    for mine, theirs in zip(answers, others, strict=True):
        assert mine == theirs
    # And the two rounds did differ: what is locked now shows other hands.
    sets = [{"seat": seat, "how": "house_way"} for seat in game.players]
    locked = house.player.post("/v1/rounds/r1/sets", {"sets": sets}).payload
    hidden = {hand["seat"]: hand["cards"] for hand in locked["body"]["hands"]}
    assert game.banker in hidden and not shown.intersection(*hidden.values())
    logged = "".join(capfd.readouterr())
    assert not [card for card in hidden[game.banker] if card in logged]
    assert json.dumps(hidden[game.banker]) not in json.dumps(others)


def test_a_reader_sees_no_record_of_a_live_round_from_the_deal_on(caller: Caller) -> None:
    """The same operator's token without `play`: nothing of the deal, the sets or a correction until the end."""
    caller.open()
    caller.deal()
    caller.post("/v1/rounds/r1/sets", {"sets": [{"seat": seat, "how": "house_way"} for seat in (2, 3)]})
    operator = caller.token.partition(".")[0]
    ports = environment.ports()
    seen = read_round(ports, operator=operator, round_id="r1", may_play=False)
    assert [one["payload"]["kind"] for one in seen["records"]] == ["opened"] and seen["state"] == "set"
    page = list_records(ports, operator=operator, table_id="t1", after=0, limit=10, may_play=False)
    assert len(page["records"]) == 1 and page["next"] is None
    caller.settle(sets=[{"seat": 1, "how": "house_way"}])
    seen = read_round(ports, operator=operator, round_id="r1", may_play=False)
    assert [one["payload"]["kind"] for one in seen["records"]] == ["opened", "dealt", "set", "settled"]
