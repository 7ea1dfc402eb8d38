"""The body of a banked settlement: postings, commissions, results, and what the round leaves at its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypedDict

from cardroom.banked.bets import Bets
from cardroom.banked.cover import Banked, Claim, Move, settle_claims
from cardroom.banked.rules import BankRules, Banks, FreeCollections
from cardroom.money import HOUSE, WHOLE_BPS, Commission, Posting, Rounding, Why, account_of, nets_of
from cardroom.seats import seat_of
from cardroom.shapes import banked
from cardroom.shapes.handed import BankedRound, BankerT, Results, ResultT, TableChange
from cardroom.shapes.parts import BankerTurns, HeldCollection, TableState
from cardroom.table import Outcome, Wager

MOST_WAITING: Final = 200
"""How many free collections a table holds at most, so that its records stay small; the oldest lapse first.

It is the most wagers that a hand can have, so that none lapses before the next hand."""
NO_COMMISSION: Final = Commission(rate_bps=0, increment_minor=1, rounding=Rounding.HALF_UP)
# In CPython 3.11 reading a member of an enumeration calls a function; these are read for every wager.
_WHY_WIN, _WHY_LOSS, _WHY_BONUS, _WHY_BONUS_LOSS = Why.WIN, Why.LOSS, Why.BONUS, Why.BONUS_LOSS


def postings_of(
    claims: Sequence[Claim],
    banked: Banked,
    *,
    banker_account: str,
    commission: Commission,
    banker_share_bps: int = WHOLE_BPS,
) -> tuple[tuple[Posting, ...], tuple[int, ...], int]:
    """The postings of a settlement, the commission by claim, and the banker's own commission, in minor units (§5.3).

    Commission is taken from what a main wager won, and from the banker's net win on the main wagers. The house
    pays none: it would be to itself. Of a shared bank's net the banker has so many basis points, and pays commission
    on his share; the house has the rest (§8.3, §8.4).
    """
    postings: list[Posting] = []
    charges = []
    rate = commission.rate_bps
    for claim, move in zip(claims, banked.moves, strict=True):
        wager = claim.wager
        account = account_of(wager.bettor)
        bank = HOUSE if claim.by_house else banker_account
        charge = 0
        if move.paid_minor:
            why = _WHY_BONUS if claim.side else _WHY_WIN
            postings.append(Posting(bank, account, move.paid_minor, why, wager.wager_id))
            if rate and not claim.side and account != HOUSE:
                charge = commission.charge(won_minor=move.paid_minor)
                if charge:
                    postings.append(Posting(account, HOUSE, charge, Why.COMMISSION, wager.wager_id))
        elif move.collected_minor:
            why = _WHY_BONUS_LOSS if claim.side else _WHY_LOSS
            postings.append(Posting(account, bank, move.collected_minor, why, wager.wager_id))
        charges.append(charge)
    if banker_share_bps < WHOLE_BPS:
        part = banked.net_minor - share_of(banked.net_minor, banker_share_bps)
        if part:
            payer, payee = (banker_account, HOUSE) if part > 0 else (HOUSE, banker_account)
            postings.append(Posting(payer, payee, abs(part), Why.CO_BANK))
    banker_charge = 0
    won = share_of(banked.main_net_minor, banker_share_bps)
    if rate and banker_account != HOUSE and won > 0:
        banker_charge = commission.charge(won_minor=won)
        if banker_charge:
            postings.append(Posting(banker_account, HOUSE, banker_charge, Why.COMMISSION))
    return tuple(postings), tuple(charges), banker_charge


def share_of(net_minor: int, share_bps: int) -> int:
    """A share of a bank's net, rounded toward zero (§8.4).

    >>> share_of(101, 5_000), share_of(-101, 5_000)
    (50, -50)
    """
    share = abs(net_minor) * share_bps // WHOLE_BPS
    return share if net_minor > 0 else -share


class Judged(NamedTuple):
    """A claim, why the cards make it so, and the rule that says so."""

    claim: Claim
    reason: str
    rule: str


def settled(bets: Bets, judged: Sequence[Judged], *, cover_rule: str) -> banked.PlainSettlement:
    """The `banker`, `results`, `postings` and `net` of a settled round (§6.2 to §6.5).

    `cover_rule` is where the game's sheet says how far the banker's wager reaches.
    """
    claims = [each.claim for each in judged]
    banked = settle_claims(claims, coverage=bets.rules.coverage, banker_wager_minor=bets.banker_wager)
    postings, _, _ = postings_of(claims, banked, banker_account=account_of(bets.banker), commission=NO_COMMISSION)
    return {
        "banker": banker_of(bets, banked, commission=0),
        "results": _results(judged, banked, cover_rule=cover_rule, rules=bets.rules),
        "postings": [posting.to_json() for posting in postings],
        "net": nets_of(postings),
    }


class _BankerWager(TypedDict, total=False):
    wager: int


def banker_of(bets: Bets, banked: Banked, *, commission: int) -> banked.BankerSettled:
    """The `banker` of a settled body; the house has no wager."""
    wager: _BankerWager = {} if bets.banker_wager is None else {"wager": bets.banker_wager}
    return {
        "seat": bets.banker_seat,
        **wager,
        "coverage": bets.rules.coverage.value,
        "used": banked.used_minor,
        "net": banked.net_minor,
        "commission": commission,
    }


def result_of(wager: Wager, move: Move, *, commission: int, reason: str, rule: str) -> banked.Result:
    """What a settled body tells of every wager, whatever the game."""
    return {
        "wager_id": wager.wager_id,
        "seat": wager.seat,
        "bettor": wager.bettor,
        "circle": wager.circle,
        "kind": wager.kind,
        "amount": wager.amount_minor,
        "result": move.outcome.value,
        "paid": move.paid_minor,
        "collected": move.collected_minor,
        "returned": move.returned_minor,
        "commission": commission,
        "reason": reason,
        "rule": rule,
    }


def _results(judged: Sequence[Judged], banked: Banked, *, cover_rule: str, rules: BankRules) -> list[banked.Result]:
    results = []
    for each, move in zip(judged, banked.moves, strict=True):
        reason, rule = each.reason, each.rule
        if move.outcome is Outcome.NO_ACTION:
            reason, rule = "no_action", cover_rule
        elif move.cut is not None:
            reason, rule = f"{reason}_up_to_cover", cover_rule
        results.append(result_of(each.claim.wager, move, commission=0, reason=reason, rule=rule))
    mark_earned(results, rules)
    return results


# What a settled round leaves at its table


def mark_earned(results: Sequence[banked.Result], rules: BankRules) -> None:
    """Say which wagers earn a free collection: of those that pay a fee; where it waits, one a bettor (§6.4).

    `results` are in settling order, so that the first of a bettor's wagers earns it.
    """
    had = set()
    for result in results:
        if result["kind"] != rules.fee_kind or result["result"] not in rules.earns or result["bettor"] in had:
            continue
        result["free_collection"] = True
        if rules.free_collection is FreeCollections.WAITS:
            had.add(result["bettor"])


def after_settle(
    rules: Banks, opening: BankedRound[BankerT], body: Results[ResultT], round_id: str, table: TableState
) -> TableChange:
    """The banker's turns and the free collections that a settled round leaves at its table (§6.4, §8.2).

    A turn is rounds in a row by one bettor; when all others passed, a new one begins. `table` is as the game sees it.
    """
    banker: banked.Banker | Literal["house"] = opening["banker"]
    last = table["banker"]
    turns: BankerTurns | None = None
    if banker != HOUSE:
        before = 0
        if last is not None and last["bettor"] == banker["bettor"] and not banker.get("others_passed", False):
            before = last["turns"]
        seat = seat_of(opening, banker["bettor"], banker["seat"])
        turns = {"bettor": banker["bettor"], "seat": seat, "game": rules.bank.game, "turns": before + 1}
    played = {result["bettor"] for result in body["results"]} | ({turns["bettor"]} if turns else set())
    hand_no = table["hand_no"] + 1
    earned: list[HeldCollection] = [
        {
            "round_id": round_id,
            "wager_id": result["wager_id"],
            "bettor": result["bettor"],
            "game": rules.bank.game,
            "hand_no": hand_no,
        }
        for result in body["results"]
        if result.get("free_collection", False)
    ]
    waiting = [
        held
        for held in table["free_collections"]
        if held["bettor"] not in played and hand_no - held["hand_no"] < rules.bank.courtesy_hands
    ]
    earned.sort(key=lambda held: held["wager_id"])
    return {"banker": turns, "free_collections": [*waiting, *earned][-MOST_WAITING:]}
