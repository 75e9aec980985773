"""CFR+: regret matching+ at every information state, alternating updates and linear averaging.

Sources: O. Tammelin, "Solving large imperfect information games using CFR+" (arXiv:1407.5042, 2014): regrets never fall
below 0, players update in turn, and iteration t has weight t in the average. M. Zinkevich et al., "Regret minimization
in games with incomplete information" (NIPS 2007), section 3: counterfactual values, and averages weighted by own reach.

Both papers are about game trees. Here several histories can lead to the same state, so its reach is not a product of
probabilities; but since the state is public, the rest of the game is a subgame. By default every state is learned as a
matrix game whose entries are the values of the average strategies at later states, which converge from the last layer
upwards. With `--reach 1` regrets and averages are weighted by reach, which is exact on trees and has no guarantee
elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.core.game import Game
from train.algorithms.tabular.information_states import Strategies, Weights
from train.algorithms.tabular.learner import TabularLearner, normalised
from train.learner.arguments import ReachArgs as Args


class Learner(TabularLearner):
    """CFR+ on one game; the learned policy is the average strategy."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        super().__init__(game, args, seed)
        self._by_reach = args.reach == 1
        for player, mask in enumerate(self.tables.masks):
            self.memory |= {f"regrets_{player}": np.zeros(mask.shape), f"sums_{player}": np.zeros(mask.shape)}

    def iterate(self) -> None:
        """Updates player 0, then updates player 1 against player 0's new strategy."""
        for player in (0, 1):
            self._improve(player)

    def _improve(self, player: int) -> None:
        current, regrets = self._strategies("regrets"), self.memory[f"regrets_{player}"]
        own, other = current[player], current[1 - player]
        after = self.tables.values(current if self._by_reach else self._strategies("sums"))
        worth = self.tables.action_values(player, other, after)
        gains = worth - (own * worth).sum(axis=1, keepdims=True)
        if self._by_reach:
            gains *= self.tables.others_reach(player, other)[:, None]
        np.maximum(regrets + gains, 0.0, out=regrets, where=self.tables.masks[player])
        strategy = normalised(regrets, self.uniform[player])
        counts = self.tables.own_reach(player, strategy) if self._by_reach else np.ones(len(strategy))
        self.memory[f"sums_{player}"] += self.steps * counts[:, None] * strategy

    def _strategies(self, weights: str) -> Strategies:
        """Returns strategies proportional to `regrets` (the current strategies) or to `sums` (the averages)."""
        return tuple(normalised(self.memory[f"{weights}_{p}"], self.uniform[p]) for p in (0, 1))

    def learned(self) -> Strategies:
        return self._strategies("sums")

    def weights(self) -> Weights:
        return [self.memory[f"sums_{player}"].sum(axis=1) for player in (0, 1)]
