"""`python -m tests.models --rounds 20000 --seed N`: rounds of every game against the second models."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections import Counter
from typing import Final

from cardroom_desk.cores import each_on_cores
from tests.models.drive import Differs, rooms

GAMES: Final = ("california-baccarat", "hi-hi-lo", "pai-gow-poker", "poker-showdown", "push-nine")
A_TABLE: Final = 40
PART: Final = 1_000


def played(task: tuple[str, int, int]) -> tuple[Counter[str], Counter[tuple[str, str]], str]:
    """At least so many rounds of a game; how many of each were played, what happened in them, and what differed."""
    game, rounds, seed = task
    done: Counter[str] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    for table in rooms(game, seed):
        try:
            room = table(A_TABLE)
        except Differs as error:
            return done, met, str(error)
        done += room.rounds
        met += room.met
        if done[game] >= rounds:
            return done, met, ""
    raise AssertionError("there are always more tables")


def main() -> int:
    """Run, and tell what differed."""
    parser = argparse.ArgumentParser(prog="python -m tests.models", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20_000, help="of every game")
    parser.add_argument("--seed", type=int, default=None, help="another one each time, if not given")
    parser.add_argument("--game", choices=GAMES, default=None)
    asked = parser.parse_args()
    seed = secrets.randbelow(10**6) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    parts = -(-asked.rounds // PART)
    games = GAMES if asked.game is None else (asked.game,)
    tasks = [(game, -(-asked.rounds // parts), seed * 1_000 + part) for game in games for part in range(parts)]
    done: Counter[str] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    differences, begun = 0, time.monotonic()
    for counted, happened, difference in each_on_cores(
        played, tasks, processes=None, doing=f"{asked.rounds:,} rounds a game"
    ):
        done += counted
        met += happened
        if difference:
            differences += 1
            print(difference, flush=True)
    for game in games:
        print(f"{game}: " + ", ".join(f"{what} {met[of, what]:,}" for of, what in sorted(met) if of == game))
    told = ", ".join(f"{done[game]:,} of {game}" for game in games)
    print(f"{told}: {differences} differences, {time.monotonic() - begun:.0f} s")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
