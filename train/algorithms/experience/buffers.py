"""A replay buffer of moves of two players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.envs.game_batch import BatchStep


class Moves(NamedTuple):
    """Moves as one of the two players saw them; `[batch, ...]` each."""

    observations: NDArray[np.float32]
    actions: NDArray[np.int64]
    opponent_actions: NDArray[np.int64]
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    next_observations: NDArray[np.float32]
    next_masks: NDArray[np.int8]
    next_opponent_masks: NDArray[np.int8]


class Replay:
    """The newest moves, as both players saw them; `added` counts all moves ever added."""

    def __init__(self, game: Game[Any], size: int) -> None:
        facts = game.facts
        self._size, self.added = size, 0
        self._columns: dict[str, NDArray[Any]] = {
            "observations": np.zeros((size, 2, facts.observation_size), dtype=np.float32),
            "actions": np.zeros((size, 2), dtype=np.int64),
            "rewards": np.zeros((size, 2), dtype=np.float32),
            "done": np.zeros(size, dtype=np.bool_),
            "next_observations": np.zeros((size, 2, facts.observation_size), dtype=np.float32),
            "next_masks": np.zeros((size, 2, facts.num_actions), dtype=np.int8),
        }

    def add(self, observations: NDArray[np.float32], actions: NDArray[np.int64], step: BatchStep) -> None:
        """Keeps a move of every game: what was seen before it, what was played, what came of it."""
        places = np.arange(self.added, self.added + len(actions)) % self._size
        new = (observations, actions, step.rewards, step.done, step.observations, step.masks)
        for column, values in zip(self._columns.values(), new, strict=True):
            column[places] = values
        self.added += len(actions)

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """`[count]` places of moves, drawn with replacement."""
        return rng.integers(min(self.added, self._size), size=count)

    def seen(self, rows: NDArray[np.int64], own: NDArray[np.int64]) -> Moves:
        """The moves at these places, each seen from the seat that `own` says."""
        column = self._columns
        return Moves(
            column["observations"][rows, own],
            column["actions"][rows, own],
            column["actions"][rows, 1 - own],
            column["rewards"][rows, own],
            column["done"][rows],
            column["next_observations"][rows, own],
            column["next_masks"][rows, own],
            column["next_masks"][rows, 1 - own],
        )

    def filled(self) -> dict[str, NDArray[Any]]:
        """The part of each column that holds moves."""
        return {name: column[: self.added] for name, column in self._columns.items()}

    def restore(self, columns: Mapping[str, NDArray[Any]], added: int) -> None:
        """Takes in what `filled` gave, and how many moves had been added by then."""
        self.added = added
        for name, column in self._columns.items():
            column[:added] = columns[name]


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
