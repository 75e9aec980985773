"""Represents the information states of a small game as rows of arrays, for learners without a network.

Each player's strategy is an array `[rows, columns]`: rows are information states, columns are actions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.bayesian.solver import form_of
from baselines.oracles.state_graph.game_graph import END, full_graph, group_sums
from cardwar_envs.core.game import Game
from train.learner.contract import refusal
from train.policies.table import LearnedTable, Seen

Strategy = NDArray[np.float64]
Strategies = tuple[Strategy, ...]  # one for each player
Weights = Sequence[NDArray[np.float64]]


class StateTables(ABC):
    """The operations on a game that a tabular learner needs."""

    # Per player `[rows, columns]`: whether the action is legal; every row has at least one legal action.
    masks: tuple[NDArray[np.bool_], ...]

    @cached_property
    def uniform(self) -> Strategies:
        """Returns both players' uniform strategies."""
        return tuple(mask / mask.sum(axis=1, keepdims=True) for mask in self.masks)

    @abstractmethod
    def values(self, strategies: Strategies) -> NDArray[np.float64]:
        """Returns the continuation values if both players follow their strategies, as `action_values` takes them."""

    @abstractmethod
    def action_values(self, player: int, other: Strategy, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns `[rows, columns]` continuation payoffs to `player` for each action, in payoff points; 0 if illegal.

        `other` is the opponent's simultaneous strategy; `values` holds the values of the successor states.
        """

    @abstractmethod
    def reach(self, player: int, strategies: Strategies) -> NDArray[np.float64]:
        """Returns `[rows]`: the probability of reaching each of the player's information states."""

    @abstractmethod
    def seen(self, player: int, strategy: Strategy) -> Seen:
        """Converts a strategy to observations and the game's actions."""

    def policy(self, game: Game[Any], strategies: Strategies, weights: Weights | None = None) -> LearnedTable:
        """Combines both strategies into one policy for both seats; `weights` has `[rows]` for each player."""
        seen = [self.seen(player, strategy) for player, strategy in enumerate(strategies)]
        weights = weights or [np.ones(len(strategy)) for strategy in strategies]
        return LearnedTable.of_seats(game, [(each, weights[player][each.rows]) for player, each in enumerate(seen)])

    def own_reach(self, player: int, strategy: Strategy) -> NDArray[np.float64]:
        """Returns `[rows]`: the probability that a player's strategy reaches each of its rows against uniform play.

        If a state has a single history, the reach is proportional to the product of the player's own probabilities.
        """
        return self.reach(player, seated(player, strategy, self.uniform[1 - player]))

    def others_reach(self, player: int, other: Strategy) -> NDArray[np.float64]:
        """Returns `[rows]`: the probability that the opponent reaches a player's rows if the player plays uniformly."""
        return self.reach(player, seated(player, self.uniform[player], other))


def seated(player: int, own: Strategy, other: Strategy) -> Strategies:
    """Orders a player's strategy and its opponent's strategy by seat."""
    return (own, other) if player == 0 else (other, own)


class PublicStates(StateTables):
    """Tables of a game with a public state: both players have a row for every state in which either of them moves.

    A player who does not move in a state has one legal action there, the first.
    """

    def __init__(self, game: Game[Any]) -> None:
        self.graph = graph = full_graph(game)
        self._shape = len(graph.states), game.facts.num_actions
        actions = np.maximum(graph.actions, 0)
        self._cells = tuple(graph.parents * self._shape[1] + actions[:, player] for player in (0, 1))
        self._layers = list(graph.backward())
        self.masks = tuple(self._mask(player) for player in (0, 1))

    def _mask(self, player: int) -> NDArray[np.bool_]:
        mask = np.zeros(self._shape, dtype=np.bool_)
        mask.ravel()[self._cells[player]] = True
        return mask

    def _weights(self, strategies: Strategies) -> NDArray[np.float64]:
        """Returns `[num_edges]`: the probability of each edge, given its state."""
        chosen = [strategies[player].ravel()[self._cells[player]] for player in (0, 1)]
        return self.graph.probabilities * chosen[0] * chosen[1]

    def values(self, strategies: Strategies) -> NDArray[np.float64]:
        """Returns `[num_states + 1]` payoff points to player 0; the last entry, 0, belongs to `END`."""
        graph, weights = self.graph, self._weights(strategies)
        values = np.zeros(len(graph.states) + 1)
        for states, edges in self._layers:
            to_go = weights[edges] * (graph.rewards[edges, 0] + values[graph.children[edges]])
            values[states] = group_sums(graph.parents[edges] - states.start, to_go, states.stop - states.start)
        return values

    def action_values(self, player: int, other: Strategy, values: NDArray[np.float64]) -> NDArray[np.float64]:
        graph = self.graph
        weights = graph.probabilities * other.ravel()[self._cells[1 - player]]
        to_go = weights * (graph.rewards[:, 0] + values[graph.children])
        sums = group_sums(self._cells[player], to_go, self.masks[player].size).reshape(self._shape)
        return sums if player == 0 else -sums

    def reach(self, player: int, strategies: Strategies) -> NDArray[np.float64]:
        """See `StateTables`; the state is public, so the result is the same for both players."""
        graph, weights = self.graph, self._weights(strategies)
        reach = np.zeros(len(graph.states) + 1)  # the last entry sums over finished games
        np.add.at(reach, graph.roots, graph.root_probabilities)
        for _, edges in reversed(self._layers):
            np.add.at(reach, graph.children[edges], reach[graph.parents[edges]] * weights[edges])
        return reach[:END]

    def seen(self, player: int, strategy: Strategy) -> Seen:
        rows, observations, _ = self.graph.seen_by(player)
        return Seen(rows, observations, strategy[rows])


class PrivateTypes(StateTables):
    """Tables of a game in which both players move once: a row per type of a player, for example per private roll."""

    def __init__(self, game: Game[Any]) -> None:
        self._form = form = form_of(game)
        self._num_actions = game.facts.num_actions
        self._chances = form.weights.sum(axis=1), form.weights.sum(axis=0)
        weighted = form.weights[:, :, None, None] * form.payoffs
        # [own types, own actions, opponent's types, opponent's actions], in payoff points to the player times the
        # probability of the opponent's type
        own = weighted.transpose(0, 2, 1, 3), -weighted.transpose(1, 3, 0, 2)
        self._worth = tuple(
            each / np.where(chance > 0.0, chance, 1.0)[:, None, None, None]
            for each, chance in zip(own, self._chances, strict=True)
        )
        self.masks = tuple(np.ones(each.shape[:2], dtype=np.bool_) for each in own)

    def values(self, strategies: Strategies) -> NDArray[np.float64]:
        """Returns an empty array: nothing follows a player's only decision."""
        return np.zeros(0)

    def action_values(self, player: int, other: Strategy, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.tensordot(self._worth[player], other)

    def reach(self, player: int, strategies: Strategies) -> NDArray[np.float64]:
        return self._chances[player]

    def seen(self, player: int, strategy: Strategy) -> Seen:
        probabilities = np.zeros((len(strategy), self._num_actions))
        probabilities[:, list(self._form.actions[player])] = strategy
        return Seen(np.arange(len(strategy)), self._form.observations[player], probabilities)


def tables_of(game: Game[Any]) -> StateTables:
    """Creates the tables of a two-player zero-sum game.

    Raises:
        ValueError: If the game is of neither kind, or too large.
    """
    try:
        return PublicStates(game) if game.facts.public_state else PrivateTypes(game)
    except ValueError as error:  # too many states
        raise refusal(error) from None
