"""One-step look-ahead play with estimated state values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrices
from cardwar_envs.core.constant_sum import zero_sum_form
from cardwar_envs.core.game import Game
from cardwar_envs.envs.branching import Brancher, Branches, choices, distinct
from cardwar_envs.envs.engines.engine import Views

# Limits on the joint actions tried, and on the observations evaluated, in one batch, so that it fits into a processor's
# cache. A batch for a single situation tries FEW_TRIALS.
TRIALS_AT_A_TIME = 4096
FEW_TRIALS = 64
ASKED_AT_A_TIME = 2048
# About the greatest number of outcomes in memory at a time.
BRANCHES_AT_A_TIME = 400_000


def value_views(game: Game[Any], views: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Picks the view of each state on which its value depends: player 0's or, if the seats are alike, `one_view`.

    Returns:
        The same as `one_view`.
    """
    return one_view(views) if game.facts.seat_symmetric else (views[:, 0], np.ones(len(views)))


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
        self._game, self._network = zero_sum_form(game), network

    def __call__(self, views: NDArray[np.float32]) -> NDArray[np.float64]:
        """Evaluates both views, `[batch, 2, observation_size]`: `[batch]` continuation payoff points to player 0."""
        facts, (taken, signs) = self._game.facts, value_views(self._game, views)
        different, indices = distinct(taken)
        asked = taken[different]
        lots = [asked[i : i + ASKED_AT_A_TIME] for i in range(0, len(asked), ASKED_AT_A_TIME)]
        values = np.concatenate([np.zeros(0), *(self._network.outputs(lot)[:, 0] for lot in lots)])
        return np.asarray(signs * np.clip(values, facts.min_payoff, facts.max_payoff)[indices])


class Lookahead:
    """Builds one-step matrix games: for each joint action the expected reward plus value of the state that follows."""

    def __init__(self, game: Game[Any]) -> None:
        """Rejects games in which players cannot predict the outcomes of a joint action.

        Raises:
            ValueError: If the game is not a two-player zero-sum game with a public state.
        """
        game = zero_sum_form(game)
        facts = game.facts
        if not (facts.num_players == 2 and facts.zero_sum and facts.public_state):
            raise ValueError(f"{facts.name}: looking ahead is for two-player zero-sum games with a public state")
        self._game, self._actions = game, facts.num_actions
        self._trials, self._few_trials = Brancher(game, TRIALS_AT_A_TIME), Brancher(game, FEW_TRIALS)
        branches = facts.num_actions ** (3 if facts.chance == "moves" else 2)  # of a state, roughly
        self._at_a_time = max(1, min(ASKED_AT_A_TIME, BRANCHES_AT_A_TIME // branches))

    def views(self, observations: NDArray[np.float32]) -> Views:
        """Derives both players' views from player 0's, `[batch, observation_size]`.

        If the seats are alike, these can also be the views of another player, taken as player 0.
        """
        return self._brancher(len(observations)).views(observations)

    def _brancher(self, situations: int) -> Brancher:
        """Picks the smaller batch if it suffices, since all games of a batch are played, needed or not."""
        return self._few_trials if situations == 1 else self._trials

    def matrices(self, situations: Views, values: StateValues) -> NDArray[np.float64]:
        """Returns `[batch, num_actions, num_actions]` payoff points to player 0, 0 for illegal actions."""
        none = np.zeros((0, self._actions, self._actions))
        lots = self.branches(situations)
        return np.concatenate([none, *(self.payoffs(tried, count, values) for tried, count in lots)])

    def branches(self, situations: Views) -> Iterator[tuple[Branches, int]]:
        """Yields all outcomes from a few situations at a time, with the number of these situations."""
        for first in range(0, len(situations.masks), self._at_a_time):
            lot = situations.of(slice(first, first + self._at_a_time))
            yield self._brancher(len(lot.masks)).all_outcomes(lot), len(lot.masks)

    def payoffs(self, tried: Branches, count: int, values: StateValues) -> NDArray[np.float64]:
        """Returns the matrices of `count` situations, given all outcomes from them."""
        payoffs, goes_on = tried.rewards.copy(), ~tried.done
        payoffs[goes_on] += values(tried.after[goes_on])
        shape = count, self._actions, self._actions
        places = np.ravel_multi_index((tried.situations, *tried.joint.T), shape)
        sums = np.bincount(places, tried.probabilities * payoffs, count * self._actions**2)
        return np.asarray(sums, dtype=np.float64).reshape(shape)

    def strategies(self, observations: NDArray[np.float32], values: StateValues) -> NDArray[np.float64]:
        """Computes the observers' optimal strategies in the one-step matrix games, `[batch, num_actions]`."""
        seats = np.zeros(len(observations), dtype=np.int64)
        if not self._game.facts.seat_symmetric:
            observations = observations.copy()
            for row, seen in enumerate(observations):
                state, seats[row] = self._game.state_of(seen)
                observations[row] = self._game.observation(state, 0)
        views = self.views(observations)
        if self._game.facts.seat_symmetric:  # a state and its mirror image are one matrix game
            seats = (one_view(views.observations)[1] < 0).astype(np.int64)
            mirrored = seats[:, None, None] == 1
            views = Views(*(np.where(mirrored, each[:, ::-1], each) for each in views))
        different, games = distinct(views.observations[:, 0])
        situations = views.of(different)
        rows, columns = (choices(situations.masks[:, player]) for player in (0, 1))
        solved = solve_matrices(self.matrices(situations, values), rows, columns)
        return np.where(seats[:, None] == 0, solved.row_strategies[games], solved.column_strategies[games])
