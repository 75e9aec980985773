"""Oshi-Zumo: two players bid coins to push a wrestler off the board."""

from cardwar_envs.games.oshi_zumo.rules import OshiZumo
from cardwar_envs.games.oshi_zumo.state import OshiZumoState

__all__ = ["OshiZumo", "OshiZumoState"]
