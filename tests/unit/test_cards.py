"""Notation, decks, and the sums that rankings read."""

from __future__ import annotations

from itertools import combinations

import pytest

from cardroom.cards import (
    FLUSH_BIAS,
    FLUSH_MASK,
    JOKER_SHIFT,
    RANKS,
    SUITS,
    Card,
    CardDuplicate,
    CardInvalid,
    deck,
    deck_index,
    format_card,
    format_cards,
    is_joker,
    parse_card,
    parse_cards,
)


def test_the_deck_is_clubs_diamonds_hearts_spades_from_the_deuce_to_the_ace_then_the_jokers() -> None:
    assert format_cards(deck(3)) == [rank + suit for suit in "cdhs" for rank in RANKS] + ["Jk", "Jk2", "Jk3"]
    assert [deck_index(card) for card in deck(3)] == list(range(55))


def test_every_card_reads_back_as_itself() -> None:
    cards = deck(99)
    assert tuple(map(parse_card, format_cards(cards))) == cards
    assert len(set(cards)) == 52 + 99
    assert [card for card in cards if is_joker(card)] == list(cards[52:])


@pytest.mark.parametrize("suit", SUITS)
def test_ten_is_read_in_two_digits_too_and_written_as_t(suit: str) -> None:
    assert format_card(parse_card("10" + suit)) == "T" + suit


@pytest.mark.parametrize("jokers", [-1, 100])
def test_a_deck_has_0_to_99_jokers(jokers: int) -> None:
    with pytest.raises(ValueError, match=f"a deck has 0 to 99 jokers, not {jokers}"):
        deck(jokers)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("as", 'write "As"'),
        ("AS", 'write "As"'),
        ("aS", 'write "As"'),
        ("10H", 'write "Th"'),
        (" As", 'write "As"'),
        ("JK", 'write "Jk"'),
        ("jk2", 'write "Jk2"'),
        ("Joker", 'write "Jk"'),
        ("Jk1", 'write "Jk"'),
        ("Jk0", "a joker is Jk, Jk2, Jk3"),
        ("Jk02", "a joker is Jk, Jk2, Jk3"),
        ("Jk100", "a joker is Jk, Jk2, Jk3"),
        ("Jk²", "a joker is Jk, Jk2, Jk3"),
        ("1s", "a rank of 2 3 4"),
        ("Ax", "a suit of c d h s"),
        ("A♠", "a suit of c d h s"),
        ("", "a rank of 2 3 4"),
        ("As,", "a rank of 2 3 4"),
    ],
)
def test_another_text_is_refused_with_what_would_be_right(text: str, right: str) -> None:
    with pytest.raises(CardInvalid) as refused:
        parse_card(text)
    assert refused.value.message.startswith(f'"{text}" is not a card; write ')
    assert right in refused.value.message


@pytest.mark.parametrize("thing", [None, 7, ["As"], b"As", {"As": 1}])
def test_what_is_no_text_is_refused(thing: object) -> None:
    with pytest.raises(CardInvalid, match="is not a card; a card is a text"):
        parse_cards([thing])  # type: ignore[list-item]


def test_a_long_text_is_cut_in_the_message() -> None:
    with pytest.raises(CardInvalid) as refused:
        parse_card("A" * 5_000)
    assert len(refused.value.message) < 200


def test_cards_are_read_from_a_line_or_a_list() -> None:
    assert parse_cards("As  10h\tJk\n") == parse_cards(["As", "Th", "Jk"])
    assert parse_cards("") == ()


@pytest.mark.parametrize(("cards", "twice"), [("As Kd As", "As"), ("Th 10h", "Th"), ("Jk 2c Jk", "Jk")])
def test_a_card_that_comes_twice_is_refused_by_name(cards: str, twice: str) -> None:
    with pytest.raises(CardDuplicate, match=f"{twice} comes more than once; each card may come once"):
        parse_cards(cards)


def test_two_jokers_are_two_cards() -> None:
    assert len(parse_cards("Jk Jk2")) == 2


def test_a_sum_says_ranks_jokers_and_flushes() -> None:
    cards = parse_cards("As Ah 9s 4s 2s Jk Jk7")
    total = sum(cards)
    assert [total >> 3 * RANKS.index(rank) & 7 for rank in "A942K"] == [2, 1, 1, 1, 0]
    assert total >> JOKER_SHIFT & 7 == 2
    assert suits_with_five(cards) == ["s"]  # four spades and two jokers


def suits_with_five(cards: tuple[Card, ...]) -> list[str]:
    flush = sum(cards) + FLUSH_BIAS & FLUSH_MASK
    return [suit for suit in SUITS if flush & flush_bit(suit)]


def flush_bit(suit: str) -> int:
    return sum(card for card in parse_cards([rank + suit for rank in "23456"])) + FLUSH_BIAS & FLUSH_MASK


def test_one_mask_tests_a_flush_of_five_to_seven_cards_with_and_without_jokers() -> None:
    few = parse_cards("2c 3c 4c 5c 6c 7c 2d 3d 4d Jk Jk2")
    for size in (5, 6, 7):
        for cards in combinations(few, size):
            counted = [
                suit for suit in SUITS if sum(is_joker(card) or format_card(card)[1] == suit for card in cards) >= 5
            ]
            assert suits_with_five(cards) == counted
