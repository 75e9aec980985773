"""A compiled simplex for small zero-sum matrix games; `matrix_game` is its checked front.

The column player's program max sum(w), M w <= 1, w >= 0 (for M > 0) is solved on a condensed
tableau, the row player's strategy being its dual solution. Pivots: Dantzig's rule, lowest index
first, so that equal games give equal answers; after `DANTZIG_PIVOTS` of them Bland's rule,
which cannot cycle. The caller gets bounds on the value that hold whatever rounding did.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DANTZIG_PIVOTS = 50
PIVOT_TOLERANCE = 1e-11


@njit(cache=True, nogil=True)
def _entering(tableau, rows, columns, bland):  # type: ignore[no-untyped-def]  # compiled
    best, chosen = -PIVOT_TOLERANCE, -1
    for j in range(columns):
        if tableau[rows, j] < best:
            chosen = j
            if bland:
                return chosen
            best = tableau[rows, j]
    return chosen


@njit(cache=True, nogil=True)
def _leaving(tableau, rows, columns, basis, entering):  # type: ignore[no-untyped-def]
    chosen, best = -1, np.inf
    for i in range(rows):
        if tableau[i, entering] > PIVOT_TOLERANCE:
            ratio = tableau[i, columns] / tableau[i, entering]
            # Equal ratios go to the lowest label, as Bland's rule needs.
            if ratio < best or (ratio == best and basis[i] < basis[chosen]):
                chosen, best = i, ratio
    return chosen


@njit(cache=True, nogil=True)
def _exchange(tableau, rows, columns, row, column):  # type: ignore[no-untyped-def]
    pivot = tableau[row, column]
    for j in range(columns + 1):
        if j != column:
            tableau[row, j] /= pivot
    for i in range(rows + 1):
        factor = tableau[i, column]
        if i != row and factor != 0.0:
            for j in range(columns + 1):
                if j != column:
                    tableau[i, j] -= factor * tableau[row, j]
            tableau[i, column] = -factor / pivot
    tableau[row, column] = 1.0 / pivot


@njit(cache=True, nogil=True)
def _saddle_point(matrix, x, y):  # type: ignore[no-untyped-def]
    rows, columns = matrix.shape
    for i in range(rows):
        least = matrix[i].min()
        for j in range(columns):
            if matrix[i, j] == least and matrix[:, j].max() == least:
                x[:] = 0.0
                y[:] = 0.0
                x[i] = 1.0
                y[j] = 1.0
                return True
    return False


@njit(cache=True, nogil=True)
def _simplex(matrix, x, y):  # type: ignore[no-untyped-def]
    rows, columns = matrix.shape
    low = matrix.min()
    scale = matrix.max() - low
    tableau = np.ones((rows + 1, columns + 1))
    tableau[:rows, :columns] += (matrix - low) / scale
    tableau[rows, :columns] = -1.0
    tableau[rows, columns] = 0.0
    # Labels: columns of the matrix are 0..columns-1, slacks of its rows come after.
    basis = np.arange(columns, columns + rows)
    outside = np.arange(columns)
    for pivots in range(DANTZIG_PIVOTS + 1000):
        j = _entering(tableau, rows, columns, pivots >= DANTZIG_PIVOTS)
        if j < 0:
            break
        i = _leaving(tableau, rows, columns, basis, j)
        if i < 0:
            break
        _exchange(tableau, rows, columns, i, j)
        basis[i], outside[j] = outside[j], basis[i]
    x[:] = 0.0
    y[:] = 0.0
    for i in range(rows):
        if basis[i] < columns:
            y[basis[i]] = max(tableau[i, columns], 0.0)
    for j in range(columns):
        if outside[j] >= columns:
            x[outside[j] - columns] = max(tableau[rows, j], 0.0)


@njit(cache=True, nogil=True)
def certify(matrix, x, y):  # type: ignore[no-untyped-def]
    """What x guarantees to the row player and what y concedes to it: the value lies between."""
    rows, columns = matrix.shape
    # What is no distribution bounds nothing; comparisons alone would let nan through.
    if not (x.min() >= 0.0 and y.min() >= 0.0 and abs(x.sum() - 1.0) < 1e-9 and abs(y.sum() - 1.0) < 1e-9):
        return -np.inf, np.inf
    lower, upper = np.inf, -np.inf
    for j in range(columns):
        total = 0.0
        for i in range(rows):
            total += x[i] * matrix[i, j]
        lower = min(lower, total)
    for i in range(rows):
        total = 0.0
        for j in range(columns):
            total += matrix[i, j] * y[j]
        upper = max(upper, total)
    return lower, upper


@njit(cache=True, nogil=True)
def _is_skew(matrix):  # type: ignore[no-untyped-def]
    rows, columns = matrix.shape
    if rows != columns:
        return False
    for i in range(rows):
        for j in range(i + 1):
            if matrix[i, j] != -matrix[j, i]:
                return False
    return True


@njit(cache=True, nogil=True)
def solve_kernel(matrix, x, y):  # type: ignore[no-untyped-def]
    """Writes optimal strategies into x and y; returns bounds on the value, which may be far apart."""
    if not _saddle_point(matrix, x, y):
        _simplex(matrix, x, y)
        if not (x.sum() > 0.0 and y.sum() > 0.0):  # rounding broke the simplex; let the bounds say so
            x[:] = 1.0
            y[:] = 1.0
        x /= x.sum()
        y /= y.sum()
    if _is_skew(matrix):
        y[:] = x
    return certify(matrix, x, y)


@njit(cache=True, nogil=True)
def solve_batch_kernel(matrices, row_masks, column_masks, lower, upper, x, y):  # type: ignore[no-untyped-def]
    """`solve_kernel` on the unmasked part of each matrix; the masked part of x and y stays 0."""
    for g in range(len(matrices)):
        rows = np.flatnonzero(row_masks[g])
        columns = np.flatnonzero(column_masks[g])
        matrix = np.empty((len(rows), len(columns)))
        for i in range(len(rows)):
            for j in range(len(columns)):
                matrix[i, j] = matrices[g, rows[i], columns[j]]
        small_x, small_y = np.empty(len(rows)), np.empty(len(columns))
        lower[g], upper[g] = solve_kernel(matrix, small_x, small_y)
        for i in range(len(rows)):
            x[g, rows[i]] = small_x[i]
        for j in range(len(columns)):
            y[g, columns[j]] = small_y[j]
