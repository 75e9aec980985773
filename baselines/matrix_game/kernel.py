"""A compiled simplex for small zero-sum matrix games; `matrix_game` is its checked front.

The column player's program max sum(w), M w <= 1, w >= 0 (for M > 0) is solved on a condensed
tableau, the row player's strategy being its dual solution. Pivots: Dantzig's rule, lowest index
first, so that equal games give equal answers; after `DANTZIG_PIVOTS` of them Bland's rule,
which cannot cycle. The caller gets bounds on the value that hold whatever rounding did.

Comparisons are written as selections, not as branches: which action is best is what a processor
cannot foretell, and wrong guesses would cost more than all of the arithmetic.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from baselines.matrix_game.limits import LARGEST_PAYOFF

DANTZIG_PIVOTS = 50
MOST_PIVOTS = 1050
PIVOT_TOLERANCE = 1e-13
BLOCK = 8  # rows of the tableau are padded to multiples, so that they are updated in whole registers


# A fifth of the time would go into passing parts of arrays on and counting who refers to them; nothing
# below `solve_with` allocates, so nothing needs to be counted.
_options = {"cache": True, "nogil": True, "error_model": "numpy"}
_uncounted = njit(**_options, _nrt=False)  # type: ignore[call-overload]  # no hint for _nrt
_inlined = njit(**_options, _nrt=False, forceinline=True)  # type: ignore[call-overload]


class Workspace(NamedTuple):
    """Scratch for games of up to a size, so that none is allocated for each."""

    tableau: Any
    pivot_line: Any
    basis: Any
    outside: Any
    greatest: Any


@njit(cache=True, nogil=True, error_model="numpy")
def workspace(rows, columns):  # type: ignore[no-untyped-def]  # compiled
    """Scratch for games of up to so many rows and columns."""
    width = (columns // BLOCK + 1) * BLOCK
    return Workspace(
        np.zeros((rows + 1, width)),
        np.empty(width),
        np.empty(rows, dtype=np.int64),
        np.empty(columns, dtype=np.int64),
        np.empty(columns),
    )


@_inlined
def _entering(costs, columns, bland):  # type: ignore[no-untyped-def]
    best, chosen = -PIVOT_TOLERANCE, -1
    if bland:
        for j in range(columns):
            if costs[j] < best:
                return j
        return chosen
    for j in range(columns):
        less = costs[j] < best
        chosen = j if less else chosen
        best = costs[j] if less else best
    return chosen


@_inlined
def _leaving(tableau, rows, columns, basis, entering):  # type: ignore[no-untyped-def]
    best, chosen = np.inf, -1
    for i in range(rows):
        entry = tableau[i, entering]
        ratio = tableau[i, columns] / entry
        ratio = ratio if entry > PIVOT_TOLERANCE else np.inf
        # Equal ratios go to the lowest label, as Bland's rule needs.
        if ratio == best and chosen >= 0 and basis[i] < basis[chosen]:
            chosen = i
        less = ratio < best
        chosen = i if less else chosen
        best = ratio if less else best
    return chosen


@_inlined
def _exchange(tableau, rows, width, row, column, pivot_line):  # type: ignore[no-untyped-def]
    inverse = 1.0 / tableau[row, column]
    for j in range(width):
        pivot_line[j] = tableau[row, j] * inverse
    pivot_line[column] = inverse
    for i in range(rows + 1):
        factor = tableau[i, column]
        for j in range(width):
            tableau[i, j] -= factor * pivot_line[j]
        tableau[i, column] = -factor * inverse
    for j in range(width):
        tableau[row, j] = pivot_line[j]


@_inlined
def _extremes(matrix, greatest):  # type: ignore[no-untyped-def]
    """Least and greatest payoff; the first row with the maximin and the first column with the minimax, and both."""
    rows, columns = matrix.shape
    low, maximin, row = np.inf, -np.inf, 0
    for j in range(columns):
        greatest[j] = -np.inf
    for i in range(rows):
        least = np.inf
        for j in range(columns):
            entry, most = matrix[i, j], greatest[j]
            least = entry if entry < least else least
            greatest[j] = entry if entry > most else most
        low = least if least < low else low
        row = i if least > maximin else row
        maximin = least if least > maximin else maximin
    high, minimax, column = -np.inf, np.inf, 0
    for j in range(columns):
        most = greatest[j]
        high = most if most > high else high
        column = j if most < minimax else column
        minimax = most if most < minimax else minimax
    return low, high, maximin, row, minimax, column


@_inlined
def _set_up(matrix, low, high, work):  # type: ignore[no-untyped-def]
    """The slack basis, for payoffs moved and scaled to 1..2."""
    rows, columns = matrix.shape
    scale = 1.0 / (high - low)
    for i in range(rows):
        for j in range(columns):
            work.tableau[i, j] = 1.0 + (matrix[i, j] - low) * scale
        work.tableau[i, columns] = 1.0
        # Labels: columns of the matrix are 0..columns-1, slacks of its rows come after.
        work.basis[i] = columns + i
    for j in range(columns):
        work.tableau[rows, j] = -1.0
        work.outside[j] = j
    work.tableau[rows, columns] = 0.0


@_inlined
def _simplex(matrix, low, high, x, y, work):  # type: ignore[no-untyped-def]
    """Writes weights into x and y, all 0 at the start, that are in proportion to optimal strategies."""
    rows, columns = matrix.shape
    tableau, basis, outside = work.tableau, work.basis, work.outside
    width = (columns // BLOCK + 1) * BLOCK
    _set_up(matrix, low, high, work)
    for pivots in range(MOST_PIVOTS):
        j = _entering(tableau[rows], columns, pivots >= DANTZIG_PIVOTS)
        if j < 0:
            break
        i = _leaving(tableau, rows, columns, basis, j)
        if i < 0:
            break
        _exchange(tableau, rows, width, i, j, work.pivot_line)
        basis[i], outside[j] = outside[j], basis[i]
    for i in range(rows):
        if basis[i] < columns:
            y[basis[i]] = max(tableau[i, columns], 0.0)
    for j in range(columns):
        if outside[j] >= columns:
            x[outside[j] - columns] = max(tableau[rows, j], 0.0)


@_inlined
def _normalise(weights):  # type: ignore[no-untyped-def]
    """Makes a distribution of weights: the uniform one where rounding broke the simplex; the bounds will say so."""
    total = 0.0
    for k in range(len(weights)):
        total += weights[k]
    if not 0.0 < total < np.inf:
        for k in range(len(weights)):
            weights[k] = 1.0
        total = float(len(weights))
    for k in range(len(weights)):
        weights[k] /= total


@_inlined
def _is_distribution(strategy):  # type: ignore[no-untyped-def]
    total, proper = 0.0, True
    for k in range(len(strategy)):
        total += strategy[k]
        proper &= strategy[k] >= 0.0
    return proper and abs(total - 1.0) < 1e-9


@_inlined
def certify(matrix, x, y):  # type: ignore[no-untyped-def]
    """What x guarantees to the row player and what y concedes to it: the value lies between."""
    rows, columns = matrix.shape
    # What is no distribution bounds nothing; comparisons alone would let nan through.
    if not (_is_distribution(x) and _is_distribution(y)):
        return -np.inf, np.inf
    lower, upper = np.inf, -np.inf
    for j in range(columns):
        total = 0.0
        for i in range(rows):
            total += x[i] * matrix[i, j]
        lower = total if total < lower else lower
    for i in range(rows):
        total = 0.0
        for j in range(columns):
            total += matrix[i, j] * y[j]
        upper = total if total > upper else upper
    return lower, upper


@_inlined
def _is_skew(matrix):  # type: ignore[no-untyped-def]
    rows, columns = matrix.shape
    if rows != columns:
        return False
    for i in range(rows):
        for j in range(i + 1):
            if matrix[i, j] != -matrix[j, i]:
                return False
    return True


@_uncounted
def solve_with(matrix, x, y, work):  # type: ignore[no-untyped-def]
    """`solve_kernel` with scratch made beforehand."""
    low, high, maximin, row, minimax, column = _extremes(matrix, work.greatest)
    for i in range(len(x)):
        x[i] = 0.0
    for j in range(len(y)):
        y[j] = 0.0
    if maximin == minimax:
        x[row] = 1.0
        y[column] = 1.0
    else:
        _simplex(matrix, low, high, x, y, work)
        _normalise(x)
        _normalise(y)
    if _is_skew(matrix):
        for k in range(len(y)):
            y[k] = x[k]
    return certify(matrix, x, y)


@njit(cache=True, nogil=True, error_model="numpy")
def solve_kernel(matrix, x, y):  # type: ignore[no-untyped-def]
    """Writes optimal strategies into x and y; returns bounds on the value, which may be far apart."""
    return solve_with(matrix, x, y, workspace(matrix.shape[0], matrix.shape[1]))


@njit(cache=True, nogil=True, error_model="numpy")
def _solve_masked(matrix, row_mask, column_mask, x, y, work, part):  # type: ignore[no-untyped-def]
    """`solve_with` on the part of a matrix that can be played, copied to `part`."""
    rows, columns = np.flatnonzero(row_mask), np.flatnonzero(column_mask)
    small = part[: len(rows) * len(columns)].reshape(len(rows), len(columns))
    for i in range(len(rows)):
        for j in range(len(columns)):
            small[i, j] = matrix[rows[i], columns[j]]
    lower, upper = solve_with(small, x[: len(rows)], y[: len(columns)], work)
    # From the last on, because what is spread lies in the same place.
    _spread(x, rows)
    _spread(y, columns)
    return lower, upper


@njit(cache=True, nogil=True, error_model="numpy")
def _spread(strategy, places):  # type: ignore[no-untyped-def]
    for k in range(len(places) - 1, -1, -1):
        probability = strategy[k]
        strategy[k] = 0.0
        strategy[places[k]] = probability


@_inlined
def _within_limits(matrix):  # type: ignore[no-untyped-def]
    within = True
    rows, columns = matrix.shape
    for i in range(rows):
        for j in range(columns):
            within &= abs(matrix[i, j]) <= LARGEST_PAYOFF
    return within


@njit(cache=True, nogil=True, error_model="numpy")
def solve_batch_kernel(matrices, row_masks, column_masks, lower, upper, x, y):  # type: ignore[no-untyped-def]
    """`solve_kernel` on the unmasked part of each matrix; the masked part of x and y stays 0.

    Returns whether all payoffs, also masked ones, are numbers of at most `LARGEST_PAYOFF`; stops where they are not.
    """
    work = workspace(matrices.shape[1], matrices.shape[2])
    part = np.empty(matrices.shape[1] * matrices.shape[2])
    for g in range(len(matrices)):
        if not _within_limits(matrices[g]):
            return False
        if row_masks[g].all() and column_masks[g].all():
            lower[g], upper[g] = solve_with(matrices[g], x[g], y[g], work)
        else:
            lower[g], upper[g] = _solve_masked(matrices[g], row_masks[g], column_masks[g], x[g], y[g], work, part)
    return True
