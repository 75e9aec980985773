"""The base class of tabular learners, which iterate over all information states and do not depend on the seed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cardwar_envs.core.game import Game
from train.algorithms.tabular.information_states import Strategies, Strategy, Weights, tables_of
from train.learner.arguments import TabularArgs
from train.policies.table import LearnedTable


class TabularLearner(ABC):
    """A learner whose state consists of arrays with the shape of a player's strategy."""

    def __init__(self, game: Game[Any], args: TabularArgs, seed: int) -> None:
        """Creates the learner; ignores the seed. Raises the same errors as `tables_of`."""
        self.steps = 0
        self.game = game
        self.tables = tables_of(game)
        self.uniform = self.tables.uniform
        self.memory: dict[str, NDArray[np.float64]] = {}

    @abstractmethod
    def iterate(self) -> None:
        """Makes one iteration; `steps` is the number of the iteration, from 1."""

    @abstractmethod
    def learned(self) -> Strategies:
        """Returns the strategies learned so far."""

    def weights(self) -> Weights | None:
        """Returns the weights `[rows]` of each player's learned rows; None if all weights are equal."""
        return None

    def advance(self, steps: int) -> dict[str, float]:
        """Iterates until `steps`; returns no training figures."""
        while self.steps < steps:
            self.steps += 1
            self.iterate()
        return {}

    def policy(self) -> LearnedTable:
        return self.tables.policy(self.game, self.learned(), self.weights())

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        return {name: torch.from_numpy(array.copy()) for name, array in self.memory.items()}, {"steps": self.steps}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        self.steps = data["steps"]
        for name, array in self.memory.items():
            array[:] = tensors[name].numpy()


def normalised(weights: NDArray[np.float64], otherwise: Strategy) -> Strategy:
    """Normalises rows of weights to probabilities; rows of zeros are replaced by the rows of `otherwise`."""
    sums = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, sums, out=otherwise.copy(), where=sums > 0.0)
