"""Solves layers of a duel or of Goofspiel on a Ray cluster: a task for each piece; the driver joins the results.

Ray comes with the extra `ray`. Every machine of a cluster needs the same version of this package.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.rank_games.engine import (
    Rules,
    Solved,
    ValueLayer,
    kernel_for,
    pieces_of,
    solve_piece,
)
from baselines.oracles.rank_games.interleavings import Letters, read_only
from baselines.oracles.rank_games.layers import DuelLayers
from cardwar_envs.games.duel import DuelState

# A task fails after this many workers have died running it.
MAX_RETRIES = 20
TASKS_PER_PROCESSOR = 16
LEAST_PER_TASK = 8192  # values, which take about 20 ms; starting a task takes 1 or 2 ms
MOST_AWAITED = 256  # each wait takes time in proportion


class RayCluster:
    """Solves pieces on a Ray cluster: the one at `RAY_ADDRESS`, else a local one that is running, else a new one.

    If a worker or a machine is lost, its task is repeated elsewhere. The driver's machine holds two copies of the
    current layer and of the one below, in its own memory and in Ray's. The workers of a machine share Ray's copy.

    Raises:
        ModuleNotFoundError: If Ray is not installed.
        ConnectionError: If there is no cluster at `RAY_ADDRESS`.
    """

    # The last layer that was cut into tasks: an array of its layout, and Ray's copy of the layout.
    _last: tuple[NDArray[np.int32], Any] | None = None

    def __init__(self) -> None:
        import ray

        if not ray.is_initialized():
            _check(os.environ.get("RAY_ADDRESS", ""))
            # Ray must neither print on stdout nor send usage statistics.
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            # Ray itself would repeat for ever a task for which no machine has enough memory.
            os.environ.setdefault("RAY_task_oom_retries", str(MAX_RETRIES))
            ray.init(logging_level="ERROR", log_to_driver=False, include_dashboard=False)
        self._ray = ray
        # By default Ray prefers the machine that holds a task's arguments, and often leaves others idle for a layer.
        self._solve_range = ray.remote(max_retries=MAX_RETRIES, scheduling_strategy="SPREAD")(solve_range)
        # Compile or load the kernel in every worker now, so that later timings exclude it.
        example = _example()
        ray.get([self._solve_range.remote(*example) for _ in range(self._processors())])

    def _processors(self) -> int:
        return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def solve(
        self, letters: Letters, rules: Rules, layer: ValueLayer, below: ValueLayer, seconds: float
    ) -> Iterator[Solved]:
        compute = kernel_for(rules)
        least = max(LEAST_PER_TASK * len(layer.row_of) // max(len(layer.values), 1), 1)
        pieces = pieces_of(layer.offsets, TASKS_PER_PROCESSOR * self._processors(), least)
        if len(pieces) == 1:
            yield solve_piece(*pieces[0], letters, rules, layer, below, compute)
            return
        finished, put = read_only(layer), self._ray.put
        places = [compute.first_place(first, letters, rules, finished) for first, _ in pieces] + [len(layer.values)]
        layout, lower = put(layer._replace(values=layer.values[:0])), None
        if self._last is not None and np.may_share_memory(self._last[0], below.row_of):
            lower = self._last[1]  # every machine has it already
        lower = lower or put(below._replace(values=below.values[:0]))
        self._last = layer.row_of, layout
        shared = [put((letters, rules)), layout, lower, put(below.values)]
        tasks = {
            self._solve_range.remote(*piece, low, high, *shared): (low, high)
            for piece, (low, high) in zip(pieces, pairwise(places), strict=True)
        }
        try:
            while tasks:
                (done,), _ = self._ray.wait(list(islice(tasks, MOST_AWAITED)))
                low, high = tasks.pop(done)
                solved, layer.values[low:high] = self._ray.get(done)
                yield solved
        finally:  # an interrupt must not leave tasks on a shared cluster
            for task in tasks:
                self._ray.cancel(task)


def _check(address: str) -> None:
    """Raises a ConnectionError if the address does not answer; Ray itself would retry for several minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon:
        return  # no address, or a keyword such as "auto"
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise ConnectionError(f"RAY_ADDRESS ({address}): no cluster there: {error}") from None


def solve_range(
    first: int,
    last: int,
    low: int,
    high: int,
    game: tuple[Letters, Rules],
    layout: ValueLayer,
    lower: ValueLayer,
    values: NDArray[np.float64],
) -> tuple[Solved, NDArray[np.float64]]:
    """Solves the upper halves `first` to `last` - 1; returns the results and the layer's values [low, high).

    `layout` is the layer without its values; `lower` is the layer with one card fewer, without its `values`.
    """
    below = read_only(lower._replace(values=values))
    letters, rules = read_only(game[0]), read_only(game[1])
    # Untouched memory costs nothing, so the array may start before `low`.
    layer = read_only(layout)._replace(values=np.empty(high))
    solved = solve_piece(first, last, letters, rules, layer, below, kernel_for(rules))
    return solved, layer.values[low:high]


def _example() -> tuple[Any, ...]:
    """Returns arguments of `solve_range` for a whole layer of a small duel."""
    layers = DuelLayers(DuelState(((1, 2, 3, 4), (1, 2, 3, 4))), carry=True, win=True)
    layers.solve()
    layer, below, game = layers.layer(4), layers.layer(3), (layers.letters, layers.rules_of(4))
    return 0, len(layer.offsets) - 1, 0, len(layer.values), game, layer, below, below.values
