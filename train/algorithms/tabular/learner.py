"""What learners without a network have in common: full-width iterations over a game's tables.

Nothing in them is drawn: the seed of a run changes nothing. What they learn is exact in the limit,
and how fast they get there is a yardstick for learners that sample.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic.dataclasses import dataclass
from torch import Tensor

from cardwar_envs.core.game import Game
from train.algorithms.contract import CommonArgs, option
from train.algorithms.tabular.information_states import Strategies, Strategy, tables_of
from train.policies.table import LearnedTable


@dataclass(frozen=True)
class TabularArgs(CommonArgs):
    """Arguments that every learner without a network takes."""

    steps: int = option(1_000, "iterations; each one goes over all states of the game", low=1)
    evaluate_every: int = option(20, "iterations from one exact evaluation and checkpoint to the next", low=1)


class TabularLearner(ABC):
    """A learner whose memory is a few arrays, all of the shapes of the players' strategies."""

    label: ClassVar[str]

    def __init__(self, game: Game[Any], args: TabularArgs, seed: int) -> None:
        """Takes the game, the algorithm's arguments and a seed, which is of no use here.

        Raises:
            ValueError: If it is not a two-player zero-sum game whose information states can be listed.
        """
        self.steps = 0
        self.game = game
        self.tables = tables_of(game, self.label)
        first, second = (mask / mask.sum(axis=1, keepdims=True) for mask in self.tables.masks)
        self.uniform: Strategies = (first, second)
        self.memory: dict[str, NDArray[np.float64]] = {}

    @abstractmethod
    def iterate(self) -> None:
        """One iteration; `steps` is its number, from 1."""

    @abstractmethod
    def learned(self) -> tuple[Strategies, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """What was learned: per player a strategy, and `[rows]` how much each row of it counts."""

    def advance(self, steps: int) -> dict[str, float]:
        """Iterates until `steps`; there are no figures beside the evaluation."""
        while self.steps < steps:
            self.steps += 1
            self.iterate()
        return {}

    def policy(self) -> LearnedTable:
        """What was learned, as a table of observations."""
        strategies, counts = self.learned()
        seen = [self.tables.seen(player, strategies[player]) for player in (0, 1)]
        return LearnedTable.of_seats(self.game, [(each, counts[p][each.rows]) for p, each in enumerate(seen)])

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """The memory, and the number of iterations."""
        return {name: torch.from_numpy(array.copy()) for name, array in self.memory.items()}, {"steps": self.steps}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        """Continues from what `state` returned."""
        self.steps = data["steps"]
        for name, array in self.memory.items():
            array[:] = tensors[name].numpy()

    def own_reach(self, player: int, strategy: Strategy) -> NDArray[np.float64]:
        """`[rows]` how likely a player's strategy leads it to each of its rows, if the other plays uniformly.

        Where a state can be reached in one way only, this is the product of the player's own
        probabilities on that way, times what is the same for all its strategies.
        """
        return self.tables.reach(player, seated(player, strategy, self.uniform[1 - player]))

    def others_reach(self, player: int, other: Strategy) -> NDArray[np.float64]:
        """`[rows]` how likely the other's strategy and chance let a player's rows come up, if it plays uniformly."""
        return self.tables.reach(player, seated(player, self.uniform[player], other))


def seated(player: int, own: Strategy, other: Strategy) -> Strategies:
    """A player's strategy and its opponent's, in order of seat."""
    return (own, other) if player == 0 else (other, own)


def normalised(weights: NDArray[np.float64], otherwise: Strategy) -> Strategy:
    """Rows of weights as probabilities; rows of zeros are taken from `otherwise`."""
    sums = weights.sum(axis=1, keepdims=True)
    strategy: Strategy = np.divide(weights, sums, out=otherwise.copy(), where=sums > 0.0)
    return strategy
