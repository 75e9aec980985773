"""Views of a tuple's arrays that cannot be written to.

numba compiles a function once for writable arrays and once more for read-only ones. What Ray shares between
processes is read-only. So everything that is finished is read-only here, in whatever process: compiled code
is the same for all, and no mistake can change a value that was solved.
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
