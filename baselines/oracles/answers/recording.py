"""Policies are queried through a wrapper that records a sample of the queries, which `guards.py` repeats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities

# At most this many queries are recorded.
MOST_RECORDED = 256
SEED = 0


class RecordingPolicy:
    """Wraps a policy, forwards its attributes and records a uniform sample of its queries and answers."""

    def __init__(self, policy: Policy) -> None:
        self.stands_for, self.queries = policy, 0
        # Observations, masks and answers of the recorded rows; None before the first query.
        self.recorded: list[NDArray[Any]] | None = None
        self._rng = np.random.default_rng(SEED)
        # Each query gets a random key, and those with the lowest keys are kept, so all are equally likely.
        self._keys = np.empty(0)

    def __getattr__(self, name: str) -> Any:
        if name == "stands_for":  # not set yet during copying
            raise AttributeError(name)
        return getattr(self.stands_for, name)

    def __repr__(self) -> str:
        return repr(self.stands_for)

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns the policy's answer, unchanged."""
        keys = self._rng.random(len(observations))
        rows = np.flatnonzero(keys < self._keys.max()) if len(self._keys) == MOST_RECORDED else np.arange(len(keys))
        if len(rows) > MOST_RECORDED:
            rows = rows[np.argpartition(keys[rows], MOST_RECORDED)[:MOST_RECORDED]]
        shown = observations[rows], action_masks[rows]  # copies; the policy may write into its arguments
        answer = self.stands_for.action_probabilities(observations, action_masks)
        self.queries += len(observations)
        numbers = numbers_of(answer, action_masks.shape, rows)
        if numbers is not None and len(rows):  # the caller rejects malformed answers
            self._record(keys[rows], [*shown, numbers])
        return answer

    def _record(self, keys: NDArray[np.float64], rows: list[NDArray[Any]]) -> None:
        if self.recorded is not None:
            rows = [np.concatenate(both) for both in zip(self.recorded, rows, strict=True)]
        keys = np.concatenate([self._keys, keys])
        lowest = np.argpartition(keys, MOST_RECORDED)[:MOST_RECORDED] if len(keys) > MOST_RECORDED else slice(None)
        self._keys, self.recorded = keys[lowest], [each[lowest] for each in rows]


def numbers_of(answer: Any, shape: tuple[int, ...], rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
    """Copies some rows of an answer; None unless it is a numeric array of that shape."""
    try:
        numbers = np.asarray(answer)
    except (TypeError, ValueError, RuntimeError):  # the last is torch's
        return None
    return numbers[rows].astype(np.float64) if numbers.shape == shape and numbers.dtype.kind in "fiub" else None
