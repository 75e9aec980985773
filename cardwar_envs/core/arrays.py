"""Names for the arrays that a policy is given, and for its answer, of the shapes that `Policy` says; keys of tables."""

import numpy as np
from numpy.typing import NDArray

Observations = NDArray[np.float32]
Masks = NDArray[np.int8]
Probabilities = NDArray[np.float64]


def observation_keys(observations: NDArray[np.floating]) -> list[bytes]:
    """The bytes by which tables know observations, `[batch, observation_size]`: equal float32 rows have equal keys.

    Observations must not be NaN, which equals nothing.
    """
    # Adding zero turns -0.0, whose bytes differ, into 0.0.
    return [row.tobytes() for row in np.ascontiguousarray(observations, dtype=np.float32) + np.float32(0.0)]
