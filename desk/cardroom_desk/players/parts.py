"""Parts of requests that the players of several games put together alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from cardroom.cards import Card, format_cards, parse_card
from cardroom.shuffle import Cut
from cardroom_desk.players.situation import Call, Move, Situation

Json = dict[str, Any]

SEATED: Final = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ida", "jon")
FEES: Final[Mapping[str, Sequence[Json]]] = {
    "wager": [{"low": 0, "high": 20_000, "fee": 100}, {"low": 20_000, "fee": 200}],
    "banker": [{"low": 0, "fee": 300}],
}


def drawing(at: Situation, kind: str, seats: Sequence[int], **more: str) -> Move:
    """A draw of cards for the bank or the button."""
    request: Json = {"table_id": at.table_id, "ruleset": at.ruleset.id, "kind": kind, "seats": sorted(seats), **more}
    request["client_seed"] = "none" if at.may(at.habits.trust) else at.random.randbytes(16).hex()
    return Move(Call.DRAW, f"{at.table_id}-{at.number}", request)


def seated(seats: Sequence[int]) -> list[Json]:
    """Who sits at some places: always the same person at the same one."""
    return [{"seat": seat, "bettor": SEATED[seat - 1]} for seat in sorted(seats)]


def home(bettor: str) -> int:
    """The place where somebody sits as a rule."""
    return SEATED.index(bettor) + 1


def places_at(at: Situation) -> range:
    """The places of the table."""
    return range(1, at.rules["seats"] + 1)


def source_at(at: Situation) -> Json:
    """Where a round's cards come from, and that nobody but the service shuffles them, if so."""
    if at.may(at.habits.physical):
        return {"source": "table"}
    return {"source": "shuffle"} | without_client_seed(at)


def without_client_seed(at: Situation) -> Json:
    """That the service alone shuffles, where that is so."""
    return {"client_seed": "none"} if at.may(at.habits.trust) else {}


def shuffle_secrets(at: Situation, deck: Sequence[Card], opening: Json) -> Json:
    """The players' part of a shuffle."""
    told: Json = {}
    if "client_seed" not in opening:
        told["client_seed"] = at.random.randbytes(16).hex()
    cut = at.ruleset.rules.cut
    if cut is Cut.PLAYERS or (cut is Cut.HOUSE and at.may(at.habits.tell)):
        told["cut"] = at.random.randrange(1, len(deck))
    return told


def dealt_hands(at: Situation, deck: Sequence[Card], seats: Sequence[int], size: int) -> list[Json]:
    """Hands as a dealer of flesh and blood might have dealt them."""
    cards = at.random.sample(deck, size * len(seats))
    return [
        {"seat": seat, "cards": format_cards(cards[turn * size : (turn + 1) * size])}
        for turn, seat in enumerate(sorted(seats))
    ]


def cards_left(deck: Sequence[Card], hands: Iterable[Sequence[str]]) -> list[Card]:
    """The cards of a deck or a shoe that no hand has."""
    left = list(deck)
    for hand in hands:
        for text in hand:
            left.remove(parse_card(text))
    return left


def wager_on(seat: int, circle: int, kind: str, bettor: str, amount: int) -> Json:
    """A wager on a hand; its id says where it lies."""
    return {
        "wager_id": f"{seat}-{circle}-{kind}",
        "seat": seat,
        "bettor": bettor,
        "circle": circle,
        "kind": kind,
        "amount": amount,
    }
