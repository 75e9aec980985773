"""Learners without a network: each iteration updates all information states of a small game. They ignore the seed.

CFR+ and fictitious play come from papers about game trees. Here several histories can lead to the same state, so its
reach is not a product of probabilities, and no strategy that depends only on the state is equivalent to a mixture; but
since the state is public, the rest of the game is a subgame. By default every state is learned as a separate matrix
game. With `--reach 1` updates are weighted by reach, which is exact on trees and has no guarantee elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cardwar_envs.core.game import Game
from train.algorithms.information_states import Strategies, Strategy, Weights, tables_of
from train.learner.arguments import ReachArgs, TabularArgs, TabularMMDArgs
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


class CFRPlus(TabularLearner):
    """CFR+: regret matching+ at every information state; the learned policy is the linear average.

    Sources: O. Tammelin, "Solving large imperfect information games using CFR+" (arXiv:1407.5042, 2014): regrets never
    fall below 0, players update in turn, and iteration t has weight t in the average. M. Zinkevich et al., "Regret
    minimization in games with incomplete information" (NIPS 2007), section 3: counterfactual values, and averages
    weighted by own reach. Without reach, the entries of a state's matrix game are the values of the average strategies
    at later states, which converge from the last layer upwards.
    """

    def __init__(self, game: Game[Any], args: ReachArgs, seed: int) -> None:
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


class FictitiousPlay(TabularLearner):
    """Both players best-respond to the average of the opponent's past strategies; that average is learned.

    It starts with uniform play. Sources: J. Heinrich, M. Lanctot and D. Silver, "Fictitious self-play in extensive-form
    games" (ICML 2015), section 3: a best response enters the average in proportion to its share of the reach
    probability, so that the average is equivalent to drawing one response for the whole game. M. O. Sayin, F. Parise
    and A. Ozdaglar, "Fictitious play in zero-sum stochastic games" (SIAM Journal on Control and Optimization 60, 2022):
    separate fictitious play in the game at each state, in which all responses have the same weight.
    """

    def __init__(self, game: Game[Any], args: ReachArgs, seed: int) -> None:
        super().__init__(game, args, seed)
        self._by_reach = args.reach == 1
        self.memory = {f"average_{player}": strategy.copy() for player, strategy in enumerate(self.uniform)}

    def iterate(self) -> None:
        """Computes both players' best responses to the current averages, then updates both averages."""
        averages = self.memory["average_0"], self.memory["average_1"]
        responses = [self._response(player, averages[1 - player]) for player in (0, 1)]
        for player, response in enumerate(responses):
            average = averages[player]
            average += self._shares(player, average, response)[:, None] * (response - average)

    def _response(self, player: int, other: Strategy) -> Strategy:
        best = self.tables.response_values(player, other).argmax(axis=1)
        return np.eye(self.tables.masks[player].shape[1])[best]

    def _shares(self, player: int, average: Strategy, response: Strategy) -> NDArray[np.float64]:
        """Returns `[rows]`: the response's weight in the new average."""
        new = 1.0 / (self.steps + 1)
        if not self._by_reach:
            return np.full(len(average), new)
        by_response = new * self.tables.own_reach(player, response)
        by_either = by_response + (1.0 - new) * self.tables.own_reach(player, average)
        return np.divide(by_response, by_either, out=np.zeros(len(average)), where=by_either > 0.0)

    def learned(self) -> Strategies:
        return self.memory["average_0"], self.memory["average_1"]

    def weights(self) -> Weights | None:
        if not self._by_reach:
            return None
        return [self.tables.own_reach(player, average) for player, average in enumerate(self.learned())]


class TabularMMD(TabularLearner):
    """Magnetic mirror descent on exact action values with a slow magnet; the learned policy is the last iterate.

    Source: S. Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and two-player
    zero-sum games" (arXiv:2206.05825, ICLR 2023): the update with negative entropy as mirror map, at every information
    state. With a fixed magnet it converges to a logit equilibrium; the moving magnet leads it on to a Nash equilibrium.
    """

    def __init__(self, game: Game[Any], args: TabularMMDArgs, seed: int) -> None:
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
