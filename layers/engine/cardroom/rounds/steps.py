"""The one place where a record is made: what a call makes of a table, and what may follow what.

A kind of record is a value (`Kind`): what it follows, what its body says, how it leaves the table. `step` makes any of
them. Whoever writes a record, replays it or simulates one calls `step` with the same arguments; only the secrets
differ: a service has the deployment's master, a replay what was revealed, a simulation a master of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, cast

from cardroom.cards import Card
from cardroom.game import Ruleset
from cardroom.refusals import Refusal, refuse_at
from cardroom.rounds.record import Step
from cardroom.shapes.parts import (
    Commitment,
    CommittedTerms,
    GameJson,
    LiveRound,
    OpenShoe,
    SeedTerms,
    TableState,
    Terms,
)
from cardroom.shapes.records import Record
from cardroom.shuffle import Luck, terms_sha256
from cardroom.table import VOID_REASONS

NEW_TABLE: Final[TableState] = {
    "hand_no": 0,  # hands settled so far
    "banker": None,  # who banked last, and for how many hands running
    "free_collections": [],  # earned by the last settled hand, for the next dealt one
    "live": None,  # the round that is opened or dealt
    "draw": None,  # the draw for first banker or first button, until a hand is settled
    "button": None,  # who won the last pot, and where he sat; who had the button, while a pot is carried
    "pot": None,  # a pot carried into the next round
    "shoe": None,  # the open shoe, and how far it is dealt
    "deck": None,  # the deck in use, and since when
}


class ClientSeedMissing(Refusal):
    """A shuffle, or a draw, without a client seed where the signed terms do not say that there is none."""


class RoundLive(Refusal):
    """Another round of the table is live; it must be settled or voided first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is asked: a record of a kind, under an id that is the operator's, with a request in its normal form."""

    kind: str
    operator: str
    table_id: str
    round_id: str
    request: GameJson


def call_of(payload: Record) -> Call:
    """What was asked when a record was made."""
    return Call(
        kind=payload["kind"],
        operator=payload["operator"],
        table_id=payload["table_id"],
        round_id=payload["round_id"],
        request=payload["request"],
    )


class Last(NamedTuple):
    """A round's last record: its payload, and the hash by which the next one names it."""

    payload: Record
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What a step builds on.

    `table` is the table as its last record left it, `last` the last record of the call's own round (None: there is
    none), `ruleset` the rule set that it goes by (None: a void of a round that nobody knows). That round may have been
    of any game; `reasons` are those for which it may be voided. `basis` is what a kind of record that is made from
    itself says that it was made from.
    """

    table: TableState
    last: Last | None
    ruleset: Ruleset | None
    reasons: Sequence[str] = VOID_REASONS
    basis: GameJson | None = None

    @property
    def rules(self) -> Ruleset:
        """The rule set, where there must be one."""
        if self.ruleset is None:
            raise ValueError("a step by no rule set")
        return self.ruleset

    @property
    def record(self) -> Last:
        """The round's last record, where there must be one."""
        if self.last is None:
            raise ValueError("a step that follows no record")
        return self.last

    @property
    def payload(self) -> Record:
        """The payload of the round's last record, where there must be one."""
        return self.record.payload


class Secrets(Protocol):
    """What a step needs and no record tells yet; all that differs between writing a record and replaying it."""

    def commit(self, call: Call) -> Commitment:
        """The commitment of what is opened by a call: `{commitment, salt, epoch}`."""

    def seed(self, terms: SeedTerms) -> bytes:
        """The seed, 32 bytes, that was committed to in the terms of a round, a shoe or a draw."""

    def seed_to_reveal(self, terms: SeedTerms) -> bytes | None:
        """The seed of what ends without another card; None if it is lost for good."""

    def luck(self, terms: SeedTerms, client_seed: str | None) -> Luck:
        """All that chance decides under these terms."""

    def shoe_cards(self, shoe: OpenShoe, deck: Sequence[Card]) -> Sequence[Card]:
        """The cards of a shoe in their order, cut."""


class SeedSecrets:
    """Secrets that follow from seeds; a subclass says where commitments and seeds come from."""

    def commit(self, call: Call) -> Commitment:
        """The commitment of what is opened by a call."""
        raise NotImplementedError

    def seed(self, terms: SeedTerms) -> bytes:
        """The seed that was committed to in the terms."""
        raise NotImplementedError

    def seed_to_reveal(self, terms: SeedTerms) -> bytes | None:
        """The seed of what ends without another card."""
        return self.seed(terms)

    def terms_sha256(self, terms: SeedTerms) -> bytes:
        """The hash of the terms, which the cards depend on."""
        return terms_sha256(terms)

    def luck(self, terms: SeedTerms, client_seed: str | None) -> Luck:
        """All that chance decides under these terms."""
        return Luck(
            server_seed=self.seed(terms),
            terms_sha256=self.terms_sha256(terms),
            client_seed=None if client_seed is None else bytes.fromhex(client_seed),
        )

    def shoe_cards(self, shoe: OpenShoe, deck: Sequence[Card]) -> Sequence[Card]:
        """The cards of a shoe in their order, cut."""
        return self.luck(shoe["terms"], shoe["client_seed"]).shuffle(deck, shoe["cut"])


def _nothing(call: Call, before: Before) -> None:
    del call, before


def _any_names(call: Call) -> None:
    del call


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of record.

    `shapes` are the closed shapes that its payload may have, with type variables where the game comes in. `follows` are
    the kinds of its round's last record that it may follow, None among them if it may be the first. `of_round` says
    that it belongs to a round of the table, so that the round it leaves open is the table's live one; `ends` that
    nothing follows it. `body` refuses what the rules refuse and gives what the record says, `leaves` gives the table
    after it, which needs no secret: the recorded body says enough. `names` and `asks` refuse what is refused to calls
    only: a record like that is one all the same. `names` comes before the rules, and refuses what today's lists do not
    hold; `asks` comes after them, and an audit lists where its answer is missing.
    """

    shapes: tuple[Any, ...]
    follows: tuple[str | None, ...]
    body: Callable[[Call, Before, Secrets], GameJson]
    leaves: Callable[[Call, Before, GameJson], TableState]
    names: Callable[[Call], None] = _any_names
    asks: Callable[[Call, Before], None] = _nothing
    of_round: bool = False
    ends: bool = True
    stays: bool = False  # leaves its round in the state in which that was
    from_itself: bool = False  # repeats all that it is made from
    while_live: bool = False  # may be written while a round of the table is live
    frees: bool = False  # may build on a record that no certificate covers, so that no table is stuck


Kinds = Mapping[str, Kind]


def step(kinds: Kinds, call: Call, before: Before, secrets: Secrets) -> Step:
    """What a call makes of a table. Raises RoundLive, or what the kind, the rules and the secrets refuse."""
    body = body_of(kinds, call, before, secrets)
    return Step(
        kind=call.kind,
        ruleset=None if before.ruleset is None else before.ruleset.reference,
        request=call.request,
        body=body,
        table_after=table_after(kinds, call, before, body),
    )


def body_of(kinds: Kinds, call: Call, before: Before, secrets: Secrets) -> GameJson:
    """What the record of a call says, without the table after it. Raises what `step` does."""
    kind, live = kinds[call.kind], before.table["live"]
    if live is not None and live["round_id"] != call.round_id and not kind.while_live:
        raise RoundLive(
            f"round {live['round_id']} is {live['state']} at table {call.table_id}: settle or void it first"
        )
    return kind.body(call, before, secrets)


def table_after(kinds: Kinds, call: Call, before: Before, body: GameJson) -> TableState:
    """The table as the record of a call leaves it, by what its body says."""
    return kinds[call.kind].leaves(call, before, body)


def check_client_seed(call: Call) -> None:
    """Refuse a call without a client seed. Raises ClientSeedMissing."""
    if "client_seed" not in call.request:
        message = (
            "must be 32 to 128 hex digits, chosen by the bettors once they saw the commitment; "
            'or say "client_seed": "none" before any bet'
        )
        refuse_at(ClientSeedMissing, "client_seed", message)


def terms_of(opened: Record) -> Terms:
    """The terms on which a round was opened: the part of its record that cards depend on and later records repeat."""
    told = {
        "operator": opened["operator"],
        "table_id": opened["table_id"],
        "round_id": opened["round_id"],
        "ruleset": opened["ruleset"],
        "request": opened["request"],
        "body": opened["body"],
    }
    return cast("Terms", told)  # an opened record has a rule set, and its body is a commitment or says nothing


def repeated(opened: Record, sha256: str | None) -> GameJson:
    """What the deal of a round, or its void, repeats of its opened record, whose hash is `sha256`."""
    return {"seq": opened["seq"], "sha256": sha256, "terms": terms_of(opened)}


def new_terms(call: Call, before: Before, body: Commitment) -> CommittedTerms:
    """The terms on which a call opens something, `body` being its commitment."""
    return {
        "operator": call.operator,
        "table_id": call.table_id,
        "round_id": call.round_id,
        "ruleset": before.rules.reference,
        "request": call.request,
        "body": body,
    }


def opened_terms(last: Record) -> Terms:
    """What a round was opened on, by its opened record or by one that repeats the terms."""
    if last["kind"] == "opened":
        return cast("Terms", last)  # which holds all that terms do, and more
    terms: Terms = last["body"]["opened"]["terms"]
    return terms


def with_live(table: TableState, live: LiveRound | None) -> TableState:
    """The table with another live round, or none."""
    return {**table, "live": live}


def revealed(server_seed: bytes | None) -> str | None:
    """A seed as a record reveals it, None where it is lost."""
    return None if server_seed is None else server_seed.hex()
