"""Compiled code for `kernel.py` and `prize_kernel.py`: matrix games wait for others of their size to be solved with.

`Work` (see `engine.py`) has a group of lanes for each number of rows and columns.
"""

from __future__ import annotations

from baselines.matrix_game.limits import LANES
from baselines.matrix_game.lockstep_kernel import bound_lanes
from cardwar_envs.core.compiled import njit

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
    if count > 0:
        games = work.games[rows - 1, columns - 1][:cells]
        for cell in range(cells):
            for lane in range(count, LANES):
                games[cell, lane] = games[cell, 0]
        group = games.reshape((rows, columns, LANES))
        bound_lanes(group, tolerance, work.bounds[0], work.bounds[1], work.lockstep)
        work.waiting[rows - 1, columns - 1] = 0
    return count
