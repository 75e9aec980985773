"""All optimal play of a game: ranges of probabilities, and what two optimal players can do together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.optimal_sets import Faces, most_of_row
from baselines.oracles.state_graph.matrix_games import LayerGames
from baselines.oracles.state_graph.selection import Array, BySeat, OptimalPlay

# Probabilities that differ by less than this count as equal; in small games, distinct ones differ by far more.
SAME_PROBABILITY = 1e-9


class AllOptimalPlay(OptimalPlay):
    """The optimal strategies at all states of a graph, and figures over all of them."""

    def worth(self, own: BySeat, opponent: BySeat, paid: Array) -> Array:
        """Returns `[2, num_states + 1]`: the objective of play against an opponent; arguments as for `extreme`."""

        def played(games: LayerGames, faces: Faces, seat: int, objectives: Array) -> tuple[Array, Array]:
            padded = np.pad(own[seat][games.states], ((0, 0), (0, 1)))  # the padding, -1, selects 0
            chosen = np.take_along_axis(padded, games.actions[seat], axis=1)
            chosen[~chosen.any(axis=1), 0] = 1.0  # a player who does not act has one action
            return chosen, np.zeros(len(chosen))

        return self._induce(opponent, paid, played).worth

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


def probability_ranges(faces: Faces) -> tuple[Array, Array]:
    """Returns the lowest and highest probability of each row over all optimal strategies, each `[batch, rows]`."""
    rows = range(faces.strategies.shape[1])
    low, high = (np.stack([most_of_row(faces, row, sign)[:, row] for row in rows], axis=1) for sign in (-1.0, 1.0))
    return low, high


def vertices(matrix: Array, value: float, tolerance: float = 1e-10) -> Array:
    """Returns all vertices of {x : x M >= v} of one game, `[num_vertices, rows]`.

    Cuts the simplex of all strategies by one column after the other. Two vertices are neighbours if no third vertex
    lies on all faces that the two share.
    """
    rows = matrix.shape[0]
    corners = np.eye(rows)
    bounds = np.eye(rows)  # one column per face; `corners @ bounds` must not be negative
    for column in matrix.T:
        bounds = np.column_stack([bounds, column - value])
        slack = corners @ bounds[:, -1]
        inside, outside = slack >= -tolerance, slack < -tolerance
        tight = np.abs(corners @ bounds[:, :-1]) <= tolerance
        new = [
            (slack[a] * corners[b] - slack[b] * corners[a]) / (slack[a] - slack[b])
            for a in np.flatnonzero(slack > tolerance).tolist()
            for b in np.flatnonzero(outside).tolist()
            if _neighbours(tight, a, b)
        ]
        corners = np.concatenate([corners[inside], np.array(new).reshape(-1, rows)])
    return corners


def _neighbours(tight: NDArray[np.bool_], a: int, b: int) -> bool:
    shared = tight[a] & tight[b]
    return int((tight[:, shared].all(axis=1)).sum()) == 2
