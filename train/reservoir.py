"""A uniform sample of all decisions ever taken, of fixed size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Decisions(NamedTuple):
    """What was seen, what was legal and what was chosen; `[batch, ...]` each."""

    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]


class Reservoir:
    """Keeps each decision that was ever added with the same probability.

    Source: J. S. Vitter, "Random sampling with a reservoir" (1985), algorithm R.

    Attributes:
        seen: How many decisions were ever added.
    """

    def __init__(self, size: int, widths: Sequence[int]) -> None:
        """Takes the number of decisions to keep, and the widths of observations and masks."""
        self.seen, self._size = 0, size
        self._columns = Decisions(
            np.zeros((size, widths[0]), dtype=np.float32),
            np.zeros((size, widths[1]), dtype=np.int8),
            np.zeros(size, dtype=np.int64),
        )

    def add(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        actions: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> None:
        """Adds decisions, `[batch, ...]` each, one after the other."""
        numbers = np.arange(self.seen, self.seen + len(actions))
        drawn = rng.integers(0, numbers + 1)
        places = np.where(numbers < self._size, numbers, drawn)
        kept = places < self._size
        for column, new in zip(self._columns, (observations, masks, actions), strict=True):
            column[places[kept]] = new[kept]  # of several for one place the last stays, as if one by one
        self.seen += len(actions)

    def sample(self, count: int, rng: np.random.Generator) -> Decisions:
        """Decisions drawn with replacement.

        Raises:
            ValueError: If there are none yet.
        """
        if not self.seen:
            raise ValueError("there is nothing to sample yet")
        rows = rng.integers(min(self.seen, self._size), size=count)
        return Decisions(*(column[rows] for column in self._columns))

    def filled(self) -> dict[str, NDArray[Any]]:
        """The part of each column that holds decisions."""
        return {name: column[: self.seen] for name, column in self._columns._asdict().items()}

    def restore(self, columns: Mapping[str, NDArray[Any]], seen: int) -> None:
        """Takes back what `filled` gave, and how many decisions were seen then."""
        self.seen = seen
        for name, column in self._columns._asdict().items():
            column[: len(columns[name])] = columns[name]
