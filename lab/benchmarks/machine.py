"""Describes the machine on which figures are measured, and how much other processes use it meanwhile."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    *("cardwar-envs", "numpy", "scipy", "numba", "gymnasium", "pettingzoo"),
    *("pygame-ce", "pgx", "jax", "open_spiel", "cvxpy", "ecos", "pygambit", "nashpy"),
)
MUCH = 0.1  # share of all processors used by others, above which rates cannot be trusted, but ratios can


def facts() -> dict[str, Any]:
    """Processors, memory, system, and versions of packages; None for packages that are not installed."""
    return {
        "processors": os.cpu_count(),
        "usable_processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "model": _model(),
        "memory_gib": _memory_gib(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError):
        return None


def peak_megabytes() -> float:
    """The peak memory of this process (`ru_maxrss` would include that of its parent)."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def load() -> list[float] | None:
    """Load averages of 1, 5 and 15 minutes, if the system has them."""
    return [round(average, 2) for average in os.getloadavg()] if hasattr(os, "getloadavg") else None


class Watch:
    """Measures how much other processes use the machine from now on (Linux only)."""

    def __init__(self) -> None:
        self.start = load()
        self._wall, self._all, self._own = time.perf_counter(), _busy_seconds(), _own_seconds()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._wall

    def others(self) -> float | None:
        """Share of all processors, 0 to 1, used by processes other than this one and its children."""
        everybody = _busy_seconds()
        if everybody is None or self._all is None:
            return None
        used = everybody - self._all - (_own_seconds() - self._own)
        return max(0.0, min(1.0, used / (self.seconds * (os.cpu_count() or 1))))

    def warning(self) -> str | None:
        """A warning if other processes used much of the machine."""
        share = self.others()
        if share is None or share <= MUCH:
            return None
        return f"the machine was busy: others used {share:.0%} of its processors; trust ratios, not rates"


def _own_seconds() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _busy_seconds() -> float | None:
    """CPU time of all processes since the machine started."""
    try:
        words = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return None
    user, nice, system, _, _, interrupts, soft_interrupts, stolen = map(int, words[1:9])
    return (user + nice + system + interrupts + soft_interrupts + stolen) / os.sysconf("SC_CLK_TCK")
