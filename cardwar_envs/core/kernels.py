"""Access to compiled kernels for code that must import without numba, and threads that run them.

Compiled code releases Python's global interpreter lock, so plain threads run in parallel. The threads end with the
call, so later forks are safe; the threads of numba's own pool would be missing in a forked process.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import ModuleType
from typing import Any, TypeVar

from cardwar_envs.core.process import Stopwatch

Piece = TypeVar("Piece")
T = TypeVar("T")

# Modules whose kernels now run compiled.
_compiled: dict[str, ModuleType] = {}


def kernels(name: str, seconds: float) -> Any:
    """The kernels of a module, for work that takes plain Python about `seconds`; see `compiled.quickest`."""
    if name in _compiled:
        return _compiled[name]
    begin = Stopwatch.now()
    from cardwar_envs.core import compiled  # numba takes most of a second to import

    module = compiled.quickest(name, seconds)
    if isinstance(module, ModuleType):
        _compiled[name] = module
    Stopwatch.exclude(begin)
    return module


def processors() -> int:
    """Returns the number of processors available to this process."""
    # Some systems cannot tell which processors a process may use.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_in_threads(work: Callable[[Piece], T], pieces: Sequence[Piece], threads: int | None = None) -> Iterator[T]:
    """Yields `work(piece)` for each piece, in order.

    If the caller stops early, for instance by an interrupt, pieces that have not begun are dropped.

    Args:
        work: Called from several threads at once.
        pieces: Independent parts of the work.
        threads: Maximum number of threads; `processors()` if None.
    """
    workers = min(len(pieces), threads or processors())
    if workers <= 1:
        yield from map(work, pieces)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, pieces)


def run_in_threads(work: Callable[[Piece], object], pieces: Iterable[Piece]) -> None:
    """Calls `work(piece)` in threads while this thread makes the next pieces; at most two per thread wait."""
    workers = processors()
    with ThreadPoolExecutor(workers) as pool:
        running: deque[Future[object]] = deque()
        for piece in pieces:
            if len(running) >= 2 * workers:
                running.popleft().result()
            running.append(pool.submit(work, piece))
        for each in running:
            each.result()
