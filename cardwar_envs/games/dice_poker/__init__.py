"""Dice Poker: both players roll a die in private; one raises or checks, and the other calls or folds."""

from cardwar_envs.games.dice_poker.rules import CALL, CHECK, FOLD, RAISE, DicePoker, DicePokerState

__all__ = ["CALL", "CHECK", "FOLD", "RAISE", "DicePoker", "DicePokerState"]
