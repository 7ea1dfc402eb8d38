"""The command that plays many hands of pai gow poker, the house way on both sides, and counts who wins."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from cardroom.cards import deck
from cardroom.hands import Joker, Wheel, ranking
from cardroom_desk.cores import ProcessesOption, each_on_cores
from cardroom_desk.terminal import Json, console, document, grid, on_terminal, usage

ROUNDS: Final = 10_000_000
RECORDED: Final = 100_000
BATCH: Final = 20_000
HAND: Final = 7
OUTCOMES: Final = ("lose_both", "push", "win_both")  # by how many of the player's two hands are higher


class Batch(NamedTuple):
    """Rounds to play with chance of their own: which batch of a simulation, so many rounds."""

    house_way: str
    wheel: Wheel
    seed: int
    number: int
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """What came of so many rounds for the player, who loses copies."""

    house_way: str
    wheel: Wheel
    seed: int
    counts: Counter[str]

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self.counts.total()

    def share(self, outcome: str) -> float:
        """The part of all rounds that ended so."""
        return self.counts[outcome] / self.rounds

    def standard_error(self, outcome: str) -> float:
        """How far chance moves such a share: one standard deviation."""
        return math.sqrt(self.share(outcome) * (1 - self.share(outcome)) / self.rounds)

    @property
    def edge(self) -> float:
        """What the banker wins of a unit wagered, without commission."""
        return self.share("lose_both") - self.share("win_both")


def simulate(
    *,
    rounds: Annotated[
        int | None,
        typer.Option(min=1, help="How many rounds to play.", show_default=f"{ROUNDS}; {RECORDED} with --records"),
    ] = None,
    house_way: Annotated[str, typer.Option(metavar="NAME", help="How both sides are set.")] = "trump-plaza",
    wheel: Annotated[Wheel, typer.Option(help="Where A-2-3-4-5 ranks among the straights.")] = Wheel.SECOND,
    seed: Annotated[int, typer.Option(help="The same seed plays the same rounds.")] = 1,
    records: Annotated[
        Path | None, typer.Option(metavar="OUT", dir_okay=False, help="Write records of every rule set's rounds there.")
    ] = None,
    tables: Annotated[int, typer.Option(min=1, max=10_000, help="At how many tables, with --records.")] = 50,
    processes: ProcessesOption = None,
) -> None:
    """Play rounds of one player against the banker, and count what comes of them.

    Both get seven cards of one deck of 53 and are set by the house way; the banker wins copies. Writes one JSON
    document on a pipe: for each outcome its rounds, its share in percent and the standard error of that.

    With --records, full tables play all published rule sets in turn instead, and what is written is an export of
    their records, with the root key beside it as root.pem.
    """

    if records is not None:
        _write(records, rounds or RECORDED, tables=tables, seed=seed, processes=processes)
        return
    from cardroom.services.catalogue import published

    if house_way not in published().house_ways:
        usage(f"no house way {house_way!r}: there are {', '.join(sorted(published().house_ways))}.")
    played = play_hands(rounds or ROUNDS, house_way=house_way, wheel=wheel, seed=seed, processes=processes)
    if on_terminal():
        _show(played)
    else:
        document(_json(played))


def _write(out: Path, rounds: int, *, tables: int, seed: int, processes: int | None) -> None:
    from cardroom_desk.playthrough.simulation import write_records

    written = write_records(out, rounds, tables, seed, processes)
    if on_terminal():
        console().print(f"{written.rounds:,} rounds at {written.tables} tables: {written.records:,} records in {out}.")
    else:
        document(asdict(written))


def play_hands(rounds: int, *, house_way: str, wheel: Wheel, seed: int, processes: int | None = None) -> Simulated:
    """Play so many rounds; what comes of them depends on the seed alone, not on the processes."""
    counts: Counter[str] = Counter()
    for batch in each_on_cores(
        play_batch, list(_batches(rounds, house_way, wheel, seed)), processes=processes, doing=f"{rounds:,} rounds"
    ):
        counts.update(batch)
    return Simulated(house_way=house_way, wheel=wheel, seed=seed, counts=counts)


def play_batch(batch: Batch) -> Counter[str]:
    """Play the rounds of a batch and count their outcomes."""
    from cardroom.games.pai_gow_poker.house_way import set_hand
    from cardroom.services.catalogue import published

    hands, way = ranking(Joker.BUG, batch.wheel), published().house_way(batch.house_way)
    two, five = hands.two, hands.five
    # `random()` alone is promised to give the same numbers in every version of Python.
    chance = random.Random(f"{batch.seed}/{batch.number}").random  # noqa: S311 - nobody plays for money here
    cards = list(deck(1))
    places = [(place, len(cards) - place) for place in range(2 * HAND)]
    won = [0, 0, 0]
    for _ in range(batch.rounds):
        for place, left in places:  # the first places of a shuffle; in what order the rest lies makes no difference
            drawn = place + int(chance() * left)
            cards[place], cards[drawn] = cards[drawn], cards[place]
        front, back, _ = set_hand(cards[:HAND], way, hands)
        banker_front, banker_back, _ = set_hand(cards[HAND : 2 * HAND], way, hands)
        won[(two(front) > two(banker_front)) + (five(back) > five(banker_back))] += 1
    return Counter(dict(zip(OUTCOMES, won, strict=True)))


def _batches(rounds: int, house_way: str, wheel: Wheel, seed: int) -> Iterable[Batch]:
    for number, start in enumerate(range(0, rounds, BATCH)):
        yield Batch(house_way, wheel, seed, number, min(BATCH, rounds - start))


def _json(played: Simulated) -> Json:
    outcomes = {
        outcome: {
            "rounds": played.counts[outcome],
            "percent": round(100 * played.share(outcome), 4),
            "standard_error": round(100 * played.standard_error(outcome), 4),
        }
        for outcome in reversed(OUTCOMES)
    }
    about = {
        "rounds": played.rounds,
        "house_way": played.house_way,
        "wheel": played.wheel,
        "seed": played.seed,
    }
    return {**about, **outcomes, "edge_percent": round(100 * played.edge, 4)}


def _show(played: Simulated) -> None:
    shown = grid("player", "rounds", "share", "standard error", right=("rounds", "share", "standard error"))
    for outcome in reversed(OUTCOMES):
        share, error = 100 * played.share(outcome), 100 * played.standard_error(outcome)
        shown.add_row(outcome.replace("_", " "), f"{played.counts[outcome]:,}", f"{share:.3f} %", f"{error:.3f} %")
    out = console()
    out.print(f"{played.rounds:,} rounds, {played.house_way} on both sides, wheel {played.wheel}, seed {played.seed}:")
    out.print(shown)
    out.print(f"The banker keeps {100 * played.edge:.2f} % of what is wagered, commission apart.")
