"""Every card is as likely in every place: the chi-square of cards by position over 100,000 shuffles."""

from collections import Counter
from itertools import chain

from cardroom.shuffle import Luck

CARDS, SHUFFLES = 53, 100_000
Z_THOUSANDTH = 3.090232306  # the 99.9 % point of the standard normal distribution (NIST/SEMATECH e-Handbook §1.3.6.7.1)


def chi_square_point(freedom: int, z: float) -> float:
    """The point of the chi-square distribution at the normal deviate z (Wilson and Hilferty, PNAS 17 (1931) 684).

    At 100 degrees of freedom it errs by 0.06, at more by less.
    """
    spread = 2 / (9 * freedom)
    return float(freedom * (1 - spread + z * spread**0.5) ** 3)


def corrected_chi_square(counts: Counter[tuple[int, int]], size: int, shuffles: int) -> float:
    """(n-1)/n · X², which follows (n-1)² degrees of freedom as each shuffle fills every row and column once."""
    expected = shuffles / size
    cells = ((place, card) for place in range(size) for card in range(size))
    return (size - 1) / size * sum((counts[cell] - expected) ** 2 for cell in cells) / expected


def test_the_points_are_those_of_the_tables() -> None:
    """NIST/SEMATECH e-Handbook §1.3.6.7.4 for 100 degrees of freedom: 149.449 and 61.918."""
    assert abs(chi_square_point(100, Z_THOUSANDTH) - 149.449) < 0.06
    assert abs(chi_square_point(100, -Z_THOUSANDTH) - 61.918) < 0.06


def test_a_shuffle_that_leaves_the_last_card_is_found() -> None:
    decks = (
        (*Luck(server_seed=n.to_bytes(32), terms_sha256=bytes(32), client_seed=None).shuffle(range(9), None), 9)
        for n in range(500)
    )
    counts = Counter(chain.from_iterable(map(enumerate, decks)))
    assert corrected_chi_square(counts, 10, 500) > chi_square_point(81, Z_THOUSANDTH)


def test_cards_by_position() -> None:
    decks = (
        Luck(server_seed=n.to_bytes(32), terms_sha256=bytes(32), client_seed=None).shuffle(range(CARDS), None)
        for n in range(SHUFFLES)
    )
    counts = Counter(chain.from_iterable(map(enumerate, decks)))
    freedom = (CARDS - 1) ** 2
    low, high = chi_square_point(freedom, -Z_THOUSANDTH), chi_square_point(freedom, Z_THOUSANDTH)
    assert low < corrected_chi_square(counts, CARDS, SHUFFLES) < high
