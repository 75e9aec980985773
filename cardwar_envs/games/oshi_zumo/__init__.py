"""Oshi-Zumo: bids of coins push a wrestler."""

from cardwar_envs.games.oshi_zumo.rules import OshiZumo, OshiZumoState

__all__ = ["OshiZumo", "OshiZumoState"]
