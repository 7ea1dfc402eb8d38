"""What an audit counts beside faults: rounds and money by table, rule set and day; cards, dice and results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final, Literal, cast

from cardroom.audit.replayer import Live
from cardroom.rounds.sets import dealing
from cardroom.shapes.audits import Cell, Counts, Numbers, TallyJson, Total
from cardroom.shapes.parts import GameJson
from cardroom.shapes.records import Record

NUMBERS: Final = tuple(Numbers.__annotations__)
"""What is counted in each cell."""

_COUNTED: Final = {"opened": "rounds", "settled": "settled", "voided": "voided"}
_POSTED: Final = {
    "commission": ("commission", 1),
    "envy": ("envy", 1),
    "co_bank": ("co_bank", 1),
    "fee": ("fees", 1),
    "fee_returned": ("fees", -1),
}
_Cell = tuple[str, str, str, str, str]


class Tally:
    """Counts verified records. Its JSON can be added to that of others, in any order and grouping."""

    def __init__(self) -> None:
        self.cells: dict[_Cell, Counter[str]] = defaultdict(Counter)  # operator, table, rule set, day, currency
        self.cards: dict[str, Counter[tuple[int, str]]] = defaultdict(Counter)  # deck -> position in the deal and card
        self.dice: dict[str, Counter[str]] = defaultdict(Counter)  # rule set -> sum of the action dice
        self.seats: dict[str, Counter[str]] = defaultdict(Counter)  # rule set -> seat of the action
        self.results: dict[str, Counter[str]] = defaultdict(Counter)  # rule set and kind of wager -> result

    def take(self, payload: Record, opening: GameJson | None, live: Live | None) -> None:
        """Count a record; `opening` is the request by which its round was opened, `live` that, if they are known."""
        ruleset = payload["ruleset"]["id"] if payload["ruleset"] else ""
        currency = opening.get("currency", "") if opening is not None else ""
        key = (payload["operator"], payload["table_id"], ruleset, payload["at"][:10], currency)
        cell = self.cells[key]
        cell["records"] += 1
        cell[_COUNTED.get(payload["kind"], "records")] += payload["kind"] in _COUNTED
        with suppress(KeyError, TypeError, AttributeError, ValueError):  # whether a body is right, others say
            self._money_and_cards(ruleset, payload, cell)
            self._cards(ruleset, payload, opening, live)

    def _money_and_cards(self, ruleset: str, payload: Record, cell: Counter[str]) -> None:
        for posting in payload["body"].get("postings", ()):
            counted, sign = _POSTED.get(posting["why"], ("", 0))
            if sign:
                cell[counted] += sign * posting["amount"]
        match payload["kind"]:
            case "dealt":
                self._deal(ruleset, payload["body"])
            case "settled":
                self._settlement(ruleset, payload["body"], cell)
            case "voided":
                cell["voided_after_deal"] += payload["body"]["was"] in ("dealt", "set")

    def _cards(self, ruleset: str, payload: Record, opening: GameJson | None, live: Live | None) -> None:
        """Count a round's cards at its end, by their place among all its hands; not where some were never shown."""
        if payload["kind"] not in ("settled", "voided") or live is None or live.last is None or live.state == "opened":
            return
        last = live.last[0]
        request = opening if opening is not None else {}
        hides = "banker" in request and request.get("source") == "shuffle" and request.get("shown") != "all"
        if payload["kind"] == "voided" and hides and live.state != "set":
            return
        deck = ruleset + (f", {request['jokers']} jokers" if "jokers" in request else "")
        if request.get("source") == "table":
            deck += ", physical cards"
        shown = payload["body"].get("hands", []) if payload["kind"] == "settled" and "banker" in request else []
        hands = dealing(last).with_hands(shown).body["hands"]
        self.cards[deck].update(enumerate(chain.from_iterable(hand["cards"] for hand in hands)))

    def _deal(self, ruleset: str, body: GameJson) -> None:
        action = body.get("action")
        if action is not None:
            self.seats[ruleset][str(action["seat"])] += 1
            if "dice" in action:
                self.dice[ruleset][str(sum(action["dice"]))] += 1

    def _settlement(self, ruleset: str, body: GameJson, cell: Counter[str]) -> None:
        for result in body["results"]:
            cell["wagers"] += "wager_id" in result
            cell["staked"] += result["amount"]
            cell["paid"] += result["paid"]
            cell["collected"] += result["collected"]
            self.results[f"{ruleset} {result.get('kind', 'hand')}"][result["result"]] += 1

    def to_json(self) -> TallyJson:
        """The counts as JSON, in one order only."""
        return {
            "cells": [_cell_json(key, cell) for key, cell in sorted(self.cells.items())],
            "cards": {deck: _by_position(counts) for deck, counts in sorted(self.cards.items())},
            "dice": _all_sorted(self.dice),
            "seats": _all_sorted(self.seats),
            "results": _all_sorted(self.results),
        }

    def add(self, other: TallyJson) -> None:
        """Add the JSON of another tally."""
        for cell in other["cells"]:
            key = (cell["operator"], cell["table_id"], cell["ruleset"], cell["day"], cell["currency"])
            self.cells[key].update(_numbers(cell))
        for deck, counts in other["cards"].items():
            mine = self.cards[deck]
            for position, cards in enumerate(counts):
                mine.update({(position, card): number for card, number in cards.items()})
        for ours, theirs in (
            (self.dice, other["dice"]),
            (self.seats, other["seats"]),
            (self.results, other["results"]),
        ):
            for key_, counts_ in theirs.items():
                ours[key_].update(counts_)


def counts_of(tally: TallyJson) -> Counts:
    """What is counted of cards, dice, seats and results."""
    return {"cards": tally["cards"], "dice": tally["dice"], "seats": tally["seats"], "results": tally["results"]}


def totals(cells: Iterable[Cell], by: Sequence[Literal["operator", "table_id", "ruleset", "day"]]) -> list[Total]:
    """The cells added up by some of their fields, money apart by currency.

    What has no currency (a shoe, a draw, a tombstone) is counted with the one that there is, if there is one only.
    """
    added: dict[tuple[str, ...], dict[str, Counter[str]]] = {}
    for cell in cells:
        key = tuple(cell[name] for name in by)
        counts = added.setdefault(key, {}).setdefault(cell["currency"], Counter())
        counts.update(_numbers(cell))
    for currencies in added.values():
        if len(currencies) == 2 and "" in currencies:
            without = currencies.pop("")
            next(iter(currencies.values())).update(without)
    return [
        _total(dict(zip(by, key, strict=True)), currency, counts)
        for key, currencies in sorted(added.items())
        for currency, counts in sorted(currencies.items())
    ]


def _numbers(counts: Mapping[str, Any]) -> dict[str, int]:
    return {name: counts[name] for name in NUMBERS}


def _cell_json(key: _Cell, counts: Counter[str]) -> Cell:
    operator, table_id, ruleset, day, currency = key
    named = {"operator": operator, "table_id": table_id, "ruleset": ruleset, "day": day, "currency": currency}
    return cast("Cell", {**named, **_numbers(counts)})  # `_numbers` has the members of `Numbers`


def _total(named: Mapping[str, str], currency: str, counts: Counter[str]) -> Total:
    return cast("Total", {**named, "currency": currency, **_numbers(counts)})  # as in a cell


def _by_position(counts: Mapping[tuple[int, str], int]) -> list[dict[str, int]]:
    """How often each card came at each position of the deal."""
    positions: list[dict[str, int]] = [{} for _ in range(1 + max((position for position, _ in counts), default=-1))]
    for (position, card), number in sorted(counts.items()):
        positions[position][card] = number
    return positions


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _all_sorted(counters: Mapping[str, Counter[str]]) -> dict[str, dict[str, int]]:
    return {name: _sorted(counts) for name, counts in sorted(counters.items())}
