"""Each kind of record as it is signed, the lines of an export that are none, and the certificate."""

from __future__ import annotations

from typing import Annotated, Generic, Literal, NotRequired, TypedDict, TypeVar

from cardroom.shapes.bounds import Length
from cardroom.shapes.parts import (
    CloseShoeRequest,
    Commitment,
    DealtOn,
    DrawRequest,
    GameJson,
    Hand,
    NoCommitment,
    OpeningT,
    Postings,
    ReturnedWager,
    RulesetReference,
    ShoeRequest,
    TableState,
)
from cardroom.shapes.values import (
    AnyRoundId,
    Base64Of32,
    CardsInShoe,
    ClientSeed,
    Count,
    DrawRoundId,
    Id,
    Jws,
    Note,
    Ordinal,
    Seconds,
    Seed,
    Sha256,
    ShoeRoundId,
    Small,
    Time,
    Version,
    VoidReason,
    Words,
)

WageringT = TypeVar("WageringT")
SettlingT = TypeVar("SettlingT")
LockingT = TypeVar("LockingT")
DealtT = TypeVar("DealtT")
SettledT = TypeVar("SettledT")
LockedT = TypeVar("LockedT")
CorrectingT = TypeVar("CorrectingT")
DealCorrectedT = TypeVar("DealCorrectedT")
CorrectedT = TypeVar("CorrectedT")


class Engine(TypedDict):
    """Which code wrote a record: its version, and the digest of the package's files."""

    version: Version
    sha256: Sha256


class Payload(TypedDict):
    """What every record says besides its kind, rule set, request and body."""

    v: Literal[2]
    engine: Engine
    operator: Id
    table_id: Id
    seq: Ordinal
    prev: Sha256 | None
    at: Time
    table_after: TableState


class Opened(Payload, Generic[OpeningT]):
    """A round was opened."""

    kind: Literal["opened"]
    round_id: Id
    ruleset: RulesetReference
    request: OpeningT
    body: Commitment | NoCommitment


class Dealt(Payload, Generic[WageringT, DealtT]):
    """A round was dealt."""

    kind: Literal["dealt"]
    round_id: Id
    ruleset: RulesetReference
    request: WageringT
    body: DealtT


class Set(Payload, Generic[LockingT, LockedT]):
    """The players' hands of a round were set, and the others shown."""

    kind: Literal["set"]
    round_id: Id
    ruleset: RulesetReference
    request: LockingT
    body: LockedT


class DealCorrected(Payload, Generic[CorrectingT, DealCorrectedT]):
    """A card of a physical table was misread before the settlement."""

    kind: Literal["deal_corrected"]
    round_id: Id
    ruleset: RulesetReference
    request: CorrectingT
    body: DealCorrectedT


class Settled(Payload, Generic[SettlingT, SettledT]):
    """A round was settled."""

    kind: Literal["settled"]
    round_id: Id
    ruleset: RulesetReference
    request: SettlingT
    body: SettledT


class Corrected(Payload, Generic[CorrectingT, CorrectedT]):
    """A card of a physical table was misread, which was found after the settlement."""

    kind: Literal["corrected"]
    round_id: Id
    ruleset: RulesetReference
    request: CorrectingT
    body: CorrectedT


class VoidRequest(TypedDict):
    """Why a round is voided."""

    table_id: Id
    reason: VoidReason
    by: NotRequired[Id]
    note: NotRequired[Note]


class VoidedDeal(TypedDict, Generic[WageringT]):
    """The deal that a void ends."""

    seq: Ordinal
    sha256: Sha256
    request: WageringT


class SetsKept(TypedDict, Generic[LockingT]):
    """The record that locked the hands of a round, and how they were set."""

    seq: Ordinal
    sha256: Sha256
    request: LockingT


class VoidedBody(TypedDict, Generic[OpeningT, WageringT, LockingT]):
    """What a void ends, and gives back; the seed is null where it is lost, and not there where there was none."""

    was: Literal["opened", "dealt", "set"]
    opened: NotRequired[DealtOn[OpeningT]]
    dealt: NotRequired[VoidedDeal[WageringT]]
    set: NotRequired[SetsKept[LockingT]]
    returned: list[ReturnedWager]
    postings: Postings
    seed: NotRequired[Seed | None]


class Voided(Payload, Generic[OpeningT, WageringT, LockingT]):
    """A round was voided after it was opened, dealt or set."""

    kind: Literal["voided"]
    round_id: Id
    ruleset: RulesetReference
    request: VoidRequest
    body: VoidedBody[OpeningT, WageringT, LockingT]


class TombstoneBody(TypedDict):
    """Nothing was staked on a round that nobody opened."""

    was: None
    returned: list[ReturnedWager]
    postings: Postings


class Tombstone(Payload):
    """A round that nobody had opened was voided, so that a late open is refused."""

    kind: Literal["voided"]
    round_id: Id
    ruleset: None
    request: VoidRequest
    body: TombstoneBody


class DrawnBody(Commitment):
    """The cards of a draw, the seat that won it, and the seed at once."""

    cards: list[Hand]
    seat: Small
    seed: Seed


class Drawn(Payload):
    """A draw for first banker or first button was held."""

    kind: Literal["drawn"]
    round_id: DrawRoundId
    ruleset: RulesetReference
    request: DrawRequest
    body: DrawnBody


class ShoeOpened(Payload):
    """A shoe was opened."""

    kind: Literal["shoe_opened"]
    round_id: ShoeRoundId
    ruleset: RulesetReference
    request: ShoeRequest
    body: Commitment


class ShoeClosedBody(TypedDict):
    """How far a shoe was dealt, and its seed (null: it is lost)."""

    position: CardsInShoe
    client_seed: ClientSeed | None
    cut: Small | None
    seed: Seed | None


class ShoeClosed(Payload):
    """A shoe was closed."""

    kind: Literal["shoe_closed"]
    round_id: ShoeRoundId
    ruleset: RulesetReference
    request: CloseShoeRequest
    body: ShoeClosedBody


class Unknown(Payload):
    """A record of a kind that has no shape: what can be said of it all the same."""

    kind: str
    round_id: AnyRoundId
    ruleset: RulesetReference | None


class Record(Unknown):
    """A record of any kind; its request and its body are shaped by its kind, and in a round by its game."""

    request: GameJson
    body: GameJson


# The export


class ExportHeader(TypedDict):
    """The first line of an export: what it holds."""

    cardroom_export: Literal[1]
    operator: Id
    table_id: NotRequired[Id]
    round_id: NotRequired[AnyRoundId]
    after: NotRequired[Ordinal]


class TableHead(TypedDict):
    """The last record of a table."""

    table_id: Id
    seq: Ordinal
    sha256: Sha256


class ExportTrailer(TypedDict):
    """What the last line of an export signs."""

    v: Literal[1]
    at: Time
    header: ExportHeader
    records: Count
    heads: Annotated[list[TableHead], Length(0, 10_000)]


# What is signed with


class PublicKey(TypedDict):
    """A public key on P-256 as a JWK."""

    kty: Literal["EC"]
    crv: Literal["P-256"]
    x: Base64Of32
    y: Base64Of32


class RootKey(PublicKey):
    """A root's public key as it is published, with its thumbprint."""

    kid: Base64Of32


class Confirmation(TypedDict):
    """The key that a certificate is for."""

    jwk: PublicKey


class Certificate(TypedDict):
    """The claims of a certificate."""

    iss: Base64Of32
    aud: Words
    iat: Seconds
    nbf: Seconds
    exp: Seconds
    cnf: Confirmation


class CertificateHeader(TypedDict):
    """The protected header of a certificate."""

    alg: Literal["ES256"]
    kid: Base64Of32
    typ: Literal["cardroom-certificate+jwt"]


class RecordHeader(TypedDict):
    """The protected header of a record."""

    alg: Literal["ES256"]
    crt: Jws
    kid: Base64Of32
    typ: Literal["cardroom-record+json"]


class TrailerHeader(TypedDict):
    """The protected header of an export's trailer."""

    alg: Literal["ES256"]
    crt: Jws
    kid: Base64Of32
    typ: Literal["cardroom-export+json"]
