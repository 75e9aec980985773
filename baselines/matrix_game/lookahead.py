"""One-step look-ahead play with estimated state values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrices
from cardwar_envs.core.game import Game
from cardwar_envs.envs.branching import Brancher, distinct
from cardwar_envs.envs.engines.engine import Views

# Limits on the joint actions tried, and on the observations evaluated, in one batch, so that it fits into a processor's
# cache. A batch for a single situation tries FEW_TRIALS.
TRIALS_AT_A_TIME = 4096
FEW_TRIALS = 64
ASKED_AT_A_TIME = 2048


def one_view(views: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Picks one of the two players' views of each state, so that a state and its mirror image get opposite values.

    Picks the lexicographically greater view: of `[1, 2, 0]` and `[1, 0, 2]` the first.

    Returns:
        The picked views, `[batch, observation_size]`, from `[batch, 2, observation_size]`; and `[batch]` signs: 1 for
        player 0's view, -1 for player 1's, and 0 if both see the same, so that the value is 0.
    """
    lots = [_one_view(views[i : i + TRIALS_AT_A_TIME]) for i in range(0, max(len(views), 1), TRIALS_AT_A_TIME)]
    picked, signs = zip(*lots, strict=True)
    return np.concatenate(picked), np.concatenate(signs)


def _one_view(views: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    rows, entry = np.arange(len(views)), (views[:, 0] != views[:, 1]).argmax(axis=1)
    signs = np.sign(views[rows, 0, entry] - views[rows, 1, entry], dtype=np.float64)
    return views[rows, (signs < 0).astype(np.intp)], signs


class HasOutputs(Protocol):
    """A network that evaluates observations."""

    def outputs(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """`[batch, observation_size]` -> `[batch, outputs]`."""


class StateValues:
    """State values from a network with one output; player 1's value is the negative of player 0's."""

    def __init__(self, game: Game[Any], network: HasOutputs) -> None:
        self._bounds = game.facts.min_payoff, game.facts.max_payoff
        self._network = network

    def __call__(self, views: NDArray[np.float32]) -> NDArray[np.float64]:
        """Evaluates both views, `[batch, 2, observation_size]`: `[batch]` continuation payoff points to player 0."""
        taken, signs = one_view(views)
        different, indices = distinct(taken)
        asked = taken[different]
        lots = [asked[i : i + ASKED_AT_A_TIME] for i in range(0, len(asked), ASKED_AT_A_TIME)]
        values = np.concatenate([np.zeros(0), *(self._network.outputs(lot)[:, 0] for lot in lots)])
        return np.asarray(signs * np.clip(values, *self._bounds)[indices])


class Lookahead:
    """Builds one-step matrix games: the reward of each joint action plus the value of the state that follows."""

    def __init__(self, game: Game[Any]) -> None:
        """Rejects games in which players cannot predict the outcome of a joint action, or in which seats differ.

        Raises:
            ValueError: If the game is not a two-player zero-sum game with a public state and symmetric seats, or may
                have chance after the deal according to `GameFacts.chance`.
        """
        facts, start = game.facts, f"{game.facts.name}: looking ahead is for"
        if not (facts.num_players == 2 and facts.zero_sum and facts.public_state and facts.seat_symmetric):
            raise ValueError(f"{start} two-player zero-sum games with a public state and symmetric seats")
        if facts.chance == "moves":
            raise ValueError(f"{start} games without chance after the deal; its facts allow it")
        self._actions = facts.num_actions
        self._trials, self._few_trials = Brancher(game, TRIALS_AT_A_TIME), Brancher(game, FEW_TRIALS)

    def views(self, observations: NDArray[np.float32]) -> Views:
        """Derives both players' views from those of one player, `[batch, observation_size]`, taken as player 0."""
        return self._brancher(len(observations)).views(observations)

    def _brancher(self, situations: int) -> Brancher:
        """Picks the smaller batch if it suffices, since all games of a batch are played, needed or not."""
        return self._few_trials if situations == 1 else self._trials

    def matrices(self, situations: Views, values: StateValues) -> NDArray[np.float64]:
        """Returns `[batch, num_actions, num_actions]` payoff points to player 0, 0 for illegal actions."""
        none = np.zeros((0, self._actions, self._actions))
        return np.concatenate([none, *(matrices for matrices, _ in self.lots(situations, values))])

    def lots(self, situations: Views, values: StateValues) -> Iterator[tuple[NDArray[np.float64], Views]]:
        """Yields matrices for a few situations at a time, with the views of all states that can follow."""
        for first in range(0, len(situations.masks), ASKED_AT_A_TIME):
            some = slice(first, first + ASKED_AT_A_TIME)
            lot = Views(situations.observations[some], situations.masks[some])
            tried = self._brancher(len(lot.masks)).all_joint(lot)
            payoffs, goes_on = tried.rewards, ~tried.done
            after = Views(tried.after[goes_on], tried.masks_after[goes_on])
            payoffs[goes_on] += values(after.observations)
            matrices = np.zeros((len(lot.masks), self._actions, self._actions))
            matrices[tried.situations, tried.joint[:, 0], tried.joint[:, 1]] = payoffs
            yield matrices, after

    def strategies(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8], values: StateValues
    ) -> NDArray[np.float64]:
        """Computes the observers' optimal strategies in the one-step matrix games, `[batch, num_actions]`."""
        situations = self.views(observations)
        matrices = self.matrices(situations, values)
        return solve_matrices(matrices, action_masks, situations.masks[:, 1]).row_strategies
