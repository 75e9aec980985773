"""What `cardwar solve` does: the solver that a game and the options call for, timed, its progress on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import baselines
from baselines.duel_solver import ENGINES, DuelTable, can_solve
from baselines.solution import Solution, load_kernels, solve_by_words
from cardwar_envs import Game
from train.console import advancing, counting


class Work(NamedTuple):
    """What came out, and what it took.

    Attributes:
        solution: With its certificate.
        seconds: Of solving alone: nothing compiled, no cluster started.
        solved_now: Matrix games; fewer than `solution.states` if values were read from a cache.
        engine: Where a duel was solved by words; None for others.
    """

    solution: Solution
    seconds: float
    solved_now: int
    engine: str | None


def work_out(
    game: Game[Any], exact: bool | None, engine: str | None, keep_layers: int | None, cache: Path | None
) -> Work:
    """Solves a game.

    Args:
        game: The rules.
        exact: As in `baselines.solve`.
        engine: As in `DuelTable`, or None. Like the next two, for duels that are solved by words only.
        keep_layers: As in `DuelTable`.
        cache: Folder for the values, or None.

    Raises:
        ValueError: If an option does not fit the game, besides what `solve` and `DuelTable` raise.
    """
    load_kernels(game)
    if can_solve(game) and not exact:
        return _by_words(game, engine or ENGINES[0], keep_layers, cache)
    for option, value in (("engine", engine), ("keep-layers", keep_layers), ("cache", cache)):
        if value is not None:
            raise ValueError(
                f"--{option} ({value}) is of no use here: it is for duels in which only the order of ranks "
                "matters, not too long, and not solved in rationals"
            )
    start = time.perf_counter()
    with counting("states explored") as progress:
        solution = baselines.solve(game, exact=exact, progress=progress)
    return Work(solution, time.perf_counter() - start, solution.states, None)


def _by_words(game: Game[Any], engine: str, keep_layers: int | None, cache: Path | None) -> Work:
    with _ray_aside():
        table = DuelTable(game, keep_layers=keep_layers, folder=cache, engine=engine)
        start = time.perf_counter()
        with advancing("matrix games", lambda: table.total_states) as progress:
            solution = solve_by_words(table, progress)
        return Work(solution, time.perf_counter() - start, table.layers.solved, engine)


@contextmanager
def _ray_aside() -> Iterator[None]:
    """Keeps stdout for the result: Ray tells there of lost workers, until it is shut down."""
    before = _ray_runs()
    with redirect_stdout(sys.stderr):
        try:
            yield
        finally:
            if _ray_runs() and not before:
                sys.modules["ray"].shutdown()


def _ray_runs() -> bool:
    ray = sys.modules.get("ray")
    return ray is not None and ray.is_initialized()
