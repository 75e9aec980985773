"""Measures how fast WAR is simulated: by the compiled simulator, and by a direct program in Python.

Usage: cardwar bench war_simulation [--rounds 5] [--seconds 0.5]

`simple_minded_1` plays against 1, 10 and 100 random players; a game stops when `simple_minded_1` is out. Compilation
is not counted. `cardwar reproduce war-2017` runs the whole simulation of "WAR with Auction Rounds" (2017).
"""

from __future__ import annotations

import os
import time
from random import Random

from baselines.matches.war_simulator import simulate
from lab.benchmarks.comparison import Comparison, Maker, Measure, Settings, clocked, for_seconds
from lab.benchmarks.war_direct import play_game

OPPONENTS = (1, 10, 100)
DIRECT = "direct Python program"


def line_up(name: str, opponents: int) -> tuple[str, ...]:
    return (name, *["dummie"] * opponents)


def directly(seats: tuple[str, ...], seconds: float) -> Maker:
    """Games played by the direct program."""
    random = Random(0)

    def play() -> int:
        play_game(seats, random, focus=0)
        return 1

    return lambda: lambda: clocked(lambda: for_seconds(seconds, play))


def compiled(seats: tuple[str, ...], seconds: float, threads: int) -> Maker:
    """Games played by the compiled simulator, in calls with increasing numbers of games."""

    def play() -> int:
        games, piece, start = 0, 256, time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            if games:
                piece = max(piece, int(games / passed * seconds / 4))
            simulate(seats, piece, 0, focus=0, threads=threads, first_game=games)
            games += piece
        return games

    def make() -> Measure:
        simulate(("min", "max"), 1, 0, max_rounds=1)  # compiles
        return lambda: clocked(play)

    return make


def comparisons(settings: Settings) -> list[Comparison]:
    """A comparison for each number of opponents."""
    threads = os.cpu_count() or 1
    counts = sorted({1, threads})
    found = []
    for opponents in OPPONENTS:
        seats = line_up("simple_minded_1", opponents)
        ours = {f"ours, {n} thread{'s' * (n > 1)}": compiled(seats, settings.seconds, n) for n in counts}
        direct = {DIRECT: directly(seats, settings.seconds)}
        title = f"Simulating WAR, {opponents} opponent{'s' * (opponents > 1)}"
        found.append(Comparison(title=title, unit="games", peers=direct, ours=ours, against=(DIRECT,)))
    return found
