"""Wall time, excluding the time to import, load and compile kernels."""

from __future__ import annotations

import time


class Stopwatch:
    """Measures the seconds since its creation, excluding those spent on loading and compiling kernels.

    Attributes:
        loading: Seconds that this process has spent on loading and compiling.
    """

    loading = 0.0

    def __init__(self) -> None:
        self._begin = time.perf_counter() - Stopwatch.loading

    @property
    def seconds(self) -> float:
        """The time so far."""
        return max(0.0, time.perf_counter() - Stopwatch.loading - self._begin)  # loading may overlap in threads
