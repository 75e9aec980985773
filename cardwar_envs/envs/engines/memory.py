"""Memory for the large arrays that an engine returns at every step.

The system clears new memory page by page, which takes longer for WAR's masks than playing the games. So memory is used
again, but not before the array in it and all views of that array are gone.
"""

from __future__ import annotations

import mmap
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Smaller arrays are left to NumPy, whose allocator does the same for them.
LEAST_BYTES = 1 << 20
# Maximum number of unused buffers; a caller who keeps each array until the next step alternates between two.
MOST_FREE = 4


class _Lease:
    """The owner of an array's memory; it exists as long as something refers to the array."""

    def __init__(self, buffer: NDArray[np.uint8], free: list[NDArray[np.uint8]]) -> None:
        self.__array_interface__ = buffer.__array_interface__
        self._buffer, self._free = buffer, free

    def __del__(self) -> None:
        self._free.append(self._buffer)


class Memory:
    """Makes arrays with arbitrary entries, like `np.empty`."""

    def __init__(self) -> None:
        self._free: list[NDArray[np.uint8]] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> Memory:
        return Memory()

    def empty(self, shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
        """A fresh array: nothing else refers to its memory."""
        size = prod(shape) * np.dtype(dtype).itemsize
        if size < LEAST_BYTES:
            return np.empty(shape, dtype)
        del self._free[:-MOST_FREE]
        place = next((i for i, buffer in enumerate(self._free) if size <= len(buffer) <= 2 * size), None)
        buffer = np.empty(size, np.uint8) if place is None else self._free.pop(place)
        return np.asarray(_Lease(buffer, self._free))[:size].view(dtype).reshape(shape)


def zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of zeros; pages of a large one take memory and time only once something is written to them."""
    size = prod(shape) * dtype.itemsize
    if size < LEAST_BYTES:
        return np.zeros(shape, dtype)
    # `np.zeros` may get used memory from its allocator, and clear it.
    return np.frombuffer(mmap.mmap(-1, size), dtype).reshape(shape)
