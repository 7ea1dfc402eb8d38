"""What an audit counts beside faults: rounds and money by table, rule set and day; cards, dice and results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final

from cardroom.signing.signature import Json

NUMBERS: Final = (
    "records",
    "rounds",
    "settled",
    "voided",
    "voided_after_deal",
    "wagers",
    "staked",
    "paid",
    "collected",
    "commission",
    "fees",
)
"""What is counted in each cell; the last five are amounts of money."""

_COUNTED: Final = {"opened": "rounds", "settled": "settled", "voided": "voided"}
_Cell = tuple[str, str, str, str, str]


class Tally:
    """Counts verified records. Its JSON can be added to that of others, in any order and grouping."""

    def __init__(self) -> None:
        self.cells: dict[_Cell, Counter[str]] = defaultdict(Counter)  # operator, table, rule set, day, currency
        self.cards: dict[str, Counter[tuple[int, str]]] = defaultdict(Counter)  # deck -> position in the deal and card
        self.dice: dict[str, Counter[str]] = defaultdict(Counter)  # rule set -> sum of the action dice
        self.seats: dict[str, Counter[str]] = defaultdict(Counter)  # rule set -> seat of the action
        self.results: dict[str, Counter[str]] = defaultdict(Counter)  # rule set and kind of wager -> result

    def take(self, payload: Json, terms: Json | None) -> None:
        """Count a record; `terms` are the opened terms of its round, if they are known."""
        ruleset = payload["ruleset"]["id"] if payload["ruleset"] else ""
        currency = terms["request"].get("currency", "") if terms is not None else ""
        key = (payload["operator"], payload["table_id"], ruleset, payload["at"][:10], currency)
        cell = self.cells[key]
        cell["records"] += 1
        cell[_COUNTED.get(payload["kind"], "records")] += payload["kind"] in _COUNTED
        with suppress(KeyError, TypeError, AttributeError, ValueError):  # whether a body is right, others say
            self._money_and_cards(ruleset, payload, terms, cell)

    def _money_and_cards(self, ruleset: str, payload: Json, terms: Json | None, cell: Counter[str]) -> None:
        match payload["kind"]:
            case "dealt":
                cell["fees"] += sum(fee["amount"] for fee in payload["body"]["postings"] if fee["why"] == "fee")
                self._deal(ruleset, payload["body"], terms)
            case "settled":
                self._settlement(ruleset, payload["body"], cell)
            case "voided":
                cell["voided_after_deal"] += payload["body"]["was"] == "dealt"
                back = (fee["amount"] for fee in payload["body"]["postings"] if fee["why"] == "fee_returned")
                cell["fees"] -= sum(back)

    def _deal(self, ruleset: str, body: Json, terms: Json | None) -> None:
        request = terms["request"] if terms is not None else {}
        deck = ruleset + (f", {request['jokers']} jokers" if "jokers" in request else "")
        if request.get("source") == "table":
            deck += ", physical cards"
        self.cards[deck].update(enumerate(chain.from_iterable(hand["cards"] for hand in body["hands"])))
        action = body.get("action")
        if action is not None:
            self.seats[ruleset][str(action["seat"])] += 1
            if "dice" in action:
                self.dice[ruleset][str(sum(action["dice"]))] += 1

    def _settlement(self, ruleset: str, body: Json, cell: Counter[str]) -> None:
        for result in body["results"]:
            cell["wagers"] += "wager_id" in result
            cell["staked"] += result["amount"]
            cell["paid"] += result["paid"]
            cell["collected"] += result["collected"]
            cell["commission"] += result.get("commission", 0)
            self.results[f"{ruleset} {result.get('kind', 'hand')}"][result["result"]] += 1

    def to_json(self) -> Json:
        """The counts as JSON, in one order only."""
        return {
            "cells": [
                {
                    **dict(zip(("operator", "table_id", "ruleset", "day", "currency"), key, strict=True)),
                    **{name: cell[name] for name in NUMBERS},
                }
                for key, cell in sorted(self.cells.items())
            ],
            "cards": {deck: _by_position(counts) for deck, counts in sorted(self.cards.items())},
            **{name: _all_sorted(getattr(self, name)) for name in ("dice", "seats", "results")},
        }

    def add(self, other: Json) -> None:
        """Add the JSON of another tally."""
        for cell in other["cells"]:
            key = (cell["operator"], cell["table_id"], cell["ruleset"], cell["day"], cell["currency"])
            self.cells[key].update({name: cell[name] for name in NUMBERS})
        for deck, counts in other["cards"].items():
            mine = self.cards[deck]
            for position, cards in enumerate(counts):
                mine.update({(position, card): number for card, number in cards.items()})
        for name in ("dice", "seats", "results"):
            for key_, counts_ in other[name].items():
                getattr(self, name)[key_].update(counts_)


def totals(cells: Iterable[Mapping[str, Any]], by: Sequence[str]) -> list[Json]:
    """The cells added up by some of their fields, money apart by currency.

    What has no currency (a shoe, a draw, a tombstone) is counted with the one that there is, if there is one only.
    """
    added: dict[tuple[str, ...], dict[str, Counter[str]]] = {}
    for cell in cells:
        key = tuple(cell[name] for name in by)
        counts = added.setdefault(key, {}).setdefault(cell["currency"], Counter())
        counts.update({name: cell[name] for name in NUMBERS})
    for currencies in added.values():
        if len(currencies) == 2 and "" in currencies:
            without = currencies.pop("")
            next(iter(currencies.values())).update(without)
    return [
        {**dict(zip(by, key, strict=True)), "currency": currency, **{name: counts[name] for name in NUMBERS}}
        for key, currencies in sorted(added.items())
        for currency, counts in sorted(currencies.items())
    ]


def _by_position(counts: Mapping[tuple[int, str], int]) -> list[Json]:
    """How often each card came at each position of the deal."""
    positions: list[Json] = [{} for _ in range(1 + max((position for position, _ in counts), default=-1))]
    for (position, card), number in sorted(counts.items()):
        positions[position][card] = number
    return positions


def _sorted(counts: Counter[str]) -> Json:
    return dict(sorted(counts.items()))


def _all_sorted(counters: Mapping[str, Counter[str]]) -> Json:
    return {name: _sorted(counts) for name, counts in sorted(counters.items())}
