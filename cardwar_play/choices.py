"""The human player's legal actions by name, with a search for games with thousands of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cardwar_envs import Game

# How games write several equal cards, e.g. "3x13".
COUNT = re.compile(r"^\d+x")


class Choices:
    """A player's legal actions; `names` are the game's names for them."""

    def __init__(self, game: Game[Any], player: int, actions: Sequence[int]) -> None:
        self.names = {action: game.describe_action(action, player) for action in actions}

    def named(self, text: str) -> int | None:
        """The action with exactly this name, ignoring case; None if no action or several actions have it."""
        found = [action for action, name in self.names.items() if name.casefold() == text.strip().casefold()]
        return found[0] if len(found) == 1 else None

    def matching(self, text: str) -> list[int]:
        """The actions whose names contain the words of a text in the same order.

        Numbers must match exactly; for other words a prefix is enough: "2 3 with 9" matches
        "discards 2 3 4 and battles with 9". A 3 also matches "2x3", two threes. An empty text matches every action.
        """
        wanted = text.casefold().split()
        return [action for action, name in self.names.items() if _has_in_order(name.casefold().split(), wanted)]


def _has_in_order(words: Sequence[str], wanted: Sequence[str]) -> bool:
    left = iter(words)
    return all(any(_matches(word, each) for word in left) for each in wanted)


def _matches(word: str, wanted: str) -> bool:
    if wanted[0].isdigit():
        return wanted in (word, COUNT.sub("", word))
    return word.startswith(wanted)
