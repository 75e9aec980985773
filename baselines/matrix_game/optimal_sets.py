"""Selects among the optimal strategies of matrix games, in batches.

The optimal strategies of a game M of value v are the polytope {x : x M >= v}. Let c be a second, linear objective. If
tilt is small enough, an optimal strategy of the game M + tilt * c (c[i] is added to row i) maximises x c over the row
player's optimal strategies. Its guarantee in M shows whether tilt was small enough. Then the certificate of the tilted
game bounds the objective of every optimal strategy: x c <= (value of the tilted game - v) / tilt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import MatrixSolutions, solve_matrices
from baselines.matrix_game.exact_lp import OptimalFace

TILTS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
# An optimal strategy guarantees the value up to this fraction of the payoffs' size (at least 1).
SHORTFALL = 1e-13
# Uniform play counts as optimal if its guarantee falls short by no more than this.
EVEN_SHORTFALL = 1e-12
# Ranks of equations are computed modulo this prime.
PRIME = 2**61 - 1
EPSILON = 2.0**-52
# Smaller probabilities count as 0 where a proof looks for the actions that are played.
NEGLIGIBLE = 1e-9
# Strategies that could be wrong by more are of no use.
MOST_DISTANCE = 1e-6
# Objectives that differ by less than this fraction of their size count as equal.
SAME_OBJECTIVE = 1e-12

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Faces:
    """A batch of matrix games with their values and one optimal strategy each, from the row player's side.

    Attributes:
        matrices: `[batch, rows, columns]` payoffs to the row player.
        values: `[batch]`.
        strategies: `[batch, rows]` optimal strategies selected by default.
        row_masks: `[batch, rows]` whether each row is legal.
        column_masks: `[batch, columns]` whether each column is legal.
    """

    matrices: Array
    values: Array
    strategies: Array
    row_masks: Mask
    column_masks: Mask

    def shortfall(self, strategies: Array) -> Array:
        """Returns `[batch]`: how far a guarantee falls short of the value, as a fraction of the payoffs' size."""
        guarantees = np.einsum("br,brc->bc", strategies, self.matrices)
        least = np.where(self.column_masks, guarantees, np.inf).min(axis=1)
        size = np.maximum(1.0, np.abs(np.where(self._legal, self.matrices, 0.0)).max(axis=(1, 2)))
        return np.asarray((self.values - least) / size)

    @property
    def _legal(self) -> Mask:
        return np.asarray(self.row_masks[:, :, None] & self.column_masks[:, None, :])

    def spans(self) -> Array:
        """Returns `[batch]`: the highest payoff minus the lowest."""
        high = np.where(self._legal, self.matrices, -np.inf).max(axis=(1, 2))
        return np.asarray(high - np.where(self._legal, self.matrices, np.inf).min(axis=(1, 2)))

    def take(self, games: NDArray[np.int64]) -> Faces:
        """Selects some of the games."""
        return Faces(*(each[games] for each in vars(self).values()))


def both_sides(matrices: Array, solved: MatrixSolutions, masks: tuple[Mask, Mask]) -> tuple[Faces, Faces]:
    """Returns the games from the row player's side, and from the column player's, with negated payoffs.

    The masks of legal actions are `[batch, rows]` and `[batch, columns]`.
    """
    rows, columns = masks
    turned = np.ascontiguousarray(-matrices.transpose(0, 2, 1))
    return (
        Faces(matrices, solved.values, solved.row_strategies, rows, columns),
        Faces(turned, -solved.values, solved.column_strategies, columns, rows),
    )


def evenly_if_optimal(
    matrices: Array, solved: MatrixSolutions, cards: tuple[Array, Array], masks: tuple[Mask, Mask]
) -> tuple[Array, Array]:
    """Returns optimal strategies of matrix games: uniform over cards where that is optimal, else those of `solved`.

    `cards`, `masks` and the result are `[batch, rows]` and `[batch, columns]`: the number of ways to play each action,
    whether it is legal, and its probability.
    """
    chosen = []
    for side, counts, mask in zip(both_sides(matrices, solved, masks), cards, masks, strict=True):
        weights = np.where(mask, counts, 0.0)
        even = weights / weights.sum(axis=1, keepdims=True)
        optimal = side.shortfall(even) <= EVEN_SHORTFALL
        chosen.append(np.where(optimal[:, None], even, side.strategies))
    return chosen[0], chosen[1]


def best_optimal(faces: Faces, objectives: Array) -> tuple[Array, Array]:
    """Returns the optimal strategies that maximise a linear objective, `[batch, rows]`, with one coefficient per row.

    Also returns `[batch]` bounds on how much higher the objective of another optimal strategy could be. If no tilt is
    small enough, returns the default strategy with the largest possible bound.
    """
    low = np.where(faces.row_masks, objectives, np.inf).min(axis=1)
    high = np.where(faces.row_masks, objectives, -np.inf).max(axis=1)
    size = np.maximum(np.abs(low), np.abs(high))
    span = np.where(high - low > SAME_OBJECTIVE * size, high - low, 0.0)
    scaled = np.where(faces.row_masks, objectives - low[:, None], 0.0) / np.where(span > 0.0, span, 1.0)[:, None]
    strategies = faces.strategies.copy()
    slack = np.where(span > 0.0, 1.0 - (strategies * scaled).sum(axis=1), 0.0)
    payoff_spans = faces.spans()
    payoff_spans[payoff_spans == 0.0] = 1.0
    left = np.flatnonzero(span > 0.0)
    for tilt in TILTS:
        if not len(left):
            break
        games, scale = faces.take(left), tilt * payoff_spans[left]
        tilted = games.matrices + (scale[:, None] * scaled[left])[:, :, None]
        solved = solve_matrices(tilted, games.row_masks, games.column_masks)
        good = games.shortfall(solved.row_strategies) <= SHORTFALL
        strategies[left[good]] = solved.row_strategies[good]
        most = (solved.values + solved.gaps / 2 - games.values) / scale
        slack[left[good]] = (most - (solved.row_strategies * scaled[left]).sum(axis=1))[good]
        left = left[~good]
    return strategies, np.maximum(slack, 0.0) * span


def most_of_row(faces: Faces, row: int, sign: float) -> Array:
    """Returns `[batch, rows]` optimal strategies that maximise (`sign` 1) or minimise (-1) a row's probability."""
    objectives = np.zeros_like(faces.strategies)
    objectives[:, row] = sign
    return best_optimal(faces, objectives)[0]


def distances_if_unique(
    matrix: Array, strategies: tuple[Array, Array], error: float, groups: tuple[Array, Array] | None = None
) -> tuple[float, float] | None:
    """Tries to prove that both players have only one optimal strategy, in every game near a matrix game.

    Let K be the square part of the matrix where both strategies have positive probability. A game has only one
    equilibrium if the equations that make the rows of K indifferent, and those for the columns, are regular, their
    solutions are positive, and every other row and column is worse. The proof bounds how far an error moves all these
    quantities. So it fails if payoffs tie, or nearly tie, where an equilibrium need not tie.

    Args:
        matrix: `[rows, columns]` payoffs to the row player.
        strategies: `[rows]` and `[columns]`, an equilibrium up to rounding.
        error: A bound on the error of each payoff.
        groups: With private types, `[rows, types]` and `[columns, types]`: 1 at the type to which a row or column
            belongs, else 0; the probabilities of each type sum to 1.

    Returns:
        Bounds on the distance of each strategy from the only optimal one, at most `MOST_DISTANCE` in each probability;
        None if there is no proof.
    """
    size = float(np.abs(matrix).max()) or 1.0
    whole, error = matrix / size, error / size + EPSILON
    owners = groups or (np.ones((len(matrix), 1)), np.ones((matrix.shape[1], 1)))
    supports = strategies[0] > NEGLIGIBLE, strategies[1] > NEGLIGIBLE
    distances = []
    for side, payoffs in enumerate((whole.T, -whole)):
        own, other = supports[side], supports[1 - side]
        mine, theirs = owners[side], owners[1 - side]
        top = np.hstack([payoffs[np.ix_(other, own)], -theirs[other]])
        equations = np.vstack([top, np.hstack([mine[own].T, np.zeros((mine.shape[1], theirs.shape[1]))])])
        if equations.shape[0] != equations.shape[1]:
            return None
        sums = np.append(np.zeros(len(top)), np.ones(mine.shape[1]))
        solved = _bounded_solution(equations, sums, error)
        if solved is None:
            return None
        found, distance = solved
        strategy = np.zeros(len(own))
        strategy[own] = found[: own.sum()]
        # How much worse every other row or column of the opponent is than those in the support.
        worse = (payoffs @ strategy - theirs @ found[own.sum() :])[~other]
        shift = (own.sum() + 1) * distance + (error + len(found) * EPSILON) * np.abs(found).sum()
        if not (found[: own.sum()] > distance).all() or not (worse > shift).all():
            return None
        distances.append(float(np.abs(strategy - strategies[side]).max() + distance))
        if not distances[-1] <= MOST_DISTANCE:
            return None
    return distances[0], distances[1]


def _bounded_solution(equations: Array, sums: Array, error: float) -> tuple[Array, float] | None:
    """Solves linear equations, and bounds how far an error of each coefficient moves the solution; None if unbounded.

    Coefficients are at most about 1. The bound includes the rounding of this computation.
    """
    try:
        inverse = np.linalg.inv(equations)
    except np.linalg.LinAlgError:
        return None
    count = len(sums)
    size = np.abs(inverse).sum(axis=1).max()
    rest = np.abs(np.eye(count) - inverse @ equations).sum(axis=1).max()
    if not rest + count * (error + count * EPSILON) * size < 1 / 2:
        return None
    found = inverse @ sums
    residual = np.abs(sums - equations @ found).max() + (error + count * EPSILON) * np.abs(found).sum()
    return found, float(2 * size * residual)


def exactly_even(
    matrix: Sequence[Sequence[Fraction]], value: Fraction, cards: Sequence[int]
) -> tuple[Fraction, ...] | None:
    """Returns the row player's strategy that plays every card equally often, if it guarantees the value; else None.

    `cards`, `[rows]`, is the number of ways to play each action.
    """
    even = tuple(Fraction(count, sum(cards)) for count in cards)
    worth = (
        sum((p * payoff for p, payoff in zip(even, column, strict=True)), Fraction(0))
        for column in zip(*matrix, strict=True)
    )
    return even if min(worth) >= value else None


def exact_ranges(matrix: Sequence[Sequence[Fraction]], value: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Returns the lowest and highest probability of each row over all optimal strategies of the row player.

    Optimal strategies are the x >= 0 of sum 1 with x (M - value) >= 0: the optima of the program that maximises the sum
    up to 1.
    """
    rows = len(matrix)
    limits = [[value - payoff for payoff in column] for column in zip(*matrix, strict=True)]
    bounds = [Fraction(0)] * len(limits) + [Fraction(1)]
    face = OptimalFace([Fraction(1)] * rows, [*limits, [Fraction(1)] * rows], bounds)
    single = [[Fraction(other == row) for other in range(rows)] for row in range(rows)]
    return [(-face.most([-share for share in each]), face.most(each)) for each in single]


def proves_unique(matrix: Sequence[Sequence[Fraction]], value: Fraction, other: Sequence[Fraction]) -> bool:
    """Returns True only if the row player's optimal strategy is unique; `other` is an optimal strategy of the columns.

    Optimal strategies play only rows that are best responses to `other` and are paid the value in every column that
    `other` plays. These equations have at most one solution if their rank is the number of those rows. The rank modulo
    a prime is quick to compute and at most the rank itself.
    """
    played = [column for column, probability in enumerate(other) if probability]
    best = [row for row in matrix if sum(row[column] * other[column] for column in played) == value]
    try:
        equations = [[_modulo(row[column] - value) for column in played] + [1] for row in best]
    except ValueError:  # a denominator is a multiple of the prime
        return False
    rank = 0
    for column in range(len(played) + 1):
        found = next((k for k in range(rank, len(best)) if equations[k][column]), None)
        if found is None:
            continue
        equations[rank], equations[found] = pivot, _ = equations[found], equations[rank]
        rank += 1
        inverse = pow(pivot[column], -1, PRIME)
        for row in equations[rank:]:
            factor = row[column] * inverse % PRIME
            row[:] = [(entry - factor * above) % PRIME for entry, above in zip(row, pivot, strict=True)]
    return rank == len(best)


def _modulo(number: Fraction) -> int:
    return number.numerator * pow(number.denominator, -1, PRIME) % PRIME
