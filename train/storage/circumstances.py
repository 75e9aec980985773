"""When, where and with which versions a run was started."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import cardwar_envs


def circumstances() -> dict[str, Any]:
    """The content of `metadata.json`, apart from the seed."""
    import torch

    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": cardwar_envs.__version__,
        "commit": _commit(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def _commit() -> str | None:
    """The commit of the checkout that this package runs from, if it is one."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
