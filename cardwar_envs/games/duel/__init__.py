"""The duel family: two hands meet card by card."""

from cardwar_envs.games.duel.rules import Duel
from cardwar_envs.games.duel.state import DuelState

__all__ = ["Duel", "DuelState"]
