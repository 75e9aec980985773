"""The simplex of `kernel` in pairs of floats (about 31 digits), for matrix games too degenerate for 16 digits.

Near the fixed point of a game's values, its matrix games have rows and columns that differ by 1e-10 and less. With 16
digits, pivots on such differences leave no correct digit. Sums and products of pairs follow Dekker 1971, "A
floating-point technique for extending the available precision"; they must not be compiled with `fastmath`. A pair is a
high part and a low part, so the tableau is two arrays, `high` and `low`.
"""

from __future__ import annotations

import numpy as np

from baselines.matrix_game.kernel import (
    BLAND_PIVOTS,
    certify,
    entering_column,
    most_dantzig_pivots,
    read_strategies,
    solve_kernel,
)
from baselines.matrix_game.limits import RELATIVE_GAP
from cardwar_envs.core.compiled import njit

PIVOT_TOLERANCE = 1e-20


@njit()
def _two_sum(a, b):  # type: ignore[no-untyped-def]  # compiled
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@njit()
def _two_product(a, b):  # type: ignore[no-untyped-def]
    product = a * b
    high = 134217729.0 * a
    a_high = high - (high - a)
    a_low = a - a_high
    high = 134217729.0 * b
    b_high = high - (high - b)
    b_low = b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@njit()
def _times(a, a_low, b, b_low):  # type: ignore[no-untyped-def]
    product, low = _two_product(a, b)
    return _two_sum(product, low + (a * b_low + a_low * b))


@njit()
def _minus(a, a_low, b, b_low):  # type: ignore[no-untyped-def]
    total, low = _two_sum(a, -b)
    return _two_sum(total, low + (a_low - b_low))


@njit()
def _over(a, a_low, b, b_low):  # type: ignore[no-untyped-def]
    first = a / b
    product, low = _times(first, 0.0, b, b_low)
    rest, rest_low = _minus(a, a_low, product, low)
    second = rest / b
    product, low = _times(second, 0.0, b, b_low)
    rest, _ = _minus(rest, rest_low, product, low)
    total, low = _two_sum(first, second)
    return _two_sum(total, low + rest / b)


@njit()
def _leaving(high, low, rows, columns, basis, entering):  # type: ignore[no-untyped-def]
    chosen, best, best_low = -1, np.inf, 0.0
    for i in range(rows):
        if high[i, entering] > PIVOT_TOLERANCE:
            ratio, rest = _over(high[i, columns], low[i, columns], high[i, entering], low[i, entering])
            # Ties of ratios go to the lowest label, as Bland's rule requires.
            equal = ratio == best and rest == best_low
            if ratio < best or (ratio == best and rest < best_low) or (equal and basis[i] < basis[chosen]):
                chosen, best, best_low = i, ratio, rest
    return chosen


@njit()
def _exchange(high, low, rows, columns, row, column):  # type: ignore[no-untyped-def]
    pivot, pivot_low = high[row, column], low[row, column]
    for j in range(columns + 1):
        if j != column:
            high[row, j], low[row, j] = _over(high[row, j], low[row, j], pivot, pivot_low)
    for i in range(rows + 1):
        factor, factor_low = high[i, column], low[i, column]
        if i != row and factor != 0.0:
            for j in range(columns + 1):
                if j != column:
                    product, rest = _times(factor, factor_low, high[row, j], low[row, j])
                    high[i, j], low[i, j] = _minus(high[i, j], low[i, j], product, rest)
            high[i, column], low[i, column] = _over(-factor, -factor_low, pivot, pivot_low)
    high[row, column], low[row, column] = _over(1.0, 0.0, pivot, pivot_low)


@njit()
def paired_simplex(matrix, x, y):  # type: ignore[no-untyped-def]
    """Writes weights proportional to optimal strategies into x and y; returns their sums."""
    rows, columns = matrix.shape
    least = matrix.min()
    scale = matrix.max() - least
    high, low = np.ones((rows + 1, columns + 1)), np.zeros((rows + 1, columns + 1))
    for i in range(rows):
        for j in range(columns):
            entry, rest = _two_sum(matrix[i, j], -least)
            entry, rest = _over(entry, rest, scale, 0.0)
            high[i, j], low[i, j] = _minus(entry, rest, -1.0, 0.0)
    high[rows, :columns] = -1.0
    high[rows, columns] = 0.0
    basis, outside = np.arange(columns, columns + rows), np.arange(columns)
    dantzig_pivots = most_dantzig_pivots(rows, columns)
    for pivots in range(dantzig_pivots + BLAND_PIVOTS):
        j = entering_column(high[rows], columns, PIVOT_TOLERANCE, pivots >= dantzig_pivots)
        if j < 0:
            break
        i = _leaving(high, low, rows, columns, basis, j)
        if i < 0:
            break
        _exchange(high, low, rows, columns, i, j)
        basis[i], outside[j] = outside[j], basis[i]
    primal, dual = np.empty(rows + columns), np.empty(rows + columns)
    return read_strategies(high[rows], high[:, columns], basis, outside, primal, dual, x, y)


@njit()
def solve_carefully(matrix, x, y):  # type: ignore[no-untyped-def]
    """Like `solve_kernel`; if the bounds are too far apart, solves the game again in pairs of floats.

    Returns:
        Bounds on the value, and whether pairs were needed.
    """
    lower, upper = solve_kernel(matrix, x, y)
    size = max(1.0, -matrix.min(), matrix.max())
    if upper - lower <= RELATIVE_GAP * size:
        return lower, upper, False
    symmetric = len(x) == len(y) and lower == -upper and (x == y).all()
    paired_x, paired_y = np.empty(len(x)), np.empty(len(y))
    total_x, total_y = paired_simplex(matrix, paired_x, paired_y)
    if total_x > 0.0 and total_y > 0.0:
        paired_x /= paired_x.sum()
        paired_y /= paired_y.sum()
        if symmetric:
            paired_y[:] = paired_x
        low, high = certify(matrix, paired_x, paired_y)
        if high - low < upper - lower:
            x[:] = paired_x
            y[:] = paired_y
            lower, upper = low, high
    return lower, upper, True
