"""Mixtures, of which one policy is drawn per game: their average strategy and their exploitability.

Source of the average: H. W. Kuhn, "Extensive games and the problem of information" (1953): a mixture is equivalent to
the behaviour strategy that weights each part by the reach of its own choices. That is exact if every information state
has a single history. Otherwise a policy that sees only states cannot in general play like the mixture; `response_value`
evaluates the mixture itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.state_graph.game_graph import END, GameGraph, group_sums
from cardwar_envs.core.policy import Policy
from train.algorithms.tabular.information_states import PublicStates, Strategy


class Mixture(NamedTuple):
    """A mixture of one player's strategies."""

    parts: NDArray[np.float64]  # `[parts, states, num_actions]` probabilities; waiting players play the first action
    weights: NDArray[np.float64]  # `[parts]` probabilities of being drawn


class MixtureTables(PublicStates):
    """The decision states of a small game of public state, for computations on mixtures."""

    def strategy(self, player: int, policy: Policy) -> Strategy:
        """`[states, num_actions]`: a policy's probabilities in a player's seat."""
        answers = self.graph.action_probabilities(policy, player)
        waits = ~answers.any(axis=1)
        answers[waits] = self.uniform[player][waits]
        return answers

    def average(self, player: int, mixture: Mixture) -> tuple[Strategy, NDArray[np.float64]]:
        """The behaviour strategy that weights each part by its reach, uniform where no part gets, and that reach.

        The reach `[states]` is as by `own_reach`.
        """
        strategies, reach = np.zeros(self.uniform[player].shape), np.zeros(len(self.uniform[player]))
        for part, weight in zip(mixture.parts, mixture.weights, strict=True):
            by_part = weight * self.own_reach(player, part)
            strategies += by_part[:, None] * part
            reach += by_part
        reached = reach > 0.0
        strategies[reached] /= reach[reached, None]
        strategies[~reached] = self.uniform[player][~reached]
        return strategies, reach

    def num_histories(self) -> int:
        """The total number of histories of all states."""
        graph = self.graph
        ways = np.zeros(len(graph.states) + 1)  # the last entry collects finished games
        np.add.at(ways, graph.roots, 1.0)
        for _, edges in reversed(list(graph.backward())):
            np.add.at(ways, graph.children[edges], ways[graph.parents[edges]])
        return int(ways[:END].sum())

    def response_value(self, player: int, mixture: Mixture) -> float:
        """A player's exact best-response payoff against an opponent that draws one part of a mixture per game.

        The responder remembers all moves. The sum runs over all histories, each weighted by its probability under every
        part.
        """
        graph, drawn = self.graph, mixture.weights > 0.0
        undecided = graph.roots != END
        chances = graph.root_probabilities[undecided, None] * mixture.weights[drawn]
        to_go = self._worth(player, mixture.parts[drawn], graph.roots[undecided], chances)
        return float(graph.root_probabilities @ graph.root_rewards[:, player] + to_go.sum())

    def _worth(
        self, player: int, parts: NDArray[np.float64], states: NDArray[np.int32], chances: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """`[histories]` continuation payoffs to a best-responding player, times the history's probability.

        `states` `[histories]` are their last states; `chances` `[histories, parts]` are the histories' probabilities
        given each of the `parts` that the opponent may have drawn, if the player plays towards them.
        """
        if not len(states):
            return np.zeros(0)
        graph, num_actions = self.graph, parts.shape[2]
        history, edges = _edges_from(graph, states)
        actions = np.maximum(graph.actions[edges], 0)  # a waiting player has all its probability in column 0
        chosen = parts[:, states[history], actions[:, 1 - player]].T
        chances = chances[history] * chosen * graph.probabilities[edges, None]
        together = chances.sum(axis=1)
        worth = together * graph.rewards[edges, player]
        on = (graph.children[edges] != END) & (together > 0.0)
        worth[on] += self._worth(player, parts, graph.children[edges[on]], chances[on])
        cells, size = history * num_actions + actions[:, player], len(states) * num_actions
        sums, possible = group_sums(cells, worth, size), np.bincount(cells, minlength=size) > 0
        return np.where(possible, sums, -np.inf).reshape(-1, num_actions).max(axis=1)


def _edges_from(graph: GameGraph[Any], states: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The edges that leave some states, each with the index of its state in `states`."""
    first, count = graph.first_edge[states], np.diff(graph.first_edge)[states]
    place = np.repeat(np.arange(len(states)), count)
    return place, first[place] + np.arange(len(place)) - (np.cumsum(count) - count)[place]
