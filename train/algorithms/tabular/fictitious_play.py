"""Fictitious play: both players best-respond to the average of the opponent's past strategies.

Sources: J. Heinrich, M. Lanctot and D. Silver, "Fictitious self-play in extensive-form games" (ICML 2015), section 3: a
best response enters the average in proportion to its share of the reach probability, so that the average is equivalent
to drawing one response for the whole game. M. O. Sayin, F. Parise and A. Ozdaglar, "Fictitious play in zero-sum
stochastic games" (SIAM Journal on Control and Optimization 60, 2022): separate fictitious play in the game at each
state.

The first paper is about game trees. If several histories lead to one state, no strategy that depends only on the state
is equivalent to such a mixture. By default all responses have the same weight at every state, as in the second paper;
`--reach 1` weights them by reach, which is exact on trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from train.algorithms.tabular.information_states import Strategies, Strategy, Weights
from train.algorithms.tabular.learner import TabularLearner
from train.learner.arguments import ReachArgs as Args


class Learner(TabularLearner):
    """Fictitious play on one game; the learned policy is the average strategy, which starts with uniform play."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
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
