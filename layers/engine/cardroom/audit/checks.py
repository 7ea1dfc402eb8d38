"""What is asked of a record beside its links: its place in its round, its rule set, its terms, its seed, its table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from cardroom.audit.finding import Finding, Place
from cardroom.audit.replayer import Live, Replayer, safely
from cardroom.canonical import same
from cardroom.rounds.kinds import KINDS
from cardroom.rounds.sets import deal_repeated, sets_repeated
from cardroom.rounds.steps import Kinds, repeated
from cardroom.shapes.parts import GameJson, LiveRound, TableState
from cardroom.shapes.records import Record
from cardroom.shuffle import commitment


@dataclass(slots=True, kw_only=True)
class Standing:
    """How a table stands, as its records so far tell it; what is found wrong is in `findings`.

    `previous` is the last record (None: it is not known), `instead` the table as it should have left it, where it said
    otherwise, `round` the live round, and `round_known` whether None there means that none is.
    """

    rulesets: Mapping[str, str] | None
    replay: Replayer | None
    findings: list[Finding] = field(default_factory=list)
    previous: Record | None = None
    instead: TableState | None = None
    round: Live | None = None
    round_known: bool = True

    @property
    def kinds(self) -> Kinds:
        """The kinds of records that there are."""
        return KINDS if self.replay is None else self.replay.kinds

    @property
    def live(self) -> LiveRound | None:
        """The live round, as a record says it."""
        return None if self.round is None else {"round_id": self.round.round_id, "state": self.round.state}

    @property
    def before(self) -> TableState | None:
        """The table as the last record left it, None where it is not known."""
        return None if self.previous is None else self.previous["table_after"]

    def round_of(self, payload: Record) -> Live | None:
        """The live round, if the record is one of it."""
        live = self.round
        return live if live is not None and live.round_id == payload["round_id"] else None


def order(table: Standing, payload: Record, place: Place) -> Finding | None:
    """What it follows in its round."""
    name, kind = payload["kind"], table.kinds.get(payload["kind"])
    if kind is None:
        details = {"field": "kind", "expected": [*table.kinds], "found": name}
        return place.finding(payload, "kind-unknown", f"{name!a} is no kind of record", **details)
    if (asked := payload["request"].get("table_id", payload["table_id"])) != payload["table_id"]:
        details = {"field": "request.table_id", "expected": payload["table_id"], "found": asked}
        return place.finding(payload, "table-differs", f"the request is of table {asked}", **details)
    named = payload["ruleset"]
    if named is not None and (asked := payload["request"].get("ruleset", named["id"])) != named["id"]:
        details = {"field": "request.ruleset", "expected": named["id"], "found": asked}
        return place.finding(payload, "ruleset-differs", f"the request names the rule set {asked}", **details)
    follows = [one for one in kind.follows if one is not None]
    begins = not (kind.of_round and follows) or is_tombstone(payload)
    expected = [None] if begins else follows
    live = table.round if begins and not kind.while_live else table.round_of(payload)
    found = live.state if live else None
    if found in expected or (table.round is None and not table.round_known):
        return None
    message = f"{name} cannot follow {found or 'nothing'}"
    wanted = [state or "none" for state in expected]
    return place.finding(payload, "round-order", message, field="kind", expected=wanted, found=found)


def ruleset(table: Standing, payload: Record, place: Place) -> Finding | None:
    """The rule set: known, as it was published, and the one that the round was opened on."""
    named = payload["ruleset"]
    if named is None:
        return None
    live = table.round_of(payload)
    terms = live.terms() if live is not None else None
    if live is not None and live.doubted and terms is not None:
        if same(terms["ruleset"], named):
            return None  # if that is wrong, it has been said
        terms = None
    expected = terms["ruleset"]["sha256"] if terms else named["sha256"]
    if table.rulesets is not None:
        if named["id"] not in table.rulesets:
            message = f"no rule set {named['id']} is known here"
            return place.finding(payload, "ruleset-unknown", message, field="ruleset.id", found=named["id"])
        expected = table.rulesets[named["id"]]
    if (terms and terms["ruleset"]["id"] != named["id"]) or named["sha256"] != expected:
        message = f"not the rule set {named['id']} as it was published, or not the one the round was opened on"
        details = {"field": "ruleset.sha256", "expected": expected, "found": named["sha256"]}
        return place.finding(payload, "ruleset-changed", message, **details)
    return None


def terms(table: Standing, payload: Record, place: Place) -> Finding | None:
    """That a deal, sets, or a void repeat the records before them in their round."""
    live = table.round_of(payload)
    if live is None or live.doubted:
        return None
    for name, expected in _repeated(live, payload):
        found = payload["body"].get(name)
        if not same(found, expected):
            message = f"the {payload['kind']} record repeats another {name} record than the one before it"
            details = {"field": f"body.{name}", "expected": expected, "found": found}
            return place.finding(payload, f"{name}-changed", message, **details)
    return None


def _repeated(live: Live, payload: Record) -> Iterator[tuple[str, GameJson]]:
    """What a record must repeat of those before it, as far as they are known, by its field."""
    last = live.latest
    if last is None:
        return
    if last.payload["kind"] == "opened":
        if payload["kind"] in ("dealt", "voided"):
            yield "opened", repeated(*last)
        return
    deal = deal_repeated(*last)
    match payload["kind"]:
        case "set":
            yield "opened", last.payload["body"]["opened"]
            yield "dealt", deal
        case "deal_corrected":
            yield "opened", last.payload["body"]["opened"]
        case "voided":
            yield "dealt", {name: value for name, value in deal.items() if name != "body"}
            if live.state == "set":
                yield "set", sets_repeated(*last)


def seed(table: Standing, payload: Record, place: Place) -> Finding | None:
    """That what is shuffled commits to a seed, and what is finished reveals the one that was committed to."""
    if payload["kind"] == "opened" and payload["request"].get("source") == "shuffle" and not payload["body"]:
        message = "the service shuffles, and has committed to no seed"
        return place.finding(payload, "commitment-missing", message, field="body.commitment")
    if (expected := _committed(table, payload)) is None:
        return None
    found = payload["body"].get("seed")
    if found is None and "seed" in payload["body"] and payload["kind"] in ("voided", "shoe_closed"):
        # Said beside whatever else is wrong with the record, since nothing else that it says hangs on the seed.
        message = "the seed is lost, so nobody can tell that the cards were those committed to"
        table.findings.append(place.finding(payload, "seed-lost", message, field="body.seed", expected=expected))
        return None
    if found is None:
        return place.finding(payload, "seed-missing", "the seed is not revealed", field="body.seed")
    if (given := commitment(bytes.fromhex(found))) == expected:
        return None
    message = "the revealed seed is not the one that was committed to"
    return place.finding(payload, "commitment-broken", message, field="body.seed", expected=expected, found=given)


def _committed(table: Standing, payload: Record) -> str | None:
    """The commitment whose seed the record must reveal, None if there is none or it is not known."""
    match payload["kind"]:
        case "settled" | "voided":
            live = table.round_of(payload)
            if live is None:
                return None
            doubted = live.doubted and live.state != "opened"
            on = live.repeated_terms() if doubted else live.terms()
            return _commitment(on["body"]) if on is not None else None
        case "shoe_closed":
            if table.previous is None:
                return None
            shoe: Any = table.previous["table_after"]["shoe"]  # where none is open, the record cannot be read
            return _commitment(shoe["terms"]["body"])
        case "drawn":
            return _commitment(payload["body"])
        case _:
            return None


def _commitment(body: GameJson) -> str | None:
    return body.get("commitment")


def live(table: Standing, payload: Record, place: Place) -> Finding | None:
    """That the table holds the live round that it must."""
    kind = table.kinds[payload["kind"]]
    expected: LiveRound | None = None
    if kind.of_round and not kind.ends:
        state = cast('Literal["opened", "dealt", "set"]', payload["kind"])  # the kinds that leave a round open
        expected = {"round_id": payload["round_id"], "state": state}
        if kind.stays:
            expected = table.live
    elif is_tombstone(payload) or (kind.while_live and not kind.of_round):
        if not table.round_known:
            return None
        expected = table.live
    if same(found := payload["table_after"]["live"], expected):
        return None
    table.instead = _left(table, payload)
    details = {"field": "table_after.live", "expected": expected, "found": found}
    return place.finding(payload, "table-after-wrong", "the table holds another live round", **details)


def _left(table: Standing, payload: Record) -> TableState | None:
    """The table as a false record should have left it, None where nobody can tell."""
    if table.replay is None:
        return None
    return safely(table.replay.check, table.before, table.round_of(payload), payload).table_after


def balance(payload: Record, place: Place) -> Finding | None:
    """That what moved adds up to what each account gained or lost, whoever judged the cards."""
    if "net" not in payload["body"]:
        return None
    net: dict[str, int] = {}
    for posting in payload["body"]["postings"]:
        net[posting["from"]] = net.get(posting["from"], 0) - posting["amount"]
        net[posting["to"]] = net.get(posting["to"], 0) + posting["amount"]
    stated = {item["account"]: item["amount"] for item in payload["body"]["net"]}
    if net == stated:
        return None
    expected = [{"account": account, "amount": amount} for account, amount in sorted(net.items())]
    message = "the net amounts are not what the postings add up to"
    return place.finding(
        payload, "net-wrong", message, field="body.net", expected=expected, found=payload["body"]["net"]
    )


def is_tombstone(payload: Record) -> bool:
    """Whether it voids a round that was never opened; a live one goes on."""
    return payload["kind"] == "voided" and payload["ruleset"] is None


Check = Callable[[Standing, Record, Place], Finding | None]

CHECKS: Final[tuple[Check, ...]] = (order, ruleset, terms, seed, live)
"""Cause before effect."""
