"""Measures what a Ray cluster of two nodes on this machine costs: copies of arrays, and tasks.

    python -m lab.benchmarks.cluster_costs [--megabytes 256] [--rounds 5]

The plan in docs/measurements.md is made of these figures; those of several machines depend on their network.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from baselines.oracles.rank_games.layers import DuelLayers
from cardwar_envs.games.duel import DuelState
from lab.benchmarks.cluster_scaling import nodes
from train.reports.markdown import table

TASKS = 500
CARDS = 16


def seconds_of(work: Callable[[], Any]) -> tuple[float, Any]:
    """Returns the time that a call takes, and what it returns."""
    begin = perf_counter()
    result = work()
    return perf_counter() - begin, result


def length(array: Any) -> int:
    """A task that does nothing."""
    return len(array)


def ones(values: int) -> Any:
    """A task that returns an array."""
    return np.ones(values)


def one_round(size: int) -> dict[str, float]:
    """Measures everything once; `size` is the bytes of the array."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    other = next(node["NodeID"] for node in ray.nodes() if node["NodeID"] != ray.get_runtime_context().get_node_id())
    there = ray.remote(scheduling_strategy=NodeAffinitySchedulingStrategy(other, soft=False))
    here = ray.remote(length)
    array, gigabytes = np.ones(size // 8), size / 1e9
    put, copy = seconds_of(lambda: ray.put(array))
    to_other, _ = seconds_of(lambda: ray.get(there(length).remote(copy)))
    again, _ = seconds_of(lambda: ray.get(there(length).remote(copy)))
    made = there(ones).remote(size // 8)
    ray.wait([made], fetch_local=False)
    from_other, values = seconds_of(lambda: ray.get(made))
    joined, _ = seconds_of(lambda: np.copyto(array, values))
    tasks, _ = seconds_of(lambda: ray.get([here.remote(()) for _ in range(TASKS)]))
    return {
        "copying an array into the driver's object store, GB/s": gigabytes / put,
        "from there to the other node, GB/s": gigabytes / max(to_other - again, 1e-9),
        "from the other node to the driver, GB/s": gigabytes / from_other,
        "joining values in the driver, GB/s": gigabytes / joined,
        "an empty task, ms": tasks / TASKS * 1e3,
    }


def laying_out() -> float:
    """Returns the nanoseconds per interleaving of counting and laying out all layers of Jujitsu on one core."""
    for cards in (9, CARDS):  # the first loads compiled code
        hand = tuple(range(cards))
        layers = DuelLayers(DuelState((hand, hand)), carry=True, win=True)
        words = layers.words
        seconds, _ = seconds_of(lambda: [layers.empty_layer(size) for size in range(1, cards + 1)])  # noqa: B023
    return seconds / words * 1e9


def main() -> None:
    """Prints a table of medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, cores[:1])
    rows = [["laying out an interleaving, ns of one core", f"{laying_out():.0f}", ""]]
    with nodes(cores):
        rounds = [one_round(arguments.megabytes << 20) for _ in range(arguments.rounds + 1)][1:]
    for what in rounds[0]:
        figures = [each[what] for each in rounds]
        rows.append([what, f"{median(figures):.2f}", f"{min(figures):.2f} to {max(figures):.2f}"])
    print(table(("what", "median", "range"), rows))


if __name__ == "__main__":
    main()
