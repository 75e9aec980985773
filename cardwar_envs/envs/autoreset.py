"""When a finished game of a Gymnasium vector environment restarts, and which games a `reset` is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from cardwar_envs.core.parameters import ArgumentError

RESET_MASK = "reset_mask"


def checked_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Gymnasium's mode, given it or its value, such as "NextStep".

    Raises:
        ValueError: If there is no such mode.
    """
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ValueError(f"autoreset_mode ({mode!r}) must be one of {known}") from None


def games_to_reset(options: Mapping[str, Any] | None, count: int) -> NDArray[np.bool_]:
    """`[count]`: the games that options of `reset` name as `reset_mask`; all if they name none.

    Raises:
        ValueError: If the mask is not an array of that many bools, or names no game; it is a TypeError as well, because
            Gymnasium's own vector environments raise one or the other.
    """
    if options is None or RESET_MASK not in options:
        return np.ones(count, dtype=np.bool_)
    mask = options[RESET_MASK]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (count,):
        raise ArgumentError(f"reset_mask ({mask!r}) must be a NumPy array of {count} bools")
    if not mask.any():
        raise ArgumentError(f"reset_mask ({mask!r}) must be true for at least one game")
    return mask.copy()
