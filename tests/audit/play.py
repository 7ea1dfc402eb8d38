"""Genuine records of every game, made by the steps that write them; and a forger who has the genuine keys."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

from cardroom import canonical
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.rounds.record import record_sha256
from cardroom.services.catalogue import Catalogue, published
from cardroom.shuffle import Cut
from cardroom.signing.certificate import EphemeralSigner
from cardroom.signing.signature import RECORD, compact
from cardroom_desk.playthrough.simulation import MemoryRoot
from tests import kit
from tests.rules.banked_round import wager

Json = dict[str, Any]

BICYCLE = "pai-gow-poker/bicycle"
CASINO = "pai-gow-poker/casino"
FLORIDA = "fortune-pai-gow/florida-2017"
CONTRA_COSTA = "double-hand-poker/contra-costa-1991"
BACCARAT = "california-baccarat/redding-1995"
HI_HI_LO = "hi-hi-lo/redding-1995"
PUSH_NINE = "push-nine/redding-1995"
SHOWDOWN = "poker-showdown/washington"
FEES = {"wager": [{"low": 0, "high": 150, "fee": 1}, {"low": 150, "fee": 2}], "banker": [{"low": 0, "fee": 5}]}


class StepClock:
    """A clock that moves on by a second whenever it is read, or to where it is set."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 29, 21, 0, tzinfo=UTC)

    def now(self) -> str:
        self.time += timedelta(seconds=1)
        return self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def signed_by_an_old_key(signer: EphemeralSigner, payload: Json) -> str:
    """Signed by the key of the signature before, whatever time the payload states."""
    key = signer._key
    assert key is not None
    return compact(key.headers[RECORD], canonical.dumps(payload), key.private)


class Room(kit.Table):
    """One table and its chain of signed records; `known` has its rule set."""

    def __init__(self, ruleset: str, table_id: str = "t1", *, seed: int = 1, known: Catalogue | None = None) -> None:
        self.known = known or published()
        super().__init__(self.known.ruleset(ruleset), table_id=table_id, kinds=self.known.kinds)
        self.root, self.clock = MemoryRoot(), StepClock()
        self.signer = EphemeralSigner(root=self.root, audience="test")
        self.rng = random.Random(seed)
        self.made = 0

    def sign(self, payload: Json) -> str:
        return self.signer.sign(payload)

    def make(self, kind: str, round_id: str, request: Json) -> Json:
        """The next record, by the room's clock; a seed and a salt of its own for what is opened."""
        if kind in ("opened", "drawn", "shoe_opened"):
            self.secrets.seeds[round_id] = self.rng.randbytes(32)
            self.secrets.salt = self.rng.randbytes(16).hex()
        return self.call(kind, round_id, request, at=self.clock.now())

    # -- one step

    def open(self, seated: Sequence[int], **more: Any) -> Json:
        self.made += 1
        request = {
            "table_id": self.table_id, "ruleset": self.ruleset.id, "currency": "USD", "source": "shuffle",
            "seats": [{"seat": seat, "bettor": f"b{seat}"} for seat in seated], **more,
        }  # fmt: skip
        return self.make("opened", f"{self.table_id}-r{self.made}", request)

    def deal(self, **request: Any) -> Json:
        return self.make("dealt", self.payloads[-1]["round_id"], request)

    def cut(self) -> Json:
        """A cut, where the rules have one."""
        return {} if self.ruleset.rules.cut is Cut.NONE else {"cut": 20}

    def settle(self, **request: Any) -> Json:
        return self.make("settled", self.payloads[-1]["round_id"], request)

    def void(self) -> Json:
        request = {"table_id": self.table_id, "reason": self.ruleset.game.void_reasons[-1]}
        return self.make("voided", self.payloads[-1]["round_id"], request)

    def tombstone(self, round_id: str) -> Json:
        return self.make("voided", round_id, {"table_id": self.table_id, "reason": "other"})

    def draw(self, kind: str, seats: Sequence[int], **more: str) -> Json:
        self.made += 1
        request = {"table_id": self.table_id, "ruleset": self.ruleset.id, "kind": kind, "seats": list(seats), **more}
        return self.make("drawn", f"draw:{self.table_id}-d{self.made}", request)

    def open_shoe(self) -> Json:
        self.made += 1
        request = {"table_id": self.table_id, "ruleset": self.ruleset.id}
        return self.make("shoe_opened", f"shoe:{self.table_id}-s{self.made}", request)

    def close_shoe(self) -> Json:
        return self.make("shoe_closed", f"shoe:{self.state['shoe']['shoe_id']}", {"table_id": self.table_id})

    # -- whole rounds

    def play(self, *, void: bool = False, settle: bool = True) -> Json:
        """One round of the rule set's game, up to its end."""
        getattr(self, "_" + self.ruleset.document["game"].replace("-", "_"))(void, settle)
        return self.payloads[-1]

    def _finish(self, void: bool, settle: bool, **request: Any) -> None:
        if void:
            self.void()
        elif settle:
            self.settle(**request)

    def _pai_gow_poker(self, void: bool, settle: bool) -> None:
        document = self.ruleset.document
        banker = self.made % 5 + 1
        fees = {"fees": {name: FEES[name] for name in document["fees_from"]}} if document["fees_from"] else {}
        self.open((1, 2, 3, 4, 5), banker={"seat": banker, "bettor": f"b{banker}"}, **fees)
        wagers = [wager(seat, 100 * seat) for seat in (1, 2, 3, 4, 5) if seat != banker]
        if side_bets := document.get("side_bets"):
            wagers += [wager(seat, 50, min(side_bets)) for seat in (1, 2, 3, 4, 5) if seat != banker]
        wagers += [wager(1 if banker != 1 else 2, 70, circle=2)]
        if document["order_on_hand"] == "placed":
            wagers = [{**one, "placed": index} for index, one in enumerate(wagers, start=1)]
        wagers.sort(key=lambda item: item["wager_id"])
        dealt = self.deal(wagers=wagers, banker_wager=3_000_000, client_seed=self.rng.randbytes(16).hex(), **self.cut())
        sets = [{"seat": seat, "how": "house_way"} for seat in sorted({*dealt["body"]["action_order"], banker})]
        self._finish(void, settle, sets=sets)

    def _hi_hi_lo(self, void: bool, settle: bool) -> None:
        more: Json = {}
        seats = (2, 5, 8)
        banker = seats[self.made // 2 % 3]
        if self.state["draw"]:
            banker = self.state["draw"]["seat"]
            more = {"draw_id": self.state["draw"]["draw_id"]}
        elif self.state["banker"] is None:
            more = {"drawn_by_hand": True}
        self.open(seats, banker={"seat": banker, "bettor": f"b{banker}"}, fees=FEES, **more)
        wagers = [
            wager(seat, 100, kind) for kind in ("high_one", "high_two", "low") for seat in seats if seat != banker
        ]
        self.deal(wagers=sorted(wagers, key=lambda item: item["wager_id"]), banker_wager=700, cut=7)
        self._finish(void, settle, sets=[{"seat": seat, "how": "house_way"} for seat in seats])

    def _california_baccarat(self, void: bool, settle: bool) -> None:
        if self.state["shoe"] is None:
            self.open_shoe()
        seats = (1, 2, 3, 4)
        banker = seats[self.made // 2 % 4]
        shoe = self.state["shoe"]
        self.open(seats, banker={"seat": banker, "bettor": f"b{banker}"}, fees=FEES, shoe_id=shoe["shoe_id"])
        first = {"client_seed": self.rng.randbytes(16).hex(), "cut": 30} if shoe["position"] == 0 else {}
        dealt = self.deal(wagers=[wager(seat, 100) for seat in seats if seat != banker], banker_wager=900, **first)
        sets = [{"seat": seat, "how": "house_way"} for seat in sorted(dealt["body"]["action_order"])]
        self._finish(void, settle, sets=sets)

    def wrong_number(self, *cards: str) -> Json:
        """A round of baccarat dealt by hand: b2 has these cards, b3 seven, and b1 banks on six from an empty place."""
        self.open((1, 2, 3), banker={"seat": 7, "bettor": "b1"}, fees=FEES, source="table")
        told = {2: [*cards], 3: ["7s", "Ks"], 7: ["6s", "Ks"]}
        hands = [{"seat": seat, "cards": cards} for seat, cards in told.items()]
        self.deal(wagers=[wager(seat, 100) for seat in (2, 3)], banker_wager=900, dice=[1, 2, 3], hands=hands)
        return self.settle(sets=[{"seat": 3, "how": "house_way"}])

    def _push_nine(self, void: bool, settle: bool) -> None:
        """Every second hand all sit one place further on; of those who tied, the first has left."""
        seats, pot, last, more = (1, 2, 3), self.state["pot"], self.state["button"], {}
        sits = {f"b{seat}": seat % 3 + 1 if self.made % 2 else seat for seat in seats}
        if pot:
            more = {"continues": pot["round_id"]}
        if last is None:
            self.draw("first_button", seats)
            button, more = self.state["draw"]["seat"], {"draw_id": self.state["draw"]["draw_id"]}
        else:
            button = sits[last["bettor"]]
        sitting = sorted(({"seat": seat, "bettor": bettor} for bettor, seat in sits.items()), key=itemgetter("seat"))
        self.open(seats, **{"seats": sitting, "button": button, "ante": 100, "fees": {"wager": FEES["wager"]}, **more})
        tied = sorted({sits[player["bettor"]] for part in pot["pots"] for player in part["tied"]}) if pot else []
        absent = tied[:1] if len(tied) > 2 else []
        wagers = [] if pot else [wager(one["seat"], 100, "ante", bettor=one["bettor"]) for one in sitting]
        stacks = [{"seat": seat, "amount": 1_000} for seat in tied or seats]
        dealt = self.deal(wagers=wagers, stacks=stacks, **({"absent": absent} if absent else {}))
        playing = [seat for seat in dealt["body"]["order"] if seat not in absent]
        betting: list[Json] = [{"seat": seat, "action": "check"} for seat in playing]
        self._finish(void, settle, sets=[], betting=betting)

    def _poker_showdown(self, void: bool, settle: bool) -> None:
        """Eight are dealt stud; three to five of them fold before the last card, for which the deck is short."""
        seats = range(1, 9)
        self.open(seats, button=1, ante=10)
        self.deal(wagers=[wager(seat, 10, "ante") for seat in seats])
        folded = [{"seat": 8 - turn, "after": min(3 + turn, 6)} for turn in range(3 + self.made % 3)]
        put_in = [{"seat": seat, "amount": 10 * seat} for seat in seats]
        self._finish(void, settle, sets=[], contributions=put_in, folded=folded)

    # -- the file

    def export(self, *, later: timedelta = timedelta(), after: int = 0) -> list[bytes]:
        """The lines of the table's export, made so much later; of its records after a number, or all."""
        self.clock.time += later
        header = ExportHeader(operator="op", table_id=self.table_id, after=after)
        records = self.records[after:]
        return [line.encode() for line in export_lines(records, signer=self.signer, clock=self.clock, header=header)]

    def forge(self, seq: int, change: Callable[[Json], None]) -> Room:
        """Change one record, and sign it and all that follow anew with the genuine key, so that the chain holds.

        What a later record repeats of the changed one (the opened record's hash) is repaired as well.
        """
        payloads = deepcopy(self.payloads)
        change(payloads[seq - 1])
        self.resign(payloads, seq)
        return self

    def resign(self, payloads: list[Json], first: int = 1) -> None:
        """Sign payloads anew from one on, their numbers and links repaired."""
        last: dict[tuple[str, str], tuple[int, str]] = {}
        signed_anew: dict[bytes, bytes] = {}
        for index, payload in enumerate(payloads):
            if index >= first - 1:
                payload["seq"] = index + 1
                payload["prev"] = record_sha256(self.records[index - 1]) if index else None
                for kind in ("opened", "dealt", "set"):
                    repeated, there = payload["body"].get(kind), last.get((kind, payload["round_id"]))
                    if isinstance(repeated, dict) and there is not None:
                        repeated["seq"], repeated["sha256"] = there
                said = canonical.dumps(payload)
                for old, new in signed_anew.items() if "corrects" in payload["request"] else ():
                    said = said.replace(old, new)
                payloads[index] = canonical.loads(said)
                before = self.records[index : index + 1]
                self.records[index : index + 1] = [self.signer.sign(payloads[index])]
                if before:  # which a correction names, wherever it repeats what it was made from
                    old, new = record_sha256(before[0]).encode(), record_sha256(self.records[index]).encode()
                    signed_anew[old] = new
            last[payload["kind"], payload["round_id"]] = index + 1, record_sha256(self.records[index])
        del self.records[len(payloads) :]
        self.payloads = payloads
