"""Measures how fast WAR is simulated: by the compiled simulator, and by a direct program in Python.

Usage: cardwar bench war_simulation [--rounds 5] [--seconds 0.5] [--long]

`simple_minded_1` plays against 1, 10 and 100 random players; a game stops when `simple_minded_1` is out.
`--long` also runs the whole simulation of "WAR with Auction Rounds" (2017): 1.806 million games, 9,030 of
each simple-minded player against each number of random players from 1 to 100. Compilation is not counted.
"""

from __future__ import annotations

import os
import time
from random import Random

from baselines.matches.war_simulator import simulate
from lab.benchmarks.comparison import Comparison, Maker, Measure, Sample, Settings, clocked, for_seconds
from lab.benchmarks.war_direct import play_game

OPPONENTS = (1, 10, 100)
PAPER_GAMES = 9030
PAPER_OPPONENTS = 100
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


def paper(threads: int) -> Maker:
    """The paper's whole simulation."""

    def play() -> int:
        for name in ("simple_minded_1", "simple_minded_2"):
            for opponents in range(1, PAPER_OPPONENTS + 1):
                simulate(line_up(name, opponents), PAPER_GAMES, opponents, focus=0, threads=threads)
        return 2 * PAPER_OPPONENTS * PAPER_GAMES

    def run() -> Sample:
        sample = clocked(play)
        return sample._replace(facts={"minutes": sample.wall / 60, "processor minutes": sample.processor / 60})

    return lambda: run


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
    if settings.long:
        found.append(
            Comparison(
                title='The whole simulation of "WAR with Auction Rounds", 1,806,000 games',
                unit="games",
                ours={f"ours, {threads} threads": paper(threads)},
                facts={"minutes": ".1f", "processor minutes": ".1f"},
                rounds=1,
            )
        )
    return found
