"""Where all kernels get numba's `njit` from; whoever waits while one is compiled is told so, once per process."""

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
    """Says it on a terminal, and logs it elsewhere; worker processes leave it to the process that started them."""
    if parent_process() is not None:
        return
    if sys.stderr is not None and sys.stderr.isatty():
        print(COMPILING, file=sys.stderr, flush=True)
    else:
        getLogger(__package__).info(COMPILING)


class Compilation(event.Listener):
    """Hears of each function that numba compiles; those that it loads from disk are not among them."""

    def on_start(self, event: Any) -> None:
        """Tells it, if the function is one of ours."""
        if event.data["dispatcher"].__module__.partition(".")[0] in OURS:
            _tell()

    def on_end(self, event: Any) -> None:
        """Nothing is left to say."""


event.register("numba:compile", Compilation())  # type: ignore[no-untyped-call]  # numba has no types
