"""Ratings of players from their results against each other: Elo, and Nash averaging."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baselines.matrix_game import solve_matrices
from baselines.matrix_game.max_entropy import most_even
from baselines.matrix_game.optimal_sets import both_sides

# Elo points for each factor of e in the odds.
SCALE = 400.0 / math.log(10.0)
# Results that should add up may miss by this fraction of their size, and players closer than this count as copies.
ROUNDING = 1e-9
# Scores up to this count as 0: exact ones are rounded.
NO_SCORE = 1e-12

Array = NDArray[np.float64]


class NashAverage(NamedTuple):
    """The Nash average of players.

    Attributes:
        mixture: `[players]` the probability of each player in the maximum-entropy equilibrium.
        ratings: `[players]` expected payoff against that mixture, in the units of the payoffs; the highest is 0.
    """

    mixture: Array
    ratings: Array


def elo(scores: ArrayLike, games: ArrayLike | None = None) -> Array:
    """Fits Elo ratings by maximum likelihood: a player with 400 points more is predicted to score 10/11.

    Source: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs I" (Biometrika 39, 1952); for when
        the maximum exists, L. R. Ford, "Solution of a ranking problem from binary comparisons" (American Mathematical
        Monthly 64(8), 1957).

    Args:
        scores: `[players, players]` mean score of the row's player against the column's: 1 for a win, 1/2 for a tie.
            The diagonal is ignored, and so are pairs without games.
        games: `[players, players]` number of games of each pair, symmetric; equal if None.

    Returns:
        `[players]` ratings in Elo points, finite and with mean 0 in the largest group of players who all scored against
        each other, directly or through others. Others have plus infinity if the group never scored against them so,
        and minus infinity if they never scored against the group.

    Raises:
        ValueError: If the scores of a pair do not add up to 1, the numbers of games are negative or not symmetric, or
            the games do not connect two players.
    """
    from scipy.sparse.csgraph import shortest_path

    given = _square("scores", scores)
    played = np.ones_like(given) if games is None else _square("games", games)
    if played.shape != given.shape or (played < 0.0).any() or (played != played.T).any():
        raise ValueError(f"games must be symmetric, at least 0, and of shape {given.shape} like the scores")
    weights = played * (1.0 - np.eye(len(given)))
    shares = (np.abs(given + given.T - 1.0) <= ROUNDING) & (np.abs(given - 0.5) <= 0.5 + NO_SCORE)
    for i, j in np.argwhere((weights > 0.0) & ~shares):
        raise ValueError(f"scores of players {i}, {j} ({given[i, j]:g}, {given[j, i]:g}) must be shares that add to 1")
    # Who scored against whom, directly or through others; all players against themselves.
    chains = np.isfinite(shortest_path((weights > 0.0) & (given > NO_SCORE), unweighted=True))
    best = int((chains & chains.T).sum(axis=1).argmax())  # in the largest group
    above, below = chains[:, best], chains[best]
    for apart in np.flatnonzero(~above & ~below):
        raise ValueError(f"games do not connect players {best} and {apart}, so their ratings cannot be compared")
    group, ratings = np.flatnonzero(above & below), np.where(above, np.inf, -np.inf)
    ratings[group] = _most_likely(given[np.ix_(group, group)], weights[np.ix_(group, group)])
    return ratings


def _most_likely(scores: Array, weights: Array) -> Array:
    """Returns the ratings, with mean 0, that predict each player's total score."""
    from scipy.optimize import root
    from scipy.special import expit

    weights = weights / (float(weights.sum()) or 1.0)

    def excess(logits: Array) -> tuple[Array, Array]:
        predicted = expit(logits[:, None] - logits)
        slopes = weights * predicted * (1.0 - predicted)
        # The sum of the logits fixes the mean, which the scores leave open.
        slopes = np.diag(slopes.sum(axis=1)) - slopes + 1.0
        return (weights * (predicted - scores)).sum(axis=1) + logits.sum(), slopes

    return SCALE * root(excess, np.zeros(len(scores)), jac=True, tol=1e-14).x


def nash_averaging(payoffs: ArrayLike) -> NashAverage:
    """Computes the Nash average: each player's payoff against the equilibrium of maximum entropy among the players.

    No player beats that mixture. A copy of a player changes no rating, because the entropy counts players with equal
    results as one; without that, as in the source, this holds only if the equilibrium is unique up to copies. The
    entropy is within 1e-6 nats of the maximum.

    Source: D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation" (NeurIPS 2018, arXiv 1806.02643),
        section 4.

    Args:
        payoffs: `[players, players]` mean payoff to the row's player against the column's; antisymmetric.

    Raises:
        ValueError: If the payoffs are not finite, square and antisymmetric.
    """
    matrix = _square("payoffs", payoffs)
    error = ROUNDING * float(np.abs(matrix).max())
    for i, j in np.argwhere(np.abs(matrix + matrix.T) > error):
        raise ValueError(f"payoffs of players {i}, {j} ({matrix[i, j]:g}, {matrix[j, i]:g}) must be antisymmetric")
    matrix = (matrix - matrix.T) / 2
    copies = (np.abs(matrix[:, None] - matrix).max(axis=2) <= error).sum(axis=1)
    everyone = np.ones((1, len(matrix)), dtype=bool)
    faces, _ = both_sides(matrix[None], solve_matrices(matrix[None]), (everyone, everyone))
    mixture = most_even(faces, (len(matrix) / copies)[None])[0]
    return NashAverage(mixture, matrix @ mixture)


def _square(name: str, given: ArrayLike) -> Array:
    matrix = np.asarray(given, dtype=np.float64)
    if matrix.ndim != 2 or len(matrix) != matrix.shape[-1] or not len(matrix) or not np.isfinite(matrix).all():
        raise ValueError(f"{name} must be finite numbers, [players, players], not of shape {matrix.shape}")
    return matrix
