"""The equilibrium in which both players play every card alike, where it is one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import MatrixSolutions
from baselines.matrix_game.optimal_sets import both_sides

# Even play counts as optimal if it guarantees the value up to this share of the payoffs' size (at least 1).
EVEN_SHORTFALL = 1e-12

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def evenly_if_optimal(
    matrices: Array, solved: MatrixSolutions, cards: tuple[Array, Array], masks: tuple[Mask, Mask]
) -> tuple[Array, Array]:
    """Optimal strategies of matrix games: every card alike where that is optimal, else those of `solved`.

    `cards`, `masks` and the result are `[batch, rows]` and `[batch, columns]`: in how many ways each action can be
    played, where the players may play, and probabilities.
    """
    chosen = []
    for side, counts, mask in zip(both_sides(matrices, solved, masks), cards, masks, strict=True):
        weights = np.where(mask, counts, 0.0)
        even = weights / weights.sum(axis=1, keepdims=True)
        optimal = side.shortfall(even) <= EVEN_SHORTFALL
        chosen.append(np.where(optimal[:, None], even, side.strategies))
    return chosen[0], chosen[1]


def exactly_even(
    matrix: Sequence[Sequence[Fraction]], value: Fraction, cards: Sequence[int]
) -> tuple[Fraction, ...] | None:
    """The row player's strategy that plays every card alike, if it guarantees the value; else None.

    `cards`, `[rows]`, is in how many ways each action can be played.
    """
    even = tuple(Fraction(count, sum(cards)) for count in cards)
    worth = (
        sum((p * payoff for p, payoff in zip(even, column, strict=True)), Fraction(0))
        for column in zip(*matrix, strict=True)
    )
    return even if min(worth) >= value else None
