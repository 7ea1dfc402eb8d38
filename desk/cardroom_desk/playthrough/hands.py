"""The hands of a round as they were set, boxed or shown: who held what, what it was worth, who set it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cardroom.cards import RANKS
from cardroom_desk.playthrough.round_records import RoundRecords
from cardroom_desk.terminal import grid

if TYPE_CHECKING:
    from rich.table import Table

Json = Mapping[str, Any]
Narration = Iterator["str | Table"]

_PARTS: Final = ("front", "back", "one", "two", "low")  # hands that a player's cards are set in


def hands(round_: RoundRecords) -> Narration:
    """Every hand as it was set, boxed or shown."""
    if "sets" in round_.ended["body"]:
        yield from _sets(round_)
        return
    seats = bettors(round_)
    yield from middle(round_.ended["body"])
    best_five = ["best five"] if any("high" in hand or "low" in hand for hand in round_.ended["body"]["hands"]) else []
    rows = grid("seat", "player", "cards", "worth", *best_five, right=("seat",))
    for hand in round_.ended["body"]["hands"]:
        out = hand.get("folded", False) or hand.get("out", False)
        gone = f"out after {hand['folded_after']} cards" if "folded_after" in hand else "out"
        worth, best = (gone, "") if out else _worth(hand)
        cards = " ".join([*hand["cards"], *([hand["drawn"]] if "drawn" in hand else [])])
        rows.add_row(str(hand["seat"]), seats[hand["seat"]], cards, worth, best)
    yield ""
    yield "Hands:"
    yield rows


def middle(body: Json) -> Narration:
    """What lies in the middle, and what was done where the deck was short."""
    if "short_deck" in body:
        yield f"The deck is short: {words(body['short_deck']['procedure'])} ({body['short_deck']['rule']})."
    if body.get("community"):
        yield f"In the middle, for all: {' '.join(body['community'])}."


def _worth(hand: Json) -> tuple[str, str]:
    """What a hand is worth, and the five cards that make it so; nothing where that was not looked at."""
    if "category" in hand:
        points = f", {hand['points']}" if "points" in hand else ""
        return words(hand["category"]) + points, ""
    ways = [(way, hand[way]) for way in ("high", "low") if way in hand]
    names = (f"{way}: {words(told.get('category')) or told['ranks']}" for way, told in ways)
    return "; ".join(names), "; ".join(_by_rank(told["cards"]) for _, told in ways)


def _sets(round_: RoundRecords) -> Narration:
    seats, banker = bettors(round_), banker_seat(round_)
    sets = {chosen["seat"]: chosen for chosen in round_.ended["body"]["sets"]}
    others = dict.fromkeys(sets, "the house")
    others |= {
        one["seat"]: f"{one['bettor']}'s dragon"
        for one in round_.ended["body"]["results"]
        if one.get("kind") == "dragon"
    }
    first = next(iter(sets.values()))
    parts = [part for part in _PARTS if part in first] or ["cards", "box", "draws", "total"]
    categories = ["back is"] if "back_category" in first else []
    rows = grid("seat", "player", *parts, *categories, "set by", right=("seat", "total"))
    for hand in round_.hands:
        seat = hand["seat"]
        player = seats.get(seat, others.get(seat, "")) + (" (banker)" if seat == banker else "")
        chosen = sets.get(seat)
        if chosen is None:
            cells = [_by_rank(hand["cards"]), *[""] * (len(parts) - 1 + len(categories)), "nobody: not played"]
        else:
            cells = [*(_part(chosen, part) for part in parts), *(words(chosen["back_category"]) for _ in categories)]
            cells.append(_set_by(round_, chosen))
        rows.add_row(str(seat), player, *cells)
    yield ""
    yield "Hands, as set:"
    yield rows


def _part(chosen: Json, part: str) -> str:
    match part:
        case "draws":
            return str(chosen.get("drawn", ""))
        case "total":
            return "natural 9" if chosen.get("natural") else str(chosen.get("total", ""))
        case "box":
            return str(chosen.get("box", ""))
    return _by_rank(chosen[part])


def _set_by(round_: RoundRecords, chosen: Json) -> str:
    if chosen.get("foul", False):
        return "the player: a foul"
    misplay = f", misplayed: {words(chosen['misplay'])}" if "misplay" in chosen else ""
    if chosen.get("misplay") == "wrong_number":
        return "nobody: a wrong number of cards"
    if chosen["how"] != "house_way":
        return f"the player{misplay}"
    advice = round_.advice.get(chosen["seat"], {})
    agrees = advice and all(chosen[key] == value for key, value in advice.items() if key in (*_PARTS, "box"))
    return f"house way{', as it advised' if agrees else ''}, {chosen['rule']}{misplay}"


def bettors(round_: RoundRecords) -> dict[int, str]:
    """Who sits where; who banks away from his seat is at both places."""
    request = round_.opened["request"]
    banking = [request["banker"]] if isinstance(request.get("banker"), dict) else []
    return {seat["seat"]: seat["bettor"] for seat in (*request["seats"], *banking)}


def banker_seat(round_: RoundRecords) -> int | None:
    """Where the player sits who banks."""
    banker = round_.opened["request"].get("banker")
    return banker["seat"] if isinstance(banker, dict) else None


def _by_rank(cards: Sequence[str]) -> str:
    """Cards as a dealer lays them out, the highest first, jokers before all.

    >>> _by_rank(["9c", "Jk", "As", "Td"])
    'Jk As Td 9c'
    """
    return " ".join(sorted(cards, key=lambda card: -RANKS.find(card[0]) if card[:2] != "Jk" else -len(RANKS)))


def words(slug: str | None) -> str:
    """A word of a record as people write it."""
    return "" if slug is None else slug.replace("_", " ")
