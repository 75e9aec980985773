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
from cardwar_envs.core.moved import forward_old_names
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
    from cardwar_envs import dice_poker_v0 as dice_poker_v0
    from cardwar_envs import dice_wars_v0 as dice_wars_v0
    from cardwar_envs import dinosaur_war_v0 as dinosaur_war_v0
    from cardwar_envs import goofspiel_v0 as goofspiel_v0
    from cardwar_envs import jujitsu_v0 as jujitsu_v0
    from cardwar_envs import lowest_unique_v0 as lowest_unique_v0
    from cardwar_envs import oshi_zumo_v0 as oshi_zumo_v0
    from cardwar_envs import war_v0 as war_v0
    from cardwar_envs.contract import check_game
    from cardwar_envs.envs.game_batch import GameBatch
else:
    _LATER = {"check_game": "cardwar_envs.contract", "GameBatch": "cardwar_envs.envs.game_batch"}
    # Only the games of this package have such modules, not those that are registered later.
    _MODULES = tuple(f"{name}_v{kind.version}" for name, kind in GAMES.items())

    def __getattr__(name: str) -> Any:
        """Imports slow and rarely used parts on first access."""
        if name in _LATER:
            return getattr(import_module(_LATER[name]), name)
        if name in _MODULES:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATER, *_MODULES})


register_all()
forward_old_names()
