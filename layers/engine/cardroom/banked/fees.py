"""The fees of a round that somebody banks, and the free collections that take their place (§6.4, §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cardroom.banked.bets import Bets
from cardroom.banked.rules import FeesFrom
from cardroom.fees import FeeBand, FeeBandMissing, fee_bands, fee_for
from cardroom.money import HOUSE
from cardroom.refusals import FieldFault, Refusal, refuse, refuse_at
from cardroom.shapes.banked import BankerFee, WagerFee
from cardroom.shapes.parts import HeldCollection, TableState
from cardroom.table import Wager


class FreeCollectionWithoutFee(Refusal):
    """A free collection for a wager that pays no fee."""


class FreeCollectionUnknown(Refusal):
    """A free collection that the table's last settled hand did not earn: one of another table or an earlier hand."""


class FreeCollectionOfAnother(Refusal):
    """A free collection that another bettor earned."""


class FreeCollectionUsedTwice(Refusal):
    """A free collection for two wagers."""


_REFUSALS: Final = (
    FreeCollectionWithoutFee,
    FreeCollectionUnknown,
    FreeCollectionOfAnother,
    FreeCollectionUsedTwice,
)


def fees_of(bets: Bets, table: TableState) -> list[WagerFee | BankerFee]:
    """The fees of the round, by wager in order of their ids, then the banker's (§7).

    Raises FeeBandMissing, or what is wrong with the free collections that wagers ask to use.
    """
    _check_free_collections(bets, table["free_collections"])
    fees: list[WagerFee | BankerFee] = []
    if FeesFrom.WAGER in bets.fees:
        fees += _wager_fees(bets, fee_bands(bets.fees["wager"], "fees.wager"))
    if FeesFrom.BANKER in bets.fees and bets.banker_wager is not None:
        amount = fee_for(bets.banker_wager, fee_bands(bets.fees["banker"], "fees.banker"))
        if amount is None:
            refuse_at(FeeBandMissing, "banker_wager", _no_band(bets.banker_wager))
        fees.append({"banker": True, "bettor": bets.banker, "amount": amount})
    return fees


def _wager_fees(bets: Bets, bands: Sequence[FeeBand]) -> list[WagerFee]:
    paying = [wager for wager in bets.wagers if wager.kind == bets.rules.fee_kind and wager.bettor != HOUSE]
    amounts = {w.wager_id: due for w in paying if (due := fee_for(w.amount_minor, bands)) is not None}
    no_band = [wager for wager in paying if wager.wager_id not in amounts]
    refuse(FeeBandMissing, [FieldFault(w.at("amount"), _no_band(w.amount_minor)) for w in no_band])
    fees: list[WagerFee] = []
    for wager in paying:
        fee: WagerFee = {"wager_id": wager.wager_id, "bettor": wager.bettor, "amount": amounts[wager.wager_id]}
        if wager.wager_id in bets.free_collections:
            fee["free_collection"] = bets.free_collections[wager.wager_id]
        fees.append(fee)
    return fees


def _no_band(amount: int) -> str:
    return f"must lie in a band of the posted fees; {amount} is in none"


def _check_free_collections(bets: Bets, earned: Sequence[HeldCollection]) -> None:
    """Refuse each misuse of a free collection by its own name (§6.4)."""
    owners = {(held["round_id"], held["wager_id"]): held["bettor"] for held in earned}
    seen: set[tuple[str, str]] = set()
    faults: dict[type[Refusal], list[FieldFault]] = {kind: [] for kind in _REFUSALS}
    for wager in bets.wagers:
        named = bets.free_collections.get(wager.wager_id)
        if named is None:
            continue
        key = (named["round_id"], named["wager_id"])
        found = _misuse(bets, wager, key, owners)
        if found is None and key in seen:
            found = FreeCollectionUsedTwice, "must be used once"
        if found is not None:
            faults[found[0]].append(FieldFault(wager.at("free_collection"), found[1]))
        seen.add(key)
    for kind, all_of_kind in faults.items():
        refuse(kind, all_of_kind)


def _misuse(
    bets: Bets, wager: Wager, key: tuple[str, str], owners: Mapping[tuple[str, str], str]
) -> tuple[type[Refusal], str] | None:
    """What is wrong with a wager's use of a free collection, however often it is used."""
    if wager.kind != bets.rules.fee_kind:
        return FreeCollectionWithoutFee, f"must be left out: a wager of kind {wager.kind} pays no fee"
    if FeesFrom.WAGER not in bets.fees:
        return FreeCollectionWithoutFee, "must be left out: no fee is posted for wagers"
    if key not in owners:
        message = f"the table's last round gave none for wager {key[1]} of round {key[0]}"
        return FreeCollectionUnknown, message
    if owners[key] != wager.bettor:
        return FreeCollectionOfAnother, f"it is {owners[key]}'s, not {wager.bettor}'s"
    return None
