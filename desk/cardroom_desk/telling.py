"""A round told so that a dealer could follow it, from its records alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cardroom.cards import RANKS
from cardroom.shuffle import commitment
from cardroom_desk.script import Played
from cardroom_desk.terminal import table

if TYPE_CHECKING:
    from rich.table import Table

Json = dict[str, Any]


def tell(played: Played) -> Iterator[str | Table]:
    """The round step by step: lines of text, and tables."""
    yield from _opening(played)
    yield from _wagers(played)
    yield from _deal(played)
    yield from _settings(played)
    yield from _results(played)
    yield from _money(played)


def money(minor: int) -> str:
    """An amount as people write it.

    >>> money(-3_000_050)
    '-30,000.50'
    """
    whole, cents = divmod(abs(minor), 100)
    return f"{'-' if minor < 0 else ''}{whole:,}.{cents:02d}"


def _bettors(played: Played) -> dict[int, str]:
    return {seat["seat"]: seat["bettor"] for seat in played.opened["request"]["seats"]}


def _banker_seat(played: Played) -> int | None:
    banker = played.opened["request"]["banker"]
    return None if banker == "house" else banker["seat"]


def _opening(played: Played) -> Iterator[str | Table]:
    opened = played.opened
    banker = opened["request"]["banker"]
    bank = "the house" if banker == "house" else f"{banker['bettor']} (seat {banker['seat']})"
    yield f"{played.ruleset['document']['title']} ({played.ruleset['id']})"
    yield f"Round {opened['round_id']}, table {opened['table_id']}. {bank} banks."
    commitment_ = opened["body"].get("commitment")
    if commitment_ is not None:
        yield f"The deck is fixed, unseen, by the commitment {commitment_}."


def _wagers(played: Played) -> Iterator[str | Table]:
    seats = _bettors(played)
    rows = table("seat", "player", "circle", "bettor", "bet", "amount", right=("seat", "circle", "amount"))
    ordered = sorted(played.dealt["request"]["wagers"], key=lambda w: (w["seat"], w["circle"], w["kind"] != "main"))
    for wager in ordered:
        back_line = "" if wager["circle"] == 1 else " (back-line)"
        rows.add_row(
            str(wager["seat"]),
            seats.get(wager["seat"], ""),
            str(wager["circle"]),
            wager["bettor"] + back_line,
            wager["kind"],
            money(wager["amount"]),
        )
    yield ""
    yield f"Wagers, in {played.opened['request']['currency']}:"
    yield rows
    if "banker_wager" in played.dealt["request"]:
        yield f"The banker wagers {money(played.dealt['request']['banker_wager'])}."
    for fee in played.dealt["body"]["fees"]:
        whose = "banker" if fee.get("banker") else f"wager {fee['wager_id']}"
        yield f"Collection: {fee['bettor']} ({whose}) pays {money(fee['amount'])}."


def _deal(played: Played) -> Iterator[str | Table]:
    request, body = played.dealt["request"], played.dealt["body"]
    action = body["action"]
    yield ""
    if "client_seed" in request:
        yield f"Bets are closed. The players' seed is {request['client_seed']}; the cut is at card {request['cut']}."
    if action["by"] == "dice":
        dice = action["dice"]
        drawn = f"Dice {' + '.join(map(str, dice))} = {sum(dice)}, counted from the banker's seat as 1"
    else:
        drawn = f"The number {action['number']}, counted from the banker's place as 1"
    yield f"{drawn}: seat {action['seat']} has the action hand and gets pile {action['pile']}."
    yield f"Hands are settled in the order of seats {', '.join(map(str, body['action_order']))}."


def _settings(played: Played) -> Iterator[str | Table]:
    seats = _bettors(played)
    sets = {chosen["seat"]: chosen for chosen in played.settled["body"]["sets"]}
    rows = table("seat", "player", "front", "back", "back is", "set by", right=("seat",))
    banker = _banker_seat(played)
    for hand in played.dealt["body"]["hands"]:
        seat = hand["seat"]
        player = seats.get(seat, "") + (" (banker)" if seat == banker else "")
        chosen = sets.get(seat)
        if chosen is None:
            rows.add_row(str(seat), player, "", _by_rank(hand["cards"]), "", "nobody: not played")
            continue
        rows.add_row(
            str(seat),
            player,
            _by_rank(chosen["front"]),
            _by_rank(chosen["back"]),
            _words(chosen["back_category"]),
            _set_by(played, chosen),
        )
    yield ""
    yield "Hands, as set:"
    yield rows


def _results(played: Played) -> Iterator[str | Table]:
    rows = table(
        "seat", "bettor", "bet", "amount", "front", "back", "result", "moved", "why", right=("seat", "amount", "moved")
    )
    for result in played.settled["body"]["results"]:
        rows.add_row(
            str(result["seat"]),
            result["bettor"],
            result["kind"],
            money(result["amount"]),
            result.get("front", ""),
            result.get("back", ""),
            _words(result["result"]),
            _moved(result),
            _why(result),
        )
    yield ""
    yield "Results, in action order:"
    yield rows
    banker = played.settled["body"]["banker"]
    if banker.get("wager") is not None:
        left = max(0, banker["wager"] - banker["used"])
        yield (
            f"Coverage ({banker['coverage']}): {money(banker['used'])} of the banker's {money(banker['wager'])} "
            f"used, {money(left)} left. The banker's net before fees is {money(banker['net'])}."
        )


def _money(played: Played) -> Iterator[str | Table]:
    totals: dict[str, int] = {}
    for posting in [*played.dealt["body"]["postings"], *played.settled["body"]["postings"]]:
        totals[posting["from"]] = totals.get(posting["from"], 0) - posting["amount"]
        totals[posting["to"]] = totals.get(posting["to"], 0) + posting["amount"]
    rows = table("account", "net", right=("net",))
    for account, net in sorted(totals.items()):
        rows.add_row(account, money(net))
    yield ""
    yield "Money by account, collection included:"
    yield rows
    yield f"All accounts together: {money(sum(totals.values()))}."
    seed = played.settled["body"].get("seed")
    if seed is not None:
        kept = commitment(bytes.fromhex(seed)) == played.opened["body"]["commitment"]
        yield ""
        yield f"The seed is revealed: {seed}."
        yield f"It {'is the one' if kept else 'is NOT the one'} that the commitment was made for."


def _moved(result: Json) -> str:
    """What the bettor gained or lost, commission taken off."""
    net = result["paid"] - result["collected"] - result.get("commission", 0)
    return f"+{money(net)}" if net > 0 else money(net)


def _why(result: Json) -> str:
    parts = [_words(result["line"])] if result.get("line") else []
    parts.append(_words(result["reason"]))
    if 0 < result["returned"] < result["amount"]:
        parts.append(f"{money(result['returned'])} returned")
    return ", ".join(parts)


def _set_by(played: Played, chosen: Json) -> str:
    seat = chosen["seat"]
    if chosen["foul"]:
        return "the player: a foul"
    if chosen["how"] == "house_way":
        return f"house way, {chosen['rule']}"
    if seat in played.advised:
        return f"the player, asking the house way: {played.advised[seat]}"
    return "the player"


def _by_rank(cards: Sequence[str]) -> str:
    """Cards as a dealer lays them out, the highest first, jokers before all.

    >>> _by_rank(["9c", "Jk", "As", "Td"])
    'Jk As Td 9c'
    """
    return " ".join(sorted(cards, key=lambda card: -RANKS.find(card[0]) if card[:2] != "Jk" else -len(RANKS)))


def _words(slug: str | None) -> str:
    return "" if slug is None else slug.replace("_", " ")
