"""Where a game of Oshi-Zumo stands."""

from __future__ import annotations

from typing import NamedTuple


class OshiZumoState(NamedTuple):
    """Where a game of Oshi-Zumo stands.

    Attributes:
        coins: The coins that each player has left.
        position: Where the wrestler stands: fields from the middle, positive on player 1's side. It is off the board
            if it is further away than the board's `size`.
        moves_left: Moves that can still be made, if coins and horizon allow them.
    """

    coins: tuple[int, int]
    position: int
    moves_left: int
