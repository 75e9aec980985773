"""Mixtures of policies, of which one is drawn per game: their average strategy and their exploitability.

Source of the average: H. W. Kuhn, "Extensive games and the problem of information" (1953): a mixture is equivalent to
the behaviour strategy that weights each part by the reach of its own choices. The equivalence holds if every
information state has a single history. Otherwise a policy that sees only states is in general not equivalent to the
mixture; `response_value` evaluates the mixture itself.
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

    parts: NDArray[
        np.float64
    ]  # `[parts, states, num_actions]` probabilities; players who do not move play the first action
    weights: NDArray[np.float64]  # `[parts]`: the probability that each part is drawn


class MixtureTables(PublicStates):
    """The decision states of a small game with a public state, with computations on mixtures."""

    def strategy(self, player: int, policy: Policy) -> Strategy:
        """Returns `[states, num_actions]`: a policy's probabilities in a player's seat."""
        answers = self.graph.action_probabilities(policy, player)
        waits = ~answers.any(axis=1)
        answers[waits] = self.uniform[player][waits]
        return answers

    def average(self, player: int, mixture: Mixture) -> tuple[Strategy, NDArray[np.float64]]:
        """Returns the behaviour strategy that weights each part by its reach, and the reach.

        The strategy is uniform in states that no part reaches. The reach `[states]` is the parts' weighted
        `own_reach`, summed.
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
        """Returns the total number of histories over all states."""
        graph = self.graph
        ways = np.zeros(len(graph.states) + 1)  # the last entry collects finished games
        np.add.at(ways, graph.roots, 1.0)
        for _, edges in reversed(list(graph.backward())):
            np.add.at(ways, graph.children[edges], ways[graph.parents[edges]])
        return int(ways[:END].sum())

    def response_value(self, player: int, mixture: Mixture) -> float:
        """Returns a player's exact best-response payoff against an opponent who draws one part of a mixture per game.

        The best response has perfect recall. The sum runs over all histories, each weighted by its probability under
        every part.
        """
        graph, drawn = self.graph, mixture.weights > 0.0
        undecided = graph.roots != END
        chances = graph.root_probabilities[undecided, None] * mixture.weights[drawn]
        to_go = self._worth(player, mixture.parts[drawn], graph.roots[undecided], chances)
        return float(graph.root_probabilities @ graph.root_rewards[:, player] + to_go.sum())

    def _worth(
        self, player: int, parts: NDArray[np.float64], states: NDArray[np.int32], chances: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Returns `[histories]`: continuation payoffs to a best-responding player, times the history's probability.

        `states` `[histories]` are the histories' last states; `chances` `[histories, parts]` are the probabilities that
        the opponent draws each part and that the history occurs, if the player makes the history's moves.
        """
        if not len(states):
            return np.zeros(0)
        graph, num_actions = self.graph, parts.shape[2]
        history, edges = _edges_from(graph, states)
        actions = np.maximum(graph.actions[edges], 0)  # a player who does not move has all its probability in column 0
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
    """Returns the edges that leave these states, each with the index of its state in `states`."""
    first, count = graph.first_edge[states], np.diff(graph.first_edge)[states]
    place = np.repeat(np.arange(len(states)), count)
    return place, first[place] + np.arange(len(place)) - (np.cumsum(count) - count)[place]
