"""Regret matching+ on a whole table: each iteration updates all information states of a small game, without a network.

Sources: O. Tammelin, "Solving large imperfect information games using CFR+" (arXiv:1407.5042, 2014): regrets never fall
below 0, players update in turn, and iteration t has weight t in the average. M. Zinkevich et al., "Regret minimization
in games with incomplete information" (NIPS 2007), section 3: counterfactual values, and averages weighted by own reach.

CFR+ comes from papers about game trees. Here several histories can lead to the same state, so its reach is not a
product of probabilities, and no strategy that depends only on the state is equivalent to a mixture; but since the state
is public, the rest of the game is a subgame. So by default this is regret matching+ in each state, as in a separate
matrix game, whose entries are the values of the average strategies at later states; they converge from the last layer
upwards. With `--reach 1` updates are weighted by reach, which is CFR+ on trees and has no guarantee elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cardwar_envs.core.game import Game
from train.algorithms.information_states import Strategies, Strategy, tables_of
from train.learner.arguments import CFRPlusArgs as Args
from train.policies.table import LearnedTable


class Learner:
    """CFR+ on one game; the learned policy is the linear average. It draws nothing, so the seed has no effect."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        """Creates the learner; ignores the seed. Raises the same errors as `tables_of`."""
        self.steps = 0
        self._game, self._by_reach = game, args.reach == 1
        self._tables = tables_of(game)
        self._memory = {
            f"{name}_{player}": np.zeros(mask.shape)
            for player, mask in enumerate(self._tables.masks)
            for name in ("regrets", "sums")
        }

    def advance(self, steps: int) -> dict[str, float]:
        """Iterates until `steps`; player 1 answers player 0's new strategy. Returns no training figures."""
        while self.steps < steps:
            self.steps += 1
            for player in (0, 1):
                self._improve(player)
        return {}

    def policy(self) -> LearnedTable:
        weights = [self._memory[f"sums_{player}"].sum(axis=1) for player in (0, 1)]
        return self._tables.policy(self._game, self._strategies("sums"), weights)

    def _improve(self, player: int) -> None:
        current, regrets = self._strategies("regrets"), self._memory[f"regrets_{player}"]
        own, other = current[player], current[1 - player]
        after = self._tables.values(current if self._by_reach else self._strategies("sums"))
        worth = self._tables.action_values(player, other, after)
        gains = worth - (own * worth).sum(axis=1, keepdims=True)
        if self._by_reach:
            gains *= self._tables.others_reach(player, other)[:, None]
        np.maximum(regrets + gains, 0.0, out=regrets, where=self._tables.masks[player])
        strategy = normalised(regrets, self._tables.uniform[player])
        counts = self._tables.own_reach(player, strategy) if self._by_reach else np.ones(len(strategy))
        self._memory[f"sums_{player}"] += self.steps * counts[:, None] * strategy

    def _strategies(self, weights: str) -> Strategies:
        """Returns strategies proportional to `regrets` (the current strategies) or to `sums` (the averages)."""
        return tuple(normalised(self._memory[f"{weights}_{p}"], self._tables.uniform[p]) for p in (0, 1))

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        return {name: torch.from_numpy(array.copy()) for name, array in self._memory.items()}, {"steps": self.steps}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        self.steps = data["steps"]
        for name, array in self._memory.items():
            array[:] = tensors[name].numpy()


def normalised(weights: NDArray[np.float64], otherwise: Strategy) -> Strategy:
    """Normalises rows of weights to probabilities; rows of zeros are replaced by the rows of `otherwise`."""
    sums = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, sums, out=otherwise.copy(), where=sums > 0.0)
