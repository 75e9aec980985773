"""Checks of the arguments of batches and vector environments: numbers of games, masks and actions."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.parameters import ArgumentError, whole_number

# More games than any machine steps at once; most often such a number is a typing error.
MOST_GAMES = 10**7


def checked_count(name: str, count: object) -> int:
    """Converts a number of games to an int; raises a ValueError unless it is in `1..MOST_GAMES`."""
    return whole_number(name, count, range(1, MOST_GAMES + 1))


def checked_mask(name: str, mask: Any, *shape: int) -> NDArray[np.bool_]:
    """Returns a copy, as bools, of a mask of games or of their seats.

    A mask is an array of bools, or of 0 and 1 as int8, the type of action masks. NumPy would take other integers as
    indices, which select other games.

    Raises:
        ValueError: If the mask is not such an array of this shape. The error is also a TypeError, because Gymnasium's
            own vector environments raise either.
    """
    is_mask = isinstance(mask, np.ndarray) and mask.dtype in (np.bool_, np.int8) and mask.shape == shape
    if not is_mask or not np.isin(mask, (0, 1)).all():
        raise ArgumentError(
            f"{name} ({_kind_of(mask)}) must be a NumPy array of bools, or of int8 0 and 1, of shape {shape}"
        )
    checked: NDArray[np.bool_] = mask.astype(np.bool_)
    return checked


def checked_actions(actions: Any, *shape: int) -> NDArray[np.int64]:
    """Converts actions to an int64 array; raises a ValueError if they are not integers of this shape."""
    try:
        given = np.asarray(actions)
    except ValueError:  # lists of different lengths
        given = np.empty(0, dtype=object)
    if given.shape != shape or given.dtype.kind not in "iu":
        raise ValueError(f"actions ({_kind_of(actions)}) must be integers of shape {shape}")
    return np.ascontiguousarray(given, dtype=np.int64)


def _kind_of(given: Any) -> str:
    return f"{given.dtype} of shape {given.shape}" if isinstance(given, np.ndarray) else reprlib.repr(given)
