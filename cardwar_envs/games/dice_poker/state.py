"""States of Dice Poker, and what each player sees."""

from __future__ import annotations

from typing import NamedTuple

from cardwar_envs.core.scene import Revealed


class DicePokerState(NamedTuple):
    """A state of Dice Poker.

    Attributes:
        rolls: What each player has rolled.
        actions: The action of each player; None before they have acted.
    """

    rolls: tuple[int, int]
    actions: tuple[int, int] | None = None


def seen_rolls(revealed: Revealed[DicePokerState]) -> tuple[int | None, int | None]:
    """The rolls, as far as the viewer may see them: its own, and both once both have acted.

    A forfeit keeps them hidden: the other's roll is no business of one who did not play.
    """
    (roll_0, roll_1), actions = revealed.state
    shown = actions is not None
    return roll_0 if shown or revealed.viewer == 0 else None, roll_1 if shown or revealed.viewer == 1 else None
