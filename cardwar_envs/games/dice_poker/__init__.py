"""Dice Poker: both players roll a die in private; one raises or checks, and the other calls or folds."""

from cardwar_envs.games.dice_poker.rules import DicePoker
from cardwar_envs.games.dice_poker.state import DicePokerState

__all__ = ["DicePoker", "DicePokerState"]
