"""Bounds the value of games without a round limit: unfinished games count as lost for one bound, as won for the other.

If player 0 can guarantee a payoff within `n` rounds when unfinished games count as lost, it can guarantee that payoff
in the endless game too, whatever the payoff of endless play. The same holds for player 1. The bounds tighten with each
round. The bounds need not meet: if neither player can force an end, play may never end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import Progress, expect
from baselines.oracles.finite_horizon.positions import arrays_of, at_codes, counts_rounds, form_of, levels_of
from baselines.oracles.finite_horizon.value_iteration import solve_nodes
from cardwar_envs.core.game import Game

# Number of positions in `EndlessBounds.widest`.
SHOWN = 5


@dataclass(frozen=True)
class EndlessBounds:
    """Bounds on the value of a game that may never end.

    Attributes:
        lower: Lower bound on the value at the start, in payoff points to player 0.
        upper: Upper bound.
        sweeps: Number of rounds of look-ahead.
        settled: Whether the last sweep left all bounds unchanged.
        bounds: `[positions, 2]` lower and upper bound of each position at which a round begins, up to swapping the
            seats.
        widest: The positions with the widest bounds, as states with one round left.
    """

    lower: float
    upper: float
    sweeps: int
    settled: bool
    bounds: NDArray[np.float64]
    widest: tuple[Any, ...]

    @property
    def widths(self) -> NDArray[np.float64]:
        """`[positions]`: upper minus lower bound."""
        return np.asarray(self.bounds[:, 1] - self.bounds[:, 0])

    def wider(self, width: float) -> int:
        """Counts the positions whose bounds differ by more than `width`, in payoff points."""
        return int((self.widths > width).sum())


def endless_bounds(game: Game[Any], sweeps: int = 1000, progress: Progress | None = None) -> EndlessBounds:
    """Bounds the value of a two-player game of many rounds, ignoring its round limit.

    Args:
        game: The game.
        sweeps: Maximum number of rounds of look-ahead; stops earlier if the bounds stop changing.
        progress: Called after each round with the number of matrix games solved.

    Raises:
        ValueError: If the game is not a two-player game of many rounds, or is too large.
    """
    if not counts_rounds(game):
        raise ValueError(f"{game.facts.name}: not a two-player game of many rounds")
    form = form_of(game)
    # Lower and upper bounds by code, which swap (with changed signs) in the mirror image.
    bounds = np.stack([at_codes(form, worst) for worst in (-1.0, 1.0)])
    pairs = bounds.reshape(2, -1, 2)
    pairs[:, 2:, 1] = -pairs[::-1, 2:, 0]
    arrays, levels, done, settled = arrays_of(form), levels_of(form), 0, False
    beginnings = slice(int(form.levels[-2]), None)
    expect(progress, 2 * sweeps * (len(form.lists) - 2))  # at most
    while done < sweeps and not settled:
        before = pairs[:, beginnings, 0].copy()
        for nodes in levels:
            low, high = solve_nodes(arrays, nodes, bounds[0])[0], solve_nodes(arrays, nodes, bounds[1])[1]
            if nodes is levels[-1]:  # rounding must not widen them again
                low, high = np.maximum(low, before[0]), np.minimum(high, before[1])
            pairs[:, nodes, 0] = low, high
            pairs[:, nodes, 1] = -high, -low
        done += 1
        settled = np.array_equal(before, pairs[:, beginnings, 0])
        if progress is not None:
            progress(2 * done * (len(form.lists) - 2))
    found = pairs[:, beginnings, 0].T.copy()
    widest = np.argsort(found[:, 0] - found[:, 1], kind="stable")[:SHOWN] + beginnings.start
    starts = [(float(start.probability), form.code(start.state)) for start in game.initial()]
    lower, upper = (sum(chance * float(side[code]) for chance, code in starts) for side in bounds)
    return EndlessBounds(lower, upper, done, settled, found, tuple(form.state(2 * int(node), 1) for node in widest))
