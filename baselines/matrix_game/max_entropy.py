"""The optimal strategy of greatest entropy, as a mixture of vertices of the optimal polytope.

Any mixture of optimal strategies is optimal, so what is returned loses nothing however far the
search for the best mixture was taken. The search is Frank and Wolfe's, fully corrective: mix the
vertices known so far as evenly as can be, ask for the vertex that would help most, and stop when
it would help by less than `ENTROPY_GAP`, which bounds what is missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.optimal_sets import Faces, best_optimal

# Nats.
ENTROPY_GAP = 1e-6
ROUNDS = 50
# Vertices closer than this are one.
SAME_VERTEX = 1e-9

Array = NDArray[np.float64]


def most_even(faces: Faces, cards: Array) -> Array:
    """The optimal strategies with the greatest entropy over cards.

    Args:
        faces: The games.
        cards: `[batch, rows]` how many cards stand behind each row, at least 1; the entropy is
            the sum of -x log(x / cards).

    Returns:
        `[batch, rows]` strategies, within `ENTROPY_GAP` nats of the best.
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
        # No row of an optimal strategy is 0 here unless it is 0 in all of them.
        slopes = np.where(strategies[left] > 0.0, slopes, 0.0)
        found, _ = best_optimal(faces.take(left), slopes)
        gains = ((found - strategies[left]) * slopes).sum(axis=1)
        for game, vertex in zip(left, found, strict=True):
            known[game] = _with(known[game], vertex)
        left = left[gains > ENTROPY_GAP]
    return strategies


def entropy_gaps(faces: Faces, cards: Array, strategies: Array) -> Array:
    """`[batch]` nats: bounds on how much more entropy another optimal strategy could have."""
    slopes = np.where(strategies > 0.0, -np.log(np.maximum(strategies, 1e-300) / cards), 0.0)
    found, _ = best_optimal(faces, slopes)
    return np.asarray(((found - strategies) * slopes).sum(axis=1))


def _corners(faces: Faces) -> list[Array]:
    """Vertices of each game: those with most and with least of each row."""
    rows = faces.strategies.shape[1]
    found = []
    for row in range(rows):
        for sign in (1.0, -1.0):
            objective = np.zeros_like(faces.strategies)
            objective[:, row] = sign
            found.append(best_optimal(faces, objective)[0])
    known = [faces.strategies[game : game + 1] for game in range(len(faces.strategies))]
    for vertices in found:
        known = [_with(corners, vertex) for corners, vertex in zip(known, vertices, strict=True)]
    return known


def _with(corners: Array, vertex: Array) -> Array:
    if (np.abs(corners - vertex).max(axis=1) < SAME_VERTEX).any():
        return corners
    return np.vstack([corners, vertex])


def _mixed(corners: Array, cards: Array) -> Array:
    """The mixture of given strategies that has most entropy."""
    from scipy.optimize import minimize

    def loss(weights: Array) -> float:
        mixture = np.maximum(weights @ corners, 1e-12)
        return float((mixture * np.log(mixture / cards)).sum())

    def slope(weights: Array) -> Array:
        mixture = np.maximum(weights @ corners, 1e-12)
        return np.asarray(corners @ (np.log(mixture / cards) + 1.0))

    count = len(corners)
    adds_up: Any = {"type": "eq", "fun": lambda weights: weights.sum() - 1.0, "jac": np.ones_like}
    outcome = minimize(
        loss,
        np.full(count, 1.0 / count, dtype=np.float64),
        jac=slope,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * count,
        constraints=adds_up,
        options={"ftol": 1e-15, "maxiter": 200},
    )
    weights = np.maximum(outcome.x, 0.0)
    mixture: Array = (weights / weights.sum()) @ corners
    return mixture
