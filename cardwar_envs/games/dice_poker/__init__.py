"""Dice Poker: both players roll in private, one raises or checks, the other calls or folds."""

from cardwar_envs.games.dice_poker.rules import DicePoker, DicePokerState

__all__ = ["DicePoker", "DicePokerState"]
