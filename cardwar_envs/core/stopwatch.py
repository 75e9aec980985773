"""Wall time without the time in which kernels are imported, loaded and compiled."""

from __future__ import annotations

import time


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
