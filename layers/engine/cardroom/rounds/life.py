"""The life of a round: opened, dealt, then settled or voided; what each of its records says."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, cast

from cardroom.currencies import check_currency
from cardroom.game import Ruleset, Shuffled, luck_of
from cardroom.refusals import FieldFault, Refusal, refuse_at
from cardroom.rounds import draws, sets, shoes
from cardroom.rounds.steps import (
    Before,
    Call,
    Kind,
    Last,
    Secrets,
    check_client_seed,
    opened_terms,
    repeated,
    revealed,
    terms_of,
    with_live,
)
from cardroom.shapes.parts import GameJson, TableState, Terms, is_committed
from cardroom.shapes.records import Dealt, Opened, Settled, Tombstone, Voided
from cardroom.shuffle import Cut, Luck
from cardroom.table import FieldNotUsed


class PotNotContinued(Refusal):
    """A new pot is opened while one is carried."""


class CutMissing(Refusal):
    """A shuffled deal without a cut, where the rules have one of the players cut the deck."""


class VoidReasonUnknown(Refusal):
    """The reason for a void is none of the published ones (pai gow sheet section 11)."""


def seen(table: TableState, ruleset: Ruleset) -> TableState:
    """The table as a game sees it: a banker's turns and free collections belong to the game they were earned in."""
    game, banker = ruleset.document["game"], table["banker"]
    return {
        **table,
        "banker": banker if banker is not None and banker["game"] == game else None,
        "free_collections": [held for held in table["free_collections"] if held["game"] == game],
    }


# Opened


def _opened(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """Answers a commitment to the deck (`shuffle`), or nothing (`table`).

    Raises PotNotContinued, SumMissing, ShoeNotOpen, DrawNotHeld, or what the game refuses.
    """
    ruleset, request, table = before.rules, call.request, before.table
    _check_carried_pot(request, table)
    rules, own = ruleset.rules_for(request), seen(table, ruleset)
    ruleset.game.check_open(rules, request, own)
    ruleset.game.check_first(rules, request, own)
    shoes.check_named(ruleset, request, table)
    draws.check_cited(request, table)
    for name in ("client_seed", "shown"):
        if request["source"] != "shuffle" and name in request:
            refuse_at(FieldNotUsed, name, "must be left out: the cards of a physical table are not shuffled here")
    return secrets.commit(call) if request["source"] == "shuffle" else {}


def _check_carried_pot(request: GameJson, table: TableState) -> None:
    """A carried pot is the next round's, whatever game else would be opened (push nine sheet section 7)."""
    pot = table["pot"]
    if pot is not None and "continues" not in request:
        message = f"must be {pot['round_id']}, whose pot is carried: its players tied"
        refuse_at(PotNotContinued, "continues", message)


def _names(call: Call) -> None:
    """A currency of today. Raises what `check_currency` does."""
    if "currency" in call.request:
        check_currency(call.request["currency"])


def _is_opened(call: Call, before: Before, _body: GameJson) -> TableState:
    return with_live(before.table, {"round_id": call.round_id, "state": "opened"})


# Dealt


def _dealt(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """The terms it was opened on, a cut that the house draws, and what the game deals.

    Raises ShoeStarted, CutMissing, FieldNotUsed, or what the game refuses.
    """
    opened, sha256 = before.record
    ruleset, table = before.rules, shoes.begun(seen(before.table, before.rules), opened, call.request)
    terms = terms_of(opened)
    _check_forgone(terms, call.request, before.table)
    source = shoes.source_of(terms, call.request, table, before, secrets)
    luck = luck_of(source)  # had first: nothing is dealt against a broken commitment
    drawn = {} if luck is None else _cut(before, call.request, luck)
    if drawn:
        source = Shuffled(lambda: cast("Luck", luck), drawn["cut"])
    dealt = ruleset.game.deal(ruleset.rules_for(opened["request"]), opened["request"], call.request, table, source)
    shown = sets.shown_of(ruleset, terms, call.request, dealt)
    return {"opened": repeated(opened, sha256), **drawn, **shown}


def _cut(before: Before, wagering: GameJson, luck: Luck) -> GameJson:
    """The cut that the house draws from the seed, where it cuts and none is told; `{}` where it draws none.

    Raises CutMissing, FieldNotUsed.
    """
    ruleset, shoe = before.rules, before.table["shoe"] if "shoe_id" in before.payload["request"] else None
    if shoe is not None and shoe["position"]:
        return {}  # it was cut before its first card
    cards = len(ruleset.game.deck(ruleset.rules, before.payload["request"]))
    told = "cut" in wagering
    match ruleset.rules.cut:
        case Cut.PLAYERS if not told:
            refuse_at(CutMissing, "cut", f"must be given: a player cuts the deck, at 1 to {cards - 1}")
        case Cut.HOUSE if not told:
            return {"cut": luck.cut(cards)}
        case Cut.NONE if told:
            refuse_at(FieldNotUsed, "cut", f"must be left out: the rules of {ruleset.id} have no cut")
    return {}


def _asks(call: Call, before: Before) -> None:
    """A client seed for what chance decides in the deal: its cards, or the dice of a shoe's later deal.

    Raises ClientSeedMissing.
    """
    terms = terms_of(before.payload)
    if not is_committed(terms):
        return
    of_round = "client_seed" not in terms["request"]
    if "shoe_id" in terms["request"]:
        of_round = of_round and "dice" not in call.request
    if of_round or _asks_for_shoe(terms["request"], before.table):
        check_client_seed(call)


def _asks_for_shoe(opening: GameJson, table: TableState) -> bool:
    """Whether the round's deal is a shoe's first, which brings the client seed of all its cards."""
    if "shoe_id" not in opening:
        return False
    shoe = shoes.open_at(table)
    return shoe["position"] == 0 and "client_seed" not in shoe["terms"]["request"]


def _check_forgone(terms: Terms, wagering: GameJson, table: TableState) -> None:
    """Refuse a client seed where the signed terms did without: nobody who bet on them gave it. Raises FieldNotUsed."""
    if "client_seed" in terms["request"] and "client_seed" in wagering and not _asks_for_shoe(terms["request"], table):
        message = 'must be left out: the signed terms say "client_seed": "none"'
        refuse_at(FieldNotUsed, "client_seed", message)


def _is_dealt(call: Call, before: Before, body: GameJson) -> TableState:
    opened, ruleset = before.payload, before.rules
    table = shoes.begun(before.table, opened, call.request)
    rules = ruleset.rules_for(opened["request"])
    changed = ruleset.game.after_deal(rules, opened["request"], call.request, body, table)
    return with_live({**table, **changed}, {"round_id": call.round_id, "state": "dealt"})


# Settled


def _settled(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """What the game pays, the hands that nobody saw before, and the round's seed (never the shoe's).

    Raises HandHidden, HandsNotWanted, or what the game refuses.
    """
    last, ruleset = before.payload, before.rules
    sets.check_hidden(ruleset, last, call.request)
    terms, deal = opened_terms(last), sets.dealing(last)
    rules = ruleset.rules_for(terms["request"])
    # The seed is had first: nothing is settled against a broken commitment.
    seed = secrets.seed(terms) if is_committed(terms) else None
    source = shoes.source_of(terms, deal.wagering, before.table, before, secrets)
    shown = sets.hands_shown(ruleset, last, call.request, source)
    request, deal = sets.settling(ruleset, deal, call.request), deal.with_hands(shown)
    body = ruleset.game.settle(rules, terms["request"], deal.request, deal.body, request, source)
    if shown:
        body["hands"] = shown
    return body if seed is None else {**body, "seed": revealed(seed)}


def _is_settled(call: Call, before: Before, body: GameJson) -> TableState:
    """Where another game was played before, its turns and free collections end."""
    ruleset, table = before.rules, seen(before.table, before.rules)
    opening = opened_terms(before.payload)["request"]
    changed = ruleset.game.after_settle(ruleset.rules_for(opening), opening, body, call.round_id, table)
    return with_live({**table, **changed, "hand_no": table["hand_no"] + 1, "draw": None}, None)


# Voided


def _voided(call: Call, before: Before, secrets: Secrets) -> GameJson:
    """What it ends and what goes back, and the seed, which is null if it is lost.

    Of a round that nobody knows, nothing: a tombstone.

    Raises VoidReasonUnknown.
    """
    last, game = before.last, None if before.ruleset is None else before.ruleset.game
    reasons = before.reasons if game is None else game.void_reasons
    reason = call.request["reason"]
    if reason not in reasons:
        message = f"must be one of {', '.join(reasons)}"
        raise VoidReasonUnknown(f"no void for reason {reason!r}: {message}", FieldFault("reason", message))
    body: dict[str, Any] = {"was": None, "returned": [], "postings": []}
    if last is None or game is None:
        return body
    if last.payload["kind"] == "opened":
        body |= {"was": "opened", "opened": repeated(*last)}
    else:
        body |= _returned(before.rules, last)
    terms = opened_terms(last.payload)
    if is_committed(terms):
        body["seed"] = revealed(secrets.seed_to_reveal(terms))
    return body


def _returned(ruleset: Ruleset, last: Last) -> GameJson:
    """The deal that a void ends, the set after it, and what both give back."""
    deal, repeated_ = sets.dealing(last.payload), sets.deal_repeated(*last)
    dealt = {name: value for name, value in repeated_.items() if name != "body"}
    back = ruleset.game.returned(deal.request, deal.body)
    body: dict[str, Any] = {"was": "dealt", "dealt": dealt, **back}
    if deal.locked is None:
        return body
    returned = sorted([*body["returned"], *sets.staked(ruleset, last.payload)], key=itemgetter("wager_id"))
    return {**body, "was": "set", "set": sets.sets_repeated(*last), "returned": returned}


def _is_voided(_call: Call, before: Before, _body: GameJson) -> TableState:
    """The table as it was before the round, cards of a shoe apart, which are spent; a live round of others goes on."""
    return before.table if before.last is None else with_live(before.table, None)


OPENED = Kind(
    shapes=(Opened,), follows=(None,), body=_opened, leaves=_is_opened, names=_names, of_round=True, ends=False
)
DEALT = Kind(shapes=(Dealt,), follows=("opened",), body=_dealt, leaves=_is_dealt, asks=_asks, of_round=True, ends=False)
SETTLED = Kind(shapes=(Settled,), follows=("dealt", "set"), body=_settled, leaves=_is_settled, of_round=True)
VOIDED = Kind(
    shapes=(Voided, Tombstone),
    follows=(None, "opened", "dealt", "set"),
    body=_voided,
    leaves=_is_voided,
    of_round=True,
    while_live=True,
    frees=True,
)
