"""Measures how fast zero-sum matrix games are solved, by our solver and by others.

Usage: cardwar bench matrix_games [--rounds 5]

All payoffs are Gaussian. `solve_matrices` solves and certifies all games as one batch, on all processors. So does
QuantEcon's compiled `minmax` here, in a parallel loop and without certificates; the other solvers take one game per
call. The gap of a solution is the sum of what both players could gain by deviating; it is computed here in the same way
for all solvers.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from baselines import solve_matrices
from lab.benchmarks.comparison import Comparison, Maker, Measure, Settings, clocked

Array = NDArray[np.float64]
Answer = tuple[Any, Any]
Solver = Callable[[Array], Answer]
SIZES = (2, 6, 13)
PEER, QUANTECON = "scipy HiGHS", "QuantEcon minmax, in a loop"


def highs() -> Solver:
    def solve(matrix: Array) -> Answer:
        rows, columns = matrix.shape
        outcome = linprog(
            np.append(np.zeros(columns), 1.0),
            A_ub=np.hstack([matrix, -np.ones((rows, 1))]),
            b_ub=np.zeros(rows),
            A_eq=np.append(np.ones(columns), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0, None)] * columns + [(None, None)],
            method="highs",
        )
        assert outcome.x is not None, outcome.message
        return -outcome.ineqlin.marginals, outcome.x[:-1]

    return solve


def gambit() -> Solver:
    pygambit = import_module("pygambit")

    def solve(matrix: Array) -> Answer:
        game = pygambit.Game.from_arrays(matrix, -matrix)
        profile = pygambit.nash.lp_solve(game, rational=False).equilibria[0]
        first, second = ([probability for _, probability in profile[player]] for player in game.players)
        return first, second

    return solve


def nashpy() -> Solver:
    library = import_module("nashpy")
    return lambda matrix: library.Game(matrix).linear_program()


def open_spiel() -> Solver:
    pyspiel, lp_solver = import_module("pyspiel"), import_module("open_spiel.python.algorithms.lp_solver")
    import_module("ecos")  # cvxpy uses this solver here, but does not install it

    def solve(matrix: Array) -> Answer:
        game = pyspiel.create_matrix_game(matrix.tolist(), (-matrix).tolist())
        first, second, _, _ = lp_solver.solve_zero_sum_matrix_game(game)
        return np.ravel(first), np.ravel(second)

    return solve


OTHERS = {PEER: highs, "pygambit lp_solve": gambit, "nashpy": nashpy, "OpenSpiel": open_spiel}


def gap(matrix: Array, answer: Answer) -> float:
    first, second = (np.asarray(strategy, dtype=float) for strategy in answer)
    return float((matrix @ second).max() - (first @ matrix).min())


def one_by_one(load: Callable[[], Solver], batch: Array) -> Maker:
    def make() -> Measure:
        solve = load()
        gap(batch[0], solve(batch[0]))
        return lambda: clocked(
            lambda: [solve(matrix) for matrix in batch],
            lambda answers: {"worst gap": max(map(gap, batch, answers))},
        )._replace(amount=len(batch))

    return make


def quantecon(batch: Array) -> Maker:
    """QuantEcon's simplex, compiled by Numba as ours is, on as many threads."""

    def make() -> Measure:
        minmax = import_module("quantecon.optimize").minmax

        @numba.njit(parallel=True)
        def solve(games: Array) -> tuple[Array, Array]:
            count, rows, columns = games.shape
            first, second = np.empty((count, rows)), np.empty((count, columns))
            for game in numba.prange(count):
                _, first[game], second[game] = minmax(games[game])
            return first, second

        solve(batch[:2])
        return lambda: clocked(
            lambda: solve(batch),
            lambda answers: {"worst gap": max(map(gap, batch, zip(*answers, strict=True)))},
        )._replace(amount=len(batch))

    return make


def all_at_once(batch: Array) -> Maker:
    def make() -> Measure:
        solve_matrices(batch[:2])
        return lambda: clocked(
            lambda: solve_matrices(batch), lambda answers: {"worst gap": float(answers.gaps.max())}
        )._replace(amount=len(batch))

    return make


def comparisons(settings: Settings) -> list[Comparison]:
    """A comparison for each size."""
    found = []
    for size in SIZES:
        batch = np.random.default_rng(0).normal(size=(settings.matrices, size, size))
        found.append(
            Comparison(
                title=f"Matrix games of {size} x {size}, time for one",
                unit="games",
                peers={name: one_by_one(load, batch[: settings.singles]) for name, load in OTHERS.items()}
                | {QUANTECON: quantecon(batch[: settings.matrices // 10])},
                ours={f"ours, {settings.matrices:,} at once": all_at_once(batch)},
                against=(PEER, QUANTECON),
                timed=True,
                facts={"worst gap": ".0e"},
            )
        )
    return found
