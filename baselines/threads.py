"""Compiled work on several processors: plain threads, since compiled code holds no lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

# Nodes that a thread takes at once; results do not depend on it.
CHUNK = 4096


Nodes = NDArray[np.int64]


T = TypeVar("T")


def in_threads(work: Callable[[Nodes], T], nodes: Nodes, threads: int | None = None) -> list[T]:
    """`work` on the nodes in runs of `CHUNK`, in order.

    Compiled code holds no lock, so plain threads will do. They do not outlive the call: a process
    that forks later has none of them to miss, as it would with numba's own.
    """
    runs = [nodes[start : start + CHUNK] for start in range(0, max(len(nodes), 1), CHUNK)]
    most = min(len(runs), threads or len(os.sched_getaffinity(0)))
    if most <= 1:
        return [work(run) for run in runs]
    with ThreadPoolExecutor(most) as pool:
        return list(pool.map(work, runs))
