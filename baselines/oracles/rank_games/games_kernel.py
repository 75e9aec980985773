"""Compiled code for `kernel.py` and `prize_kernel.py`: matrix games wait for others of their size to be solved with.

`Work` (see `engine.py`) has a group of lanes for each number of rows and columns.
"""

from __future__ import annotations

from baselines.matrix_game.kernel import value_bounds, workspace  # noqa: F401  # `workspace` for `engine.py`
from baselines.matrix_game.limits import LANES
from baselines.matrix_game.lockstep_kernel import bound_lanes, lockstep  # noqa: F401  # `lockstep` for `engine.py`
from cardwar_envs.core.compiled import njit

FEWEST_IN_LANES = 4  # fewer games are faster one by one

# For what is done once per matrix game: passing all arrays of `Work` would take longer.
inlined = njit(error_model="numpy", forceinline=True)


@inlined
def fill(matrix, below, work):  # type: ignore[no-untyped-def]
    """Writes a matrix game into `matrix`, row by row: continuation payoffs to player 0, in payoff points."""
    for cell in range(len(matrix)):
        kind = work.kind[cell]
        sign = work.sign[kind]
        # A selection, because a processor cannot predict the kind; every layer has a value at 0.
        place = work.start[cell] + work.step[kind] if sign != 0.0 else 0
        matrix[cell] = work.points[kind] + sign * below.values[place]


@inlined
def enqueue(rows, columns, state, below, work):  # type: ignore[no-untyped-def]
    """Lets a game wait in the next lane of its size, with numbers that identify it; returns whether all are full."""
    games, lane = work.games[rows - 1, columns - 1], work.waiting[rows - 1, columns - 1]
    fill(games[: rows * columns, lane], below, work)
    for k in range(len(state)):
        work.states[rows - 1, columns - 1, lane, k] = state[k]
    work.waiting[rows - 1, columns - 1] += 1
    return lane == LANES - 1


@njit(error_model="numpy")
def bound_waiting(rows, columns, tolerance, work):  # type: ignore[no-untyped-def]
    """Writes bounds on the values of the games of this size into `work.bounds`; returns the number of games."""
    count, cells = work.waiting[rows - 1, columns - 1], rows * columns
    work.waiting[rows - 1, columns - 1] = 0
    games, bounds = work.games[rows - 1, columns - 1][:cells], work.bounds
    if count >= FEWEST_IN_LANES:
        for cell in range(cells):
            for lane in range(count, LANES):
                games[cell, lane] = games[cell, 0]
        bound_lanes(games.reshape((rows, columns, LANES)), tolerance, bounds[0], bounds[1], work.lockstep)
        return count
    matrix, x, y = work.matrix[:cells], work.x[:rows], work.y[:columns]
    for lane in range(count):
        for cell in range(cells):
            matrix[cell] = games[cell, lane]
        bounds[0, lane], bounds[1, lane] = value_bounds(matrix.reshape((rows, columns)), tolerance, x, y, work.simplex)
    return count
