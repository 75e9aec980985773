"""States of Oshi-Zumo."""

from __future__ import annotations

from typing import NamedTuple


class OshiZumoState(NamedTuple):
    """A state of Oshi-Zumo.

    Attributes:
        coins: The coins that each player has left.
        position: The wrestler's position in fields from the centre, positive on player 1's side. It is off the board if
            it is further away than the board's `size`.
        moves_left: min(moves up to the horizon, max(coins) // min_bid), or the first of these if `min_bid` is 0.
    """

    coins: tuple[int, int]
    position: int
    moves_left: int
