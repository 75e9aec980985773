"""Magnetic mirror descent on exact action values with a slow magnet; the learned policy is the last iterate.

Source: S. Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and two-player
zero-sum games" (arXiv:2206.05825, ICLR 2023): the update with negative entropy as mirror map, at every information
state. With a fixed magnet it converges to a logit equilibrium; the moving magnet leads it on to a Nash equilibrium.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from train.algorithms.tabular.information_states import Strategies
from train.algorithms.tabular.learner import TabularLearner
from train.learner.arguments import TabularMMDArgs as Args


class Learner(TabularLearner):
    """Magnetic mirror descent on one game; the learned policy is the last iterate."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        super().__init__(game, args, seed)
        self._args = args
        self._stake = max(abs(game.facts.min_payoff), abs(game.facts.max_payoff)) or 1.0
        for player, (mask, uniform) in enumerate(zip(self.tables.masks, self.uniform, strict=True)):
            logits = np.log(np.where(mask, uniform, 1.0))
            self.memory |= {f"logits_{player}": logits, f"magnet_{player}": logits.copy()}

    def iterate(self) -> None:
        """Updates both players simultaneously."""
        strategies = self.learned()
        after = self.tables.values(strategies)
        for player in (0, 1):
            self._move(player, self.tables.action_values(player, strategies[1 - player], after) / self._stake)

    def _move(self, player: int, worth: NDArray[np.float64]) -> None:
        args, mask = self._args, self.tables.masks[player]
        logits, magnet = self.memory[f"logits_{player}"], self.memory[f"magnet_{player}"]
        pull = args.learning_rate * args.temperature
        moved = np.where(mask, (logits + args.learning_rate * worth + pull * magnet) / (1.0 + pull), -np.inf)
        moved -= moved.max(axis=1, keepdims=True)
        moved -= np.log(np.exp(moved).sum(axis=1, keepdims=True))
        logits[mask] = moved[mask]
        magnet += args.magnet_rate * (logits - magnet)

    def learned(self) -> Strategies:
        masks = self.tables.masks
        return tuple(np.where(masks[p], np.exp(self.memory[f"logits_{p}"]), 0.0) for p in (0, 1))
