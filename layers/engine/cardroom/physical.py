"""What a physical table tells of a round: the dice, and the cards as they were read from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from cardroom.cards import Card, CardDuplicate, format_card, format_cards, parse_card
from cardroom.game import Source, Told
from cardroom.refusals import FieldFault, Refusal, at, listed, refuse, refuse_at
from cardroom.seats import SeatDuplicate, SeatUnknown
from cardroom.shapes.banked import DicedWagering
from cardroom.shapes.handed import HandsTold
from cardroom.shapes.parts import Hand


class DrawMissing(Refusal):
    """A physical table without the dice or the number that drew the action hand."""


class DiceInvalid(Refusal):
    """Not three dice of 1 to 6."""


class ShuffleInputNotWanted(Refusal):
    """A cut or a client seed at a physical table, where the service shuffles nothing."""


class HandsNotWanted(Refusal):
    """Cards named in a request of a round that the service deals."""


class HandsMissing(Refusal):
    """A physical table that has not told the cards of every hand that plays."""


class HandToldTwice(Refusal):
    """A hand of a physical table whose cards were told before."""


class HandSizeWrong(Refusal):
    """A hand with more or fewer cards than the game deals."""


class CardNotInDeck(Refusal):
    """A card that the deck or shoe does not have."""


def three_dice(wagering: DicedWagering, source: Source) -> tuple[Sequence[int], Literal["request", "seed"]]:
    """The dice that place the action, and where they come from: the request or the seed (pai-gow-poker §1.4)."""
    if "dice" not in wagering:
        if isinstance(source, Told):
            refuse_at(DrawMissing, "dice", "a physical table must tell the dice")
        return source.luck.dice(), "seed"
    return check_dice(wagering["dice"]), "request"


def check_dice(dice: Sequence[int]) -> Sequence[int]:
    """Refuse anything but three dice."""
    if len(dice) != 3 or not all(1 <= die <= 6 for die in dice):
        refuse_at(DiceInvalid, "dice", f"must be three of 1 to 6, not {listed(dice)}")
    return dice


def check_source(wagering: Mapping[str, object], source: Source) -> None:
    """Refuse what only a physical table, or only a shuffle of ours, can bring."""
    if isinstance(source, Told):
        message = "must be left out: the cards of a physical table are not shuffled here"
        unwanted = [name for name in ("client_seed", "cut") if name in wagering]
        refuse(ShuffleInputNotWanted, [FieldFault(name, message) for name in unwanted])
    elif "hands" in wagering:
        refuse_at(HandsNotWanted, "hands", "must be left out: the service deals this round")


def read_hands(
    wagering: HandsTold, *, playing: Collection[int], size: int | None, deck: Sequence[Card], also: Collection[int] = ()
) -> dict[int, tuple[Card, ...]]:
    """The hands read from a physical table, by seat: those that play, and none but those of `also` besides.

    Where `size` is None a hand may have any number of cards, which the game judges.
    """
    given = wagering.get("hands", [])
    twice = [seat for seat, times in Counter(h["seat"] for h in given).items() if times > 1]
    refuse(SeatDuplicate, [FieldFault(at("hands", seat), "must come once") for seat in twice])
    dealt = sorted({*playing, *also})
    idle = f"no hand is dealt to this seat: must be one of {listed(dealt)}"
    refuse(SeatUnknown, [FieldFault(at("hands", h["seat"]), idle) for h in given if h["seat"] not in dealt])
    missing = sorted(set(playing) - {h["seat"] for h in given})
    refuse(HandsMissing, [FieldFault(at("hands", seat), "must be given: this hand plays") for seat in missing])
    hands = {h["seat"]: tuple(map(parse_card, h["cards"])) for h in sorted(given, key=lambda h: h["seat"])}
    sizes = [(seat, len(cards)) for seat, cards in hands.items() if size is not None and len(cards) != size]
    refuse(
        HandSizeWrong, [FieldFault(at("hands", seat, "cards"), f"must be {size} cards, not {n}") for seat, n in sizes]
    )
    check_cards({at("hands", seat, "cards"): cards for seat, cards in hands.items()}, deck)
    return hands


def read_rest(
    told: Sequence[Hand],
    *,
    shown: Sequence[Hand],
    places: Collection[int],
    size: int | None,
    deck: Sequence[Card],
) -> dict[int, tuple[Card, ...]]:
    """The hands that a physical table tells after its deal, by seat; `shown` are those that it told before.

    Raises HandToldTwice, CardDuplicate, or what `read_hands` does.
    """
    before = {hand["seat"]: tuple(map(parse_card, hand["cards"])) for hand in shown}
    again = [FieldFault(at("hands", h["seat"]), "must be left out: it was told before") for h in told]
    refuse(HandToldTwice, [fault for fault, h in zip(again, told, strict=True) if h["seat"] in before])
    hands = read_hands({"hands": [*told]}, playing=(), size=size, deck=deck, also=set(places) - before.keys())
    check_cards({at("hands", seat, "cards"): cards for seat, cards in (before | hands).items()}, deck)
    return hands


def hands_json(hands: Mapping[int, Sequence[Card]]) -> list[Hand]:
    """Hands by seat as a body tells them."""
    return [{"seat": seat, "cards": format_cards(cards)} for seat, cards in sorted(hands.items())]


def check_told(hands: Collection[Hand], playing: Iterable[int]) -> None:
    """Refuse a settlement while the cards of a hand that plays are not told; raises HandsMissing."""
    missing = sorted(set(playing) - {hand["seat"] for hand in hands})
    message = "must be given, with the deal, the sets or the settlement: this hand plays"
    refuse(HandsMissing, [FieldFault(at("hands", seat), message) for seat in missing])


def check_hand(cards: Sequence[Card], field: str, *, size: int, deck: Sequence[Card]) -> None:
    """Refuse a hand of another size, or with cards that the deck does not have, or not so often."""
    if len(cards) != size:
        refuse_at(HandSizeWrong, field, f"must be {size} cards, not {len(cards)}")
    check_cards({field: cards}, deck)


def check_cards(cards: Mapping[str, Sequence[Card]], deck: Sequence[Card]) -> None:
    """Refuse cards (by the field that names them) that the deck does not have, or not so often."""
    holds = Counter(deck)
    for field, some in cards.items():
        strange = [format_card(card) for card in some if card not in holds]
        refuse(CardNotInDeck, [FieldFault(field, f"{name} is not among the cards in use") for name in strange])
    used = Counter(card for some in cards.values() for card in some)
    for card, times in used.items():
        if times > holds[card]:
            name, most = format_card(card), "once" if holds[card] == 1 else f"{holds[card]} times"
            faults = [FieldFault(field, f"{name} must come {most} at most") for field, c in cards.items() if card in c]
            raise CardDuplicate(f"{name} comes {times} times; it may come {most}", *faults)
