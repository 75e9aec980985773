"""Simultaneous-move games with ground truth: rules and environments.

Importing this package registers every game with Gymnasium (`cardwar/Jujitsu-v0`) and with
PettingZoo (`cardwar/jujitsu-v0`).
"""

from cardwar_envs.core.game import Game, GameFacts, IllegalActionError, Transition
from cardwar_envs.core.play import Episode, play_episode
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.scene import Revealed, Scene
from cardwar_envs.drawing.svg import to_svg
from cardwar_envs.envs.registration import register_all
from cardwar_envs.games import GAMES, make_game
from cardwar_envs.games.dice_poker import DicePokerState
from cardwar_envs.games.duel import Duel, DuelState
from cardwar_envs.games.war import War
from cardwar_envs.games.war.state import WarState

__version__ = "0.1.0"

__all__ = [
    "GAMES",
    "DicePokerState",
    "Duel",
    "DuelState",
    "Episode",
    "Game",
    "GameFacts",
    "IllegalActionError",
    "Policy",
    "Revealed",
    "Scene",
    "Transition",
    "War",
    "WarState",
    "__version__",
    "make_game",
    "play_episode",
    "to_svg",
]

register_all()
