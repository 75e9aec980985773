"""The duel family: in each trick both players play a card simultaneously."""

from cardwar_envs.games.duel.rules import Duel
from cardwar_envs.games.duel.state import DuelState

__all__ = ["Duel", "DuelState"]
