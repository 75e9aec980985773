"""Layers of a duel solved on a Ray cluster: the pieces of a layer are tasks, the driver puts them together.

Ray comes with the extra `ray`. Every machine of a cluster needs this package, in the same version.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from baselines.duel.engine import Layer, Rules, Solved, kernel, pieces_of, solve_piece
from baselines.duel.words import Letters

# How many workers a task may lose, one after the other, before it is given up.
MAX_RETRIES = 20
TASKS_PER_PROCESSOR = 8
LEAST_WORDS_PER_TASK = 4096  # some 20 ms; a task costs 1 or 2

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


class RayCluster:
    """Solves pieces on the cluster that `RAY_ADDRESS` names, or that runs here, or else on one of its own.

    A task whose worker or machine is lost is done again elsewhere. The driver's machine holds a layer and
    the one below twice: in its own memory and in Ray's, where the workers of a machine share them.

    Raises:
        ModuleNotFoundError: If Ray is not installed.
        ConnectionError: If there is no cluster at `RAY_ADDRESS`.
    """

    def __init__(self) -> None:
        import ray

        if not ray.is_initialized():
            _check(os.environ.get("RAY_ADDRESS", ""))
            # Nothing but results on stdout, and nothing about this machine to anybody else.
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            ray.init(logging_level="ERROR", log_to_driver=False, include_dashboard=False)
        self._ray = ray
        self._solve_range = ray.remote(max_retries=MAX_RETRIES)(solve_range)
        ready = ray.remote(max_retries=MAX_RETRIES)(_ready)
        ray.get([ready.remote() for _ in range(self._processors())])

    def _processors(self) -> int:
        return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def solve(self, letters: Letters, rules: Rules, layer: Layer, below: Layer) -> Iterator[Solved]:
        """See `Engine`."""
        pieces = pieces_of(layer, TASKS_PER_PROCESSOR * self._processors(), LEAST_WORDS_PER_TASK)
        if len(pieces) == 1:
            yield solve_piece(*pieces[0], letters, rules, layer, below)
            return
        places = [kernel().first_place(first, letters, rules, layer) for first, _ in pieces] + [len(layer.values)]
        shared = [self._ray.put(each) for each in ((letters, rules), layer._replace(values=layer.values[:0]), below)]
        tasks = {
            self._solve_range.remote(*piece, low, high, *shared): (low, high)
            for piece, (low, high) in zip(pieces, pairwise(places), strict=True)
        }
        try:
            while tasks:
                (done,), _ = self._ray.wait(list(tasks))
                low, high = tasks.pop(done)
                solved, layer.values[low:high] = self._ray.get(done)
                yield solved
        finally:  # an interrupt should leave nothing behind on a cluster of others
            for task in tasks:
                self._ray.cancel(task)


def _check(address: str) -> None:
    """Ray itself looks for several minutes, and only then gives up."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon:
        return  # none given, or a word such as "auto"
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise ConnectionError(f"RAY_ADDRESS ({address}): no cluster there: {error}") from None


def solve_range(
    first: int, last: int, low: int, high: int, game: tuple[Letters, Rules], layout: Layer, below: Layer
) -> tuple[Solved, NDArray[np.float64]]:
    """What is known of a piece, and its values: those of the layer at [low, high).

    Args:
        first: Upper half of its first words.
        last: Upper half after that of its last.
        low: Place of its first value in the layer.
        high: Place after its last.
        game: Letters and rules.
        layout: The layer without its values.
        below: The layer that it needs.
    """
    letters, rules = _as_compiled(game[0]), _as_compiled(game[1])
    # What is never touched takes no memory: places below `low` are only addresses.
    layer = _as_compiled(layout)._replace(values=np.empty(high))
    solved = solve_piece(first, last, letters, rules, layer, _as_compiled(below))
    return solved, layer.values[low:high]


def _as_compiled(arrays: Arrays) -> Arrays:
    """The same arrays, in types that the compiled code has been compiled for.

    Ray's shared memory is read-only, which numba takes for another type; here the code only reads.
    """
    return type(arrays)(*(_writable(each) if isinstance(each, np.ndarray) else each for each in arrays))


def _writable(array: NDArray[Any]) -> NDArray[Any]:
    interface = dict(array.__array_interface__)
    interface["data"] = (interface["data"][0], False)
    return np.asarray(SimpleNamespace(__array_interface__=interface, owner=array))


def _ready() -> None:
    """Lets a worker compile or load the kernel, so that what is timed afterwards is work."""
    from baselines.duel.solver import DuelTable
    from cardwar_envs.games.jujitsu import Jujitsu

    DuelTable(Jujitsu(num_cards=4)).solve()
