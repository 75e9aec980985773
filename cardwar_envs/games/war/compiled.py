"""The tables of WAR's compiled rules; imported only where compiled rules are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import CompiledRules, Info
from cardwar_envs.games.war import kernel
from cardwar_envs.games.war.state import WarState


def compiled_war(
    start: NDArray[np.float32],
    cards: NDArray[np.int64],
    sets: Sequence[tuple[int, ...]],
    max_length: int,
    to_row: Callable[[WarState], NDArray[np.float32]],
    from_row: Callable[[NDArray[np.float32]], WarState],
) -> CompiledRules[Any]:
    """The rules for two players over many states at once; rows are player 0's observations.

    Args:
        start: `[row_size]`, the row of the first state.
        cards: `[ranks]`, what a card of each rank counts in the paper's utility.
        sets: The ranks of all discards, in the order of the actions.
        max_length: No game has more joint actions.
        to_row: A state as a row.
        from_row: The state of a row.

    Returns:
        The compiled rules.
    """
    ranks = len(cards)

    def info(observations: NDArray[np.float32]) -> Info:
        held = observations[:, : 2 * ranks].reshape(-1, 2, ranks).sum(axis=1)
        return {"utility": held.astype(np.int64) @ cards}

    chosen = np.array(sets, dtype=np.int16)  # [sets, discards]
    tables = (start, chosen, _sets_below(ranks, chosen.shape[1]), max_length)
    return CompiledRules(kernel, tables, len(start), to_row, from_row, info)


def _sets_below(ranks: int, discards: int) -> NDArray[np.int64]:
    """`[discards, ranks]`: how many ascending sets go on with a certain rank at a certain place."""
    rest = [discards - place - 1 for place in range(discards)]
    counts = [[comb(ranks - rank + left - 1, left) for rank in range(ranks)] for left in rest]
    return np.array(counts, dtype=np.int64).reshape(discards, ranks)
