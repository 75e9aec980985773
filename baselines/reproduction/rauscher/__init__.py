"""Rauscher 2017: Dice Poker."""
