"""One table's chain, record by record: numbers and links, the order of each round's states, what replay gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import product
from typing import Any, Final, NamedTuple, Protocol

from cardroom.audit.certificate import parse_time
from cardroom.audit.signature import Json
from cardroom.rounds.kinds import KINDS
from cardroom.rounds.steps import Kinds, terms_of, with_live
from cardroom.shuffle import commitment

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "at": (str,),
    "body": (dict,),
    "engine": (str,),
    "kind": (str,),
    "operator": (str,),
    "prev": (str, type(None)),
    "request": (dict,),
    "round_id": (str,),
    "ruleset": (dict, type(None)),
    "seq": (int,),
    "table_after": (dict,),
    "table_id": (str,),
    "v": (int,),
}
_NAMES: Final = [*_TYPES]  # in the order of canonical JSON
_SHAPES: Final = frozenset(product(*_TYPES.values()))


class Difference(NamedTuple):
    """One field of a record that replay gives otherwise; `code` is the kind of fault, `what` says it in words."""

    field: str
    expected: Any
    found: Any
    code: str = "replay-differs"
    what: str | None = None


class Replayed(NamedTuple):
    """What replay of a record gives: where the record differs, and the table as it should have left it."""

    differences: Sequence[Difference] = ()
    table_after: Json | None = None


class Replayer(Protocol):
    """Plays records again from what came before them. `table` is the table as the record before left it.

    Whatever is not known (a record that is missing, a seed that is not revealed yet) is None.
    """

    @property
    def kinds(self) -> Kinds:
        """The kinds of records that there are."""

    def check(self, table: Json | None, live: Live | None, payload: Json) -> Replayed:
        """What a record says against what the rules give; a settlement and a void apart from the deal they end."""

    def check_deal(self, live: Live, payload: Json, shoe: Any) -> Replayed:
        """The deal of a round against the seed that `payload`, its end, reveals; `shoe` is what `shoe` answered."""

    def check_shoe_settlement(self, table: Json, live: Live, payload: Json, shoe: Any) -> Replayed:
        """A settlement that takes cards from a shoe."""

    def shoe(self, closed: Json, table: Json) -> Any:
        """The cards of a shoe, whose seed is revealed."""

    def avoided(self, live: Live, voided: Json, shoe: Any) -> Json | None:
        """The body of the settlement that a void avoided, by the house way; None if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault: where it is, what kind it is, what should be there and what is.

    `line` counts the file's lines and `record` its records, both from 1 (None where records come from no file);
    `seq` and `round_id` are what the record says of itself, where it can be believed.
    """

    code: str
    message: str
    line: int | None = None
    record: int | None = None
    table_id: str | None = None
    seq: int | None = None
    round_id: str | None = None
    field: str | None = None
    expected: Any = None
    found: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a record stands: its `position` among all (its line, in a file), and its line and number in a file."""

    position: int
    line: int | None = None
    record: int | None = None

    def finding(self, payload: Json, code: str, message: str, **details: Any) -> Finding:
        """A finding on the record that stands here."""
        named = {name: payload.get(name) for name in ("table_id", "seq", "round_id")}
        return Finding(line=self.line, record=self.record, code=code, message=message, **named, **details)


@dataclass(slots=True, kw_only=True)
class Live:
    """The live round of a table, with what is known of it.

    `before_deal` is the table as it was before the deal. A round is `doubted` once one of its records is found
    wrong: what depends on that record is not looked at.
    """

    round_id: str
    state: str
    opened: Json | None = None
    opened_sha256: str | None = None
    opened_terms: Json | None = None
    dealt: Json | None = None
    dealt_place: Place | None = None
    before_deal: Json | None = None
    doubted: bool = False

    def terms(self) -> Json | None:
        """The terms it was opened on, from its first record or as the second repeats them."""
        if self.opened is None:
            return self.repeated_terms()
        if self.opened_terms is None:
            self.opened_terms = terms_of(self.opened)
        return self.opened_terms

    def repeated_terms(self) -> Json | None:
        """The terms as the second record repeats them."""
        return self.dealt["body"]["opened"]["terms"] if self.dealt is not None else None

    @property
    def shoe_id(self) -> str | None:
        """The shoe that it is dealt from."""
        terms = self.terms()
        return terms["request"].get("shoe_id") if terms is not None else None


@dataclass(slots=True, kw_only=True)
class _Shoe:
    """An open shoe: its rounds wait for its seed. There are no more of them than cards."""

    shoe_id: str
    place: Place
    payload: Json
    waiting: list[tuple[Json | None, Live, Json, Place]] = field(default_factory=list)


class Suspicion(NamedTuple):
    """Records that were passed over between two positions: `gone` unless so many there could not be verified."""

    after: int
    before: int
    missing: int
    gone: Finding
    late: Finding | None

    def finding(self, unread: int) -> Finding | None:
        """What is wrong if `unread` records between the two positions could not be verified."""
        return self.gone if self.missing > unread else self.late


@dataclass(slots=True, kw_only=True)
class _Gap:
    """Numbers that were passed over: they may still come, late, or stand on lines that could not be read."""

    place: Place
    payload: Json
    low: int
    high: int
    after: int  # the position of the record before it, 0: there is none
    came: set[int] = field(default_factory=set)

    def suspicion(self) -> Suspicion | None:
        """What is wrong unless records between the two, which could not be verified, are the ones."""
        missing = self.high - self.low + 1 - len(self.came)
        details = {"field": "seq", "expected": self.low, "found": self.high + 1}
        named = f"record {self.low}" if self.low == self.high else f"records {self.low} to {self.high}"
        late = None
        if self.came:
            late = self.place.finding(self.payload, "record-reordered", f"{named} should come before", **details)
        elif not missing:
            return None
        gone = self.place.finding(self.payload, "record-missing", f"{named} should come before", **details)
        return Suspicion(self.after, self.place.position, missing, gone, late)


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
        self.live: Json | None = None
        self.findings: list[Finding] = []
        self.voids: list[Json] = []
        self.clock_back: list[Json] = []
        self._gaps_allowed = gaps
        self._rulesets = rulesets
        self._replay = replay
        self._kinds = KINDS if replay is None else replay.kinds
        self._gaps: list[_Gap] = []
        self._previous: Json | None = None  # None where it is not known
        self._instead: Json | None = None  # the table as the last record should have left it, where it said otherwise
        self.round: Live | None = None
        self._round_known = True  # whether None above means that none is live
        self._shoe: _Shoe | None = None
        self._finished: set[int] = set()
        self._at = ""

    def follow(self, payload: Json, sha256: str, place: Place) -> bool:
        """Take the next verified record of the table. Whether there is nothing wrong with it so far."""
        seq = payload["seq"]
        if self.records and seq <= self.seq:
            self._note(self._late(payload, sha256, place))
            return False
        finding, linked = self._link(payload, place)
        if not linked:
            self._previous = self._instead = self._shoe = None
            if self.round is None or not self._gaps_allowed:
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
        self._at, self._previous = payload["at"], payload
        return finding is None

    def _checked(self, payload: Json, place: Place, instead: Json | None) -> Finding | None:
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
        for gap in self._gaps:
            if gap.high < self.first:
                gap.low = min(after + 1, *gap.came, gap.high + 1) if after is not None else gap.high + 1 - len(gap.came)
            suspicion = gap.suspicion()
            if suspicion is not None:
                yield suspicion._replace(missing=0) if self._gaps_allowed else suspicion

    def unsettled(self) -> Finding | None:
        """The round that was dealt, and neither settled nor voided."""
        live = self.round
        if live is None or live.dealt is None or live.state != "dealt" or live.dealt_place is None:
            return None
        message = f"the round was dealt at {live.dealt['at']} and neither settled nor voided"
        details = {"field": "kind", "expected": ["settled", "voided"], "found": None}
        return live.dealt_place.finding(live.dealt, "round-unsettled", message, **details)

    def pending(self) -> Json | None:
        """The open shoe, and its rounds that wait for its seed."""
        if self._shoe is None:
            return None
        shoe = self._shoe
        waiting = [payload for _, _, payload, _ in shoe.waiting if payload["kind"] == "settled"]
        named = {name: shoe.payload[name] for name in ("operator", "table_id", "seq")}
        return {**named, "shoe_id": shoe.shoe_id, "rounds": [payload["round_id"] for payload in waiting]}

    def _note(self, finding: Finding | None) -> None:
        if finding is not None:
            self.findings.append(finding)

    def _link(self, payload: Json, place: Place) -> tuple[Finding | None, bool]:
        """Whether the record is the successor of the last one, and what is wrong if it should be and isn't."""
        seq, prev = payload["seq"], payload["prev"]
        if not self.records:
            self.first = seq
        if seq != self.seq + 1:
            self._gaps.append(_Gap(place=place, payload=payload, low=self.seq + 1, high=seq - 1, after=self.position))
            return None, False
        if prev != self.sha256:
            message = "the record does not continue the one before it"
            details = {"field": "prev", "expected": self.sha256, "found": prev}
            return place.finding(payload, "chain-broken", message, **details), False
        return None, True

    def _late(self, payload: Json, sha256: str, place: Place) -> Finding | None:
        """A record whose number is past: passed over before, or there twice. Nothing more is asked of it."""
        seq = payload["seq"]
        for gap in self._gaps:
            if gap.low <= seq <= gap.high and seq not in gap.came:
                gap.came.add(seq)
                self.records += 1
                return None
        if seq == self.seq and sha256 != self.sha256:
            message = f"another genuine record {seq} of this table: its chain was forked"
            return place.finding(payload, "chain-forked", message, field="seq", expected=self.sha256, found=sha256)
        message = f"record {seq} was there before"
        return place.finding(payload, "record-doubled", message, field="seq", expected=self.seq + 1, found=seq)

    def _step(self, payload: Json, sha256: str, place: Place, *, wrong: bool) -> None:
        """Move the round on, believing the record: what was wrong with it has been said."""
        kind, round_id = payload["kind"], payload["round_id"]
        if kind == "opened":
            self.round = Live(round_id=round_id, state=kind, opened=payload, opened_sha256=sha256, doubted=wrong)
            self._round_known = True
        elif kind == "dealt":
            if self.round is None or self.round.round_id != round_id:
                self.round = Live(round_id=round_id, state=kind)
            live = self.round
            live.state, live.dealt, live.dealt_place = kind, payload, place
            live.before_deal = self._previous["table_after"] if self._previous is not None else None
            live.doubted |= wrong
            self._round_known = True
        elif kind == "shoe_opened":
            self._shoe = _Shoe(shoe_id=round_id.removeprefix("shoe:"), place=place, payload=payload)
        else:
            known = self._kinds.get(kind)
            if known is None or known.ends:
                self._finished.add(hash(round_id))
            if kind == "shoe_closed":
                self._shoe = None
            if known is not None and known.of_round and not self._tombstone(payload):
                self.round, self._round_known = None, True
        live_now = self.round
        self.live = None if live_now is None else {"round_id": live_now.round_id, "state": live_now.state}

    def _tombstone(self, payload: Json) -> bool:
        """Whether it voids a round that was never opened; a live one goes on."""
        return payload["kind"] == "voided" and payload["ruleset"] is None

    def _same_round(self, payload: Json) -> Live | None:
        live = self.round
        return live if live is not None and live.round_id == payload["round_id"] else None

    def _look_at_the_clock(self, payload: Json) -> None:
        """Note a record that was signed by an earlier clock than the one before it: its number says the order."""
        at, before = payload["at"], self._at
        if at < before:
            back_ms = (parse_time(before) - parse_time(at)) // timedelta(milliseconds=1)
            named = {name: payload[name] for name in ("operator", "table_id", "seq", "round_id", "at")}
            self.clock_back.append({**named, "before": before, "back_ms": back_ms})

    def _order(self, payload: Json, place: Place) -> Finding | None:
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
        details = {"field": "kind", "expected": [state or "none" for state in expected], "found": found}
        return place.finding(payload, "round-order", f"{name} cannot follow {found or 'nothing'}", **details)

    def _ruleset(self, payload: Json, place: Place) -> Finding | None:
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

    def _terms(self, payload: Json, place: Place) -> Finding | None:
        live = self._same_round(payload)
        if payload["kind"] != "dealt" or live is None or live.opened is None or live.doubted:
            return None
        expected = {"seq": live.opened["seq"], "sha256": live.opened_sha256, "terms": live.terms()}
        found = payload["body"]["opened"]
        if found == expected:
            return None
        message = "the round was dealt on other terms than it was opened on"
        return place.finding(payload, "opened-changed", message, field="body.opened", expected=expected, found=found)

    def _seed(self, payload: Json, place: Place) -> Finding | None:
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

    def _committed(self, payload: Json) -> str | None:
        """The commitment whose seed the record must reveal, None if there is none or it is not known."""
        match payload["kind"]:
            case "settled" | "voided":
                live = self._same_round(payload)
                if live is not None and live.doubted and live.dealt is not None:
                    terms = live.repeated_terms()
                else:
                    terms = live.terms() if live is not None else None
            case "shoe_closed":
                terms = self._previous["table_after"]["shoe"]["terms"] if self._previous is not None else None
            case "drawn":
                terms = payload
            case _:
                return None
        return terms["body"].get("commitment") if terms is not None else None

    def _live(self, payload: Json, place: Place) -> Finding | None:
        kind, expected = self._kinds[payload["kind"]], None
        if kind.of_round and not kind.ends:
            expected = {"round_id": payload["round_id"], "state": payload["kind"]}
        elif self._tombstone(payload) or (kind.while_live and not kind.of_round):
            if not self._round_known:
                return None
            expected = self.live
        if (found := payload["table_after"]["live"]) == expected:
            return None
        self._instead = with_live(payload["table_after"], **(expected or {"round_id": None}))
        details = {"field": "table_after.live", "expected": expected, "found": found}
        return place.finding(payload, "table-after-wrong", "the table holds another live round", **details)

    def _balance(self, payload: Json, place: Place) -> Finding | None:
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

    def _replayed(self, payload: Json, place: Place, instead: Json | None) -> Finding | None:
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
            found = _finding_of(_safely(replay.check_deal, live, payload, None), dealt, dealt_place)
            if found is not None:
                self._note(found)
                live.doubted = True
                return None
        result = _safely(replay.check, table, live, payload)
        if result.differences and instead is not None:
            other = _safely(replay.check, instead, live, payload)
            result = result if other.differences else other
        if result.differences and result.table_after is not None:
            self._instead = result.table_after
        finding = _finding_of(result, payload, place)
        if finding is None and payload["kind"] == "voided" and ends and live is not None and live.shoe_id is None:
            self._void(live, payload, None)
        if finding is None and payload["kind"] == "shoe_closed":
            self._open_the_shoe(payload)
        return finding or self._balance(payload, place)

    def _open_the_shoe(self, closed: Json) -> None:
        """The seed is revealed: play the rounds of the shoe that waited for it."""
        if self._replay is None or self._shoe is None or self._previous is None or closed["body"]["seed"] is None:
            return
        waiting, self._shoe.waiting = self._shoe.waiting, []
        shoe = self._replay.shoe(closed, self._previous["table_after"])
        for table, live, payload, place in waiting:
            if live.doubted or live.dealt is None or live.dealt_place is None:
                continue
            dealt, at = live.dealt, live.dealt_place
            found = _finding_of(_safely(self._replay.check_deal, live, payload, shoe), dealt, at)
            if found is None and payload["kind"] == "settled" and table is not None:
                again = _safely(self._replay.check_shoe_settlement, table, live, payload, shoe)
                found = _finding_of(again, payload, place)
            self._note(found)
            if found is not None and found.code in SHOE_FAULTS:
                return  # no card of the shoe agrees, which is one fault
            if found is None and payload["kind"] == "voided":
                self._void(live, payload, shoe)

    def _void(self, live: Live, payload: Json, shoe: Any) -> None:
        """Note a round that was voided after its deal, and what that avoided."""
        if self._replay is None:
            return
        opening = (live.terms() or {})["request"]
        banker = opening.get("banker")
        bettor = banker["bettor"] if isinstance(banker, dict) else banker
        try:
            body = self._replay.avoided(live, payload, shoe)
        except Exception:  # a hand that cannot be set: nothing is known of what was avoided
            body = None
        named = {name: payload[name] for name in ("operator", "table_id", "seq", "round_id", "at")}
        avoided = None if body is None else [item for item in body["net"] if item["amount"]]
        reason = payload["request"]["reason"]
        self.voids.append(
            {**named, "banker": bettor, "reason": reason, "currency": opening.get("currency"), "avoided": avoided}
        )

    _checks = (_order, _ruleset, _terms, _seed, _live)


SHOE_FAULTS: Final = ("client-seed-changed", "cut-changed")


def _safely(check: Callable[..., Replayed], *given: Any) -> Replayed:
    """The replay of what waited for a shoe; whatever a record holds, the audit of the others goes on."""
    try:
        return check(*given)
    except Exception as error:
        return Replayed([Difference("body", None, None, "replay-failed", _failed(error))])


def _failed(error: Exception) -> str:
    return f"the record cannot be replayed: {type(error).__name__}: {error}"


def _finding_of(result: Replayed, payload: Json, place: Place) -> Finding | None:
    if not result.differences:
        return None
    first = Difference(*result.differences[0])
    count = len(result.differences) - 1
    message = (first.what or f"replay gives another {first.field}") + (f", and {count} more" if count else "")
    details = {"field": first.field, "expected": first.expected, "found": first.found}
    return place.finding(payload, first.code, message, **details)


def shape_fault(payload: Json) -> str | None:
    """What is wrong with the outer form of a record's payload, None if nothing is."""
    if [*payload] != _NAMES:
        return f"the fields are {', '.join(payload)}"
    if tuple(map(type, payload.values())) not in _SHAPES:
        name = next(name for name in _NAMES if type(payload[name]) not in _TYPES[name])
        return f"{name} is {payload[name]!a}"
    if payload["v"] != 1 or payload["seq"] < 1:
        return f"v is {payload['v']} and seq {payload['seq']}"
    return None
