"""The tables that the duel family's compiled rules need; only what asks for compiled rules imports this."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.compiled import CompiledRules
from cardwar_envs.games import duel_batch_kernel
from cardwar_envs.games.duel import Duel, DuelState

CERTAIN = {1: (2.0, 2.0), 0: (-1.0, 2.0), -1: (-1.0, -1.0)}


def compiled_duel(game: Duel) -> CompiledRules[DuelState]:
    """The duel's rules over many states at once; rows are observations."""
    ranks = len(game.ranks)
    # Probabilities of a win, and of a win or a tie, of player 0's rank against player 1's; what is certain
    # is below 0 or above 1, because the rules do not draw then.
    wins, wins_or_ties = np.zeros((ranks, ranks)), np.zeros((ranks, ranks))
    word = game.view == "word"
    # Also of ranks that a player did not hold at the start: hands are renumbered, and states seen from either seat.
    for i, rank_0 in enumerate(game.ranks):
        for j, rank_1 in enumerate(game.ranks):
            odds = {winner: probability for probability, winner in game.trick_outcomes(rank_0, rank_1)}
            if len(odds) == 1:
                wins[i, j], wins_or_ties[i, j] = CERTAIN[next(iter(odds))]
            else:
                win, tie = odds.get(1, 0), odds.get(0, 0)
                wins[i, j], wins_or_ties[i, j] = float(win), float(win + tie)

    def to_row(state: DuelState) -> NDArray[np.float32]:
        return game.observation(state, 0)

    def from_row(row: NDArray[np.float32]) -> DuelState:
        return game.state_of(row)[0]

    start = to_row(DuelState(game.hands))
    tables = (start, wins, wins_or_ties, game.ties == "carry", game.payoff == "margin", word)
    return CompiledRules(duel_batch_kernel, tables, len(start), to_row, from_row)
