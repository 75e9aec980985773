"""Simultaneous-move games with ground truth: rules and environments.

Importing this package registers every game with Gymnasium (`cardwar/Jujitsu-v0`) and with
PettingZoo (`cardwar/jujitsu-v0`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cardwar_envs.core.game import (
    CERTAIN,
    ActionImage,
    Canonical,
    Game,
    GameFacts,
    IllegalActionError,
    Transition,
)
from cardwar_envs.core.parameters import one_of, whole_number
from cardwar_envs.core.play import Episode, play_episode
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.scene import Revealed, Scene
from cardwar_envs.drawing.svg import to_svg
from cardwar_envs.envs.opponents import Pool
from cardwar_envs.envs.registration import register_all, register_game
from cardwar_envs.games import GAMES, make_game
from cardwar_envs.games.dice_poker import DicePokerState
from cardwar_envs.games.duel import Duel, DuelState
from cardwar_envs.games.goofspiel import GoofspielState
from cardwar_envs.games.lowest_unique import LowestUniqueState
from cardwar_envs.games.oshi_zumo import OshiZumoState
from cardwar_envs.games.war import War
from cardwar_envs.games.war.state import WarState

__version__ = "0.1.0"

__all__ = [
    "CERTAIN",
    "GAMES",
    "ActionImage",
    "Canonical",
    "DicePokerState",
    "Duel",
    "DuelState",
    "Episode",
    "Game",
    "GameBatch",
    "GameFacts",
    "GoofspielState",
    "IllegalActionError",
    "LowestUniqueState",
    "OshiZumoState",
    "Policy",
    "Pool",
    "Revealed",
    "Scene",
    "Transition",
    "War",
    "WarState",
    "__version__",
    "check_game",
    "make_game",
    "one_of",
    "play_episode",
    "register_game",
    "to_svg",
    "whole_number",
]

if TYPE_CHECKING:
    from cardwar_envs.contract import check_game
    from cardwar_envs.envs.game_batch import GameBatch
else:
    _LATER = {"check_game": "cardwar_envs.contract", "GameBatch": "cardwar_envs.envs.game_batch"}

    def __getattr__(name: str) -> Any:
        """What takes long to import and most programs never use, imported when it is first asked for."""
        if name in _LATER:
            return getattr(import_module(_LATER[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_all()
