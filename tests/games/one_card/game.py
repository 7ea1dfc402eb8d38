"""Two cards each, the house's behind the last seat; whoever takes a third gets the next of the same deck; most wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cardroom.cards import Card, deck, format_card, format_cards
from cardroom.documents import Reader
from cardroom.game import Game, Shuffled, Source
from cardroom.money import HOUSE, Posting, Why, account_of, net_by_account
from cardroom.refusals import FieldFault, Refusal
from cardroom.shuffle import Cut
from cardroom.table import check_fields
from tests.games.one_card.shapes import SHAPES

Json = dict[str, Any]

HAND_SIZE = 2
POINTS = {rank: index if index < 10 else 0 for index, rank in enumerate("A23456789TJQK", start=1)}


class NotShuffled(Refusal):
    """A round of the test game at a physical table."""


class WagerAstray(Refusal):
    """A wager of the test game that is not its seat's only one."""


class ChoiceAstray(Refusal):
    """A choice of the test game for a hand that does not play, or a second one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    ruleset_id: str
    seats: int
    cut: Cut

    @property
    def house_seat(self) -> int:
        """Where the house's hand is told."""
        return self.seats + 1


def load(document: Json) -> Rules:
    read = Reader(document, what="a rule set")
    read.exactly("game", "one-card")
    read.text("title")
    rules = Rules(ruleset_id=read.text("id"), seats=read.integer("seats", 1, 20), cut=read.one_of("cut", Cut))
    read.refuse()
    return rules


def check_open(rules: Rules, opening: Json, table: Json) -> None:
    check_fields(opening, SHAPES.opening.__annotations__, what=rules.ruleset_id)
    if opening["source"] != "shuffle":
        raise NotShuffled("this game is dealt from a shuffle", FieldFault("source", "must be shuffle"))


def deal(rules: Rules, opening: Json, wagering: Json, table: Json, source: Source) -> Json:
    check_fields(wagering, SHAPES.wagering.__annotations__, what=rules.ruleset_id)
    times = Counter(wager["seat"] for wager in wagering["wagers"])
    seated = {(seat["seat"], seat["bettor"]) for seat in opening["seats"]}
    for wager in wagering["wagers"]:
        if times[wager["seat"]] > 1 or (wager["seat"], wager["bettor"]) not in seated or wager["seat"] > rules.seats:
            field = f"wagers[{wager['wager_id']}].seat"
            raise WagerAstray(f"{field} has no place", FieldFault(field, "must be the bettor's own, with one wager"))
    playing = [*sorted(times), rules.house_seat]
    assert isinstance(source, Shuffled)
    cards = source.cards(deck(0))
    return {
        "hands": [
            {"seat": seat, "cards": format_cards(cards[turn * HAND_SIZE : (turn + 1) * HAND_SIZE])}
            for turn, seat in enumerate(playing)
        ],
        "postings": [],
    }


def settle(rules: Rules, opening: Json, wagering: Json, dealt: Json, request: Json, source: Source) -> Json:
    check_fields(request, SHAPES.settling.__annotations__, what=rules.ruleset_id)
    hands = {hand["seat"]: hand["cards"] for hand in dealt["hands"]}
    times = Counter(choice["seat"] for choice in request["sets"])
    for choice in request["sets"]:
        seat = choice["seat"]
        if times[seat] > 1 or seat not in hands or seat == rules.house_seat or choice["how"] not in ("take", "stay"):
            field = f"sets[{seat}]"
            raise ChoiceAstray(f"{field} is no choice", FieldFault(field, "must be take or stay, once, of who plays"))
    taking = [choice["seat"] for choice in request["sets"] if choice["how"] == "take"]
    assert isinstance(source, Shuffled)
    after = sum(map(len, hands.values()))
    drawn = dict(zip(taking, source.cards(deck(0))[after : after + len(taking)], strict=True))
    sets = [_set_hand(seat, cards, drawn.get(seat)) for seat, cards in hands.items()]
    points = {one["seat"]: one["points"] for one in sets}
    results = [_result(wager, points[wager["seat"]] - points[rules.house_seat]) for wager in wagering["wagers"]]
    postings = [posting for result in results for posting in _postings(result)]
    return {
        "sets": sets,
        "results": results,
        "postings": [posting.to_json() for posting in postings],
        "net": [{"account": account, "amount": amount} for account, amount in net_by_account(postings).items()],
    }


def _set_hand(seat: int, cards: Sequence[str], drawn: Card | None) -> Json:
    told: Json = {"seat": seat, "how": "stay", "cards": list(cards)}
    if drawn is not None:
        card = format_card(drawn)
        told |= {"how": "take", "cards": [*cards, card], "drawn": card}
    return {**told, "points": sum(POINTS[card[0]] for card in told["cards"]) % 10}


def _result(wager: Json, ahead: int) -> Json:
    amount = wager["amount"]
    return {
        **{name: wager[name] for name in ("wager_id", "seat", "bettor", "amount")},
        "result": "win" if ahead > 0 else "lose" if ahead else "push",
        "paid": amount if ahead > 0 else 0,
        "collected": amount if ahead < 0 else 0,
        "returned": amount if ahead == 0 else 0,
    }


def _postings(result: Json) -> list[Posting]:
    account, wager_id = account_of(result["bettor"]), result["wager_id"]
    if result["paid"]:
        return [Posting(HOUSE, account, result["paid"], Why.WIN, wager_id)]
    return [Posting(account, HOUSE, result["collected"], Why.LOSS, wager_id)] if result["collected"] else []


def returned(wagering: Json, dealt: Json) -> Json:
    return {
        "returned": [{"wager_id": wager["wager_id"], "amount": wager["amount"]} for wager in wagering["wagers"]],
        "postings": [],
    }


GAME = Game(
    shapes=SHAPES,
    load=load,
    check_open=check_open,
    deck=lambda rules, opening: deck(0),
    deal=deal,
    settle=settle,
    returned=returned,
)
