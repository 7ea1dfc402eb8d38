"""Pots against a second, simple model: one unit of money at a time."""

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from cardroom.potted.pots import Pot, best_of, halves, make_pots, share


class Played(NamedTuple):
    put_in: dict[int, int]
    out: tuple[int, ...]
    taken_back: dict[int, int]


@st.composite
def played(draw: st.DrawFn) -> Played:
    seats = draw(st.lists(st.integers(1, 9), min_size=1, unique=True))
    put_in = {seat: draw(st.integers(0, 30)) for seat in seats}
    out = tuple(draw(st.lists(st.sampled_from(seats), unique=True)))
    taken_back = {seat: draw(st.integers(0, put_in[seat])) for seat in out if draw(st.booleans())}
    return Played(put_in, out, taken_back)


def last_ones(payers: list[int], out: tuple[int, ...]) -> tuple[int, ...]:
    """Who is left of those who paid for something, when all have left that leave; the last one cannot."""
    left = list(payers)
    for seat in out:
        if seat in left and len(left) > 1:
            left.remove(seat)
    return tuple(left)


def by_units(game: Played) -> tuple[list[Pot], dict[int, int]]:
    """Each unit goes to the pot of those who are left of all that put in as many; what nobody called goes back."""
    pots: Counter[tuple[int, ...]] = Counter()
    returned: Counter[int] = Counter()
    for unit in range(max(game.put_in.values())):
        payers = [seat for seat, amount in sorted(game.put_in.items()) if amount > unit]
        still_there = [seat for seat in payers if game.taken_back.get(seat, 0) <= unit]
        if len(payers) == 1:
            returned.update(still_there)
        else:
            pots[last_ones(payers, game.out)] += len(still_there)
    return [Pot(amount, eligible) for eligible, amount in pots.items() if amount], dict(sorted(returned.items()))


@given(played())
def test_pots_are_those_of_the_simple_model(game: Played) -> None:
    made = make_pots(game.put_in, out=game.out, taken_back=game.taken_back)

    pots, returned = by_units(game)
    assert list(made.pots) == pots
    assert made.returned == returned


@given(played())
def test_no_money_is_made_or_lost_in_pots(game: Played) -> None:
    made = make_pots(game.put_in, out=game.out, taken_back=game.taken_back)

    in_pots = sum(pot.amount_minor for pot in made.pots)
    assert in_pots + sum(made.returned.values()) + sum(game.taken_back.values()) == sum(game.put_in.values())
    contested = [pot for pot in made.pots if not set(pot.eligible) & set(game.out)]
    assert made.pots[: len(contested)] == tuple(contested)  # the pots that all have left are the last ones
    assert all(set(later.eligible) < set(earlier.eligible) for earlier, later in pairwise(contested))


@given(played())
def test_who_left_gains_nothing_but_a_pot_in_which_he_was_the_last_one(game: Played) -> None:
    made = make_pots(game.put_in, out=game.out, taken_back=game.taken_back)

    for pot in made.pots:
        for seat in set(pot.eligible) & set(game.out):
            assert pot.eligible == (seat,)
            after = set(game.put_in) - set(game.out[: game.out.index(seat) + 1])
            assert all(game.put_in[other] < game.put_in[seat] for other in after)  # nobody else was left in it
    called = sorted(game.put_in.values())[-2] if len(game.put_in) > 1 else 0
    assert all(amount <= game.put_in[seat] - called for seat, amount in made.returned.items())


@given(played(), st.randoms())
def test_the_order_in_which_contributions_are_told_does_not_matter(game: Played, shuffler: object) -> None:
    told = list(game.put_in.items())
    shuffler.shuffle(told)  # type: ignore[attr-defined]
    assert make_pots(dict(told), out=game.out) == make_pots(game.put_in, out=game.out)


@given(st.integers(0, 10_000), st.integers(1, 9), st.sampled_from([1, 5, 100]))
def test_shares_add_up_and_differ_by_one_unit_at_most(amount: int, winners: int, unit: int) -> None:
    shares = list(share(amount, range(winners), unit_minor=unit).values())

    assert sum(shares) == amount
    shares[0] -= amount % unit  # less than a chip
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[-1] in (0, unit)


@given(st.integers(0, 10_000), st.sampled_from([1, 5, 100]))
def test_the_high_half_is_the_larger_by_less_than_two_units(amount: int, unit: int) -> None:
    high, low = halves(amount, unit_minor=unit)

    assert high + low == amount
    assert 0 <= high - low < 2 * unit
    assert low % unit == 0


@given(st.dictionaries(st.integers(1, 9), st.integers(0, 3), min_size=1))
def test_the_best_are_all_those_that_nobody_beats(values: dict[int, int]) -> None:
    assert best_of(values, values.__getitem__) == tuple(seat for seat in values if values[seat] == max(values.values()))
