"""The simplex of `kernel` on `LANES` games of equal size at once, one in each lane: to the last bit the same results.

A pivot of one small game cannot fill wide registers, and each of its steps waits for the step before. Here each
instruction works on all games. Each lane has its own pivot row and column. A lane whose game is solved has none
(`rows` and `columns` instead), and no longer changes while the other lanes go on.

The last axis of all arrays is the lane.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from baselines.matrix_game.kernel import (
    BLAND_PIVOTS,
    PIVOT_TOLERANCE,
    TINY,
    VERTICAL,
    most_dantzig_pivots,
)
from baselines.matrix_game.lanes import any_lane, load, pick, spread, store, where
from baselines.matrix_game.limits import LANES
from cardwar_envs.core.compiled import njit

COARSE_TOLERANCE = 1e-11  # for payoffs that are themselves computed: smaller differences are rounding errors
WELL_WITHIN = 0.003  # a wider gap, as a fraction of the tolerance, is worth a second try

_uncounted = njit(error_model="numpy", _nrt=False)
_inlined = njit(error_model="numpy", _nrt=False, forceinline=True)


class Lockstep(NamedTuple):
    """Scratch arrays for `LANES` games up to some size."""

    tableau: Any
    line: Any
    factors: Any  # the pivot column before the pivot
    basis: Any
    outside: Any
    pivot: Any  # row and column
    primal: Any
    dual: Any
    x: Any
    y: Any


@njit(error_model="numpy")
def lockstep(rows, columns):  # type: ignore[no-untyped-def]  # compiled
    """Makes scratch arrays for games with at most this many rows and columns."""
    return Lockstep(
        np.zeros((rows + 1, columns + 1, LANES)),
        np.zeros((columns + 1, LANES)),
        np.zeros((rows + 1, LANES)),
        np.zeros((rows + 1, LANES), dtype=np.int64),
        np.zeros((columns + 1, LANES), dtype=np.int64),
        np.zeros((2, LANES), dtype=np.int64),
        np.zeros((rows + columns, LANES)),
        np.zeros((rows + columns, LANES)),
        np.zeros((rows, LANES)),
        np.zeros((columns, LANES)),
    )


@_inlined
def _extremes(games):  # type: ignore[no-untyped-def]
    """Like `kernel._extremes`."""
    rows, columns = games.shape[:2]
    low, maximin, row = spread(np.inf), spread(-np.inf), spread(0)
    high, minimax, column = spread(-np.inf), spread(np.inf), spread(0)
    for i in range(rows):
        least = spread(np.inf)
        for j in range(columns):
            entry = load(games[i, j])
            least = where(entry < least, entry, least)
        low = where(least < low, least, low)
        row = where(least > maximin, i, row)
        maximin = where(least > maximin, least, maximin)
    for j in range(columns):
        most = spread(-np.inf)
        for i in range(rows):
            entry = load(games[i, j])
            most = where(entry > most, entry, most)
        high = where(most > high, most, high)
        column = where(most < minimax, j, column)
        minimax = where(most < minimax, most, minimax)
    return low, high, maximin, row, minimax, column


@_inlined
def _set_up(games, low, high, first, solved, work):  # type: ignore[no-untyped-def]
    """Writes the tableaus of the slack bases, and the first pivots, in the columns `first`; none where solved."""
    rows, columns = games.shape[:2]
    scale = 1.0 / where(solved, 1.0, high - low)
    for i in range(rows):
        for j in range(columns):
            store(work.tableau[i, j], 1.0 + (load(games[i, j]) - low) * scale)
        store(work.tableau[i, columns], 1.0)
        store(work.basis[i], columns + i)
    for j in range(columns):
        store(work.tableau[rows, j], -1.0)
        store(work.outside[j], j)
    store(work.tableau[rows, columns], 0.0)
    store(work.factors[rows], -1.0)
    most, leaving = spread(0.0), spread(0)
    for i in range(rows):
        entry = pick(work.tableau[i], first)
        store(work.factors[i], entry)
        leaving = where(entry > most, i, leaving)
        most = where(entry > most, entry, most)
    store(work.pivot[0], where(solved, rows, leaving))
    store(work.pivot[1], where(solved, columns, first))


@_inlined
def _update_costs(shape, column, inverse, none, tolerance, bland, work):  # type: ignore[no-untyped-def]
    """Updates the reduced costs; returns the columns of the next pivots, by the rule of `kernel.entering_column`."""
    rows, columns = shape
    costs, line = work.tableau[rows], work.line
    factor = where(none, 0.0, load(work.factors[rows]))
    replaced = (0.0 - factor) * inverse
    best, entering = spread(-tolerance), spread(columns)
    for j in range(columns):
        cost = where(column == j, replaced, load(costs[j]) - factor * load(line[j]))
        store(costs[j], cost)
        less = cost < best
        if bland:
            less = less & (entering == columns)
        entering = where(less, j, entering)
        best = where(less, cost, best)
    store(costs[columns], load(costs[columns]) - factor * load(line[columns]))
    store(work.factors[rows], best)
    return entering


@_inlined
def _exchange(shape, tolerance, bland, work):  # type: ignore[no-untyped-def]
    """Pivots in each lane, and finds the next pivots; returns whether there are any."""
    rows, columns = shape
    tableau, line, factors = work.tableau, work.line, work.factors
    for lane in range(LANES):
        leaves, enters = np.uint64(work.pivot[0, lane]), np.uint64(work.pivot[1, lane])
        work.basis[leaves, lane], work.outside[enters, lane] = work.outside[enters, lane], work.basis[leaves, lane]
    row, column = load(work.pivot[0]), load(work.pivot[1])
    none = row == rows
    inverse = 1.0 / where(none, 1.0, pick(factors, row))
    for j in range(columns + 1):
        store(line[j], pick(tableau[:, j], row) * inverse)
    entering = _update_costs(shape, column, inverse, none, tolerance, bland, work)
    best, leaving, lowest = spread(0.0), spread(rows), spread(0)
    for i in range(rows):
        here = row == i
        factor = where(here, -1.0, where(none, 0.0, load(factors[i])))  # makes the pivot row the line
        replaced = (0.0 - factor) * inverse
        entry = spread(0.0)
        for j in range(columns):
            updated = where(here, 0.0, load(tableau[i, j])) - factor * load(line[j])
            updated = where(column == j, replaced, updated)
            store(tableau[i, j], updated)
            entry = where(entering == j, updated, entry)
        bound = where(here, 0.0, load(tableau[i, columns])) - factor * load(line[columns])
        store(tableau[i, columns], bound)
        store(factors[i], entry)
        # The ratio test, as in `kernel._exchange`.
        steepness = where(entry > tolerance, entry, -1.0) / where(bound < TINY, TINY, bound)
        steepness = where(steepness > VERTICAL, VERTICAL, steepness)
        label = load(work.basis[i])
        more = (steepness > best) | ((steepness == best) & (leaving < rows) & (label < lowest))
        leaving, lowest = where(more, i, leaving), where(more, label, lowest)
        best = where(more, steepness, best)
    leaving = where(none | (entering == columns), rows, leaving)
    store(work.pivot[0], leaving)
    store(work.pivot[1], where(leaving == rows, columns, entering))
    return any_lane(leaving < rows)


@_inlined
def _read_strategies(shape, work):  # type: ignore[no-untyped-def]
    """Writes weights proportional to the strategies into `work.x` and `work.y`; returns their sums."""
    rows, columns = shape
    primal, dual = work.primal, work.dual
    for i in range(rows):
        for lane in range(LANES):
            label = np.uint64(work.basis[i, lane])
            primal[label, lane], dual[label, lane] = max(work.tableau[i, columns, lane], 0.0), 0.0
    for j in range(columns):
        for lane in range(LANES):
            label = np.uint64(work.outside[j, lane])
            primal[label, lane], dual[label, lane] = 0.0, max(work.tableau[rows, j, lane], 0.0)
    total_x, total_y = spread(0.0), spread(0.0)
    for i in range(rows):
        store(work.x[i], load(dual[columns + i]))
        total_x = total_x + load(work.x[i])
    for j in range(columns):
        store(work.y[j], load(primal[j]))
        total_y = total_y + load(work.y[j])
    return total_x, total_y


@_inlined
def _simplex(games, low, high, first, solved, tolerance, dantzig_pivots, work):  # type: ignore[no-untyped-def]
    """Like `kernel._simplex`, with the column `first` first; lanes in which the game is solved stay at the slack basis.

    Bland's rule takes over after `dantzig_pivots` pivots.
    """
    shape = games.shape[:2]
    _set_up(games, low, high, first, solved, work)
    for pivots in range(1, dantzig_pivots + BLAND_PIVOTS + 1):
        if not _exchange(shape, tolerance, pivots >= dantzig_pivots, work):
            break
    return _read_strategies(shape, work)


@_inlined
def _normalise(weights, total, solved, chosen):  # type: ignore[no-untyped-def]
    """Like `kernel.normalise`; where the game is solved, only the action `chosen` is played."""
    sound = (total > 0.0) & (total < np.inf)
    for k in range(len(weights)):
        weight = where(sound, load(weights[k]), 1.0) / where(sound, total, 1.0 * len(weights))
        store(weights[k], where(solved, where(chosen == k, 1.0, spread(0.0)), weight))


@_inlined
def _guarantees(games, x, y):  # type: ignore[no-untyped-def]
    """Like `kernel._guarantees`."""
    rows, columns = games.shape[:2]
    lower, upper = spread(np.inf), spread(-np.inf)
    for j in range(columns):
        total = spread(0.0)
        for i in range(rows):
            total = total + load(x[i]) * load(games[i, j])
        lower = where(total < lower, total, lower)
    for i in range(rows):
        total = spread(0.0)
        for j in range(columns):
            total = total + load(games[i, j]) * load(y[j])
        upper = where(total > upper, total, upper)
    return lower, upper


@_inlined
def _copy_if_skew(games, x, y):  # type: ignore[no-untyped-def]
    """Gives both players of skew-symmetric games the row player's strategy."""
    rows, columns = games.shape[:2]
    if rows != columns:
        return
    skew = spread(0) == 0
    for i in range(rows):
        for j in range(i + 1):
            skew = skew & (load(games[i, j]) == 0.0 - load(games[j, i]))
    for k in range(rows):
        store(y[k], where(skew, load(x[k]), load(y[k])))


@_uncounted
def solve_lanes(games, lower, upper, x, y, work):  # type: ignore[no-untyped-def]
    """Like `kernel.solve_with` in each lane of `games`, `[rows, columns, LANES]`; also writes the bounds."""
    rows, columns = games.shape[:2]
    low, high, maximin, row, minimax, column = _extremes(games)
    solved, pivots = maximin == minimax, most_dantzig_pivots(rows, columns)
    total_x, total_y = _simplex(games, low, high, spread(0), solved, PIVOT_TOLERANCE, pivots, work)
    _normalise(work.x[:rows], total_x, solved, row)
    _normalise(work.y[:columns], total_y, solved, column)
    _copy_if_skew(games, work.x, work.y)
    least, most = _guarantees(games, work.x, work.y)
    store(lower, least)
    store(upper, most)
    for i in range(rows):
        store(x[i], load(work.x[i]))
    for j in range(columns):
        store(y[j], load(work.y[j]))


@_uncounted
def bound_lanes(games, tolerance, lower, upper, work):  # type: ignore[no-untyped-def]
    """Writes bounds on the values of `games`, `[rows, columns, LANES]`; equal ones at saddle points.

    Faster than `solve_lanes` for the many games of a duel. The minimax column enters first, because it is often in the
    solution. Where the bounds are not well within `tolerance`, solves again with Bland's rule: its rounding errors
    differ, and the tighter bounds count.
    """
    rows, columns = games.shape[:2]
    low, high, least, _, most, column = _extremes(games)
    solved = least == most
    for dantzig_pivots in (most_dantzig_pivots(rows, columns), 0):
        total_x, total_y = _simplex(games, low, high, column, solved, COARSE_TOLERANCE, dantzig_pivots, work)
        sound = (total_x > 0.0) & (total_x < np.inf) & (total_y > 0.0) & (total_y < np.inf)
        guaranteed, conceded = _guarantees(games, work.x, work.y)
        guaranteed, conceded = guaranteed / where(sound, total_x, 1.0), conceded / where(sound, total_y, 1.0)
        least = where(sound & (guaranteed > least), guaranteed, least)
        most = where(sound & (conceded < most), conceded, most)
        solved = solved | (most - least <= WELL_WITHIN * tolerance)
        if not any_lane(most - least > WELL_WITHIN * tolerance):
            break
    store(lower, least)
    store(upper, most)
