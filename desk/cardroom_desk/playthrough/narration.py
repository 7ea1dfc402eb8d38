"""A round told so that a dealer could follow it, from its records alone.

What is told goes by what the records hold, not by the game's name: a banker or a button, sets or bets, pots or pays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cardroom.currencies import amount_in, unit_of
from cardroom.shuffle import commitment
from cardroom_desk.playthrough.hands import bettors, hands, middle, words
from cardroom_desk.playthrough.round_records import RoundRecords
from cardroom_desk.terminal import grid

if TYPE_CHECKING:
    from rich.table import Table

Json = Mapping[str, Any]
Narration = Iterator["str | Table"]


def narrate(round_: RoundRecords) -> Narration:
    """The round step by step: lines of text, and tables."""
    yield f"{round_.ruleset['document']['title']} ({round_.ruleset['id']})"
    for payload in round_.before:
        yield from _between(payload)
    yield from _opening(round_)
    if round_.dealt is not None:
        yield from _wagers(round_, round_.dealt)
        yield from _deal(round_.dealt)
        yield from _before_the_end(round_)
    if round_.ended["kind"] == "voided":
        yield from _voided(round_)
    elif round_.dealt is not None:
        yield from _betting(round_)
        yield from hands(round_)
        yield from _results(round_)
        yield from _pots(round_)
        yield from _coverage(round_, round_.ended["body"].get("banker", {}))
        yield from _besides(round_)
    if round_.dealt is not None:
        yield from _money(round_, round_.dealt)
    yield from _seed(round_.opened, round_.ended)
    for payload in round_.after:
        yield from _between(payload)


def _list(items: Sequence[object]) -> str:
    return ", ".join(map(str, items))


def _between(payload: Json) -> Narration:
    """What a table does between rounds."""
    request, body = payload["request"], payload["body"]
    match payload["kind"]:
        case "drawn":
            cards = "; ".join(f"seat {item['seat']} {' '.join(item['cards'])}" for item in body["cards"])
            yield f"Draw for {words(request['kind'])}: {cards}. Seat {body['seat']} has it."
        case "shoe_opened":
            shoe = payload["table_after"]["shoe"]
            yield f"Shoe {shoe['shoe_id']} of {shoe['size']} cards is opened on the commitment {body['commitment']}."
        case "shoe_closed":
            yield f"The shoe is closed after {body['position']} cards; its seed is revealed: {body['seed']}."
        case "corrected":
            currency = body["basis"]["opened"]["terms"]["request"]["currency"]
            moved = (f"{one['account']} {amount_in(currency, one['amount'], plus=True)}" for one in body["net"])
            due = ", ".join(moved) or "nobody owes anything"
            yield f"Round {payload['round_id']} is corrected ({words(request['reason'])}, by {request['by']}): {due}."
            yield from _as_they_lie(request)
        case "voided":
            yield f"Round {payload['round_id']}, never opened, is voided in advance ({words(request['reason'])})."


def _as_they_lie(request: Json) -> Narration:
    """What a correction tells of hands and sets."""
    for hand in request.get("hands", ()):
        yield f"  seat {hand['seat']} has {' '.join(hand['cards'])}."
    for one in request.get("sets", ()):
        parts = (f"{name} {' '.join(one[name])}" for name in ("front", "one", "two", "low", "box") if name in one)
        yield f"  seat {one['seat']} is set as it lies: {', '.join(parts) or words(one['how'])}."


def _opening(round_: RoundRecords) -> Narration:
    opened, request = round_.opened, round_.opened["request"]
    banker = request.get("banker")
    if banker is None:
        who = f"The button is at seat {request['button']}"
    elif isinstance(banker, dict):
        passed = ", all others having passed" if banker.get("others_passed") else ""
        who = f"{banker['bettor']} (seat {banker['seat']}) banks{passed}"
    else:
        who = f"The {banker} banks"
    yield f"Round {opened['round_id']}, table {opened['table_id']}. {who}."
    if "continues" in request:
        yield f"It goes on for the pot of round {request['continues']}."
    if "sums" in request:
        own = (f"{name} {round_.amount(sum_)}" for name, sum_ in request["sums"].items())
        yield f"Its own sums, in {unit_of(round_.currency)}: {', '.join(own)}."
    if "maximum_payout" in request:
        most = round_.amount(request["maximum_payout"])
        yield f"The table posts {most} as the most that its bonuses are paid together."
    if (commitment_ := opened["body"].get("commitment")) is not None:
        what = "What is drawn for the round" if "shoe_id" in request else "The deck"
        yield f"{what} is fixed, unseen, by the commitment {commitment_}."
    else:
        yield "The cards are dealt by hand, and told."


def _wagers(round_: RoundRecords, dealt: Json) -> Narration:
    seats, request = bettors(round_), dealt["request"]
    rows = grid("seat", "player", "circle", "bettor", "bet", "amount", right=("seat", "circle", "amount"))
    ordered = sorted(request["wagers"], key=lambda wager: (wager["seat"], wager["circle"], wager["kind"] != "main"))
    for wager in ordered:
        back_line = "" if wager["circle"] == 1 else " (back-line)"
        rows.add_row(
            str(wager["seat"]),
            seats.get(wager["seat"], ""),
            str(wager["circle"]),
            wager["bettor"] + back_line,
            words(wager["kind"]),
            round_.amount(wager["amount"]),
        )
    yield ""
    if ordered:
        yield f"Wagers, in {unit_of(round_.currency)}:"
        yield rows
    else:
        yield f"Amounts are in {unit_of(round_.currency)}."
    if "banker_wager" in request:
        yield f"The banker wagers {round_.amount(request['banker_wager'])}."
    if "stacks" in request:
        left = (f"{seats[item['seat']]} {round_.amount(item['amount'])}" for item in request["stacks"])
        yield f"Behind, to bet with: {', '.join(left)}."
    for part in dealt["body"].get("carried", {}).get("pots", ()):
        players = _list([player["bettor"] for player in part["eligible"]])
        yield f"Carried in: the {words(part['pot'])} pot of {round_.amount(part['amount'])}, for {players}."
    for fee in dealt["body"].get("fees", ()):
        whose = "banker" if fee.get("banker") else f"wager {fee['wager_id']}" if "wager_id" in fee else "time"
        free = "uses a free collection for" if "free_collection" in fee else "pays"
        yield f"Collection: {fee['bettor']} ({whose}) {free} {round_.amount(fee['amount'])}."


def _deal(dealt: Json) -> Narration:
    request, body = dealt["request"], dealt["body"]
    yield ""
    if "client_seed" in request:
        cut = f"; the cut is at card {request['cut']}" if "cut" in request else ""
        cut = f"; the house cuts at card {body['cut']}" if "cut" in body else cut
        yield f"Bets are closed. The players' seed is {request['client_seed']}{cut}."
    if "action" in body:
        yield _action(body["action"])
        yield f"Hands are settled in the order of seats {_list(body['action_order'])}."
    if "order" in body:
        yield f"Cards go round in the order of seats {_list(body['order'])}."
    if "shoe" in body:
        yield f"They are cards {body['shoe']['first'] + 1} to {body['shoe']['last']} of the shoe."
    if body.get("burned"):
        yield f"Burned: {' '.join(body['burned'])}."
    yield from middle(body)
    for warning in body.get("warnings", ()):
        yield f"Warning: {warning['message']} ({warning['rule']})."


def _before_the_end(round_: RoundRecords) -> Narration:
    """Which hands lie open, which are locked before the others are shown, and what was misread, in order."""
    dealt, locked = round_.dealt, round_.locked
    if dealt is None or "hands" not in dealt["body"] or "banker" not in round_.opened["request"]:
        return
    first, last = dealt["body"]["hands"], round_.ended["body"].get("hands", [])
    if first and (locked is not None or last):
        yield f"Open: the hands of seats {_list([hand['seat'] for hand in first])}; the others lie face down."
    records = [*round_.corrected, *([] if locked is None else [locked])]
    for payload in sorted(records, key=lambda payload: int(payload["seq"])):
        if payload["kind"] == "set":
            yield from _locked(round_, payload)
            continue
        request = payload["request"]
        yield f"Misread, before the settlement ({words(request['reason'])}, by {request['by']}):"
        yield from _as_they_lie(request)


def _locked(round_: RoundRecords, locked: Json) -> Narration:
    """The players' hands are locked: which are fouls, who took a dragon hand, what is shown then."""
    seats, shown = bettors(round_), locked["body"]["hands"]
    for one in locked["body"]["sets"]:
        if one.get("foul"):
            yield f"{seats.get(one['seat'], 'The house')}'s hand is a foul ({one['rule']})."
    if (dragon := locked["request"].get("dragon")) is not None:
        bet = f"{dragon['bettor']} bets {round_.amount(dragon['amount'])} on the hand of seat {dragon['seat']}"
        yield f"{bet}, unseen, as a dragon hand."
    after = f"; then those of seats {_list([hand['seat'] for hand in shown])} are shown" if shown else ""
    yield f"The players' hands are locked{after}."


def _action(action: Json) -> str:
    seat, pile = action["seat"], f" and gets pile {action['pile']}" if "pile" in action else ""
    if action["by"] == "dice":
        dice = action["dice"]
        drawn = f"Dice {' + '.join(map(str, dice))} = {sum(dice)}, counted from the banker's seat as 1"
    elif action["by"] == "number":
        drawn = f"The number {action['number']}, counted from the banker's place as 1"
    else:
        drawn = "To the banker's left"
    return f"{drawn}: seat {seat} has the action hand{pile}."


def _betting(round_: RoundRecords) -> Narration:
    """The betting where its actions are told, or else who left, in order."""
    request, seats = round_.ended["request"], bettors(round_)
    for name, how in (("folded", "Folded"), ("dead_order", "Declared dead")):
        if name in request:
            left = [one["seat"] if isinstance(one, dict) else one for one in request[name]]
            yield f"{how}, in this order: {_list([seats[seat] for seat in left])}."
    actions = request.get("betting", ())
    if actions:
        yield ""
        said = (
            f"{seats[one['seat']]} {one['action']}s" + (f" {round_.amount(one['amount'])}" if "amount" in one else "")
            for one in actions
        )
        yield f"Betting: {', '.join(said)}."


def _results(round_: RoundRecords) -> Narration:
    body = round_.ended["body"]
    compared = [name for name in ("front", "back") if any(name in result for result in body["results"])]
    rows = grid(
        "seat", "bettor", "bet", "amount", *compared, "result", "moved", "why", right=("seat", "amount", "moved")
    )
    for result in body["results"]:
        rows.add_row(
            str(result["seat"]),
            result["bettor"],
            words(result.get("kind")),
            round_.amount(result["amount"]),
            *(result.get(name, "") for name in compared),
            words(result["result"]),
            _moved(round_, result),
            _why(round_, result),
        )
    yield ""
    yield "Results, in action order:" if "banker" in body else "Results, by seat:"
    yield rows


def _pots(round_: RoundRecords) -> Narration:
    seats = bettors(round_)
    for pot in round_.ended["body"].get("pots", ()):
        name = f"The {words(pot['pot'])} pot of {round_.amount(pot['amount'])}"
        if pot.get("result") == "pushed":
            yield f"{name} is pushed on: {_list([seats[seat] for seat in pot['tied']])} tie ({pot['rule']})."
            continue
        shares = (f"{share['bettor']} {round_.amount(share['amount'])}" for share in pot["shares"])
        yield f"{name} goes to {', '.join(shares)}: {words(pot['reason'])} ({pot['rule']})."


def _coverage(round_: RoundRecords, banker: Json) -> Narration:
    if banker.get("wager") is not None:
        wager, used = banker["wager"], banker["used"]
        of = f"{round_.amount(used)} of the banker's {round_.amount(wager)}"
        yield (
            f"Coverage ({words(banker['coverage'])}): {of} used, {round_.amount(max(0, wager - used))} left. "
            f"The banker's net before fees is {round_.amount(banker['net'])}."
        )
    if banker.get("commission"):
        yield f"The banker pays the house a commission of {round_.amount(banker['commission'])} on that."


def _besides(round_: RoundRecords) -> Narration:
    """What the house pays for others' hands, what meters paid, and who has which part of a shared bank."""
    body = round_.ended["body"]
    for result in body["results"]:
        for envy in result.get("envy", ()):
            others = f"the {words(envy['line'])} of seat {envy['seat']}"
            yield f"Envy: {result['bettor']} gets {round_.amount(envy['paid'])} for {others}."
    for meter in body.get("meters", ()):
        before, added, paid = (round_.amount(meter[name]) for name in ("before", "added", "paid"))
        put_in = f", the house puts in {round_.amount(meter['reseeded'])}" if meter["reseeded"] else ""
        after = f"; it stands at {round_.amount(meter['after'])}"
        yield f"Meter {words(meter['name'])}: {before}, the bets add {added}, paid {paid}{put_in}{after}."
    if shared := body.get("banker", {}).get("co_bank"):
        percent = f"{shared['share_bps'] / 100:g} %"
        banker, house = round_.amount(shared["banker"]), round_.amount(shared["house"])
        yield f"The bank is shared: of its net, {banker} is the banker's ({percent}), {house} the house's."


def _voided(round_: RoundRecords) -> Narration:
    ended = round_.ended
    yield ""
    note = f", {ended['request']['note']}" if "note" in ended["request"] else ""
    yield f"The round is voided: {words(ended['request']['reason'])}{note}."
    if ended["body"]["returned"]:
        total = sum(item["amount"] for item in ended["body"]["returned"])
        yield f"All wagers are returned, {round_.amount(total)} together, and the collections."


def _money(round_: RoundRecords, dealt: Json) -> Narration:
    totals: dict[str, int] = {}
    for posting in [*dealt["body"]["postings"], *round_.ended["body"]["postings"]]:
        totals[posting["from"]] = totals.get(posting["from"], 0) - posting["amount"]
        totals[posting["to"]] = totals.get(posting["to"], 0) + posting["amount"]
    rows = grid("account", "net", right=("net",))
    for account, net in sorted(totals.items()):
        rows.add_row(account, round_.amount(net))
    yield ""
    yield "Money by account, collection included:"
    yield rows
    yield f"All accounts together: {round_.amount(sum(totals.values()))}."


def _seed(opened: Json, ended: Json) -> Narration:
    seed = ended["body"].get("seed")
    if seed is not None:
        kept = commitment(bytes.fromhex(seed)) == opened["body"]["commitment"]
        yield ""
        yield f"The seed is revealed: {seed}."
        yield f"It {'is the one' if kept else 'is NOT the one'} that the commitment was made for."


def _moved(round_: RoundRecords, result: Json) -> str:
    """What the bettor gained or lost, envy included, commission taken off."""
    net = (
        sum(envy["paid"] for envy in result.get("envy", ()))
        + result["paid"]
        - result["collected"]
        - result.get("commission", 0)
    )
    return round_.amount(net, plus=True)


def _why(round_: RoundRecords, result: Json) -> str:
    parts = [words(result["line"])] if result.get("line") else []
    parts.append(words(result["reason"]))
    if 0 < result["returned"] < result["amount"]:
        parts.append(f"{round_.amount(result['returned'])} returned")
    return ", ".join(parts)
