"""Solves zero-sum matrix games: one, a batch, or one in exact rationals. Every result comes with its duality gap.

The row player maximises. Among several equilibria the choice is deterministic:

* a saddle point in pure strategies, if there is one: the lowest row, then the lowest column;
* else the vertex that the simplex method (`baselines.matrix_game.kernel`, or `solve_matrix_exact` for rationals)
  reaches from the slack basis;
* in a skew-symmetric game (the players are alike, so the value is 0), the row player's strategy for both players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baselines.matrix_game.exact_lp import maximise
from baselines.matrix_game.limits import LARGEST_PAYOFF, RELATIVE_GAP
from cardwar_envs.core.kernels import kernels, map_in_threads

# Games per thread task, enough to make scheduling cheap.
GAMES_AT_A_TIME = 4096
# Time in plain Python on one thread, per matrix entry and action: the number of pivots grows with the longer side.
SECONDS_PER_ENTRY_AND_ACTION = 4e-6
SLOWER_IN_PAIRS = 10  # double-double precision
# Beyond this many entries, exact rationals of arbitrary floats are too slow for a fallback.
EXACT_FALLBACK_ENTRIES = 400
# Beyond this many, HiGHS is faster than the simplex in pairs of floats.
PAIRS_FALLBACK_ENTRIES = 10_000


@dataclass(frozen=True)
class MatrixSolution:
    """An equilibrium of one matrix game.

    Attributes:
        value: The payoff to the row player, in payoff points; midway between the certified bounds.
        row_strategy: `[rows]` probabilities.
        column_strategy: `[columns]` probabilities.
        gap: The row player's best-response payoff against the column strategy minus the payoff that the row strategy
            guarantees, in payoff points; the error of `value` is at most half of it.
    """

    value: float
    row_strategy: NDArray[np.float64]
    column_strategy: NDArray[np.float64]
    gap: float


@dataclass(frozen=True)
class MatrixSolutions:
    """Equilibria of a batch of matrix games.

    Attributes:
        values: `[batch]` payoffs to the row players, in payoff points.
        row_strategies: `[batch, rows]` probabilities.
        column_strategies: `[batch, columns]` probabilities.
        gaps: `[batch]` duality gaps, in payoff points.
    """

    values: NDArray[np.float64]
    row_strategies: NDArray[np.float64]
    column_strategies: NDArray[np.float64]
    gaps: NDArray[np.float64]


@dataclass(frozen=True)
class ExactMatrixSolution:
    """An equilibrium in rational arithmetic, checked to have duality gap zero.

    Attributes:
        value: The payoff to the row player, in payoff points.
        row_strategy: `[rows]` probabilities.
        column_strategy: `[columns]` probabilities.
    """

    value: Fraction
    row_strategy: tuple[Fraction, ...]
    column_strategy: tuple[Fraction, ...]


def _kernel(seconds: float) -> Any:
    """Returns the kernels, compiled only if the work would take plain Python (about `seconds`) too long."""
    return kernels("baselines.matrix_game.batch_kernel", seconds)


def solve_matrix(matrix: ArrayLike) -> MatrixSolution:
    """Solves one game.

    Args:
        matrix: `[rows, columns]` payoffs to the row player.

    Returns:
        An equilibrium with its duality gap.

    Raises:
        ValueError: If the matrix is not two-dimensional, is empty, or has an entry that is not finite or beyond 1e300.
    """
    solutions = solve_matrices(_shaped(matrix, dimensions=2)[None])
    return MatrixSolution(
        float(solutions.values[0]),
        solutions.row_strategies[0],
        solutions.column_strategies[0],
        float(solutions.gaps[0]),
    )


def solve_matrices(
    matrices: ArrayLike,
    row_masks: ArrayLike | None = None,
    column_masks: ArrayLike | None = None,
    threads: int | None = None,
) -> MatrixSolutions:
    """Solves a batch of games.

    Args:
        matrices: `[batch, rows, columns]` payoffs to the row player.
        row_masks: `[batch, rows]`, nonzero where the row player's action is legal; all rows if None.
        column_masks: `[batch, columns]`, likewise.
        threads: Maximum number of threads; one per processor if None. Results do not depend on it.

    Returns:
        Equilibria with their duality gaps; masked actions have probability 0.

    Raises:
        ValueError: If the matrices are not `[batch, rows, columns]`, are empty, or have an entry that is not finite or
            beyond 1e300; if a mask has another shape or leaves a player without an action; or if `threads` is below 1.
    """
    games = _shaped(matrices, dimensions=3)
    row_shape, column_shape = games.shape[:2], games.shape[::2]
    masks = _checked_mask(row_masks, row_shape, "row_masks"), _checked_mask(column_masks, column_shape, "column_masks")
    lower, upper = np.empty(len(games)), np.empty(len(games))
    x, y = np.zeros(row_shape), np.zeros(column_shape)
    _run_kernel((games, *masks, lower, upper, x, y), threads)
    # Few gaps exceed the lowest tolerance. "not <=" catches nan as well.
    for g in np.flatnonzero(~(upper - lower <= RELATIVE_GAP)):
        rows, columns = np.flatnonzero(masks[0][g]), np.flatnonzero(masks[1][g])
        lower[g], upper[g], x[g, rows], y[g, columns] = _fall_back(
            games[g][np.ix_(rows, columns)], (lower[g], upper[g], x[g, rows], y[g, columns])
        )
    # Rounding can swap the bounds by an ulp.
    return MatrixSolutions((lower + upper) / 2, x, y, np.maximum(upper - lower, 0.0))


def _run_kernel(arrays: tuple[NDArray[Any], ...], threads: int | None) -> None:
    """Runs the kernel on all games, in disjoint chunks."""
    if threads is not None and threads < 1:
        raise ValueError(f"threads ({threads}) must be at least 1")
    kernel = _kernel(SECONDS_PER_ENTRY_AND_ACTION * arrays[0].size * max(arrays[0].shape[1:]))
    pieces = range(0, len(arrays[0]), GAMES_AT_A_TIME)

    def solve(start: int) -> bool:
        return bool(kernel.solve_batch_kernel(*(array[start : start + GAMES_AT_A_TIME] for array in arrays)))

    # Most calls are small: one chunk needs no pool.
    if not all(map_in_threads(solve, pieces, threads) if len(pieces) > 1 else map(solve, pieces)):
        raise ValueError(f"payoffs must be finite, at most {LARGEST_PAYOFF:g} in absolute value")


_Bounded = tuple[float, float, NDArray[np.float64], NDArray[np.float64]]


def _fall_back(matrix: NDArray[np.float64], best: _Bounded) -> _Bounded:
    """Tries slower and slower methods until the bounds are tight enough; returns the tightest bounds found."""
    tolerance = RELATIVE_GAP * max(1.0, float(np.abs(matrix).max()))
    if best[1] - best[0] <= tolerance:
        return best
    methods = [_solve_by_pairs, _solve_by_highs, _solve_by_rationals]
    if matrix.size > PAIRS_FALLBACK_ENTRIES:
        methods[:2] = [_solve_by_highs, _solve_by_pairs]
    for method in methods:
        if method is _solve_by_rationals and matrix.size > EXACT_FALLBACK_ENTRIES:
            break
        strategies = method(matrix)
        if strategies is None:
            continue
        lower, upper = _kernel(SECONDS_PER_ENTRY_AND_ACTION * matrix.size).certify(matrix, *strategies)
        if not best[1] - best[0] <= upper - lower:
            best = (lower, upper, *strategies)
        if best[1] - best[0] <= tolerance:
            break
    return best


def _solve_by_pairs(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    seconds = SLOWER_IN_PAIRS * SECONDS_PER_ENTRY_AND_ACTION * matrix.size * max(matrix.shape)
    kernel = kernels("baselines.matrix_game.double_double_kernel", seconds)
    x, y = np.empty(matrix.shape[0]), np.empty(matrix.shape[1])
    kernel.solve_carefully(matrix, x, y)
    return x, y


def _solve_by_highs(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Returns both players' strategies from one linear program and its dual; None if HiGHS reports failure."""
    from scipy.optimize import linprog

    rows, columns = matrix.shape
    low, scale = matrix.min(), max(float(np.ptp(matrix)), np.finfo(float).tiny)
    # Minimise v with (scaled matrix) y <= v, y a distribution; the duals are the row strategy.
    outcome = linprog(
        np.append(np.zeros(columns), 1.0),
        A_ub=np.hstack([(matrix - low) / scale, -np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(columns), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * columns + [(None, None)],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if outcome.status != 0 or outcome.x is None:
        return None
    x, y = np.maximum(-outcome.ineqlin.marginals, 0.0), np.maximum(outcome.x[:-1], 0.0)
    if not (x.sum() > 0.0 and y.sum() > 0.0):
        return None
    return x / x.sum(), y / y.sum()


def _solve_by_rationals(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    exact = solve_matrix_exact([[Fraction(entry) for entry in row] for row in matrix.tolist()])
    return np.array(exact.row_strategy, dtype=float), np.array(exact.column_strategy, dtype=float)


def solve_matrix_exact(matrix: Sequence[Sequence[Fraction | int]]) -> ExactMatrixSolution:
    """Solves one game in rational arithmetic.

    Args:
        matrix: Rows of payoffs to the row player, each an integer or a `Fraction`.

    Returns:
        An equilibrium whose duality gap is exactly zero.

    Raises:
        ValueError: If the matrix is empty or ragged, or an entry is not a finite number.
    """
    try:
        games = [[Fraction(entry) for entry in row] for row in matrix]
    except (TypeError, OverflowError) as error:
        raise ValueError(f"matrix must be rows of finite real numbers: {error}") from None
    if not games or not games[0] or any(len(row) != len(games[0]) for row in games):
        raise ValueError("matrix must have at least one row and one column, all rows of equal length")
    x, y = _exact_saddle_point(games) or _exact_simplex(games)
    if games == [[-entry for entry in column] for column in zip(*games, strict=True)]:
        y = x
    lower = min(sum((p * row[j] for p, row in zip(x, games, strict=True)), Fraction(0)) for j in range(len(y)))
    upper = max(sum((q * entry for q, entry in zip(y, row, strict=True)), Fraction(0)) for row in games)
    if lower != upper:  # impossible by duality: a bug
        raise ArithmeticError(f"duality gap {upper - lower} of an exact solution")
    return ExactMatrixSolution(lower, tuple(x), tuple(y))


_ExactStrategies = tuple[list[Fraction], list[Fraction]]


def _exact_saddle_point(matrix: list[list[Fraction]]) -> _ExactStrategies | None:
    greatest = [max(column) for column in zip(*matrix, strict=True)]
    for i, row in enumerate(matrix):
        least = min(row)
        for j, entry in enumerate(row):
            if entry == least == greatest[j]:
                return _unit(i, len(matrix)), _unit(j, len(row))
    return None


def _unit(index: int, size: int) -> list[Fraction]:
    return [Fraction(i == index) for i in range(size)]


def _exact_simplex(matrix: list[list[Fraction]]) -> _ExactStrategies:
    """Solves the column program of `kernel` (max sum(w), M w <= 1 for M > 0) and scales it to distributions."""
    shift = 1 - min(map(min, matrix))
    one = Fraction(1)
    positive = [[entry + shift for entry in row] for row in matrix]
    optimum = maximise([one] * len(matrix[0]), positive, [one] * len(matrix))
    return [p / optimum.value for p in optimum.dual], [q / optimum.value for q in optimum.primal]


def _shaped(matrix: ArrayLike, dimensions: int) -> NDArray[np.float64]:
    given = np.asarray(matrix)
    try:
        if given.dtype.kind not in "fiubO":  # objects can be fractions
            raise TypeError
        shaped = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, OverflowError):
        raise ValueError(f"payoffs must be real numbers of at most {LARGEST_PAYOFF:g}, not {given.dtype}") from None
    if shaped.ndim != dimensions or 0 in shaped.shape[-2:]:
        raise ValueError(f"payoffs of shape {shaped.shape} must have {dimensions} dimensions and no axis of length 0")
    return shaped


def _checked_mask(mask: ArrayLike | None, shape: tuple[int, ...], name: str) -> NDArray[np.bool_]:
    if mask is None:
        return np.ones(shape, dtype=np.bool_)
    given = np.asarray(mask)
    if given.dtype.kind not in "fiub" or not np.isfinite(given).all():
        raise ValueError(f"{name} must be numbers, nonzero where an action may be played")
    checked = np.ascontiguousarray(given, dtype=np.bool_)
    if checked.shape != shape:
        raise ValueError(f"{name} of shape {checked.shape} must have shape {shape}")
    if not checked.any(axis=1).all():
        raise ValueError(f"{name} must leave at least one action in every game")
    return checked
