"""The tables that WAR's compiled rules need; only what asks for compiled rules imports this."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.compiled import CompiledRules, Info
from cardwar_envs.games import war_batch_kernel
from cardwar_envs.games.war import War
from cardwar_envs.games.war_state import WarState


def compiled_war(game: War) -> CompiledRules[WarState]:
    """The rules for two players over many states at once; rows are observations."""
    cards = np.array(game.cards)

    def to_row(state: WarState) -> NDArray[np.float32]:
        return game.observation(state, 0)

    def from_row(row: NDArray[np.float32]) -> WarState:
        return game.state_of(row)[0]

    def info(observations: NDArray[np.float32]) -> Info:
        held = observations[:, : 2 * game.ranks].reshape(-1, 2, game.ranks).sum(axis=1)
        return {"utility": held.astype(np.int64) @ cards}

    start = to_row(game.initial()[0].state)
    tables = (start, _sets(game.ranks, game.discards), _sets_below(game.ranks, game.discards), game.facts.max_length)
    return CompiledRules(war_batch_kernel, tables, len(start), to_row, from_row, info)


def _sets(ranks: int, discards: int) -> NDArray[np.int16]:
    """`[sets, discards]`: the ranks of all discards, in the order of the actions."""
    sets = [*combinations_with_replacement(range(ranks), discards)]
    return np.array(sets, dtype=np.int16).reshape(len(sets), discards)


def _sets_below(ranks: int, discards: int) -> NDArray[np.int64]:
    """`[discards, ranks]`: how many ascending sets go on with a certain rank at a certain place."""
    rest = [discards - place - 1 for place in range(discards)]
    counts = [[comb(ranks - rank + left - 1, left) for rank in range(ranks)] for left in rest]
    return np.array(counts, dtype=np.int64).reshape(discards, ranks)
