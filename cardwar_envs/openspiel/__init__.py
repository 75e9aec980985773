"""Converts OpenSpiel's games and policies to those of this package, and back (extra `openspiel`).

`make_game("openspiel:goofspiel(num_cards=4)")` is equivalent to `from_openspiel("goofspiel(num_cards=4)")`.
"""

from cardwar_envs.openspiel.policies import from_openspiel_policy, to_openspiel_policy
from cardwar_envs.openspiel.rules import OpenSpielGame, from_openspiel
from cardwar_envs.openspiel.to_openspiel import to_openspiel

__all__ = ["OpenSpielGame", "from_openspiel", "from_openspiel_policy", "to_openspiel", "to_openspiel_policy"]
