"""Compiled code for batches of matrix games: small games in lanes, the others one by one, with the same results."""

from __future__ import annotations

import numpy as np

from baselines.matrix_game.kernel import certify, solve_with, workspace  # noqa: F401  # `certify` for `solve.py`
from baselines.matrix_game.lanes import load, store
from baselines.matrix_game.limits import LANES, LARGEST_PAYOFF
from baselines.matrix_game.lockstep_kernel import lockstep, solve_lanes
from cardwar_envs.core.compiled import njit

# The tableaus of larger games do not fit into a processor's nearest cache together.
LARGEST_IN_LANES = 400

_uncounted = njit(error_model="numpy", _nrt=False)
_inlined = njit(error_model="numpy", _nrt=False, forceinline=True)


@_inlined
def _legal(mask, indices):  # type: ignore[no-untyped-def]
    """Lists the legal actions; returns their number."""
    count = 0
    for k in range(len(mask)):
        indices[count] = k
        count += mask[k]
    return count


@_inlined
def _spread(strategy, indices, count):  # type: ignore[no-untyped-def]
    """Moves the k-th probability to `indices[k]`, last one first, since source and target share the array."""
    for k in range(count - 1, -1, -1):
        probability = strategy[k]
        strategy[k] = 0.0
        strategy[indices[k]] = probability


@_uncounted
def _solve_part(matrix, rows, columns, x, y, work, part):  # type: ignore[no-untyped-def]
    """Like `solve_with`, on these rows and columns; `part` has room for a copy of them."""
    for i in range(len(rows)):
        for j in range(len(columns)):
            part[i, j] = matrix[rows[i], columns[j]]
    lower, upper = solve_with(part, x[: len(rows)], y[: len(columns)], work)
    _spread(x, rows, len(rows))
    _spread(y, columns, len(columns))
    return lower, upper


@_inlined
def _within_limits(payoffs):  # type: ignore[no-untyped-def]
    within = True
    for k in range(len(payoffs)):
        within &= abs(payoffs[k]) <= LARGEST_PAYOFF
    return within


@_inlined
def _all_legal(masks):  # type: ignore[no-untyped-def]
    legal = True
    for g in range(masks.shape[0]):
        for k in range(masks.shape[1]):
            legal &= masks[g, k]
    return legal


@_uncounted
def _solve_group(matrices, lower, upper, x, y, work, games):  # type: ignore[no-untyped-def]
    """Solves `LANES` games in lockstep; `games` has room for a copy of them."""
    for i in range(matrices.shape[1]):
        for j in range(matrices.shape[2]):
            store(games[i, j], load(matrices[:, i, j]))
    solve_lanes(games, lower, upper, x.T, y.T, work)


@_uncounted
def _solve_batch(matrices, masks, lower, upper, x, y, work, part, lists, lanes, games):  # type: ignore[no-untyped-def]
    count, most_rows, most_columns = matrices.shape
    for first in range(0, count, LANES):
        group = slice(first, min(first + LANES, count))
        if not _within_limits(matrices[group].reshape(matrices[group].size)):
            return False
        if len(games) and first + LANES <= count and _all_legal(masks[0][group]) and _all_legal(masks[1][group]):
            _solve_group(matrices[group], lower[group], upper[group], x[group], y[group], lanes, games)
            continue
        for g in range(group.start, group.stop):
            rows, columns = _legal(masks[0][g], lists[0]), _legal(masks[1][g], lists[1])
            if rows == most_rows and columns == most_columns:
                lower[g], upper[g] = solve_with(matrices[g], x[g], y[g], work)
            else:
                small, legal = part[: rows * columns].reshape((rows, columns)), (lists[0][:rows], lists[1][:columns])
                lower[g], upper[g] = _solve_part(matrices[g], *legal, x[g], y[g], work, small)
    return True


@njit(error_model="numpy")
def solve_batch_kernel(matrices, row_masks, column_masks, lower, upper, x, y):  # type: ignore[no-untyped-def]
    """Like `solve_kernel`, but on the unmasked part of each matrix; the masked entries of x and y stay 0.

    Returns whether all payoffs, including masked ones, are numbers of at most `LARGEST_PAYOFF`; stops if not.
    """
    rows, columns = matrices.shape[1:]
    lists = np.empty(rows, dtype=np.int64), np.empty(columns, dtype=np.int64)
    grouped = rows * columns <= LARGEST_IN_LANES and len(matrices) >= LANES
    lanes = lockstep(rows, columns) if grouped else lockstep(0, 0)
    games = np.empty((rows if grouped else 0, columns, LANES))
    work, part = workspace(rows, columns), np.empty(rows * columns)
    return _solve_batch(matrices, (row_masks, column_masks), lower, upper, x, y, work, part, lists, lanes, games)
