"""Lowest unique number: the lowest number that only one player has chosen wins."""

from cardwar_envs.games.lowest_unique.rules import LowestUnique, LowestUniqueState

__all__ = ["LowestUnique", "LowestUniqueState"]
