"""Independent random streams, one 64-bit number per game.

Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), figure 16. A
stream is a counter that increases by an odd constant; a draw mixes the counter's bits. `streams_kernel` draws the same
numbers in compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

STEP = np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
# The 53 highest bits make a number in [0, 1).
UNUSED_BITS, UNIT = np.uint64(11), 2.0**-53


def new_streams(seed: int | None, count: int) -> NDArray[np.uint64]:
    """`[count]` streams from one seed; a smaller `count` gives a prefix of the same streams."""
    return np.random.SeedSequence(seed).generate_state(count, np.uint64).astype(np.uint64, copy=False)


def streams_of(seeds: Sequence[int | None]) -> NDArray[np.uint64]:
    """One stream per seed.

    Each is spawned from the seed's `SeedSequence`, so a NumPy generator with the same seed draws different numbers.
    """
    children = [np.random.SeedSequence(seed).spawn(1)[0] for seed in seeds]
    return np.array([child.generate_state(1, np.uint64)[0] for child in children])


def mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mixes the bits of 64-bit words."""
    words = (words ^ (words >> SHIFTS[0])) * MIX_1
    words = (words ^ (words >> SHIFTS[1])) * MIX_2
    return words ^ (words >> SHIFTS[2])


def draw(streams: NDArray[np.uint64], places: NDArray[np.intp]) -> NDArray[np.float64]:
    """Advances the streams at `places`, which must be distinct; returns `[len(places)]` numbers in [0, 1)."""
    streams[places] += STEP
    return (mixed(streams[places]) >> UNUSED_BITS).astype(np.float64) * UNIT
