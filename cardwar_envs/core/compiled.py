"""numba's `njit` for all kernels; announces compilation to the waiting user, once per process."""

import sys
from functools import cache
from logging import getLogger
from multiprocessing import parent_process
from typing import Any

from numba import njit
from numba.core import event

__all__ = ["COMPILING", "njit"]

COMPILING = "Compiling (once, up to a minute)."
OURS = {"cardwar_envs", "baselines"}


@cache
def _tell() -> None:
    """Prints a notice to a terminal, or logs it; worker processes leave that to their parent."""
    if parent_process() is not None:
        return
    if sys.stderr is not None and sys.stderr.isatty():
        print(COMPILING, file=sys.stderr, flush=True)
    else:
        getLogger(__package__).info(COMPILING)


class Compilation(event.Listener):
    """Receives an event for each function that numba compiles, but not for those loaded from its disk cache."""

    def on_start(self, event: Any) -> None:
        """Announces the compilation if the function is one of ours."""
        if event.data["dispatcher"].__module__.partition(".")[0] in OURS:
            _tell()

    def on_end(self, event: Any) -> None:
        """Does nothing."""


event.register("numba:compile", Compilation())  # type: ignore[no-untyped-call]  # numba has no types
