"""Ratings of players from their results against each other: Elo, and Nash averaging."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baselines.matrix_game import solve_matrices
from baselines.matrix_game.max_entropy import most_even
from baselines.matrix_game.optimal_sets import both_sides

# Elo points for each factor of e in the odds.
SCALE = 400.0 / math.log(10.0)
# Results that should add up may miss by this fraction of their size, and players closer than this count as copies.
ROUNDING = 1e-9

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NashAverage:
    """The Nash average of players that were evaluated against each other.

    Attributes:
        mixture: `[players]` the probability of each player in the maximum-entropy equilibrium.
        ratings: `[players]` expected payoff against that mixture, in the units of the payoffs. The highest is 0 up to
            rounding: players with a lower rating lose to the mixture.
    """

    mixture: Array
    ratings: Array


def elo(scores: ArrayLike, games: ArrayLike | None = None) -> Array:
    """Computes Elo ratings: the maximum-likelihood fit of the model of Bradley and Terry, in which a tie is half a win.

    The model predicts that a player with 400 points more scores 10/11. Ratings depend on the field: they order players
    by their scores against those that they met.

    Source: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs I" (Biometrika 39, 1952); for when
        the maximum exists, L. R. Ford, "Solution of a ranking problem from binary comparisons" (American Mathematical
        Monthly 64(8), 1957).

    Args:
        scores: `[players, players]` mean score of the row's player against the column's: 1 for a win, 1/2 for a tie;
            averaged over the seats, and either exact or observed. The diagonal is ignored.
        games: `[players, players]` number of games of each pair, which weights the scores; symmetric. Equal weights if
            None. Scores of pairs without games are ignored.

    Returns:
        `[players]` ratings in Elo points. They are finite, with mean 0, in the largest group of players who all scored
        against each other, directly or through others. Players whom no member of the group scored against, directly
        or through others, have an infinite rating; players who never scored against the group have minus infinity.

    Raises:
        ValueError: If the scores of a pair do not add up to 1, the numbers of games are negative or not symmetric, or
            the games do not connect two players.
    """
    given = _square("scores", scores)
    played = np.ones_like(given) if games is None else _square("games", games)
    if played.shape != given.shape or (played < 0.0).any() or (played != played.T).any():
        raise ValueError(f"games must be symmetric, at least 0, and of shape {given.shape} like the scores")
    weights = np.where(np.eye(len(given), dtype=bool), 0.0, played)
    wrong = (weights > 0.0) & ~((np.abs(given + given.T - 1.0) <= ROUNDING) & (given >= 0.0) & (given <= 1.0))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(f"scores of players {i}, {j} ({given[i, j]:g}, {given[j, i]:g}) must be shares that add to 1")
    group, ratings = _comparable(weights * given > 0.0)
    ratings[group] = _most_likely(given[np.ix_(group, group)], weights[np.ix_(group, group)])
    return ratings


def _comparable(scored: NDArray[np.bool_]) -> tuple[NDArray[np.intp], Array]:
    """Returns the largest group of players who scored against each other, and ratings that are infinite for others."""
    from scipy.sparse.csgraph import connected_components, shortest_path

    _, labels = connected_components(scored, connection="strong")
    group = np.flatnonzero(labels == labels[np.bincount(labels)[labels].argmax()])
    chains = np.isfinite(shortest_path(scored, unweighted=True))
    above, below = chains[:, group[0]], chains[group[0]]
    lost = np.flatnonzero(~above & ~below)
    if len(lost):
        raise ValueError(f"games do not connect players {group[0]} and {lost[0]}, so their ratings cannot be compared")
    return group, np.where(above & below, 0.0, np.where(above, np.inf, -np.inf))


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

    That mixture wins or ties on average against every player. So a player gains nothing by beating only weak ones, and
    adding a copy of a player changes no rating: players with equal results share the probability of one. (Maximum
    entropy over all of them, as in the source, has this property only if the equilibrium is unique up to copies.) The
    entropy is within 1e-6 nats of the maximum.

    Source: D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation" (NeurIPS 2018, arXiv 1806.02643),
        section 4.

    Args:
        payoffs: `[players, players]` mean payoffs to the row's player against the column's, averaged over the seats, so
            antisymmetric; or any other antisymmetric matrix, such as log odds.

    Raises:
        ValueError: If the payoffs are not finite, square and antisymmetric.
    """
    matrix = _square("payoffs", payoffs)
    error = ROUNDING * float(np.abs(matrix).max())
    if not np.abs(matrix + matrix.T).max() <= error:
        i, j = np.unravel_index(np.abs(matrix + matrix.T).argmax(), matrix.shape)
        raise ValueError(f"payoffs of players {i} and {j} ({matrix[i, j]:g}, {matrix[j, i]:g}) must be antisymmetric")
    matrix = (matrix - matrix.T) / 2
    alike = np.abs(matrix[:, None] - matrix).max(axis=2) <= error
    first = alike.argmax(axis=1)
    single = np.flatnonzero(first == np.arange(len(matrix)))
    games = np.ascontiguousarray(matrix[np.ix_(single, single)])[None]
    ones = np.ones((1, len(single)))
    faces, _ = both_sides(games, solve_matrices(games), (ones > 0.0, ones > 0.0))
    shares = np.zeros(len(matrix))
    shares[single] = most_even(faces, ones)[0]
    mixture = (shares / np.maximum(np.bincount(first, minlength=len(matrix)), 1))[first]
    return NashAverage(mixture, matrix @ mixture)


def _square(name: str, given: ArrayLike) -> Array:
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, [players, players]") from None
    if matrix.ndim != 2 or len(matrix) != matrix.shape[-1] or not len(matrix) or not np.isfinite(matrix).all():
        raise ValueError(f"{name} must be finite numbers, [players, players], not of shape {matrix.shape}")
    return matrix
