"""Sets hands with pygow-poker: reads a JSON list of hands, then for every further line sets them all once and writes
the processor time of it, in microseconds a hand. Its modules import each other by bare names."""

import json
import sys
import sysconfig
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(sysconfig.get_path("purelib"), "pygow-poker")))
from house_strat import house_strat

RANKS = "23456789TJQKA"


def spelled(card: str) -> str:
    return "JKR" if card == "Jk" else f"{RANKS.index(card[0]) + 2:02d}{card[1]}"


hands = [[spelled(card) for card in hand] for hand in json.loads(sys.stdin.readline())]
for _ in sys.stdin:
    start = time.process_time()
    for hand in hands:
        with suppress(IndexError, KeyError, ValueError):  # hands it cannot read; its author lists some
            house_strat(hand)
    print((time.process_time() - start) / len(hands) * 1e6, flush=True)
