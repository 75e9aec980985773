"""Policies given as a table of observations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.arrays import Masks, Observations, Probabilities


class TablePolicy:
    """Plays what a table says for an observation; for other observations, all legal actions are equally likely."""

    def __init__(self, table: Mapping[bytes, NDArray[np.float64]]) -> None:
        """Takes `observation.tobytes()` (float32) -> `[num_actions]` probabilities."""
        self._table = dict(table)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self._table):,} observations>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """`[batch, num_actions]` probabilities."""
        probabilities: Probabilities = action_masks / action_masks.sum(axis=1, keepdims=True)
        # Adding zero turns -0.0, whose bytes differ, into 0.0.
        for row, observation in enumerate(np.ascontiguousarray(observations, dtype=np.float32) + np.float32(0.0)):
            listed = self._table.get(observation.tobytes())
            if listed is not None:
                probabilities[row] = listed
        return probabilities
