"""What players see in the states of small games, kept for all environments of a game."""

from __future__ import annotations

import pickle  # noqa: TID251  # nothing is unpickled
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game

# Bytes of what is kept of a small game, and for each player of a state, besides the entries of arrays.
MOST_KEPT, OVERHEAD = 1 << 23, 500
# A state in memory takes about so many times the bytes of its pickle, whose size is taken once in so many states.
MEMORY_PER_BYTE, ESTIMATED_EVERY = 4, 256

# What is known of a state: who acts, who is in the game, and the players' masks and observations so far.
Known = tuple[tuple[int, ...], tuple[int, ...], list[NDArray[np.int8] | None], list[NDArray[np.float32] | None] | None]


class Kept(dict[Any, Known]):
    """What players see in the states of a small game, by state, in all environments of the game.

    Attributes:
        full: Whether the game has too many states, so that none is kept.
    """

    def __init__(self, game: Game[Any]) -> None:
        super().__init__()
        self._game, facts = game, game.facts
        self._size = facts.num_players * (facts.num_actions + 4 * facts.observation_size + OVERHEAD)  # bytes of a state
        self._most = MOST_KEPT // self._size
        self.full = False

    def keep(self, state: Any, known: Known) -> None:
        """Keeps what is known of a state, or nothing more if that takes too many bytes."""
        self[state] = known
        if len(self) % ESTIMATED_EVERY == 0:
            self._estimate(state)
        if len(self) > self._most:
            self.full = True
            self.clear()

    def _estimate(self, state: Any) -> None:
        """Takes the size of a state into account, which can be its history, and what the game says of their number."""
        try:
            pickled = len(pickle.dumps(state))
        except Exception:  # states need not be picklable
            pickled = MOST_KEPT
        self._most = min(self._most, MOST_KEPT // (self._size + MEMORY_PER_BYTE * pickled))
        if self._most > len(self) == ESTIMATED_EVERY and (self._game.count_states(canonical=False) or 0) > self._most:
            self._most = 0

    # It follows from the rules.
    def __deepcopy__(self, memo: dict[int, Any]) -> Kept:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return kept_of, (self._game,)


@cached_by_game(4)  # a bound on memory
def kept_of(game: Game[Any]) -> Kept:
    """Returns what is kept of a game, the same for equal games."""
    return Kept(game)
