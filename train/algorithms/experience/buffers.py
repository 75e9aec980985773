"""Replay buffers: one keeps the newest moves of two players, the other a uniform sample of all decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import DTypeLike, NDArray
from torch import Tensor

from cardwar_envs.core.game import Game
from cardwar_envs.envs.game_batch import BatchStep
from train.policies.layers import as_bits
from train.policies.learned_policy import has_many_actions

# The shape and the dtype of a row.
Column = tuple[tuple[int, ...], DTypeLike]


class Buffer:
    """A buffer of rows in several columns, with a fixed capacity; `added` counts all rows added so far."""

    def __init__(self, size: int, **columns: Column) -> None:
        """Creates a buffer with a capacity in rows; `columns` gives each column's row shape and dtype."""
        self.added, self._size = 0, size
        self._columns = {name: np.zeros((size, *shape), dtype=kind) for name, (shape, kind) in columns.items()}

    def _put(self, places: NDArray[np.int64], rows: Sequence[NDArray[Any]]) -> None:
        """Writes rows, one array per column, at these indices; if an index is repeated, the last row is kept."""
        for column, new in zip(self._columns.values(), rows, strict=True):
            column[places] = new

    def put(self, *rows: NDArray[Any]) -> None:
        """Adds rows, one array per column, in place of the oldest."""
        self._put(np.arange(self.added, self.added + len(rows[0])) % self._size, rows)
        self.added += len(rows[0])

    def sample(self, count: int, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
        """Draws rows with replacement, `[count, ...]` per column; raises ValueError if the buffer is empty."""
        if not self.added:
            raise ValueError("the buffer is empty: add rows before sampling")
        rows = rng.integers(min(self.added, self._size), size=count)
        return {name: column.take(rows, axis=0) for name, column in self._columns.items()}

    def state(self) -> tuple[dict[str, Tensor], int]:
        """Returns the filled part of each column, and the number of rows added so far."""
        return {name: torch.from_numpy(column[: self.added]) for name, column in self._columns.items()}, self.added

    def restore(self, tensors: Mapping[str, Tensor], data: int) -> None:
        """Restores the result of `state`."""
        self.added = data
        for name, column in self._columns.items():
            column[:data] = tensors[name].numpy()


class Replay(Buffer):
    """Keeps the newest moves, as both players saw them.

    The masks before a move can be computed from the observations. In games with many actions that is slow, so they are
    stored, as bits.
    """

    def __init__(self, game: Game[Any], size: int) -> None:
        """Creates a buffer for a game; `capacity` is in moves."""
        seen, actions = (2, game.facts.observation_size), game.facts.num_actions
        self._bits = has_many_actions(game)
        masks: Column = ((2, -(-actions // 8)), np.uint8) if self._bits else ((2, actions), np.int8)
        super().__init__(
            size,
            observations=(seen, np.float32),
            actions=((2,), np.int64),
            rewards=((2,), np.float32),
            done=((), np.bool_),
            next_observations=(seen, np.float32),
            next_masks=masks,
            **({"masks": masks} if self._bits else {}),
        )

    def add(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8], actions: NDArray[np.int64], step: BatchStep
    ) -> None:
        """Adds one move per game: the observations and masks before it, the actions, and the results."""
        move = observations, actions, step.rewards, step.done, step.observations
        self.put(*((*move, as_bits(step.masks), as_bits(masks)) if self._bits else (*move, step.masks)))


class Reservoir(Buffer):
    """A uniform sample of all decisions added so far: each of them is kept with the same probability.

    Source: J. S. Vitter, "Random sampling with a reservoir" (1985), algorithm R.
    """

    def __init__(self, size: int, widths: Sequence[int], masks: DTypeLike = np.int8) -> None:
        """Creates a reservoir of `size` decisions; `widths`: of observations, of masks; `masks`: their dtype."""
        super().__init__(
            size, observations=((widths[0],), np.float32), masks=((widths[1],), masks), actions=((), np.int64)
        )

    def add(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8] | NDArray[np.uint8],
        actions: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> None:
        """Adds decisions, `[batch, ...]` each, with the same result as adding them one by one."""
        numbers = np.arange(self.added, self.added + len(actions))
        drawn = rng.integers(0, numbers + 1)
        places = np.where(numbers < self._size, numbers, drawn)
        kept = places < self._size
        self._put(places[kept], (observations[kept], masks[kept], actions[kept]))
        self.added += len(actions)
