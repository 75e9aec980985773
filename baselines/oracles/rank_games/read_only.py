"""Makes read-only views of a tuple's arrays.

Numba compiles a function separately for writable and for read-only arrays, and arrays that Ray shares between processes
are read-only. So finished arrays are read-only in every process: functions are compiled only once, and no bug can
change a solved value.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


def read_only(arrays: Arrays) -> Arrays:
    """Returns the same named tuple, with read-only views of its arrays."""
    return type(arrays)(*(_sealed(each) if isinstance(each, np.ndarray) else each for each in arrays))


def _sealed(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
