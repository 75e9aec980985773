"""Wall time without the time in which kernels are imported, loaded and compiled."""

from __future__ import annotations

import time
from typing import Any


class Stopwatch:
    """Measures the seconds since it was made, less those spent on loading and compiling kernels.

    Attributes:
        loading: Seconds that this process has spent so.
    """

    loading = 0.0

    def __init__(self) -> None:
        self._begin = time.perf_counter() - Stopwatch.loading

    @property
    def seconds(self) -> float:
        """The time so far."""
        return time.perf_counter() - Stopwatch.loading - self._begin


def kernels(name: str, seconds: float) -> Any:
    """The kernels of a module, for work that takes plain Python about `seconds`; see `compiled.quickest`."""
    begin = time.perf_counter()
    from cardwar_envs.core import compiled  # numba takes most of a second to import

    module = compiled.quickest(name, seconds)
    Stopwatch.loading += time.perf_counter() - begin
    return module
