"""Random rounds of all games by the package's one step, each held against a second model.

Players move from seat to seat between rounds: who they are is another one each time, by a renaming of all that is asked
and of the table that they look at. Two games alternate at many tables.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final

from cardroom.cards import format_cards
from cardroom.game import Ruleset
from cardroom.rounds.corrections import basis_of
from cardroom.rounds.sets import dealing, settling
from cardroom.rounds.steps import opened_terms
from cardroom.services.catalogue import published
from cardroom_desk.players import Call, Habits, Move, last_moves, next_move
from cardroom_desk.players.parts import SEATED
from cardroom_desk.playthrough.simulation import SimulatedClock, TableRecords, simulated_table
from tests.models import baccarat, bank, cards, hi_hi_lo, pai_gow, pots
from tests.models.pai_gow import Expected

Json = dict[str, Any]

HABITS: Final = Habits(void=0.03, mishap=0.2, physical=0.5, misread=0.15, back_line=0.4, tell=0.5, own_hand=0.6)
BANKED: Final = ("california-baccarat", "hi-hi-lo", "pai-gow-poker")
FEWEST: Final = 6
FEE_KIND: Final = {"california-baccarat": "main", "hi-hi-lo": "high_one", "pai-gow-poker": "main"}


class Differs(Exception):
    """A round that the model settles otherwise."""


class Unsigned:
    """Signs nothing: a record's name is what follows from what it says."""

    def sign(self, payload: Any) -> str:
        return f"{payload['table_id']}.{payload['seq']}"


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """The same JSON with other bettors."""
    if isinstance(value, dict):
        return {
            key: names.get(item, item) if key == "bettor" and isinstance(item, str) else renamed(item, names)
            for key, item in value.items()
        }
    return [renamed(item, names) for item in value] if isinstance(value, list) else value


class Room:
    """A table where one or two rule sets are played, and the model's table beside it."""

    def __init__(self, rulesets: list[Ruleset], seed: str) -> None:
        self.rulesets, self.random = rulesets, Random(seed)
        self.records: TableRecords = simulated_table("t1", signer=Unsigned(), clock=SimulatedClock(), seed=seed)
        self.ruleset = rulesets[0]
        self.names = {name: name for name in SEATED}
        self.model, self.pots = bank.Table(), pots.Table()
        self.rounds: Counter[str] = Counter()
        self.met: Counter[tuple[str, str]] = Counter()  # what happened in which game

    def play(self, rounds: int) -> None:
        """So many rounds, settled or voided, and what is left to do after them. Raises Differs."""
        while sum(self.rounds.values()) < rounds:
            self.write(self.next())
        for move in last_moves(table_id="t1", last=self.payload):
            self.write(move)

    @property
    def payload(self) -> Any:
        return self.records.last

    def next(self) -> Move:
        """What the players do; between two rounds they change seats, and the game."""
        table = self.records.table
        # Who drew for the button did so because its holder sits nowhere, so nobody moves then.
        if table["live"] is None and table["draw"] is None and self.random.random() < 0.5:
            # The places that all games have.
            who = [self.names[name] for name in SEATED[:FEWEST]]
            if self.random.random() < 0.3:
                self.random.shuffle(who)
            else:
                one, other = self.random.sample(range(FEWEST), 2)
                who[one], who[other] = who[other], who[one]
            self.names |= dict(zip(SEATED, who, strict=False))
        if table["live"] is None and table["pot"] is None and table["draw"] is None:
            self.ruleset = self.random.choice([self.rulesets[0], *self.rulesets])
        back = {new: old for old, new in self.names.items()}
        last = None if self.payload is None else renamed(self.payload, back)
        correctable = self.payload is not None and self.payload["ruleset"] == self.ruleset.reference
        basis = self.records.basis(self.ruleset) if correctable else None
        move = next_move(
            self.random, self.ruleset, table_id="t1", last=last, habits=HABITS, basis=basis and renamed(basis, back)
        )
        request = renamed(move.request, self.names)
        if self.ruleset.document["game"] in BANKED:
            if move.call is Call.OPEN:
                request = self._bank_offered(request)
            if move.call is Call.DEAL:
                request = self._as_held(request)
        return move._replace(request=request)

    def _bank_offered(self, opening: Json) -> Json:
        """Who is asked whether he banks, by the model: the players think that everybody sits where he always does."""
        doc, banker = self.ruleset.document, opening["banker"]
        if banker == "house":
            return opening
        last = self.model.banker if self.model.banker and self.model.banker["game"] == doc["game"] else None
        over = last is not None and doc["banker_turns"] and last["turns"] >= doc["banker_turns"]
        if "offers" not in opening:
            if over and last is not None and banker["bettor"] == last["bettor"]:
                return opening | {"banker": banker | {"others_passed": True}}
            return opening
        draw = self.records.table["draw"]
        order = bank.asked(doc, opening, last, draw and draw["seat"]) or bank.walk(
            sorted(one["seat"] for one in opening["seats"]), opening["offers"][0]["seat"], doc["rotation"]["direction"]
        )
        passing = min(len(opening["offers"]), len(order)) - 1
        bettors = {one["seat"]: one["bettor"] for one in opening["seats"]}
        chosen: Json = {"seat": order[passing], "bettor": bettors[order[passing]]}
        if passing == len(order) - 1:
            chosen["others_passed"] = True
        if "co_bank_bps" in banker:
            chosen["co_bank_bps"] = banker["co_bank_bps"]
        answers = [{"seat": seat, "answer": "pass"} for seat in order[:passing]]
        return opening | {"banker": chosen, "offers": [*answers, {"seat": order[passing], "answer": "bank"}]}

    def _as_held(self, wagering: Json) -> Json:
        """Only free collections of this game, as the players take another game's for theirs; and meters near their
        reseed values."""
        if "meters" in wagering and self.random.random() < 0.6:
            bets = self.ruleset.document["side_bets"]
            low = {kind: bets[kind]["meter"]["reseed_minor"] for kind in wagering["meters"]}
            near = {kind: reseed + self.random.randrange(reseed // 5) for kind, reseed in low.items()}
            wagering = wagering | {"meters": near}
        held = [
            (one["bettor"], one["round_id"], one["wager_id"])
            for one in self.model.held
            if one["game"] == self.ruleset.document["game"]
        ]
        wagers = []
        for wager in wagering["wagers"]:
            used = wager.get("free_collection")
            known = used is None or (wager["bettor"], used["round_id"], used["wager_id"]) in held
            wagers.append({key: value for key, value in wager.items() if known or key != "free_collection"})
        side_bets = self.ruleset.document.get("side_bets")
        if side_bets and "hands" in wagering and self.random.random() < 0.3:
            wagering = wagering | {"hands": self._rare(wagering["hands"])}
        used = wagering.get("banker_free_collection")
        if used is not None and (used["round_id"], used["wager_id"]) not in [one[1:] for one in held]:
            wagering = {key: value for key, value in wagering.items() if key != "banker_free_collection"}
        return wagering | {"wagers": wagers}

    def _rare(self, hands: list[Json]) -> list[Json]:
        """The same hands, one or two of them as side bets and meters wait for."""
        deck, joker = format_cards(self.ruleset.game.deck(self.ruleset.rules, {})), "Jk"
        told = {hand["seat"]: hand["cards"] for hand in hands}
        rare: list[str] = []
        for seat in self.random.sample(sorted(told), min(len(told), self.random.choice((1, 1, 2)))):
            low, suit = self.random.randrange(7), self.random.choice("shdc")
            run = [f"{rank}{suit}" for rank in cards.ORDER[low : low + 7]]
            others = self.random.sample([card for card in deck if card[0] not in "AJ"], 2)
            royal = [f"{rank}{suit}" for rank in "AKQJT"]
            match self.random.choice(("run", "joker", "aces", "royal")):
                case "joker":
                    run[self.random.randrange(7)] = joker
                case "aces":
                    run = ["As", "Ah", "Ad", "Ac", joker, *others]
                case "royal":
                    run = [*royal, *(f"{rank}{'hdcs'['shdc'.index(suit)]}" for rank in "KQ")]
            if not {*run} & {*rare}:
                told[seat] = run
                rare += run
        free = [card for card in deck if card not in {card for hand in told.values() for card in hand}]
        self.random.shuffle(free)
        seen = {*rare}
        for seat, cards_told in told.items():
            if not {*cards_told} <= {*rare}:
                told[seat] = [free.pop() if card in seen else card for card in cards_told]
        return [{**hand, "cards": told[hand["seat"]]} for hand in hands]

    def write(self, move: Move) -> None:
        """Make the move, and hold what comes of it against the model."""
        before = self.records.last
        self.records.write(move, self.ruleset)
        payload = json.loads(json.dumps(self.records.last))
        match payload["kind"]:
            case "dealt":
                self._hold_deal(payload)
            case "settled":
                self._hold_settlement(json.loads(json.dumps(before)), payload)
            case "voided" if payload["ruleset"] is not None:
                self.rounds[self.ruleset.document["game"]] += 1
                self.meet("a void")
            case "corrected":
                self._hold_correction(payload)

    def meet(self, *what: str) -> None:
        """Note what happened."""
        self.met.update((self.ruleset.document["game"], one) for one in what)

    # -- what is held against the model

    def differ(self, what: str, expected: object, found: object) -> None:
        if expected != found:
            raise Differs(
                f"{self.ruleset.id}, record {self.payload['seq']}: {what}: {expected} expected, {found} found"
            )

    def _hold_deal(self, payload: Json) -> None:
        opening, wagering, body = opened_terms(payload)["request"], payload["request"], payload["body"]
        game, doc = self.ruleset.document["game"], json.loads(json.dumps(self.ruleset.document))
        if game == "push-nine":
            pots.hold_deal(self, opening, payload)
        if game not in BANKED:
            return
        paid = net_of(body["postings"])
        due = bank.fees_of(doc, opening, wagering, FEE_KIND[game])
        self.differ("fees", {**due, **({"house": sum(due.values())} if due else {})}, {
            name: amount if name == "house" else -amount for name, amount in paid.items()
        })  # fmt: skip
        for wager in [*wagering["wagers"], {"free_collection": wagering.get("banker_free_collection")}]:
            used = wager.get("free_collection")
            held = [{"round_id": one["round_id"], "wager_id": one["wager_id"]} for one in self.model.held]
            if used is not None:
                self.meet("a free collection used")
            if used is not None and used not in held:
                raise Differs(f"{self.ruleset.id}: a free collection that the table does not hold: {used}")

    def _hold_settlement(self, before: Json, payload: Json) -> None:
        game, doc = self.ruleset.document["game"], json.loads(json.dumps(self.ruleset.document))
        opening, body = opened_terms(before)["request"], payload["body"]
        self.rounds[game] += 1
        self.meet(*(one["reason"] for one in body["results"]))
        self.differ("net of the postings", net_of(body["postings"]), {
            one["account"]: one["amount"] for one in body["net"] if one["amount"]
        })  # fmt: skip
        if game in BANKED:
            deal = dealing(before).with_hands(body.get("hands", []))
            request: Any = settling(self.ruleset, deal, payload["request"])
            expected = self.expected(doc, opening, deal.request, deal.body, request, body)
            self.hold(expected, body)
            self.model.settled(doc, opening, payload["round_id"], expected.results, FEE_KIND[game])
        else:
            pots.hold(self, doc, opening, before, payload)
            self.model.potted()
        left = payload["table_after"]
        self.differ("the table", self.model.state(), {
            name: left[name] for name in ("hand_no", "banker", "free_collections")
        })  # fmt: skip

    def _hold_correction(self, payload: Json) -> None:
        """A correction settles again, and what is due is the difference."""
        self.meet("a correction")
        doc, body = json.loads(json.dumps(self.ruleset.document)), payload["body"]
        basis = body["basis"]
        last: Any = payload
        after = basis_of(self.ruleset, [type(self.records._round[-1])(last, "")])
        opening, dealt, request = basis["opened"]["terms"]["request"], after["dealt"], after["settled"]["request"]
        expected = self.expected(doc, opening, dealt["request"], dealt["body"], request, body["settlement"])
        self.hold(expected, body["settlement"])
        before = {one["account"]: one["amount"] for one in basis["settled"]["net"]}
        due = {name: expected.net.get(name, 0) - before.get(name, 0) for name in {*expected.net, *before}}
        self.differ("what is due", {k: v for k, v in due.items() if v}, net_of(body["postings"]))

    def expected(self, doc: Json, opening: Json, wagering: Any, deal: Any, request: Json, body: Json) -> Expected:
        """The model's settlement."""
        hands = {hand["seat"]: hand["cards"] for hand in deal["hands"]}
        shown = {one["seat"]: one for one in body["sets"]}
        match doc["game"]:
            case "california-baccarat":
                order = baccarat.action_of(doc, opening, wagering, deal["action"]["dice"])
                self.differ("action order", [s for s in order if s != opening["banker"]["seat"]], deal["action_order"])
                return baccarat.settle(doc, opening, wagering, order, hands, request, self.drawn(request, body, hands))
            case "hi-hi-lo":
                self.differ("action order", hi_hi_lo.order_of(doc, opening, wagering), deal["action_order"])
                return hi_hi_lo.settle(doc, opening, wagering, hands, request, shown)
        placed = pai_gow.deal_of(doc, opening, wagering, deal["action"])
        self.differ("action", [placed["seat"], placed["order"]], [deal["action"]["seat"], deal["action_order"]])
        self.differ("piles", placed["piles"], {**placed["piles"], **{h["seat"]: h["pile"] for h in deal["hands"]}})
        return pai_gow.settle(doc, opening, wagering, placed["seat"], hands, request, shown)

    @staticmethod
    def drawn(request: Json, body: Json, hands: Mapping[int, list[str]]) -> dict[int, list[str]]:
        """The draw cards by seat: told by a physical table, or as the shoe gave them."""
        told: dict[int, list[str]] = {}
        for one in request.get("drawn_cards", []):
            told.setdefault(one["seat"], []).append(one["card"])
        if told:
            return told
        return {one["seat"]: [one["drawn"]] for one in body["sets"] if "drawn" in one and one["seat"] in hands}

    def hold(self, expected: Expected, body: Json) -> None:
        """Each wager's end, the money, meters and envy."""
        self.meet(*(["envy"] if expected.envy else []), *(["a meter"] if expected.meters else []))
        self.differ("what cannot be", [], expected.wrong)
        ends = [(r["wager_id"], r["result"], r["paid"], r["collected"], r["commission"]) for r in body["results"]]
        for mine, theirs in zip(expected.ends, ends, strict=False):
            self.differ("a wager", mine, theirs)
        self.differ("wagers", len(expected.ends), len(ends))
        self.differ("net", expected.net, {one["account"]: one["amount"] for one in body["net"] if one["amount"]})
        self.differ("meters", expected.meters, {one["name"]: one["after"] for one in body.get("meters", [])})
        envy = {r["wager_id"]: sum(e["paid"] for e in r["envy"]) for r in body["results"] if "envy" in r}
        self.differ("envy", expected.envy, envy)


def net_of(postings: Any) -> dict[str, int]:
    """What each account gains or loses; what one loses another gains, so it adds up to nothing."""
    net: Counter[str] = Counter()
    for posting in postings:
        net[posting["from"]] -= posting["amount"]
        net[posting["to"]] += posting["amount"]
    assert sum(net.values()) == 0
    return {name: amount for name, amount in net.items() if amount}


def rooms(game: str, seed: int) -> Iterator[Callable[[int], Room]]:
    """Tables of a game without end, each with its rule set and now and then another game's beside it."""
    of_game = [one for one in published().ruleset_ids() if published().ruleset(one).document["game"] == game]
    every = [published().ruleset(one) for one in published().ruleset_ids()]
    number = 0
    while True:
        random = Random(f"{game}/{seed}/{number}")
        main = published().ruleset(of_game[number % len(of_game)])
        others = [one for one in every if one.document["game"] != game]
        rulesets = [main] if random.random() < 0.4 else [main, random.choice(others)]
        name = f"{game}/{seed}/{number}"

        def table(rounds: int, rulesets: list[Ruleset] = rulesets, name: str = name) -> Room:
            room = Room(rulesets, name)
            try:
                room.play(rounds)
            except Exception as error:
                raise Differs(f"table {name}: {type(error).__name__}: {error}") from error
            return room

        yield table
        number += 1


__all__ = ["Differs", "Room", "rooms"]
