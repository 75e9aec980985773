"""The tables of the duel family's compiled rules; imported only where compiled rules are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import CompiledRules
from cardwar_envs.games.duel import kernel

# A certain trick has odds below 0 or above 1, which tell the kernel not to draw, as the rules do not.
CERTAIN = {1: (2.0, 2.0), 0: (-1.0, 2.0), -1: (-1.0, -1.0)}

# The ways a trick can go: (probability, winner).
Odds = Sequence[tuple[Fraction, int]]


def compiled_duel(
    start: NDArray[np.float32],
    odds: Sequence[Sequence[Odds]],
    switches: tuple[bool, bool, bool],
    to_row: Callable[[Any], NDArray[np.float32]],
    from_row: Callable[[NDArray[np.float32]], Any],
) -> CompiledRules[Any]:
    """A duel's rules over many states at once; a row is what player 0 observes.

    Args:
        start: `[row_size]`, the row of the first state.
        odds: `[ranks][ranks]`, how a trick of player 0's rank against player 1's can go.
        switches: Whether ties are carried, whether the margin is paid, whether ranks are renumbered.
        to_row: A state as a row.
        from_row: The state of a row.

    Returns:
        The compiled rules.
    """
    # Probabilities of a win, and of a win or a tie. Every rank meets every rank: hands are renumbered, and
    # states are seen from either seat.
    wins, wins_or_ties = np.zeros((2, len(odds), len(odds)))
    for i, row in enumerate(odds):
        for j, ways in enumerate(row):
            chances = {winner: probability for probability, winner in ways}
            if len(chances) == 1:
                wins[i, j], wins_or_ties[i, j] = CERTAIN[next(iter(chances))]
            else:
                win, tie = chances.get(1, Fraction(0)), chances.get(0, Fraction(0))
                wins[i, j], wins_or_ties[i, j] = float(win), float(win + tie)
    return CompiledRules(kernel, (start, wins, wins_or_ties, *switches), len(start), to_row, from_row)
