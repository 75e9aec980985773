"""Policies by name, and the classic strategies: small classes that cite their sources."""

from typing import Any

from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.policy import Policy, class_of
from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.core.process import POLICY_GROUP, installed
from cardwar_envs.core.table_policy import TablePolicy

__all__ = ["TablePolicy", "make_policy"]


def make_policy(name: str, game: Game[Any], **arguments: Any) -> Policy:
    """Makes a named policy for `game`.

    Args:
        name: `uniform`, `equilibrium`, `equilibrium:max_entropy`, `highest_card` and so on, or a name that another
            distribution registers in the entry-point group `cardwar_envs.policies`.
        game: The game to play.
        **arguments: Further arguments of the policy.

    Raises:
        ValueError: If there is no such policy or it does not fit the game.
    """
    require_game(game)
    return named_policy(name, game, **arguments)


def word_for(policy: Policy) -> str:
    """Returns the name under which a policy's class is installed, which users type; else its class name."""
    kind = class_of(policy)
    place = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, point in installed(POLICY_GROUP).items() if point.value == place), kind.__name__)
