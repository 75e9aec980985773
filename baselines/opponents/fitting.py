"""Finds the named policies that can play a game."""

from __future__ import annotations

from typing import Any

from baselines.opponents.generic import Uniform
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import named_policy, needs_others, policy_names

# Names of solutions and of learned policies, which can take long to make.
SLOW = {"equilibrium", "level"}


def fitting_policies(game: Game[Any]) -> dict[str, Policy]:
    """Returns the named policies that can play a game, by name.

    Omits policies that are slow to make, policies that depend on the other seats, and further names of uniform play.
    """
    found: dict[str, Policy] = {}
    for name in policy_names():
        if name in SLOW or needs_others(name):
            continue
        try:
            policy = named_policy(name, game)
        except ValueError:
            continue
        if not isinstance(policy, Uniform) or name == "uniform":
            found[name] = policy
    return found
