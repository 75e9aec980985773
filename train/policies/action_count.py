"""Whether a game has many actions; learners and their networks go by this, and by nothing else of a game's size."""

from typing import Any

from cardwar_envs.core.game import Game

# With fewer actions, a network has an output for each of them, which can express more than sums of parts.
MANY_ACTIONS = 100


def has_many_actions(game: Game[Any]) -> bool:
    """Whether networks for the game go by parts of actions, and its masks are kept as bits."""
    return game.facts.num_actions >= MANY_ACTIONS
