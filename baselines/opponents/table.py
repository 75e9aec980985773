"""Policies given as a table of observations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.arrays import Masks, Observations, Probabilities


class TablePolicy:
    """Plays what a table says for an observation; for other observations, all legal actions are equally likely.

    Exact measures refuse a table that knows none of the observations that they ask for: what they would measure is
    uniform play. Such a measure begins to count anew, so afterwards `asked` and `known` are about what it asked.
    """

    def __init__(self, table: Mapping[bytes, NDArray[np.float64]]) -> None:
        """Takes `observation.tobytes()` (float32) -> `[num_actions]` probabilities.

        Raises:
            ValueError: If it is not a mapping, or a key is not bytes.
        """
        wrong = table if not isinstance(table, Mapping) else next((k for k in table if not isinstance(k, bytes)), None)
        if wrong is not None:
            raise ValueError(f"table ({wrong!r}) must be a mapping from observation.tobytes() to probabilities")
        self._table = dict(table)
        self._asked: set[bytes] = set()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self._table):,} observations>"

    @property
    def asked(self) -> int:
        """For how many different observations it was asked."""
        return len(self._asked)

    @property
    def known(self) -> int:
        """How many of these are in the table."""
        return len(self._asked & self._table.keys())

    def count_anew(self) -> None:
        """Forgets what it was asked for."""
        self._asked.clear()

    def require_known(self) -> None:
        """Raises a ValueError if it was asked, and for nothing that is in the table."""
        if self.asked and not self.known:
            raise ValueError(
                f"{self!r} knows none of the {self.asked:,} observations that it was asked for; "
                "its keys must be observation.tobytes() of this game's observations, which are float32"
            )

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """`[batch, num_actions]` probabilities."""
        probabilities: Probabilities = action_masks / action_masks.sum(axis=1, keepdims=True)
        # Adding zero turns -0.0, whose bytes differ, into 0.0.
        for row, observation in enumerate(np.ascontiguousarray(observations, dtype=np.float32) + np.float32(0.0)):
            self._asked.add(key := observation.tobytes())
            listed = self._table.get(key)
            if listed is not None:
                probabilities[row] = listed
        return probabilities
