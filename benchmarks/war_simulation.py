"""How fast WAR is simulated: the compiled simulator beside the game played directly in Python, in one run.

Usage: python -m benchmarks.war_simulation [--seconds 1.0] [--rounds 5] [--threads N] [--json FILE] [--paper]

One `simple_minded_1` against 1, 10 and 100 random players, games stopped when it is out. The three
ways take turns for `--rounds` rounds, so that a noisy machine disturbs all of them alike; what counts
is the ratio within a round. `--paper` plays the whole simulation of "WAR with Auction Rounds" (2017)
instead, 9,030 games of each simple-minded player against 1 to 100 random players. Compilation is
not counted.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from baselines.war_simulator import simulate
from benchmarks.war_direct import play_game

OPPONENTS = (1, 10, 100)
PAPER_GAMES = 9030


def line_up(name: str, opponents: int) -> tuple[str, ...]:
    return (name, *["dummie"] * opponents)


def direct_rate(seats: tuple[str, ...], seconds: float, seed: int) -> float:
    """Games per second of the direct program."""
    random = Random(seed)
    games, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        play_game(seats, random, focus=0)
        games += 1
    return games / (time.perf_counter() - start)


def compiled_rate(seats: tuple[str, ...], seconds: float, seed: int, threads: int) -> float:
    """Games per second of the compiled simulator, called for growing numbers of games."""
    games, piece, start = 0, 256, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        if games:
            piece = max(piece, int(games / passed * seconds / 4))
        simulate(seats, piece, seed, focus=0, threads=threads, first_game=games)
        games += piece
    return games / (time.perf_counter() - start)


def measure(seconds: float, rounds: int, threads: int) -> list[dict[str, Any]]:
    """One row per number of opponents and way of playing: rates and their ratios to the direct program's."""
    simulate(("min", "max"), 1, 0, max_rounds=1)  # compiles
    ways: dict[str, Callable[[tuple[str, ...], float, int], float]] = {
        "direct": direct_rate,
        "compiled, 1 thread": lambda *args: compiled_rate(*args, threads=1),
        f"compiled, {threads} threads": lambda *args: compiled_rate(*args, threads=threads),
    }
    rows = []
    for opponents in OPPONENTS:
        rates: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(rounds):
            for name, rate in ways.items():
                rates[name].append(rate(line_up("simple_minded_1", opponents), seconds, turn))
        for name, measured in rates.items():
            ratios = [ours / direct for ours, direct in zip(measured, rates["direct"], strict=True)]
            rows.append({"opponents": opponents, "way": name, "rates": measured, "ratios": ratios})
    return rows


def paper(threads: int) -> dict[str, Any]:
    """The paper's whole simulation: its time and its win ratios by number of opponents, from 1."""
    simulate(("min", "max"), 1, 0, max_rounds=1)  # compiles
    ratios: dict[str, list[float]] = {}
    wall, used = time.perf_counter(), time.process_time()
    for name in ("simple_minded_1", "simple_minded_2"):
        results = (simulate(line_up(name, n), PAPER_GAMES, n, focus=0, threads=threads) for n in range(1, 101))
        ratios[name] = [int(result.wins[0]) / PAPER_GAMES for result in results]
    seconds, processor = time.perf_counter() - wall, time.process_time() - used
    return {"threads": threads, "seconds": seconds, "processor_seconds": processor, "win_ratios": ratios}


def print_rates(rows: list[dict[str, Any]]) -> None:
    table = Table(title="simple_minded_1 v random players: median rate and ratio to the direct program (least to most)")
    for heading in ("opponents", "way", "games/s", "x direct"):
        table.add_column(heading, justify="left" if heading == "way" else "right")
    for row in rows:
        ratios = row["ratios"]
        spread = f"{median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        table.add_row(str(row["opponents"]), row["way"], f"{median(row['rates']):,.1f}", spread)
    Console().print(table)


def print_paper(result: dict[str, Any]) -> None:
    print(
        f"{200 * PAPER_GAMES:,} games: {result['seconds']:.1f} s on {result['threads']} threads, "
        f"{result['processor_seconds']:.1f} s of processor time"
    )
    for name, ratios in result["win_ratios"].items():
        print(name, ", ".join(f"N={n}: {ratios[n - 1]:.3f}" for n in (1, 5, 10, 20, 50, 100)))


def main(
    seconds: Annotated[float, typer.Option(help="Length of one measurement.")] = 1.0,
    rounds: Annotated[int, typer.Option(help="Measurements of each way of playing.")] = 5,
    threads: Annotated[int | None, typer.Option(help="All processors if not given.")] = None,
    whole_paper: Annotated[bool, typer.Option("--paper", help="Play the paper's 1.806 million games.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the figures there.")] = None,
) -> None:
    """Measures and prints."""
    threads = threads or os.cpu_count() or 1
    figures: Any = paper(threads) if whole_paper else measure(seconds, rounds, threads)
    (print_paper if whole_paper else print_rates)(figures)
    if json_file is not None:
        json_file.write_text(json.dumps(figures, indent=2))


if __name__ == "__main__":
    typer.run(main)
