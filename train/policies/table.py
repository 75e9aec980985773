"""A learned policy in the form of a table, which gives the probabilities for each observation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines import TablePolicy
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, checked_probabilities
from cardwar_envs.core.table_policy import checked_rows
from train.policies.learned_policy import Unfinished
from train.storage.archive import Archive

# A policy is recorded as a table if measuring it took at most this many queries.
MOST_QUERIES = 200_000


class Seen(NamedTuple):
    """A strategy at the information states in which a player has a choice.

    Attributes:
        rows: `[k]` the row of each of these states in the player's strategies.
        observations: `[k, observation_size]`.
        probabilities: `[k, num_actions]` of the strategy.
    """

    rows: NDArray[np.int64]
    observations: NDArray[np.float32]
    probabilities: NDArray[np.float64]


class LearnedTable(TablePolicy):
    """Plays the probabilities in the table; at observations that are not in it, plays uniformly over legal actions."""

    kind: ClassVar[str] = "table"
    warns = False  # of a learner, for which uniform play elsewhere is as intended; one from a file warns
    unfinished: Unfinished | None = None

    def __init__(self, game: Game[Any], observations: NDArray[np.float32], probabilities: NDArray[np.float64]) -> None:
        """Creates a table of distinct observations `[rows, observation_size]` and probabilities `[rows, num_actions]`.

        Raises:
            ValueError: Like `checked_rows`.
        """
        self.game, self._observations, self._probabilities = game, observations, probabilities
        super().__init__(checked_rows(game, observations, probabilities))

    @classmethod
    def of_seats(cls, game: Game[Any], seats: Sequence[tuple[Seen, NDArray[np.float64]]]) -> LearnedTable:
        """Creates one table for both seats, from the strategy learned in each seat and weights `[k]` of its rows.

        In seat-symmetric games both seats can have the same observation; the table then contains the weighted mean.
        """
        seen = [each for each, _ in seats]
        # Adding zero turns -0.0, whose bytes differ, into 0.0.
        observations = np.concatenate([each.observations for each in seen]) + np.float32(0.0)
        probabilities = np.concatenate([each.probabilities for each in seen])
        weights = np.concatenate([counts for _, counts in seats])
        observations, place = np.unique(observations, axis=0, return_inverse=True)
        place = place.ravel()
        total = np.bincount(place, weights=weights)
        weights = np.where(total[place] > 0.0, weights, 1.0)  # if all weights are 0, the unweighted mean
        mean = np.zeros((len(observations), probabilities.shape[1]))
        np.add.at(mean, place, weights[:, None] * probabilities)
        return cls(game, observations, mean / mean.sum(axis=1, keepdims=True))

    def to_archive(self) -> Archive:
        tensors = {"observations": self._observations, "probabilities": self._probabilities}
        return Archive({name: torch.from_numpy(array) for name, array in tensors.items()}, {})

    @classmethod
    def from_archive(cls, game: Game[Any], tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> LearnedTable:
        types = {name: tensor.dtype for name, tensor in tensors.items()}
        if types != {"observations": torch.float32, "probabilities": torch.float64}:
            raise ValueError(f"a table must contain observations (float32) and probabilities (float64), not {types}")
        table = cls(game, tensors["observations"].numpy(), tensors["probabilities"].numpy())
        table.warns = True
        return table


class TooManyQueriesError(ValueError):
    """A policy was asked too often to be recorded."""


class Recorder:
    """Records the probabilities of the policy that it wraps; an exact measurement queries every information state.

    Attributes:
        stands_for: The policy.
    """

    def __init__(self, policy: Policy, stops: bool = False) -> None:
        """Takes the policy, and whether to raise `TooManyQueriesError` if it is asked too often."""
        self.stands_for, self._stops = policy, stops
        self._observations: list[NDArray[np.float32]] = []
        self._probabilities: list[NDArray[np.float64]] = []
        self._count = 0

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns the policy's probabilities, and records them."""
        self._count += len(observations)
        if self._stops and self._count > MOST_QUERIES:
            raise TooManyQueriesError(f"measuring the policy takes more than {MOST_QUERIES:,} queries")
        probabilities = checked_probabilities(self.stands_for, observations, action_masks)
        if self._count <= MOST_QUERIES:
            self._observations.append(np.array(observations))
            self._probabilities.append(probabilities)
        return probabilities

    def table(self, game: Game[Any]) -> LearnedTable | None:
        """Returns what was recorded as a policy; None if there were no queries or too many."""
        if not 0 < self._count <= MOST_QUERIES:
            return None
        # Adding zero turns -0.0, whose bytes differ, into 0.0.
        observations = np.concatenate(self._observations) + np.float32(0.0)
        observations, first = np.unique(observations, axis=0, return_index=True)
        return LearnedTable(game, observations, np.concatenate(self._probabilities)[first])
