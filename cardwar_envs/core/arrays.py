"""Types of a policy's inputs and output (shapes: see `Policy`), and observations as keys of tables."""

import numpy as np
from numpy.typing import NDArray

Observations = NDArray[np.float32]
Masks = NDArray[np.int8]
Probabilities = NDArray[np.float64]


def observation_keys(observations: NDArray[np.floating]) -> list[bytes]:
    """A key for each row of `[batch, observation_size]`; rows equal in float32 have equal keys. NaN is not allowed."""
    # Adding zero turns -0.0, whose bytes differ, into 0.0.
    return [row.tobytes() for row in np.ascontiguousarray(observations, dtype=np.float32) + np.float32(0.0)]
