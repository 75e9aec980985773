"""Measures how much faster two nodes of a Ray cluster solve a game than one.

    python -m lab.benchmarks.cluster_scaling jujitsu num_cards=15 --rounds 3

The nodes are those of `ray.cluster_utils.Cluster`: each has a raylet, an object store and a core of its own, all on
this machine, which needs two idle cores. The driver shares the core of the first node. Every round measures plain
threads on one core and on two, and one node and two; kernels are loaded beforehand. Times are wall times of solving.
Raises an AssertionError if the values differ by a bit.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from statistics import median
from time import perf_counter, sleep
from typing import Any

from baselines.oracles.rank_games.solver import DuelTable, GoofspielTable, WordTable
from cardwar_envs import Game
from cardwar_envs.games.goofspiel import Goofspiel
from train.reports.markdown import table
from train.text.game_names import game_from_words

STORE = 2 << 30  # bytes of each node's object store
START = 5  # seconds that Ray's own processes take to start
HEADINGS = ("engine", "cores", "s", "times as fast as with one core", "core seconds more than those of one thread")


@contextmanager
def nodes(cores: list[int]) -> Iterator[None]:
    """Connects this process to a new cluster with a node on each of these cores."""
    import ray
    from ray.cluster_utils import Cluster

    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  # as that of threads; by default others go first
    cluster = Cluster()
    try:
        for core in cores:
            os.sched_setaffinity(0, {core})  # processes inherit it
            cluster.add_node(num_cpus=1, object_store_memory=STORE, include_dashboard=False)
        os.sched_setaffinity(0, cores[:1])
        ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
        sleep(START)
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()


def solved(game: Game[Any], engine: str) -> tuple[float, str]:
    """Solves a game; returns the seconds and a digest of all values."""
    make: type[WordTable[Any]] = GoofspielTable if isinstance(game, Goofspiel) else DuelTable
    solved_table = make(game, engine=engine)
    solved_table.layers.letters  # noqa: B018  # loads compiled code
    begin = perf_counter()
    solved_table.solve()
    seconds = perf_counter() - begin
    digest = sha256()
    for cards in range(1, len(solved_table.layers.sizes) + 1):
        digest.update(solved_table.layers.layer(cards).values)
    return seconds, digest.hexdigest()


def measured(game: Game[Any], engine: str, cores: list[int]) -> tuple[float, str]:
    """Solves a game on these cores."""
    if engine == "ray":
        with nodes(cores):
            return solved(game, engine)
    os.sched_setaffinity(0, cores)
    return solved(game, engine)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="+", help="a game and its parameters")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    game = game_from_words(arguments.game[0], arguments.game[1:])
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        parser.error("two cores are needed")
    solved(game_from_words(arguments.game[0], ["num_cards=9"]), "threads")
    times, digests = defaultdict(list), set()
    for _ in range(arguments.rounds):
        for engine in ("threads", "ray"):
            for some in (cores[:1], cores):
                seconds, digest = measured(game, engine, some)
                times[engine, len(some)].append(seconds)
                digests.add(digest)
    assert len(digests) == 1, "values differ"
    print(table(HEADINGS, [row(times, *key) for key in times]))


def row(times: dict[tuple[str, int], list[float]], engine: str, cores: int) -> list[str]:
    """Describes one candidate; ratios are those within a round, then the median."""
    seconds = times[engine, cores]
    speedup = median(one / own for one, own in zip(times[engine, 1], seconds, strict=True))
    overhead = median(cores * own / one for one, own in zip(times["threads", 1], seconds, strict=True)) - 1
    spread = f"{median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"
    return [engine, str(cores), spread, f"{speedup:.2f}", f"{overhead:.0%}"]


if __name__ == "__main__":
    main()
