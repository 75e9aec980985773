"""Goofspiel: two players bid their cards for prizes."""

from cardwar_envs.games.goofspiel.rules import Goofspiel
from cardwar_envs.games.goofspiel.state import GoofspielState

__all__ = ["Goofspiel", "GoofspielState"]
