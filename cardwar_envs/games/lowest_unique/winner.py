"""The winner of a round of Lowest unique number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


def lowest_unique(choices: Mapping[int, int]) -> int | None:
    """The player with the lowest unique choice; None if there is none."""
    chosen = Counter(choices.values())
    unique = [(choice, player) for player, choice in choices.items() if chosen[choice] == 1]
    return min(unique)[1] if unique else None
