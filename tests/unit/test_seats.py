"""The draw for first banker or first button, beyond what a game's own deck lets happen."""

from __future__ import annotations

from cardroom.cards import RANK_MASK, Card, parse_cards
from cardroom.seats import draw_highest


def rank(card: Card) -> int:
    return card & RANK_MASK


def test_only_tied_seats_draw_again() -> None:
    cards = parse_cards("9s Ah 9h Ad 4c 2c")
    assert draw_highest([5, 1, 3, 2], cards, rank) == {
        "cards": [
            {"seat": 1, "cards": ["9s"]},
            {"seat": 2, "cards": ["Ah", "4c"]},
            {"seat": 3, "cards": ["9h"]},
            {"seat": 5, "cards": ["Ad", "2c"]},
        ],
        "seat": 2,
    }


def test_when_the_cards_run_out_the_first_tied_seat_clockwise_has_it() -> None:
    cards = parse_cards("2s Ah Ad Kh Kd Qc")
    assert draw_highest([1, 2, 3], cards, rank)["seat"] == 2


def test_one_seat_draws_one_card() -> None:
    assert draw_highest([4], parse_cards("2s 3s"), rank) == {"cards": [{"seat": 4, "cards": ["2s"]}], "seat": 4}
