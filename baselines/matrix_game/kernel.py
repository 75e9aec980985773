"""Compiled simplex of all oracles for small zero-sum matrix games; `baselines.matrix_game.solve` checks its input.

The simplex solves the column player's program max sum(w), M w <= 1, w >= 0 (for M > 0) on a condensed tableau. The row
player's strategy is the dual solution. Pivots follow Dantzig's rule, and ties go to the lowest index, so equal games
have equal solutions. After `most_dantzig_pivots` Bland's rule takes over, which cannot cycle. Every result has bounds
on the value that hold regardless of rounding in the tableau.

Comparisons are written as selections instead of branches: a processor cannot predict which action is best, and
mispredictions would take longer than the arithmetic.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardwar_envs.core.compiled import njit

BLAND_PIVOTS = 1000
PIVOT_TOLERANCE = 1e-13
TINY, VERTICAL = 1e-200, 1e100  # bounds of 0 tie, whatever the entries, and nothing is divided by 0
BLOCK = 4  # the tableau is padded to a multiple of this many rows, so that updates fill whole registers


# Without these options a fifth of the time goes into slicing arrays and counting references. The functions below
# allocate nothing, so nothing needs to be counted.
_uncounted = njit(error_model="numpy", _nrt=False)
_inlined = njit(error_model="numpy", _nrt=False, forceinline=True)


class Workspace(NamedTuple):
    """Scratch arrays for games up to some size, shared by all games, so that none is allocated per game."""

    tableau: Any
    pivot_line: Any
    basis: Any
    outside: Any
    greatest: Any
    primal: Any
    dual: Any


@njit(error_model="numpy")
def workspace(rows, columns):  # type: ignore[no-untyped-def]  # compiled
    """Makes scratch arrays for games with at most this many rows and columns."""
    width = (columns // BLOCK + 1) * BLOCK
    return Workspace(
        np.zeros((rows + 1, width)),
        np.empty(width),
        np.empty(rows, dtype=np.int64),
        np.empty(columns, dtype=np.int64),
        np.empty(columns),
        np.empty(rows + columns),
        np.empty(rows + columns),
    )


@_inlined
def most_dantzig_pivots(rows, columns):  # type: ignore[no-untyped-def]
    """Returns how many pivots follow Dantzig's rule: many more than games take on which it does not cycle."""
    return max(50, 10 * (rows + columns) - 200)


@_inlined
def entering_column(costs, columns, tolerance, bland):  # type: ignore[no-untyped-def]
    """Returns the column of lowest reduced cost (with Bland's rule the first negative one), or -1 at the optimum."""
    best, chosen = -tolerance, -1
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
def _first_leaving(tableau, rows):  # type: ignore[no-untyped-def]
    """Returns the row of the first pivot, in column 0. All bounds are 1, so the highest entry has the lowest ratio."""
    chosen = 0
    for i in range(rows):
        chosen = i if tableau[i, 0] > tableau[chosen, 0] else chosen
    return chosen


@_inlined
def _exchange(shape, row, column, bland, work):  # type: ignore[no-untyped-def]
    """Pivots, and returns the row and column of the next pivot; the row is -1 if there is none.

    The reduced costs come first. So the next column is known while the other rows are updated, and the ratio test of a
    row is done while the next one is updated: otherwise the processor would wait for each result.
    """
    rows, columns = shape
    width = (columns // BLOCK + 1) * BLOCK
    tableau, line, basis, costs = work.tableau, work.pivot_line, work.basis, work.tableau[rows]
    basis[row], work.outside[column] = work.outside[column], basis[row]
    inverse = 1.0 / tableau[row, column]
    for j in range(width):
        line[j] = tableau[row, j] * inverse
        tableau[row, j] = 0.0
    tableau[row, column] = -1.0  # so that the loop below makes this row the line
    factor = costs[column]
    for j in range(width):
        costs[j] -= factor * line[j]
    costs[column] = -factor * inverse
    entering = entering_column(costs, columns, PIVOT_TOLERANCE, bland)
    if entering < 0:  # the optimum: only the bounds are still needed
        for i in range(rows):
            tableau[i, columns] -= tableau[i, column] * line[columns]
        return -1, -1
    best, leaving = 0.0, -1
    for i in range(rows):
        factor = tableau[i, column]
        for j in range(width):
            tableau[i, j] -= factor * line[j]
        tableau[i, column] = -factor * inverse
        entry = tableau[i, entering]
        # Not bound / entry, infinite for entries that are too small: the compiler would make that a branch.
        steepness = min((entry if entry > PIVOT_TOLERANCE else -1.0) / max(tableau[i, columns], TINY), VERTICAL)
        # Ties go to the lowest label, as Bland's rule requires.
        if steepness == best and leaving >= 0 and basis[i] < basis[leaving]:
            leaving = i
        more = steepness > best
        leaving = i if more else leaving
        best = steepness if more else best
    return leaving, entering


@_inlined
def _extremes(matrix, greatest):  # type: ignore[no-untyped-def]
    """Returns the lowest and highest payoff, the maximin and its first row, the minimax and its first column."""
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
    """Writes the tableau of the slack basis, with payoffs shifted and scaled to 1..2."""
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
def read_strategies(costs, bounds, basis, outside, primal, dual, x, y):  # type: ignore[no-untyped-def]
    """Writes weights proportional to the strategies of a tableau into x and y; returns their sums."""
    rows, columns = len(x), len(y)
    # Without branches on labels, which are as good as random: each label has a place in both arrays.
    for i in range(rows):
        primal[basis[i]], dual[basis[i]] = max(bounds[i], 0.0), 0.0
    for j in range(columns):
        primal[outside[j]], dual[outside[j]] = 0.0, max(costs[j], 0.0)
    total_x, total_y = 0.0, 0.0
    for i in range(rows):
        x[i] = dual[columns + i]
        total_x += x[i]
    for j in range(columns):
        y[j] = primal[j]
        total_y += y[j]
    return total_x, total_y


@_inlined
def _simplex(matrix, low, high, x, y, work):  # type: ignore[no-untyped-def]
    """Runs the simplex, then `read_strategies`."""
    rows, columns = matrix.shape
    tableau = work.tableau
    _set_up(matrix, low, high, work)
    # All reduced costs are equal. For the constant 0, numba would compile `_exchange` once more.
    i, j = _first_leaving(tableau, rows), np.int64(0)
    dantzig_pivots = most_dantzig_pivots(rows, columns)
    for pivots in range(1, dantzig_pivots + BLAND_PIVOTS + 1):
        i, j = _exchange(matrix.shape, i, j, pivots >= dantzig_pivots, work)
        if i < 0:
            break
    return read_strategies(tableau[rows], tableau[:, columns], work.basis, work.outside, work.primal, work.dual, x, y)


@_inlined
def normalise(weights):  # type: ignore[no-untyped-def]
    """Scales weights to a distribution; uniform if rounding broke the simplex, which then shows in the bounds."""
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
def _guarantees(matrix, x, y):  # type: ignore[no-untyped-def]
    """Returns the payoff that x guarantees to the row player, and the most that the row player can get against y."""
    rows, columns = matrix.shape
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
def certify(matrix, x, y):  # type: ignore[no-untyped-def]
    """Returns the bounds on the value that `_guarantees` computes; infinite ones unless x and y are distributions."""
    # Only distributions give bounds. This check also rejects nan, which comparisons would let through.
    if not (_is_distribution(x) and _is_distribution(y)):
        return -np.inf, np.inf
    return _guarantees(matrix, x, y)


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
    """Like `solve_kernel`, with scratch arrays from `workspace`."""
    low, high, maximin, row, minimax, column = _extremes(matrix, work.greatest)
    if maximin == minimax:
        for i in range(len(x)):
            x[i] = 1.0 if i == row else 0.0
        for j in range(len(y)):
            y[j] = 1.0 if j == column else 0.0
    else:
        _simplex(matrix, low, high, x, y, work)
        normalise(x)
        normalise(y)
    if _is_skew(matrix):
        for k in range(len(y)):
            y[k] = x[k]
    return _guarantees(matrix, x, y)  # `normalise` makes distributions


@njit(error_model="numpy")
def solve_kernel(matrix, x, y):  # type: ignore[no-untyped-def]
    """Writes optimal strategies into x and y; returns bounds on the value, which may be far apart."""
    return solve_with(matrix, x, y, workspace(matrix.shape[0], matrix.shape[1]))
