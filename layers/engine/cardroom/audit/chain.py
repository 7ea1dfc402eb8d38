"""One table's chain, record by record: numbers and links, the order of each round's states, what replay gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, Literal, cast

from cardroom.audit.finding import Finding, Place, Suspicion
from cardroom.audit.gaps import Gaps
from cardroom.audit.open_shoe import OpenShoe
from cardroom.audit.replayer import Live, Replayer, finding_of, safely
from cardroom.rounds.kinds import KINDS
from cardroom.rounds.shoes import shoe_id_of
from cardroom.rounds.steps import repeated
from cardroom.shapes.audits import ClockBack, PendingShoe, RecordNamed, VoidListed
from cardroom.shapes.parts import GameJson, LiveRound, TableState
from cardroom.shapes.records import Record
from cardroom.shuffle import commitment
from cardroom.signing.certificate import parse_time


class Table:
    """Follows the records of one table. Memory grows only by the identity of each finished round (about 100 bytes).

    `gaps` allows numbers to be passed over. What is found is in `findings`; `voids` are the rounds that were voided
    after their deal, `clock_back` the records whose clock was behind that of the record before.
    """

    def __init__(self, *, gaps: bool, rulesets: Mapping[str, str] | None, replay: Replayer | None) -> None:
        self.records = 0
        self.first = self.seq = 0  # the numbers of the first and the last record so far
        self.position = 0
        self.sha256: str | None = None
        self.findings: list[Finding] = []
        self.voids: list[VoidListed] = []
        self.clock_back: list[ClockBack] = []
        self._rulesets = rulesets
        self._replay = replay
        self._kinds = KINDS if replay is None else replay.kinds
        self._gaps = Gaps(allowed=gaps)
        self._previous: Record | None = None  # None where it is not known
        self._instead: TableState | None = None  # as the last record should have left it, where it said otherwise
        self.round: Live | None = None
        self._round_known = True  # whether None above means that none is live
        self._shoe: OpenShoe | None = None
        self._finished: set[int] = set()
        self._at = ""

    @property
    def live(self) -> LiveRound | None:
        """The live round, as a record says it."""
        return None if self.round is None else {"round_id": self.round.round_id, "state": self.round.state}

    def follow(self, payload: Record, sha256: str, place: Place) -> bool:
        """Take the next verified record of the table. Whether there is nothing wrong with it so far."""
        seq = payload["seq"]
        if self.records and seq <= self.seq:
            self._note(self._late(payload, sha256, place))
            return False
        finding, linked = self._link(payload, place)
        if not linked:
            self._previous = self._instead = self._shoe = None
            if self.round is None or not self._gaps.allowed:
                self.round, self._round_known = None, False
        instead, self._instead = self._instead, None
        if finding is None:
            finding = self._checked(payload, place, instead)
        self._note(finding)
        self._look_at_the_clock(payload)
        self._step(payload, sha256, place, wrong=finding is not None)
        self.records += 1
        self.seq, self.sha256 = seq, sha256
        self.position = place.position
        # A false table is no ground to judge the next record by, unless it is known what it should have been.
        lost = self._replay is not None and finding is not None and finding.code == "table-after-wrong"
        self._at, self._previous = payload["at"], None if lost and self._instead is None else payload
        return finding is None

    def _checked(self, payload: Record, place: Place, instead: TableState | None) -> Finding | None:
        """The first check that fails, cause before effect; a body that a check cannot read is a finding too."""
        try:
            for check in self._checks:
                if (finding := check(self, payload, place)) is not None:
                    return finding
            return self._replayed(payload, place, instead)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            message = f"the record's content cannot be read: {type(error).__name__}: {error}"
            return place.finding(payload, "payload-invalid", message)

    def begin_here(self) -> None:
        """Forget what was counted and found so far: it was only the context of what follows."""
        self.records = 0
        for found in (self.findings, self.voids, self.clock_back, self._gaps):
            found.clear()

    def close(self, after: int | None) -> Iterator[Suspicion]:
        """What can be said only at the end; `after` is the number before the first record, None if not known."""
        yield from self._gaps.suspicions(first=self.first, after=after)

    def unsettled(self) -> Finding | None:
        """The round that was dealt, and neither settled nor voided."""
        live = self.round
        if live is None or live.dealt is None or live.state != "dealt" or live.dealt_place is None:
            return None
        message = f"the round was dealt at {live.dealt['at']} and neither settled nor voided"
        details = {"field": "kind", "expected": ["settled", "voided"], "found": None}
        return live.dealt_place.finding(live.dealt, "round-unsettled", message, **details)

    def pending(self) -> PendingShoe | None:
        """The open shoe, and its rounds that wait for its seed."""
        return None if self._shoe is None else self._shoe.pending()

    def _note(self, finding: Finding | None) -> None:
        if finding is not None:
            self.findings.append(finding)

    def _link(self, payload: Record, place: Place) -> tuple[Finding | None, bool]:
        """Whether the record is the successor of the last one, and what is wrong if it should be and isn't."""
        seq, prev = payload["seq"], payload["prev"]
        if not self.records:
            self.first = seq
        if seq != self.seq + 1:
            self._gaps.pass_over(payload, place, seen=self.seq, after=self.position)
            return None, False
        if prev != self.sha256:
            message = "the record does not continue the one before it"
            details = {"field": "prev", "expected": self.sha256, "found": prev}
            return place.finding(payload, "chain-broken", message, **details), False
        return None, True

    def _late(self, payload: Record, sha256: str, place: Place) -> Finding | None:
        """A record whose number is past: passed over before, or there twice. Nothing more is asked of it."""
        seq = payload["seq"]
        if self._gaps.fill(seq):
            self.records += 1
            return None
        if seq == self.seq and sha256 != self.sha256:
            message = f"another genuine record {seq} of this table: its chain was forked"
            return place.finding(payload, "chain-forked", message, field="seq", expected=self.sha256, found=sha256)
        message = f"record {seq} was there before"
        return place.finding(payload, "record-doubled", message, field="seq", expected=self.seq + 1, found=seq)

    def _step(self, payload: Record, sha256: str, place: Place, *, wrong: bool) -> None:
        """Move the round on, believing the record: what was wrong with it has been said."""
        kind, round_id = payload["kind"], payload["round_id"]
        if kind == "opened":
            self.round = Live(round_id=round_id, state="opened", opened=payload, opened_sha256=sha256, doubted=wrong)
            self._round_known = True
        elif kind == "dealt":
            if self.round is None or self.round.round_id != round_id:
                self.round = Live(round_id=round_id, state="dealt")
            live = self.round
            live.state, live.dealt, live.dealt_place = "dealt", payload, place
            live.before_deal = self._previous["table_after"] if self._previous is not None else None
            live.doubted |= wrong
            self._round_known = True
        elif kind == "shoe_opened":
            self._shoe = OpenShoe(shoe_id=shoe_id_of(round_id) or round_id, place=place, payload=payload)
        else:
            known = self._kinds.get(kind)
            if known is None or known.ends:
                self._finished.add(hash(round_id))
            if kind == "shoe_closed":
                self._shoe = None
            if known is not None and known.of_round and not self._tombstone(payload):
                self.round, self._round_known = None, True

    def _tombstone(self, payload: Record) -> bool:
        """Whether it voids a round that was never opened; a live one goes on."""
        return payload["kind"] == "voided" and payload["ruleset"] is None

    def _same_round(self, payload: Record) -> Live | None:
        live = self.round
        return live if live is not None and live.round_id == payload["round_id"] else None

    def _look_at_the_clock(self, payload: Record) -> None:
        """Note a record that was signed by an earlier clock than the one before it: its number says the order."""
        at, before = payload["at"], self._at
        if at < before:
            back_ms = (parse_time(before) - parse_time(at)) // timedelta(milliseconds=1)
            self.clock_back.append({**_named(payload), "before": before, "back_ms": back_ms})

    def _order(self, payload: Record, place: Place) -> Finding | None:
        name, kind = payload["kind"], self._kinds.get(payload["kind"])
        if kind is None:
            details = {"field": "kind", "expected": [*self._kinds], "found": name}
            return place.finding(payload, "kind-unknown", f"{name!a} is no kind of record", **details)
        if hash(payload["round_id"]) in self._finished:
            details = {"field": "round_id", "expected": "a round that is not finished", "found": payload["round_id"]}
            return place.finding(payload, "round-order", "the round was finished before", **details)
        follows = [one for one in kind.follows if one is not None]
        begins = not (kind.of_round and follows) or self._tombstone(payload)
        expected = [None] if begins else follows
        same = self.round if begins and not kind.while_live else self._same_round(payload)
        found = same.state if same else None
        if found in expected or (self.round is None and not self._round_known):
            return None
        message = f"{name} cannot follow {found or 'nothing'}"
        wanted = [state or "none" for state in expected]
        return place.finding(payload, "round-order", message, field="kind", expected=wanted, found=found)

    def _ruleset(self, payload: Record, place: Place) -> Finding | None:
        ruleset = payload["ruleset"]
        if ruleset is None:
            return None
        live = self._same_round(payload)
        terms = live.terms() if live is not None else None
        if live is not None and live.doubted and terms is not None:
            if terms["ruleset"] == ruleset:
                return None  # if that is wrong, it has been said
            terms = None
        expected = terms["ruleset"]["sha256"] if terms else ruleset["sha256"]
        if self._rulesets is not None:
            if ruleset["id"] not in self._rulesets:
                message = f"no rule set {ruleset['id']} is known here"
                return place.finding(payload, "ruleset-unknown", message, field="ruleset.id", found=ruleset["id"])
            expected = self._rulesets[ruleset["id"]]
        if (terms and terms["ruleset"]["id"] != ruleset["id"]) or ruleset["sha256"] != expected:
            message = f"not the rule set {ruleset['id']} as it was published, or not the one the round was opened on"
            details = {"field": "ruleset.sha256", "expected": expected, "found": ruleset["sha256"]}
            return place.finding(payload, "ruleset-changed", message, **details)
        return None

    def _terms(self, payload: Record, place: Place) -> Finding | None:
        live = self._same_round(payload)
        if payload["kind"] != "dealt" or live is None or live.opened is None or live.doubted:
            return None
        expected = repeated(live.opened, live.opened_sha256)
        found = payload["body"]["opened"]
        if found == expected:
            return None
        message = "the round was dealt on other terms than it was opened on"
        return place.finding(payload, "opened-changed", message, field="body.opened", expected=expected, found=found)

    def _seed(self, payload: Record, place: Place) -> Finding | None:
        """What is finished reveals the seed that was committed to."""
        if (expected := self._committed(payload)) is None:
            return None
        seed = payload["body"].get("seed")
        if seed is None and "seed" in payload["body"] and payload["kind"] in ("voided", "shoe_closed"):
            # Said beside whatever else is wrong with the record, since nothing else that it says hangs on the seed.
            message = "the seed is lost, so nobody can tell that the cards were those committed to"
            self._note(place.finding(payload, "seed-lost", message, field="body.seed", expected=expected))
            return None
        if seed is None:
            return place.finding(payload, "seed-missing", "the seed is not revealed", field="body.seed")
        if (found := commitment(bytes.fromhex(seed))) == expected:
            return None
        message = "the revealed seed is not the one that was committed to"
        return place.finding(payload, "commitment-broken", message, field="body.seed", expected=expected, found=found)

    def _committed(self, payload: Record) -> str | None:
        """The commitment whose seed the record must reveal, None if there is none or it is not known."""
        match payload["kind"]:
            case "settled" | "voided":
                live = self._same_round(payload)
                if live is None:
                    return None
                doubted = live.doubted and live.dealt is not None
                terms = live.repeated_terms() if doubted else live.terms()
                return _commitment(terms["body"]) if terms is not None else None
            case "shoe_closed":
                if self._previous is None:
                    return None
                shoe: Any = self._previous["table_after"]["shoe"]  # where none is open, the record cannot be read
                return _commitment(shoe["terms"]["body"])
            case "drawn":
                return _commitment(payload["body"])
            case _:
                return None

    def _live(self, payload: Record, place: Place) -> Finding | None:
        kind = self._kinds[payload["kind"]]
        expected: LiveRound | None = None
        if kind.of_round and not kind.ends:
            state = cast('Literal["opened", "dealt"]', payload["kind"])  # the two kinds that leave a round open
            expected = {"round_id": payload["round_id"], "state": state}
        elif self._tombstone(payload) or (kind.while_live and not kind.of_round):
            if not self._round_known:
                return None
            expected = self.live
        if (found := payload["table_after"]["live"]) == expected:
            return None
        self._instead = self._left(payload)
        details = {"field": "table_after.live", "expected": expected, "found": found}
        return place.finding(payload, "table-after-wrong", "the table holds another live round", **details)

    def _left(self, payload: Record) -> TableState | None:
        """The table as a false record should have left it, None where nobody can tell."""
        if self._replay is None:
            return None
        table = self._previous["table_after"] if self._previous is not None else None
        return safely(self._replay.check, table, self._same_round(payload), payload).table_after

    def _balance(self, payload: Record, place: Place) -> Finding | None:
        """What moved adds up to what each account gained or lost, whoever judged the cards."""
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

    def _replayed(self, payload: Record, place: Place, instead: TableState | None) -> Finding | None:
        """Play the record again, and with the end of a round its deal.

        Where the record before left a false table, the record may have been made from that or from the true one,
        `instead`.
        """
        replay, live = self._replay, self._same_round(payload)
        if replay is None or (live is not None and live.doubted):
            return None if replay is None else self._balance(payload, place)
        ends = payload["kind"] in ("settled", "voided") and live is not None and live.dealt is not None
        table = self._previous["table_after"] if self._previous is not None else None
        if ends and live is not None and live.shoe_id is not None:
            if self._shoe is not None and self._shoe.shoe_id == live.shoe_id:
                self._shoe.waiting.append((table, live, payload, place))
        elif ends and live is not None:
            dealt, dealt_place = live.dealt, live.dealt_place
            if dealt is None or dealt_place is None:
                return None
            found = finding_of(safely(replay.check_deal, live, payload, None), dealt, dealt_place)
            if found is not None:
                self._note(found)
                live.doubted = True
                return None
        result = safely(replay.check, table, live, payload)
        if result.differences and instead is not None:
            other = safely(replay.check, instead, live, payload)
            result = result if other.differences else other
        if result.differences and result.table_after is not None:
            self._instead = result.table_after
        finding = finding_of(result, payload, place)
        if finding is None and payload["kind"] == "voided" and ends and live is not None and live.shoe_id is None:
            self._void(live, payload, None)
        if finding is None and payload["kind"] == "shoe_closed":
            self._open_the_shoe(payload)
        return finding or self._balance(payload, place)

    def _open_the_shoe(self, closed: Record) -> None:
        """The seed is revealed: play the rounds of the shoe that waited for it."""
        if self._replay is None or self._shoe is None or self._previous is None or closed["body"]["seed"] is None:
            return
        cards = self._replay.shoe(closed, self._previous["table_after"])
        for live, payload, found in self._shoe.played(self._replay, cards):
            self._note(found)
            if found is None and payload["kind"] == "voided":
                self._void(live, payload, cards)

    def _void(self, live: Live, payload: Record, shoe: Any) -> None:
        """Note a round that was voided after its deal, and what that avoided."""
        if self._replay is None or (terms := live.terms()) is None:
            return
        opening = terms["request"]
        banker = opening.get("banker")
        bettor = banker["bettor"] if isinstance(banker, dict) else banker
        try:
            body = self._replay.avoided(live, payload, shoe)
        except Exception:  # a hand that cannot be set: nothing is known of what was avoided
            body = None
        avoided = None if body is None else [item for item in body["net"] if item["amount"]]
        reason = payload["request"]["reason"]
        self.voids.append(
            {
                **_named(payload),
                "banker": bettor,
                "reason": reason,
                "currency": opening.get("currency"),
                "avoided": avoided,
            }
        )

    _checks = (_order, _ruleset, _terms, _seed, _live)


def _commitment(body: GameJson) -> str | None:
    return body.get("commitment")


def _named(payload: Record) -> RecordNamed:
    """Which record is listed."""
    return {
        "operator": payload["operator"],
        "table_id": payload["table_id"],
        "seq": payload["seq"],
        "round_id": payload["round_id"],
        "at": payload["at"],
    }
