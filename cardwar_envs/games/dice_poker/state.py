"""States of Dice Poker, and the part of them that each player sees."""

from __future__ import annotations

from typing import NamedTuple

from cardwar_envs.core.scene import Revealed

CHECK, RAISE = FOLD, CALL = 0, 1


class DicePokerState(NamedTuple):
    """A state of Dice Poker.

    Attributes:
        rolls: Each player's roll.
        actions: The action of each player; None before they have acted.
    """

    rolls: tuple[int, int]
    actions: tuple[int, int] | None = None


def seen_rolls(revealed: Revealed[DicePokerState]) -> tuple[int | None, int | None]:
    """The rolls that the viewer may see: the viewer's own roll and, once both players have acted, both rolls.

    After a forfeit the rolls stay hidden, because a player who has not acted must not see the other roll.
    """
    (roll_0, roll_1), actions = revealed.state
    shown = actions is not None
    return roll_0 if shown or revealed.viewer == 0 else None, roll_1 if shown or revealed.viewer == 1 else None
