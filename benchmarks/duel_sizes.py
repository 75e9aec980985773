"""How long full-size Jujitsu takes to solve, and how much memory: a fresh process for each size.

Usage: python -m benchmarks.duel_sizes [--least 4] [--most 16] [--rounds 3] [--json FILE]

Seconds are those of the solution itself, from nothing: no process start, no compilation, nothing
read from disk. Memory is the most that the process ever held, with the interpreter and numba.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from baselines.duel_solver import DuelTable
from cardwar_envs import make_game

MEGABYTE = 1 << 20


def measure_here(num_cards: int) -> dict[str, Any]:
    """Solves one size in this process; kernels are loaded beforehand."""
    DuelTable(make_game("jujitsu", num_cards=3)).solve()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    table = DuelTable(make_game("jujitsu", num_cards=num_cards))
    table.solve()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    layers, peak = table.layers, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "num_cards": num_cards,
        "seconds": wall,
        "cpu_seconds": cpu,
        "states": layers.solved,
        "saddle_points": layers.saddle_points,
        "failures": layers.failures,
        "gap": layers.gap(num_cards),
        "peak_bytes": peak * 1024,  # Linux counts in KiB
        "bytes_before": before * 1024,
        "largest_layer": max(layers.sizes, key=lambda size: size.values)._asdict(),
    }


def measure(num_cards: int) -> dict[str, Any]:
    """`measure_here` in a process of its own."""
    code = f"import json; from benchmarks.duel_sizes import measure_here; print(json.dumps(measure_here({num_cards})))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    row: dict[str, Any] = json.loads(run.stdout)
    return row


def main(
    least: Annotated[int, typer.Option(help="Cards of the smallest game.")] = 4,
    most: Annotated[int, typer.Option(help="Cards of the largest game.")] = 16,
    rounds: Annotated[int, typer.Option(help="Processes for each size.")] = 3,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the rows there.")] = None,
) -> None:
    """Measures and prints a table."""
    table = Table(title="Jujitsu, solved from nothing: median seconds")
    for heading in (
        "cards",
        "seconds",
        "CPU seconds",
        "matrix games",
        "us each (CPU)",
        "saddle points",
        "gap",
        "peak MB",
    ):
        table.add_column(heading, justify="right")
    rows = []
    for num_cards in range(least, most + 1):
        runs = [measure(num_cards) for _ in range(rounds)]
        rows.extend(runs)
        row = sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]
        table.add_row(
            str(num_cards),
            f"{row['seconds']:.3f}",
            f"{median(run['cpu_seconds'] for run in runs):.3f}",
            f"{row['states']:,}",
            f"{row['cpu_seconds'] / row['states'] * 1e6:.2f}",
            f"{row['saddle_points'] / row['states']:.0%}",
            f"{row['gap']:.1e}",
            f"{row['peak_bytes'] / MEGABYTE:,.0f}",
        )
    Console().print(table)
    if json_file is not None:
        json_file.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    typer.run(main)
