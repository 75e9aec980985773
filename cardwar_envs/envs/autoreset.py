"""Autoreset modes of Gymnasium vector environments, and the option `reset_mask`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.parameters import ArgumentError
from cardwar_envs.envs.batch_inputs import checked_mask

try:
    from gymnasium.vector import AutoresetMode as AutoresetMode
except ImportError as error:
    raise ImportError("vector environments need gymnasium>=1.1") from error

RESET_MASK = "reset_mask"


def checked_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Converts a mode, or its value such as "NextStep", to Gymnasium's enum.

    Raises:
        ValueError: If there is no such mode.
    """
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ValueError(f"autoreset_mode ({mode!r}) must be one of {known}") from None


def games_to_reset(options: Mapping[str, Any] | None, count: int) -> NDArray[np.bool_]:
    """`[count]`: the games selected by the `reset_mask` option of `reset`; by default all.

    Raises:
        ValueError: If the mask is not an array of `count` bools or selects no game. The error is also a TypeError,
            because Gymnasium's own vector environments raise either.
    """
    if options is None or RESET_MASK not in options:
        return np.ones(count, dtype=np.bool_)
    mask = checked_mask(RESET_MASK, options[RESET_MASK], count)
    if not mask.any():
        raise ArgumentError(f"reset_mask ({mask!r}) must be true for at least one game")
    return mask
