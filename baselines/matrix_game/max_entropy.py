"""Finds the maximum-entropy optimal strategy, as a mixture of vertices of the polytope of optimal strategies.

Any mixture of optimal strategies is optimal, so the search may stop at any time. It is the fully corrective method of
Frank and Wolfe: find the mixture of the known vertices with the greatest entropy, then add the vertex that promises the
largest gain, and stop when that gain is below `ENTROPY_GAP`. The gain bounds how far the entropy is from the maximum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.optimal_sets import Faces, best_optimal, most_of_row

ENTROPY_GAP = 1e-6  # nats
ROUNDS = 50
# Vertices closer than this count as one.
SAME_VERTEX = 1e-9

Array = NDArray[np.float64]


def most_even(faces: Faces, cards: Array) -> Array:
    """Returns the optimal strategies of maximum entropy over cards, `[batch, rows]`, within `ENTROPY_GAP` nats.

    `cards`, `[batch, rows]`, is the number of cards, at least 1, with which each row can be played. The entropy is the
    sum of -x log(x / cards).
    """
    strategies = faces.strategies.copy()
    known = _corners(faces)
    left = np.flatnonzero([len(corners) > 1 for corners in known])
    for _ in range(ROUNDS):
        if not len(left):
            break
        for game in left:
            strategies[game] = _mixed(known[game], cards[game])
        slopes = -np.log(np.maximum(strategies[left], 1e-300) / cards[left])
        # A row that is 0 here is 0 in all optimal strategies.
        slopes = np.where(strategies[left] > 0.0, slopes, 0.0)
        found, _ = best_optimal(faces.take(left), slopes)
        gains = ((found - strategies[left]) * slopes).sum(axis=1)
        for game, vertex in zip(left, found, strict=True):
            known[game] = _with(known[game], vertex)
        left = left[gains > ENTROPY_GAP]
    return strategies


def _corners(faces: Faces) -> list[Array]:
    """Returns some vertices of each game: those with the highest and the lowest probability of each row."""
    known = [faces.strategies[game : game + 1] for game in range(len(faces.strategies))]
    for row in range(faces.strategies.shape[1]):
        for sign in (1.0, -1.0):
            vertices = most_of_row(faces, row, sign)
            known = [_with(corners, vertex) for corners, vertex in zip(known, vertices, strict=True)]
    return known


def _with(corners: Array, vertex: Array) -> Array:
    if (np.abs(corners - vertex).max(axis=1) < SAME_VERTEX).any():
        return corners
    return np.vstack([corners, vertex])


def _mixed(corners: Array, cards: Array) -> Array:
    """Returns the maximum-entropy mixture of the given strategies."""
    from scipy.optimize import minimize

    def loss_and_slope(weights: Array) -> tuple[float, Array]:
        mixture = np.maximum(weights @ corners, 1e-12)
        logarithms = np.log(mixture / cards)
        return float((mixture * logarithms).sum()), corners @ (logarithms + 1.0)

    count = len(corners)
    adds_up: Any = {"type": "eq", "fun": lambda weights: weights.sum() - 1.0, "jac": np.ones_like}
    outcome = minimize(
        loss_and_slope,
        np.full(count, 1.0 / count, dtype=np.float64),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * count,
        constraints=adds_up,
        options={"ftol": 1e-15, "maxiter": 200},
    )
    weights = np.maximum(outcome.x, 0.0)
    mixture: Array = (weights / weights.sum()) @ corners
    return mixture
