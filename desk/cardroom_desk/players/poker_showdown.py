"""The players of a poker showdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardroom.cards import format_cards
from cardroom.potted.pots import left_of_button
from cardroom.rounds.sets import Dealing
from cardroom_desk.players.parts import places_at, seated, shuffle_secrets, source_at, wager_on
from cardroom_desk.players.situation import Move, Situation

Json = dict[str, Any]


class Showdown:
    """Players of a poker showdown: what they put in is told, with who folded and whose hands are dead, in order.

    At stud a fold says after how many cards it was; a physical table may tell the last cards with the settlement.
    """

    def between(self, at: Situation) -> Move | None:
        """Nothing."""
        del at
        return None

    def opening(self, at: Situation) -> Json:
        """As many players as there are cards for."""
        jokers, source = at.rules["jokers"], source_at(at)
        seats = at.some(places_at(at), least=2)  # six hands of seven and five in the middle, or eight of stud
        opening: Json = {
            "seats": seated(at.random.sample(seats, min(len(seats), 8 if source["source"] == "shuffle" else 6))),
            "button": at.random.choice(places_at(at)),
            **source,
        }
        if at.may(0.8):
            opening["ante"] = 100
        if jokers["maximum"] > jokers["minimum"] and at.may(0.5):
            opening["jokers"] = at.random.randint(jokers["minimum"], jokers["maximum"])
        return opening

    def wagering(self, at: Situation, opening: Json) -> Json:
        """The antes, where there is one; and the deck, whose life is watched."""
        antes = [
            wager_on(s["seat"], 1, "ante", s["bettor"], opening["ante"]) for s in opening["seats"] if "ante" in opening
        ]
        request: Json = {"wagers": sorted(antes, key=lambda wager: wager["wager_id"])}
        deck = at.ruleset.game.deck(at.ruleset.rules, opening)
        if opening["source"] == "shuffle":
            return request | shuffle_secrets(at, deck, opening)
        seats = [seat["seat"] for seat in opening["seats"]]
        in_middle = at.random.choice((0, 5))
        cards = at.random.sample(deck, in_middle + 7 * len(seats))
        size = at.rules["most_cards"] - in_middle - (not in_middle and at.may(at.habits.tell))  # the last one later
        hands = [
            {"seat": seat, "cards": format_cards(cards[in_middle + 7 * turn :][:size])}
            for turn, seat in enumerate(seats)
        ]
        if in_middle:
            request["community"] = sorted(format_cards(cards[:in_middle]))
        colour = at.random.choice(("red", "blue"))
        return request | {"hands": hands, "deck": {"deck_id": f"deck-{colour}", "colour": colour}}

    def locking(self, at: Situation, opening: Json, deal: Dealing) -> None:
        """Nobody banks, and nobody sets a hand."""
        del at, opening, deal

    def correcting(self, at: Situation, opening: Json, deal: Dealing, sets: Sequence[Json]) -> None:
        """Nobody banks, and no correction is taken."""
        del at, opening, deal, sets

    def settling(self, at: Situation, opening: Json, deal: Dealing) -> Json:
        """Contributions, some of them short of the others; folds in turn from the button; and hands that are dead."""
        antes = {wager["seat"]: wager["amount"] for wager in deal.request["wagers"]}
        seats = [seat["seat"] for seat in opening["seats"]]
        bet = at.amount(0, 10_000)
        put_in = {seat: antes.get(seat, 0) + (at.amount(0, bet) if at.may(0.3) else bet) for seat in seats}
        stays = at.random.choice(seats)
        folding = {seat for seat in seats if seat != stays and at.may(0.3)}
        folded = list(left_of_button(folding, opening["button"], places=at.rules["seats"]))
        streets = sorted(at.random.randint(3, 7) for _ in folded)
        dead = [seat for seat in seats if seat not in (stays, *folded) and at.may(at.habits.mishap)]
        request: Json = {
            "sets": [],
            "contributions": [{"seat": seat, "amount": amount} for seat, amount in put_in.items()],
        }
        if folded and opening["source"] == "shuffle":
            told = zip(folded, streets, strict=True)
            request["folded"] = [{"seat": seat, "after": after} for seat, after in told]
        elif folded:
            request["folded"] = folded
        if opening["source"] == "table":
            request |= _last_cards(at, opening, deal.body)
        if dead:
            request["dead_hands"] = [{"seat": seat, "ante_returned": seat in antes and at.may(0.5)} for seat in dead]
        if len(dead) > 1:
            request["dead_order"] = at.random.sample(dead, len(dead))
        return request


def _last_cards(at: Situation, opening: Json, body: Mapping[str, Any]) -> Json:
    """The last cards of hands that were told without: one each, or one that plays in all."""
    hands = body["hands"]
    if any(len(hand["cards"]) + len(body.get("community", ())) >= at.rules["most_cards"] for hand in hands):
        return {}
    used = {card for hand in hands for card in hand["cards"]}
    left = [card for card in format_cards(at.ruleset.game.deck(at.ruleset.rules, opening)) if card not in used]
    if at.may(0.3):
        return {"turned": at.random.choice(left)}
    cards = at.random.sample(left, len(hands))
    return {"drawn_cards": [{"seat": hand["seat"], "card": card} for hand, card in zip(hands, cards, strict=True)]}
