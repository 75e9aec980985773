"""Fictitious play: both players respond best to the average of all that the other has played.

Sources: J. Heinrich, M. Lanctot and D. Silver, "Fictitious self-play in extensive-form games"
(ICML 2015), section 3: a best response is mixed into the average by the share of the reach that
it has, so that the average plays as if one of the responses were drawn for the whole game. M. O.
Sayin, F. Parise and A. Ozdaglar, "Fictitious play in zero-sum stochastic games" (SIAM Journal on
Control and Optimization 60, 2022): fictitious play in the game that each state is by itself.

The first is for trees. In the games here several histories meet in one state, and no strategy
that sees the state alone plays as such a mixture does. So by default every state counts each
response alike, as in the second; `--reach 1` weighs by reach, which is exact on trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic.dataclasses import dataclass

from cardwar_envs.core.game import Game
from train.algorithms.contract import option
from train.algorithms.tabular.information_states import Strategies, Strategy
from train.algorithms.tabular.learner import TabularArgs, TabularLearner


@dataclass(frozen=True)
class Args(TabularArgs):
    """Arguments of fictitious play."""

    reach: int = option(0, "1: weigh by reach, as on a tree; 0: every state is a game of its own", low=0, high=1)


class Learner(TabularLearner):
    """Fictitious play at work on one game; its policy is the average, which begins with uniform play."""

    label = "fictitious play"

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        super().__init__(game, args, seed)
        self._by_reach = args.reach == 1
        self.memory = {f"average_{player}": strategy.copy() for player, strategy in enumerate(self.uniform)}

    def iterate(self) -> None:
        """Both respond to the averages as they stand, then both averages move."""
        averages = self.memory["average_0"], self.memory["average_1"]
        responses = [self._response(player, averages[1 - player]) for player in (0, 1)]
        for player, response in enumerate(responses):
            average = averages[player]
            average += self._shares(player, average, response)[:, None] * (response - average)

    def _response(self, player: int, other: Strategy) -> Strategy:
        best = self.tables.response_values(player, other).argmax(axis=1)
        response: Strategy = np.eye(self.tables.masks[player].shape[1])[best]
        return response

    def _shares(self, player: int, average: Strategy, response: Strategy) -> NDArray[np.float64]:
        """`[rows]` how much of the new average the response is."""
        new = 1.0 / (self.steps + 1)
        if not self._by_reach:
            return np.full(len(average), new)
        by_response = new * self.own_reach(player, response)
        by_either = by_response + (1.0 - new) * self.own_reach(player, average)
        return np.divide(by_response, by_either, out=np.zeros(len(average)), where=by_either > 0.0)

    def learned(self) -> tuple[Strategies, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The averages."""
        averages = self.memory["average_0"], self.memory["average_1"]
        if not self._by_reach:
            return averages, (np.ones(len(averages[0])), np.ones(len(averages[1])))
        return averages, (self.own_reach(0, averages[0]), self.own_reach(1, averages[1]))
