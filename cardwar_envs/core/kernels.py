"""Access to compiled kernels for code that must import without numba."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from cardwar_envs.core.process import Stopwatch

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
