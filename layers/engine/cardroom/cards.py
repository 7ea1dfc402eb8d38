"""Cards and their notation: `As`, `Td`, `Jk` for the joker, `Jk2` and up for further jokers.

A card is one integer, made so that the *sum* of the cards of a hand says what a ranking wants to know:

====== ======================================================================================
bits   meaning
====== ======================================================================================
0-38   thirteen fields of three bits, deuce to ace: how many cards of the rank
39-41  how many jokers
42-57  four fields of four bits, clubs to spades: cards of the suit; a joker counts in each
58-    which joker (0 for the first and for every other card)
====== ======================================================================================

Sums are meaningful up to seven cards. Adding `FLUSH_BIAS` to the sum of five to seven cards sets a bit of
`FLUSH_MASK` for each suit of which there are five or more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NewType

from cardroom.refusals import Refusal

Card = NewType("Card", int)

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
MAX_JOKERS: Final = 99

RANK_BITS: Final = 3
RANK_UNITS: Final = tuple(1 << RANK_BITS * rank for rank in range(13))  # one card of a rank, deuce to ace
ACE_UNIT: Final = RANK_UNITS[12]
JOKER_SHIFT: Final = RANK_BITS * 13
JOKER_UNIT: Final = 1 << JOKER_SHIFT
RANK_MASK: Final = (1 << RANK_BITS * 14) - 1  # the ranks and the jokers of a sum

SUIT_SHIFT: Final = RANK_BITS * 14
SUIT_UNITS: Final = tuple(1 << SUIT_SHIFT + 4 * suit for suit in range(4))  # one card of a suit, clubs to spades
ALL_SUITS: Final = sum(SUIT_UNITS)
FLUSH_BIAS: Final = 3 * ALL_SUITS
FLUSH_MASK: Final = 8 * ALL_SUITS
_JOKER_NUMBER_SHIFT: Final = SUIT_SHIFT + 16


class CardInvalid(Refusal):
    """A text that is not a card."""


class CardDuplicate(Refusal):
    """A card that comes twice where each may come once."""


def _joker(number: int) -> Card:
    return Card(JOKER_UNIT + ALL_SUITS + (number - 1 << _JOKER_NUMBER_SHIFT))


_FULL_DECK: Final = (
    *(Card(rank + suit) for suit in SUIT_UNITS for rank in RANK_UNITS),
    *(_joker(number) for number in range(1, MAX_JOKERS + 1)),
)
_NAMES: Final = (
    *(rank + suit for suit in SUITS for rank in RANKS),
    "Jk",
    *(f"Jk{number}" for number in range(2, MAX_JOKERS + 1)),
)
_INDEX: Final = {card: index for index, card in enumerate(_FULL_DECK)}
_BY_TEXT: Final = dict(zip(_NAMES, _FULL_DECK, strict=True)) | {
    f"10{suit}": Card(RANK_UNITS[8] + unit) for suit, unit in zip(SUITS, SUIT_UNITS, strict=True)
}
_TO_TEXT: Final = dict(zip(_FULL_DECK, _NAMES, strict=True))


def deck(jokers: int) -> tuple[Card, ...]:
    """The cards before a shuffle: clubs from the deuce to the ace, diamonds, hearts, spades, then the jokers.

    Raises ValueError for a number of jokers below 0 or above 99.

    >>> " ".join(format_cards(deck(1)[-3:]))
    'Ks As Jk'
    """
    if not 0 <= jokers <= MAX_JOKERS:
        raise ValueError(f"a deck has 0 to {MAX_JOKERS} jokers, not {jokers}")
    return _FULL_DECK[: 52 + jokers]


def deck_index(card: Card) -> int:
    """Where a card stands in the deck before a shuffle: 0 is the deuce of clubs, 52 the first joker."""
    return _INDEX[card]


def is_joker(card: Card) -> bool:
    """Whether a card is a joker."""
    return bool(card & JOKER_UNIT)


def parse_card(text: str) -> Card:
    """One card from its notation; `10h` is read as `Th`. Raises CardInvalid.

    >>> format_card(parse_card("10h"))
    'Th'
    """
    card = _BY_TEXT.get(text) if isinstance(text, str) else None
    if card is None:
        raise CardInvalid(_what_is_wrong(text))
    return card


def parse_cards(texts: str | Iterable[str]) -> tuple[Card, ...]:
    """Cards from one text with spaces between them, or from a list of texts; no card twice.

    Raises CardInvalid, CardDuplicate.

    >>> format_cards(parse_cards("As Td Jk"))
    ['As', 'Td', 'Jk']
    """
    cards = tuple(parse_card(text) for text in (texts.split() if isinstance(texts, str) else texts))
    if len(set(cards)) < len(cards):
        twice = next(card for place, card in enumerate(cards) if card in cards[:place])
        raise CardDuplicate(f"{format_card(twice)} comes more than once; each card may come once")
    return cards


def format_card(card: Card) -> str:
    """The notation of one card."""
    return _TO_TEXT[card]


def format_cards(cards: Iterable[Card]) -> list[str]:
    """The notation of each card."""
    return [_TO_TEXT[card] for card in cards]


def _what_is_wrong(text: object) -> str:
    """The message for a text that is no card, with the card that may have been meant."""
    right = "a rank of 2 3 4 5 6 7 8 9 T J Q K A and a suit of c d h s, as in As; a joker is Jk, Jk2, Jk3, …"
    if not isinstance(text, str):
        return f"{text!r} is not a card; a card is a text: {right}"
    shown = text if len(text) <= 20 else text[:20] + "…"
    meant = {"jk1": "Jk", "joker": "Jk"}.get(
        text.lower().strip(), text.strip()[:-1].upper() + text.strip()[-1:].lower()
    )
    if meant in _BY_TEXT or (meant := text.strip().capitalize()) in _BY_TEXT:
        return f'"{shown}" is not a card; write "{format_card(_BY_TEXT[meant])}": {right}'
    return f'"{shown}" is not a card; write {right}'
