"""Run every measurement: a table on a terminal, JSON Lines on a pipe."""

from __future__ import annotations

import json
import sys

import bench_fairness
import bench_hands
import bench_imports
import bench_service
import bench_settle
from measure import Row
from rich import box
from rich.console import Console
from rich.table import Table

MODULES = (bench_hands, bench_settle, bench_fairness, bench_service, bench_imports)


def main() -> None:
    if sys.stdout.isatty():
        _on_terminal()
    else:
        _on_pipe()


def _on_pipe() -> None:
    for module in MODULES:
        for row in module.run():
            numbers = {name: round(v, 3) if isinstance(v, float) else v for name, v in row._asdict().items()}
            print(json.dumps({**numbers, "met": row.met}, ensure_ascii=False), flush=True)


def _on_terminal() -> None:
    console = Console(highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("what", "µs", "beside", "µs beside", "ratio", "target", ""):
        table.add_column(column, justify="right" if "µs" in column or column == "ratio" else "left")
    with console.status("measuring …") as status:
        for module in MODULES:
            status.update(f"measuring: {(module.__doc__ or '').splitlines()[0]}")
            for row in module.run():
                table.add_row(*_cells(row))
    console.print(table)


def _cells(row: Row) -> list[str]:
    met = {True: "[green]met[/]", False: f"[red]{row.share or 0:.2f} of it[/]", None: ""}[row.met]
    theirs = "" if row.beside_microseconds is None else f"{row.beside_microseconds:,.2f}"
    ratio = "" if row.ratio is None else f"{row.ratio:.3f} x"
    return [row.name, f"{row.microseconds:,.2f}", row.beside or "", theirs, ratio, row.target or "", met]


if __name__ == "__main__":
    main()
