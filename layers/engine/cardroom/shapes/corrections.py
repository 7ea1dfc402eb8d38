"""What a correction of a settled round repeats, and what comes of it."""

from __future__ import annotations

from typing import Generic, NotRequired, TypedDict, TypeVar

from cardroom.shapes.banked import DealKept, KeptT, WageringT
from cardroom.shapes.parts import DealtOn, Nets, OpeningT, Postings
from cardroom.shapes.records import SettlingT
from cardroom.shapes.values import Id, Ordinal, Sha256

SettlementT = TypeVar("SettlementT")


class SettledOn(TypedDict, Generic[SettlingT]):
    """A settlement as it stands: what was set, the money by account, and the wagers that earned a free collection."""

    seq: Ordinal
    sha256: Sha256
    hand_no: Ordinal
    request: SettlingT
    net: Nets
    earned: list[Id]


class RecordAt(TypedDict):
    """A record of the table."""

    seq: Ordinal
    sha256: Sha256


class Basis(TypedDict, Generic[OpeningT, WageringT, KeptT, SettlingT]):
    """All that a correction settles from, and the last correction, if there was one."""

    opened: DealtOn[OpeningT]
    dealt: DealKept[WageringT, KeptT]
    settled: SettledOn[SettlingT]
    corrected: NotRequired[RecordAt]


class Earnings(TypedDict):
    """Wagers that would have earned a free collection, and those that would not."""

    more: list[Id]
    less: list[Id]


class WouldDiffer(TypedDict):
    """Where what followed at the table would have been otherwise; it stands as it is."""

    free_collections: Earnings


class CorrectedBody(TypedDict, Generic[OpeningT, WageringT, KeptT, SettlingT, SettlementT]):
    """A round settled again: what from, how, and what each account is owed since."""

    basis: Basis[OpeningT, WageringT, KeptT, SettlingT]
    settlement: SettlementT
    postings: Postings
    net: Nets
    would_differ: WouldDiffer
