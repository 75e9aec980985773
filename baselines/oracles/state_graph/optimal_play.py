"""The set of optimal strategies of a game, and the extremes of an objective over them against a given opponent.

At every state each player has a polytope of optimal strategies. Picking one of them at each state gives an equilibrium
strategy. The picks are independent, so backward induction finds the extremes over all of them. Strategies that are
optimal at the start but err at states that an optimal opponent never reaches are not included.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrices
from baselines.matrix_game.optimal_sets import Faces, best_optimal, both_sides, probability_ranges, vertices
from baselines.oracles.state_graph.game_graph import GameGraph
from baselines.oracles.state_graph.matrix_games import LayerGames, values_to_go

# Probabilities that differ by less than this count as equal; in small games, distinct ones differ by far more.
SAME_PROBABILITY = 1e-9

Array = NDArray[np.float64]
# Per seat `[num_states, num_actions]` probabilities.
BySeat = Sequence[Array] | Array


class Extreme(NamedTuple):
    """The maximum of an objective over one player's optimal strategies, by its seat, against an opponent.

    `worth` is `[2, num_states + 1]`, with 0 in the last column; `strategies` is `[2, num_states, num_actions]`.
    `slack` bounds the error of the maximum at the start, by rounding.
    """

    worth: Array
    strategies: Array
    slack: float


class OptimalPlay:
    """The optimal strategies at all states of a graph.

    Attributes:
        graph: The states of a two-player zero-sum game with a public state.
        values: `[num_states + 1]` continuation values to player 0, in payoff points; the last entry is 0.
    """

    def __init__(self, graph: GameGraph[Any]) -> None:
        self.graph = graph
        self.values = np.zeros(len(graph.states) + 1)
        self._layers = [self._solved(states, edges) for states, edges in graph.backward()]

    def _solved(self, states: slice, edges: slice) -> tuple[LayerGames, tuple[Faces, Faces]]:
        games = LayerGames.of(self.graph, states, edges)
        matrices = games.sums(values_to_go(self.graph, edges, self.values), 0, 1)
        solved = solve_matrices(matrices, *games.masks)
        self.values[states] = solved.values
        return games, both_sides(matrices, solved, games.masks)

    def extreme(self, opponent: BySeat, paid: Array) -> Extreme:
        """Maximises an objective over optimal play against an opponent.

        The objective `paid`, `[num_edges, 2]`, is each edge's worth to the player in either seat, e.g. its rewards,
        or 1 where the game is won. Negate it to minimise.
        """
        return self._induce(opponent, paid, None)

    def worth(self, own: BySeat, opponent: BySeat, paid: Array) -> Array:
        """Returns `[2, num_states + 1]`: the objective of play against an opponent; arguments as for `extreme`."""
        return self._induce(opponent, paid, own).worth

    def _induce(self, opponent: BySeat, paid: Array, own: BySeat | None) -> Extreme:
        graph, count = self.graph, len(self.graph.states)
        num_actions = graph.game.facts.num_actions
        weights = [graph.edge_weights([None, opponent[1]]), graph.edge_weights([opponent[0], None])]
        worth, slack = np.zeros((2, count + 1)), np.zeros((2, count + 1))
        strategies = np.zeros((2, count, num_actions))
        for games, faces in self._layers:
            edges, children = games.edges, graph.children[games.edges]
            for seat in (0, 1):
                there = np.where(graph.swapped[edges], 1 - seat, seat)
                to_go = weights[seat][edges] * (paid[edges, seat] + worth[there, children])
                objectives = games.sums(to_go, seat)
                if own is None:
                    chosen, missed = best_optimal(faces[seat], objectives)
                    strategies[seat, games.states] = games.spread_out(chosen, seat, num_actions)
                    np.maximum.at(slack[seat], graph.parents[edges], slack[there, children])
                    slack[seat, games.states] += missed
                else:
                    padded = np.pad(own[seat][games.states], ((0, 0), (0, 1)))  # the padding, -1, selects 0
                    chosen = np.take_along_axis(padded, games.actions[seat], axis=1)
                    chosen[~chosen.any(axis=1), 0] = 1.0  # a player who does not act has one action here
                worth[seat, games.states] = (chosen * objectives).sum(axis=1)
        return Extreme(worth, strategies, float(slack[:, graph.roots].max()))

    def matrix_at(self, state: int) -> Array:
        """Returns the matrix game at a state, `[legal actions of player 0, of player 1]` payoff points to player 0."""
        for games, faces in self._layers:
            if games.states.start <= state < games.states.stop:
                place = state - games.states.start
                rows, columns = (mask[place] for mask in games.masks)
                matrix: Array = faces[0].matrices[place][np.ix_(rows, columns)]
                return matrix
        raise ValueError(f"state ({state}) must be in 0..{len(self.graph.states) - 1}")

    def default(self) -> Array:
        """Returns `[2, num_states, num_actions]`: the documented choice of `baselines.matrix_game` at each state."""
        strategies = np.zeros((2, len(self.graph.states), self.graph.game.facts.num_actions))
        for games, faces in self._layers:
            for seat in (0, 1):
                strategies[seat, games.states] = games.spread_out(faces[seat].strategies, seat, strategies.shape[2])
        return strategies

    def ranges(self) -> tuple[Array, Array]:
        """Returns the least and greatest probability of each action in optimal strategies, shaped like `default`."""
        low, high = np.zeros_like(self.default()), np.zeros_like(self.default())
        for games, faces in self._layers:
            for seat in (0, 1):
                for bounds, own in zip((low, high), probability_ranges(faces[seat]), strict=True):
                    bounds[seat, games.states] = games.spread_out(own, seat, low.shape[2])
        return low, high

    def unique(self) -> NDArray[np.bool_]:
        """Returns `[2, num_states]`: whether a player's optimal strategy is unique."""
        low, high = self.ranges()
        return np.asarray((high - low).max(axis=2) <= SAME_PROBABILITY)

    def jointly(self, paid: Array) -> Array:
        """Returns `[num_states + 1]`: the maximum of an objective over pairs of both players' optimal strategies.

        The objective `paid` is `[num_edges]`, each edge's worth, the same from both seats. It is bilinear at each
        state, so a pair of vertices maximises it; all pairs are tried.
        """
        most = np.zeros(len(self.graph.states) + 1)
        for games, faces in self._layers:
            edges = games.edges
            to_go = self.graph.probabilities[edges] * (paid[edges] + most[self.graph.children[edges]])
            for game, table in enumerate(games.sums(to_go, 0, 1)):
                legal = [mask[game] for mask in games.masks]
                corners = [
                    vertices(side.matrices[game][np.ix_(own, other)], float(side.values[game]))
                    for side, own, other in zip(faces, legal, reversed(legal), strict=True)
                ]
                most[games.states.start + game] = (corners[0] @ table[np.ix_(*legal)] @ corners[1].T).max()
        return most
