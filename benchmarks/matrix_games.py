"""How fast zero-sum matrix games are solved: ours beside other solvers, in one run.

Usage: python -m benchmarks.matrix_games [--games 100000] [--rounds 5] [--json FILE]

Gaussian games. Ours come as one batch through `solve_matrices`, with its certificates, on all
processors; the others take one game per call, as their interfaces do. Solvers take turns for
`--rounds` rounds, so that a noisy machine disturbs all alike; what counts is the ratio to scipy's
HiGHS within a round, by wall time and by processor time. Solvers that are not installed are named
and skipped. The gap is what both strategies of an answer leave open, worked out here for all alike.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.optimize import linprog

from baselines import solve_matrices

Array = NDArray[np.float64]
Answer = tuple[Any, Any]
SIZES = (2, 6, 13)
PEER = "scipy HiGHS"
OURS = "ours"


def highs(matrix: Array) -> Answer:
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
    return -outcome.ineqlin.marginals, outcome.x[:-1]


def with_gambit(pygambit: Any) -> Callable[[Array], Answer]:
    def solve(matrix: Array) -> Answer:
        game = pygambit.Game.from_arrays(matrix, -matrix)
        profile = pygambit.nash.lp_solve(game, rational=False).equilibria[0]
        first, second = ([probability for _, probability in profile[player]] for player in game.players)
        return first, second

    return solve


def with_nashpy(nashpy: Any) -> Callable[[Array], Answer]:
    def solve(matrix: Array) -> Answer:
        first, second = nashpy.Game(matrix).linear_program()
        return first, second

    return solve


def with_open_spiel(lp_solver: Any) -> Callable[[Array], Answer]:
    pyspiel = import_module("pyspiel")

    def solve(matrix: Array) -> Answer:
        game = pyspiel.create_matrix_game(matrix.tolist(), (-matrix).tolist())
        first, second, _, _ = lp_solver.solve_zero_sum_matrix_game(game)
        return np.ravel(first), np.ravel(second)

    return solve


OTHERS = {
    "pygambit lp_solve": ("pygambit", with_gambit),
    "nashpy": ("nashpy", with_nashpy),
    "OpenSpiel": ("open_spiel.python.algorithms.lp_solver", with_open_spiel),
}


def solvers() -> tuple[dict[str, Callable[[Array], Answer]], list[str]]:
    """One-game solvers by name, and the names of those that are not installed."""
    found, missing = {PEER: highs}, []
    for name, (module, make) in OTHERS.items():
        try:
            found[name] = make(import_module(module))
        except ImportError:
            missing.append(name)
    return found, missing


def timed(call: Callable[[], Any], games: int) -> tuple[Any, float, float]:
    """What a call returns, and wall and processor microseconds per game."""
    wall, processor = time.perf_counter(), time.process_time()
    answer = call()
    return answer, (time.perf_counter() - wall) / games * 1e6, (time.process_time() - processor) / games * 1e6


def gap(matrix: Array, answer: Answer) -> float:
    first, second = (np.asarray(strategy, dtype=float) for strategy in answer)
    return float((matrix @ second).max() - (first @ matrix).min())


def measure(games: int, singles: int, rounds: int) -> list[dict[str, Any]]:
    """One row per size and solver: microseconds per game and ratios of the peer's to it, round by round."""
    others, _ = solvers()
    rows = []
    for size in SIZES:
        batch = np.random.default_rng(0).normal(size=(games, size, size))
        solve_matrices(batch[:2])
        found = {name: {"wall": [], "processor": [], "gap": 0.0} for name in (OURS, *others)}
        for _ in range(rounds):
            for name, row in found.items():
                if name == OURS:
                    answer, wall, processor = timed(lambda: solve_matrices(batch), games)  # noqa: B023  # called at once
                    worst = float(answer.gaps.max())
                else:
                    one = others[name]
                    answers, wall, processor = timed(lambda: [one(matrix) for matrix in batch[:singles]], singles)  # noqa: B023
                    worst = max(map(gap, batch, answers))
                row["wall"].append(wall)
                row["processor"].append(processor)
                row["gap"] = max(row["gap"], worst)
        for name, row in found.items():
            ratios = {
                f"{clock} ratios": [peer / own for peer, own in zip(found[PEER][clock], row[clock], strict=True)]
                for clock in ("wall", "processor")
            }
            rows.append({"size": size, "solver": name, **row, **ratios})
    return rows


def main(
    games: Annotated[int, typer.Option(help="Games in the batch.")] = 100_000,
    singles: Annotated[int, typer.Option(help="Games that each other solver takes a round.")] = 200,
    rounds: Annotated[int, typer.Option(help="Measurements of each solver.")] = 5,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the rows there.")] = None,
) -> None:
    """Measures and prints a table."""
    rows = measure(games, singles, rounds)
    table = Table(title=f"Gaussian games: medians, and how many times as fast as {PEER} (least to most)")
    for heading in ("size", "solver", "us/game", "x, wall", "x, processor", "worst gap"):
        table.add_column(heading, justify="left" if heading == "solver" else "right")
    for row in rows:
        ratios = row["wall ratios"]
        spread = f"{median(ratios):,.1f} ({min(ratios):,.1f} to {max(ratios):,.1f})"
        processor = f"{median(row['processor ratios']):,.1f}"
        table.add_row(
            f"{row['size']} x {row['size']}",
            row["solver"],
            f"{median(row['wall']):,.3f}",
            spread,
            processor,
            f"{row['gap']:.0e}",
        )
    console = Console()
    console.print(table)
    for name in solvers()[1]:
        console.print(f"not installed, skipped: {name}")
    if json_file is not None:
        json_file.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    typer.run(main)
