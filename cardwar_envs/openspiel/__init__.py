"""OpenSpiel's games here, and our games in OpenSpiel (extra `openspiel`).

`make_game("openspiel:goofspiel(num_cards=4)")` is `from_openspiel("goofspiel(num_cards=4)")`.
"""

from cardwar_envs.openspiel.rules import OpenSpielGame, from_openspiel
from cardwar_envs.openspiel.to_openspiel import to_openspiel

__all__ = ["OpenSpielGame", "from_openspiel", "to_openspiel"]
