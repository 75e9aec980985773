"""Views of a tuple's arrays that cannot be written to.

Numba compiles a function once for writable arrays and once more for read-only ones, and arrays that Ray shares
between processes are read-only. Finished arrays are therefore read-only in every process: one compilation serves all,
and no mistake can change a solved value.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


def read_only(arrays: Arrays) -> Arrays:
    """The same named tuple, with read-only views of its arrays."""
    return type(arrays)(*(_sealed(each) if isinstance(each, np.ndarray) else each for each in arrays))


def _sealed(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
