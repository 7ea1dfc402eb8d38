"""What holds for every published rule set, whoever plays: one suite over all of them, by players at random."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cardroom import canonical
from cardroom.adapters.sqlite import SqliteLedger
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.audit.replay import Replay
from cardroom.audit.verify import verify_export
from cardroom.documents import RulesetInvalid
from cardroom.game import Ruleset
from cardroom.refusals import Refusal
from cardroom.rounds.corrections import basis_of
from cardroom.rounds.record import record_sha256
from cardroom.rounds.steps import Last
from cardroom.services import play
from cardroom.services.catalogue import published
from cardroom.services.correcting import correct_deal, correct_settlement
from cardroom.services.ports import Ports
from cardroom.services.recorded import Answer
from cardroom.wire.problems import problem_of
from cardroom.wire.requests import RequestModel, requests_of
from cardroom_desk.players import Call, Habits, Move, last_moves, next_move
from tests.services import OPERATOR, ports_on

Json = dict[str, Any]

ROUNDS = 12
HABITS = Habits(void=0.05, mishap=0.1, physical=0.35, misread=0.3)
RULESETS = pytest.mark.parametrize("ruleset_id", published().ruleset_ids())
REQUESTS = requests_of(published())
PARSERS: dict[Call, RequestModel] = {
    Call.OPEN: REQUESTS.open,
    Call.DEAL: REQUESTS.deal,
    Call.SETS: REQUESTS.sets,
    Call.CORRECT_DEAL: REQUESTS.correct_deal,
    Call.CORRECT: REQUESTS.correct,
    Call.SETTLE: REQUESTS.settle,
    Call.VOID: REQUESTS.void,
    Call.DRAW: REQUESTS.draw,
    Call.OPEN_SHOE: REQUESTS.open_shoe,
    Call.CLOSE_SHOE: REQUESTS.close_shoe,
}
NAMED = {Call.OPEN: "round_id", Call.OPEN_SHOE: "shoe_id", Call.DRAW: "draw_id"}


def body_of(move: Move) -> Json:
    """The body of a move's call, as it goes over the wire."""
    body = dict(move.request)
    if move.call in NAMED:
        body[NAMED[move.call]] = move.name
    if move.call is Call.DRAW:
        del body["table_id"]
    return body


def send(ports: Ports, move: Move, body: Json, handed: Answer | None = None) -> Answer:
    """Parse a body and carry its call out, as the functions do."""
    request = PARSERS[move.call].parse(body).request
    back = {} if handed is None else {handed.payload["kind"]: handed.record}
    match move.call:
        case Call.OPEN:
            return play.open_round(ports, request, operator=OPERATOR, round_id=move.name)
        case Call.DEAL:
            return play.deal_round(ports, request, operator=OPERATOR, round_id=move.name, **back)
        case Call.SETS:
            return play.lock_sets(ports, request, operator=OPERATOR, round_id=move.name, **back)
        case Call.SETTLE:
            back = {"locked" if kind == "set" else kind: record for kind, record in back.items()}
            return play.settle_round(ports, request, operator=OPERATOR, round_id=move.name, **back)
        case Call.CORRECT_DEAL:
            return correct_deal(ports, request, operator=OPERATOR, round_id=move.name)
        case Call.CORRECT:
            return correct_settlement(ports, request, operator=OPERATOR, round_id=move.name)
        case Call.VOID:
            return play.void_round(ports, request, operator=OPERATOR, round_id=move.name)
        case Call.DRAW:
            request |= {"table_id": move.request["table_id"]}
            return play.hold_draw(ports, request, operator=OPERATOR, draw_id=move.name)
        case Call.OPEN_SHOE:
            return play.open_shoe(ports, request, operator=OPERATOR, shoe_id=move.name)
        case Call.CLOSE_SHOE:
            return play.close_shoe(ports, request, operator=OPERATOR, shoe_id=move.name)


@dataclass
class Evening:
    """One table's evening: what was asked in which order, and the records."""

    ports: Ports
    moves: list[Move] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    @property
    def payloads(self) -> list[Json]:
        return [answer.payload for answer in self.answers]

    def of(self, kind: str) -> list[Json]:
        return [payload for payload in self.payloads if payload["kind"] == kind]

    def basis(self, ruleset: Ruleset) -> Json | None:
        """What a correction of the last record would be made from."""
        if not self.answers or self.answers[-1].payload["kind"] not in ("settled", "corrected"):
            return None
        last = [Last(answer.payload, record_sha256(answer.record)) for answer in self.answers[-2:]]
        return None if ruleset.game.staging is None else basis_of(ruleset, last)

    def export(self) -> list[bytes]:
        records = [answer.record for answer in self.answers]
        lines = export_lines(
            records,
            signer=self.ports.signer,  # type: ignore[arg-type]
            clock=self.ports.clock,
            header=ExportHeader(operator=OPERATOR, table_id="t1"),
        )
        return [line.encode() for line in lines]


@pytest.fixture(scope="module")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Each rule set's evening, played when it is first asked for."""

    with ExitStack() as opened:

        @cache
        def evening(ruleset_id: str) -> Evening:
            folder = tmp_path_factory.mktemp("house")
            ledger = opened.enter_context(closing(SqliteLedger(folder / "ledger.sqlite")))
            return played(ruleset_id, ports_on(ledger, folder))

        yield evening


def played(ruleset_id: str, ports: Ports) -> Evening:
    """Rounds through the services, every request mixed up and sent twice."""
    ruleset, random = published().ruleset(ruleset_id), Random(f"conformance/{ruleset_id}")
    evening = Evening(ports)
    finished = 0
    last: Json | None = None
    while finished < ROUNDS:
        basis = evening.basis(ruleset)
        move = next_move(random, ruleset, table_id="t1", last=last, habits=HABITS, basis=basis)
        if move.call in (Call.CORRECT_DEAL, Call.CORRECT):
            move = move._replace(request={**move.request, "corrects": record_sha256(evening.answers[-1].record)})
        last = sent_twice(evening, move, random)
        finished += last["kind"] in ("settled", "voided")
    for move in last_moves(table_id="t1", last=last):
        sent_twice(evening, move, random)
    return evening


def sent_twice(evening: Evening, move: Move, random: Random) -> Json:
    takes = {Call.DEAL: ["opened"], Call.SETS: ["dealt"], Call.SETTLE: ["dealt", "set"]}.get(move.call, [])
    last = evening.answers[-1] if evening.answers else None
    handed = last if last is not None and last.payload["kind"] in takes and random.random() < 0.5 else None
    answer = send(evening.ports, move, mixed(body_of(move), random), handed)
    again = send(evening.ports, move, mixed(body_of(move), random), handed)
    assert not answer.replayed and again.replayed
    assert again.record == answer.record
    evening.moves.append(move)
    evening.answers.append(answer)
    return answer.payload


ORDERED = ("betting", "dead_order", "dice", "folded", "lines", "offers")


def mixed(value: Any, random: Random, name: str = "") -> Any:
    """The same JSON with its lists in another order, but for those whose order says something."""
    if isinstance(value, dict):
        return {key: mixed(item, random, key) for key, item in value.items()}
    if isinstance(value, list):
        items = [mixed(item, random) for item in value]
        bands = bool(items) and isinstance(items[0], dict) and "low" in items[0] and "fee" in items[0]
        hand = name == "cards"  # as it lies before the player
        return items if name in ORDERED or bands or hand else random.sample(items, len(items))
    return value


def totals(payload: Json) -> Counter[str]:
    net: Counter[str] = Counter()
    for posting in payload["body"].get("postings", ()):
        assert posting["amount"] > 0
        net[posting["from"]] -= posting["amount"]
        net[posting["to"]] += posting["amount"]
    return net


@RULESETS
def test_an_evening_is_played_to_its_end(ruleset_id: str, evenings: Any) -> None:
    """Retries give the same bytes and the order of lists changes nothing: `sent_twice` has asserted it."""
    evening = evenings(ruleset_id)
    kinds = Counter(payload["kind"] for payload in evening.payloads)
    assert kinds["settled"] >= ROUNDS // 2 and kinds["dealt"] >= kinds["settled"]
    assert evening.payloads[-1]["table_after"]["live"] is None
    assert evening.payloads[-1]["table_after"]["shoe"] is None
    assert {payload["ruleset"]["id"] for payload in evening.payloads if payload["ruleset"]} == {ruleset_id}


@RULESETS
def test_money_is_conserved(ruleset_id: str, evenings: Any) -> None:
    """In every record; and over the evening no pot is left with less than nothing, nor with what nobody carries."""
    evening = evenings(ruleset_id)
    evening_net: Counter[str] = Counter()
    for payload in evening.payloads:
        net = totals(payload)
        assert sum(net.values()) == 0
        evening_net.update(net)
        if payload["kind"] == "settled":
            said = {item["account"]: item["amount"] for item in payload["body"]["net"]}
            assert said == {account: net[account] for account in said}
            assert not any(net[account] for account in net.keys() - said.keys())
    carried: Counter[str] = Counter()
    for part in (evening.payloads[-1]["table_after"]["pot"] or {"pots": []})["pots"]:
        carried[part["account"]] += part["amount"]
    pots = {account: amount for account, amount in evening_net.items() if account.startswith("pot:")}
    assert {account: amount for account, amount in pots.items() if amount} == dict(carried)


@RULESETS
def test_every_result_makes_up_its_stake_and_says_why(ruleset_id: str, evenings: Any) -> None:
    for payload in evenings(ruleset_id).of("settled"):
        for result in payload["body"]["results"]:
            assert result["collected"] + result["returned"] == result["amount"]
            assert min(result["paid"], result["collected"], result["returned"]) >= 0
            assert (result["reason"] and "§" in result["rule"]) or result["rule"].startswith("house-ways")
        for pot in payload["body"].get("pots", ()):
            if pot.get("result") != "pushed":
                assert sum(share["amount"] for share in pot["shares"]) == pot["amount"]


@RULESETS
def test_the_bankers_wager_is_respected(ruleset_id: str, evenings: Any) -> None:
    """What a banking player pays and collects never goes beyond what his wager covers."""
    evening, document = evenings(ruleset_id), published().ruleset(ruleset_id).document
    by_house = {kind for kind, bet in document.get("side_bets", {}).items() if bet.get("bonus_contest") == "table"}
    for payload in evening.of("settled"):
        banker = payload["body"].get("banker")
        if banker is None or banker.get("wager") is None:
            continue
        mine = [result for result in payload["body"]["results"] if result["kind"] not in by_house]
        paid, collected = sum(r["paid"] for r in mine), sum(r["collected"] for r in mine)
        wager = banker["wager"]
        match document["coverage"]:
            case "action":
                assert banker["used"] == paid + collected <= wager
            case "net":
                assert banker["used"] == abs(collected - paid) <= wager
            case "one_sided":
                assert banker["used"] == max(paid, collected) <= wager
            case "full":
                assert sum(r["amount"] for r in mine) <= wager
                assert not any(r["result"] == "no_action" for r in mine)


@RULESETS
def test_the_records_replay_without_a_finding(ruleset_id: str, evenings: Any) -> None:
    evening = evenings(ruleset_id)
    report = verify_export(
        evening.export(),
        evening.ports.signer.roots(),
        audience="test",
        rulesets={ruleset_id: published().ruleset(ruleset_id).sha256},
        replay=Replay(published()),
        shapes=published().shapes,
    )
    assert [(finding.code, finding.message) for finding in report.findings] == []
    assert report.ok and report.records == len(evening.answers)


@RULESETS
def test_no_card_is_dealt_twice(ruleset_id: str, evenings: Any) -> None:
    ruleset = published().ruleset(ruleset_id)
    for payload in evenings(ruleset_id).of("dealt"):
        opening = payload["body"]["opened"]["terms"]["request"]
        cards = [card for hand in payload["body"]["hands"] for card in hand["cards"]]
        deck = ruleset.game.deck(ruleset.rules, opening)
        often = Counter(deck).most_common(1)[0][1]
        assert max(Counter(cards).values()) <= often and len(cards) <= len(deck)


# Refusals


@RULESETS
def test_an_unknown_field_of_a_rule_set_is_refused(ruleset_id: str) -> None:
    document = published().ruleset(ruleset_id).document
    with pytest.raises(RulesetInvalid, match="colour is unknown") as told:
        published().ruleset_from({**document, "colour": "green"}, ruleset_id=ruleset_id)
    assert problem_of(told.value)["code"] == "ruleset-invalid"
    for name in document:
        left = {key: value for key, value in document.items() if key != name}
        with pytest.raises(Refusal, match=name if name != "game" else "a rule set for game None") as told:
            published().ruleset_from(left, ruleset_id=ruleset_id)
        assert problem_of(told.value)["code"] in ("ruleset-invalid", "game-unknown", "bonus-table-invalid")


@RULESETS
def test_the_hash_covers_every_field(ruleset_id: str) -> None:
    ruleset = published().ruleset(ruleset_id)
    assert ruleset.sha256 == canonical.sha256_hex(canonical.dumps(ruleset.document))
    assert ruleset.document["id"] == ruleset_id
    assert canonical.loads_canonical(canonical.dumps(ruleset.document)) == ruleset.document


def refused(ports: Ports, move: Move, body: Json) -> str:
    """The slug of the refusal that a call meets."""
    with pytest.raises(Refusal) as told:
        send(ports, move, body)
    problem = problem_of(told.value)
    assert problem["status"] in range(400, 500) and problem["detail"]
    assert problem["code"] != "body-invalid"
    return str(problem["code"])


def broken(move: Move) -> Iterator[tuple[str, Json]]:
    """Bodies that no rule set takes, and what they are refused for (empty: any slug)."""
    body = body_of(move)
    yield "request-invalid", {**body, "colour": "green"}
    for name, value in body.items():
        if name in ("seats", "wagers") and value:
            yield "", {**body, name: [*value, value[0]]}
            elsewhere = {**value[0], "seat": 99} if isinstance(value[0], dict) else 99
            yield "", {**body, name: [*value, elsewhere]}
        if name == "sets" and value:
            optional = move.call is Call.SETTLE and len(value) == 1  # a banker's box
            yield "" if optional else "seat-not-set", {**body, name: [] if not optional else [*value, value[0]]}
            yield "seat-set-twice", {**body, name: [*value, value[0]]}
            yield "seat-without-wager", {**body, name: [*value, {"seat": 99, "how": "house_way"}]}
        if isinstance(value, int):
            yield "request-invalid", {**body, name: -value}


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Ports]:
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger:
        yield ports_on(ledger, tmp_path)


@RULESETS
def test_what_no_rules_allow_is_refused_by_name_and_changes_nothing(ruleset_id: str, ports: Ports) -> None:
    ruleset, random = published().ruleset(ruleset_id), Random(f"refusals/{ruleset_id}")
    last: Json | None = None
    habits = Habits(sit=1, wager=1, void=0, physical=0)
    seen: Counter[str] = Counter()
    while last is None or last["kind"] != "settled":
        move = next_move(random, ruleset, table_id="t1", last=last, habits=habits)
        before = ports.ledger.head(OPERATOR, "t1")
        for expected, body in broken(move):
            slug = refused(ports, move, json.loads(json.dumps(body)))
            assert slug == expected or not expected, (slug, expected, body)
            seen[slug] += 1
        assert ports.ledger.head(OPERATOR, "t1") == before
        last = send(ports, move, body_of(move)).payload
    assert seen.keys() >= {"request-invalid", "seat-duplicate"}
