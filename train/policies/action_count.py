"""Decides whether a game has many actions, the only aspect of a game's size on which learners depend."""

from typing import Any

from cardwar_envs.core.game import Game

# With fewer actions a network has one output per action, which is more expressive than sums over parts.
MANY_ACTIONS = 100


def has_many_actions(game: Game[Any]) -> bool:
    """Returns whether networks for the game have outputs for parts of actions and store masks as bits."""
    return game.facts.num_actions >= MANY_ACTIONS
