"""One table's chain, record by record: numbers and links, the order of each round's states, what replay gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from cardroom.audit import checks, listed
from cardroom.audit.carried import Carried
from cardroom.audit.checks import Standing
from cardroom.audit.finding import Finding, Place, Suspicion
from cardroom.audit.gaps import Gaps
from cardroom.audit.open_shoe import OpenShoe, Waiting
from cardroom.audit.proof import Proof
from cardroom.audit.replayer import Live, Replayer, check_by_seed, finding_of, safely
from cardroom.rounds.shoes import shoe_id_of
from cardroom.shapes.parts import TableState
from cardroom.shapes.records import Record


class Table(Standing):
    """Follows the records of one table, in memory that does not grow with them.

    `gaps` says that numbers may be passed over. What is found is in `findings`, what must be seen besides in `listed`,
    what was proved, and what was not, in `proof`. The records of a `context`, up to `begin_here`, are believed: another
    span judges them.
    """

    def __init__(
        self, *, gaps: bool, rulesets: Mapping[str, str] | None, replay: Replayer | None, context: bool = False
    ) -> None:
        super().__init__(rulesets=rulesets, replay=replay)
        self.records = 0
        self.first = self.seq = 0  # the numbers of the first and the last record so far
        self.position = 0
        self.sha256: str | None = None
        self.round_id: str | None = None  # of all its records, if they are of one round
        self.listed = listed.nothing_listed()
        self.proof = Proof(replayed=replay is not None)
        self._gaps = Gaps(allowed=gaps)
        self._carried = None if context else Carried()
        self._earlier = context
        self._shoe: OpenShoe | None = None
        self.at = ""
        self._deployment: str | None = None

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with all that was followed, so that it tells how the table stands."""
        return not self.findings and not self._gaps.between_records

    def follow(self, payload: Record, sha256: str, place: Place, deployment: str) -> Finding | None:
        """Take the next verified record of the table, signed in a deployment; what is wrong with it so far."""
        seq = payload["seq"]
        if self.sha256 is not None and seq <= self.seq:
            return self._note(self._late(payload, sha256, place))
        finding, linked = self._link(payload, place)
        if not linked:
            self._lose_sight()
        finding = finding or self._same_deployment(payload, place, deployment)
        instead, self.instead = self.instead, None
        proved = False
        if finding is None:
            finding, proved = self._checked(payload, place, instead)
        if finding is None and self.replay is not None and self._carried is not None:
            proved = proved and not self._carried.used_by(payload, self.round_of(payload)) and self.knows(payload)
            self._carried.take(payload["table_after"], proved=proved)
        self._note(finding)
        listed.look_at_clock(self.listed, payload, self.at)
        if finding is None:
            with suppress(KeyError, TypeError, AttributeError, ValueError):  # whether a body is right, others say
                listed.look_at(self.listed, payload, self.round_of(payload), self.before)
                self._look_at_bank(payload)
        self._step(payload, sha256, place, wrong=finding is not None, proved=proved)
        self.round_id = payload["round_id"] if self.round_id == payload["round_id"] or not self.records else None
        self.records += 1
        self.seq, self.sha256 = seq, sha256
        self.position = place.position
        # A false table is no ground to judge the next record by, unless it is known what it should have been.
        lost = self.replay is not None and finding is not None and finding.code == "table-after-wrong"
        self.at, self.previous = payload["at"], None if lost and self.instead is None else payload
        return finding

    def _checked(self, payload: Record, place: Place, instead: TableState | None) -> tuple[Finding | None, bool]:
        """The first check that fails, and whether all was proved; a body that a check cannot read is a finding too."""
        try:
            for check in checks.CHECKS:
                if (finding := check(self, payload, place)) is not None:
                    return finding, False
            return self._replayed(payload, place, instead)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            message = f"the record's content cannot be read: {type(error).__name__}: {error}"
            return place.finding(payload, "payload-invalid", message), False

    def _look_at_bank(self, payload: Record) -> None:
        live = self.round_of(payload)
        if self.replay is not None and self.before is not None and live is not None and payload["kind"] == "settled":
            listed.look_at_bank(self.listed, payload, live, self.replay.bank_turn(self.before, live))

    def begin_here(self) -> None:
        """Forget what was counted and found so far: it was only the context of what follows."""
        self.records = 0
        self.findings.clear()
        self.listed = listed.nothing_listed()
        self.proof = Proof(replayed=self.replay is not None)
        self._carried = Carried()
        self._gaps.clear()

    def knows(self, payload: Record) -> bool:
        """Whether what a record is made from can be among the records: it may stand before the first of them."""
        basis = payload["body"].get("basis")
        return basis is None or self._earlier or basis["settled"]["seq"] >= self.first

    def suspicions(self, after: int | None, *, gaps: bool) -> Iterator[Suspicion]:
        """What can be said of gaps only at the end; `after` is the number before the first record, None if not known.

        `gaps` says whether numbers may be passed over, as it is known by then.
        """
        self._gaps.allowed = gaps
        yield from self._gaps.suspicions(after=after)

    def waiting(self) -> Iterator[tuple[Record, Place]]:
        """The records after which a round or a shoe waits for its end; their number goes into the proof."""
        live, shoe = self.round, self._shoe
        if live is not None and live.last is not None:
            self.proof.leave(live.last[0], live.proved, "round-live")
            yield live.last
        if shoe is not None:
            self.proof.leave(shoe.payload, shoe.records, "shoe-open")
            yield shoe.payload, shoe.place

    def _note(self, finding: Finding | None) -> Finding | None:
        if finding is not None:
            self.findings.append(finding)
        return finding

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

    def _same_deployment(self, payload: Record, place: Place, deployment: str) -> Finding | None:
        """What is wrong if another deployment signed the record before: it knew nothing of this one's rounds."""
        expected, self._deployment = self._deployment or deployment, deployment
        if deployment == expected:
            return None
        message = f"signed in the deployment {deployment}, the record before in {expected}"
        return place.finding(payload, "deployment-changed", message, expected=expected, found=deployment)

    def _lose_sight(self) -> None:
        """Records were passed over: what they would have told is not known."""
        self.previous = self.instead = None
        if self._shoe is not None:
            self.proof.leave(self._shoe.payload, self._shoe.records)
            self._shoe = None
        if self.round is None or not self._gaps.allowed:
            if self.round is not None and self.round.last is not None:
                self.proof.leave(self.round.last[0], self.round.proved)
            self.round, self.round_known = None, False

    def _late(self, payload: Record, sha256: str, place: Place) -> Finding | None:
        """A record whose number is past: passed over before, or there twice. Nothing more is asked of it."""
        seq = payload["seq"]
        if self._gaps.fill(seq):
            self.records += 1
            self.proof.leave(payload, 1)
            return None
        if seq == self.seq and sha256 != self.sha256:
            message = f"another genuine record {seq} of this table: its chain was forked"
            return place.finding(payload, "chain-forked", message, field="seq", expected=self.sha256, found=sha256)
        message = f"record {seq} was there before"
        return place.finding(payload, "record-doubled", message, field="seq", expected=self.seq + 1, found=seq)

    def _step(self, payload: Record, sha256: str, place: Place, *, wrong: bool, proved: bool) -> None:
        """Move the round on, believing the record: what was wrong with it has been said."""
        kind, round_id = payload["kind"], payload["round_id"]
        if kind == "opened":
            self.round = Live(round_id=round_id, state="opened", opened=payload, opened_sha256=sha256, doubted=wrong)
            self._wait(self.round, payload, sha256, place, wrong=wrong, proved=proved)
        elif kind == "dealt":
            if self.round is None or self.round.round_id != round_id:
                self.round = Live(round_id=round_id, state="dealt")
            live = self.round
            live.state, live.before_deal = "dealt", self.before
            live.dealt, live.dealt_sha256, live.dealt_at = payload, sha256, place
            live.doubted |= wrong
            self._wait(live, payload, sha256, place, wrong=wrong, proved=proved)
        elif kind == "set":
            if self.round is None or self.round.round_id != round_id:
                self.round = Live(round_id=round_id, state="set")
            live = self.round
            live.state, live.locked, live.locked_sha256, live.locked_at = "set", payload, sha256, place
            live.doubted |= wrong
            self._wait(live, payload, sha256, place, wrong=wrong, proved=proved)
        elif kind == "deal_corrected":
            if self.round is None or self.round.round_id != round_id:
                self.round = Live(round_id=round_id, state="set" if "set" in payload["body"] else "dealt")
            self.round.doubted |= wrong
            self._wait(self.round, payload, sha256, place, wrong=wrong, proved=proved)
        elif kind == "shoe_opened":
            own = int(proved)
            self._shoe = OpenShoe(shoe_id=shoe_id_of(round_id) or round_id, place=place, payload=payload, own=own)
            if not proved and not wrong:
                self.proof.leave(payload, 1)
        else:
            self._end(payload, wrong=wrong, proved=proved)

    def _wait(self, live: Live, payload: Record, sha256: str, place: Place, *, wrong: bool, proved: bool) -> None:
        """Keep a record of a round for its end, which reveals the seed."""
        live.last, live.last_sha256 = (payload, place), sha256
        live.proved += proved
        self.round_known = True
        if not proved and not wrong:
            self.proof.leave(payload, 1)

    def _end(self, payload: Record, *, wrong: bool, proved: bool) -> None:
        """A round or a shoe ends, or something that is neither comes between."""
        if payload["kind"] == "shoe_closed":
            self._shoe = None
        known, live = self.kinds.get(payload["kind"]), self.round_of(payload)
        if known is None or not known.of_round or checks.is_tombstone(payload):
            live = None
        else:
            self.round, self.round_known = None, True
        if wrong or (live is not None and live.doubted):
            return  # what is wrong with it has been said
        if live is None:
            self.proof.count(payload, 1, proved=proved)
        elif live.state == "opened" or live.shoe_id is None:
            self.proof.count(payload, live.proved + 1, proved=proved)
        elif self._shoe is None or self._shoe.shoe_id != live.shoe_id:
            self.proof.leave(payload, live.proved + 1)  # its cards are those of a shoe that is not here
        elif not proved:
            self.proof.leave(payload, 1)

    def _replayed(self, payload: Record, place: Place, instead: TableState | None) -> tuple[Finding | None, bool]:
        """Play the record again, and with the end of a round its deal.

        Where the record before left a false table, the record may have been made from that or from the true one,
        `instead`.
        """
        replay, live = self.replay, self.round_of(payload)
        if replay is None:
            return None, False
        if live is not None and live.doubted:
            return checks.balance(payload, place), False
        proved = True
        ends = payload["kind"] in ("settled", "voided")
        ended = live if ends and live is not None and live.state != "opened" else None
        if ended is not None and ended.shoe_id is None:
            proved, fair = self._deal(replay, ended, payload)
            if not fair:
                return None, False
        result = safely(replay.check, self.before, live, payload)
        if result.differences and instead is not None:
            other = safely(replay.check, instead, live, payload)
            result = result if other.differences else other
        if result.differences and result.table_after is not None:
            self.instead = result.table_after
        finding = finding_of(result, payload, place)
        if finding is None and ended is not None:
            if ended.shoe_id is None:
                self._void(ended, payload, None)
            elif self._shoe is not None and self._shoe.shoe_id == ended.shoe_id:
                records = ended.proved + result.proved
                self._shoe.waiting.append(Waiting(self.before, ended, payload, place, records))
        if finding is None and payload["kind"] == "shoe_closed":
            self._open_the_shoe(payload, self.before if instead is None else instead)
        finding = finding or checks.balance(payload, place)
        return finding, finding is None and proved and result.proved

    def _deal(self, replay: Replayer, live: Live, payload: Record) -> tuple[bool, bool]:
        """Whether a round's deal and sets are proved by the seed that its end reveals, and whether nothing is wrong."""
        all_proved = live.dealt is not None
        for result, record, place in check_by_seed(replay, live, payload, None):
            if self._note(finding_of(result, record, place)) is not None:
                live.doubted = True
                return False, False
            all_proved = all_proved and result.proved
        return all_proved, True

    def _open_the_shoe(self, closed: Record, table: TableState | None) -> None:
        """The seed is revealed: play the rounds of the shoe that waited for it, by the table before."""
        if self.replay is None or self._shoe is None or table is None or closed["body"]["seed"] is None:
            return
        try:
            cards = self.replay.shoe(closed, table)
        except Exception:  # no shoe is cut as the table tells, which was found wrong
            self.proof.leave(self._shoe.payload, self._shoe.records)
            return
        self.proof.count(closed, self._shoe.own, proved=True)
        for round_, found, proved in self._shoe.played(self.replay, cards):
            if self._note(found) is None:
                self.proof.count(round_.payload, round_.records, proved=proved)
                self._void(round_.live, round_.payload, cards)

    def _void(self, live: Live, payload: Record, shoe: object) -> None:
        """List a round that was voided after its deal, and what that avoided."""
        if self.replay is None or payload["kind"] != "voided":
            return
        try:
            body = self.replay.avoided(live, payload, shoe)
        except Exception:  # a hand that cannot be set: nothing is known of what was avoided
            body = None
        listed.note_void(self.listed, payload, live, body)
