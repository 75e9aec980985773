"""The door to compiled kernels for code that is imported without numba."""

from __future__ import annotations

import time
from typing import Any

from cardwar_envs.core.stopwatch import Stopwatch


def kernels(name: str, seconds: float) -> Any:
    """The kernels of a module, for work that takes plain Python about `seconds`; see `compiled.quickest`."""
    begin = time.perf_counter()
    from cardwar_envs.core import compiled  # numba takes most of a second to import

    module = compiled.quickest(name, seconds)
    Stopwatch.loading += time.perf_counter() - begin
    return module
