"""The running process: entry points on demand, wall time without loading, variables without secrets."""

from __future__ import annotations

import os
import re
import time
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GAME_GROUP, POLICY_GROUP = "cardwar_envs.games", "cardwar_envs.policies"
# Names such as OPENAI_API_KEY, HF_TOKEN or DB_PASSWORD.
SECRET = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


class Stopwatch:
    """Measures the seconds since its creation, excluding those spent on loading and compiling kernels.

    Attributes:
        loading: Seconds that this process has spent on loading and compiling.
        cpu_loading: The same in CPU seconds.
    """

    loading = cpu_loading = 0.0

    def __init__(self) -> None:
        self._begin = time.perf_counter() - Stopwatch.loading
        self._cpu_begin = time.process_time() - Stopwatch.cpu_loading

    @property
    def seconds(self) -> float:
        """The time so far."""
        return max(0.0, time.perf_counter() - Stopwatch.loading - self._begin)  # loading may overlap in threads

    @property
    def cpu_seconds(self) -> float:
        """The CPU time so far, summed over all threads of this process."""
        return max(0.0, time.process_time() - Stopwatch.cpu_loading - self._cpu_begin)

    @staticmethod
    def exclude(begin: tuple[float, float]) -> None:
        """Counts the time since `begin` as loading; `begin` is the result of `now`."""
        Stopwatch.loading += time.perf_counter() - begin[0]
        Stopwatch.cpu_loading += time.process_time() - begin[1]

    @staticmethod
    def now() -> tuple[float, float]:
        """The readings of the clocks of wall time and of CPU time."""
        return time.perf_counter(), time.process_time()


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """Maps names to entry points in a group."""
    from importlib.metadata import entry_points  # slow to import

    return {point.name: point for point in entry_points(group=group)}


def without_secrets(**more: str) -> dict[str, str]:
    """This process's environment variables without those whose names look like secrets, plus `more`."""
    return {name: value for name, value in os.environ.items() if not SECRET.search(name)} | more
