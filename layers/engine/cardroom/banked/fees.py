"""The fees of a round that somebody banks, and the free collections that take their place (§6.4, §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from cardroom.banked.bets import Bets
from cardroom.banked.rules import FeesFrom
from cardroom.fees import FeeBand, FeeBandMissing, fee_bands, fee_for
from cardroom.money import HOUSE
from cardroom.refusals import FieldFault, Refusal, refuse, refuse_at
from cardroom.shapes.banked import BankerFee, WagerFee
from cardroom.shapes.parts import FreeCollection, HeldCollection, TableState
from cardroom.table import Wager


class FreeCollectionWithoutFee(Refusal):
    """A free collection for a wager, or a bank, that pays no fee."""


class FreeCollectionUnknown(Refusal):
    """A free collection that the table does not hold: of another table or game, used, or lapsed."""


class FreeCollectionOfAnother(Refusal):
    """A free collection that another bettor earned."""


class FreeCollectionUsedTwice(Refusal):
    """A free collection for two wagers, or for a wager and the bank."""


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
        fee: BankerFee = {"banker": True, "bettor": bets.banker, "amount": amount}
        if bets.banker_free_collection is not None:
            fee["free_collection"] = bets.banker_free_collection
        fees.append(fee)
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


class _Use(NamedTuple):
    """A free collection that is to pay a fee: of a wager, or None of the bank."""

    named: FreeCollection
    wager: Wager | None


def _check_free_collections(bets: Bets, held: Sequence[HeldCollection]) -> None:
    """Refuse each misuse of a free collection by its own name (§6.4)."""
    owners = {(one["round_id"], one["wager_id"]): one["bettor"] for one in held}
    uses = [_Use(bets.free_collections[w.wager_id], w) for w in bets.wagers if w.wager_id in bets.free_collections]
    if bets.banker_free_collection is not None:
        uses.append(_Use(bets.banker_free_collection, None))
    seen: set[tuple[str, str]] = set()
    faults: dict[type[Refusal], list[FieldFault]] = {kind: [] for kind in _REFUSALS}
    for use in uses:
        key = (use.named["round_id"], use.named["wager_id"])
        found = _misuse(bets, use.wager, key, owners)
        if found is None and key in seen:
            found = FreeCollectionUsedTwice, "must be used once"
        if found is not None:
            field = "banker_free_collection" if use.wager is None else use.wager.at("free_collection")
            faults[found[0]].append(FieldFault(field, found[1]))
        seen.add(key)
    for kind, all_of_kind in faults.items():
        refuse(kind, all_of_kind)


def _misuse(
    bets: Bets, wager: Wager | None, key: tuple[str, str], owners: Mapping[tuple[str, str], str]
) -> tuple[type[Refusal], str] | None:
    """What is wrong with a use of a free collection, for a wager or (None) the bank, however often it is used."""
    if wager is not None and wager.kind != bets.rules.fee_kind:
        return FreeCollectionWithoutFee, f"must be left out: a wager of kind {wager.kind} pays no fee"
    payer = FeesFrom.BANKER if wager is None else FeesFrom.WAGER
    if payer not in bets.fees or (wager is None and bets.house_banks):
        what = "the bank" if wager is None else "wagers"
        return FreeCollectionWithoutFee, f"must be left out: no fee is posted for {what}"
    if key not in owners:
        message = f"the table holds none for wager {key[1]} of round {key[0]}"
        return FreeCollectionUnknown, message
    bettor = bets.banker if wager is None else wager.bettor
    if owners[key] != bettor:
        return FreeCollectionOfAnother, f"it is {owners[key]}'s, not {bettor}'s"
    return None
