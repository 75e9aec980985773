"""Describes the machine on which figures are measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    *("cardwar-envs", "numpy", "scipy", "numba", "gymnasium", "pettingzoo"),
    *("pygame-ce", "pgx", "jax", "open_spiel", "cvxpy", "ecos", "pygambit", "nashpy", "quantecon"),
)


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
