"""Names for the arrays that a policy is given, and for its answer; their shapes are those of `Policy`."""

import numpy as np
from numpy.typing import NDArray

Observations = NDArray[np.float32]
Masks = NDArray[np.int8]
Probabilities = NDArray[np.float64]
