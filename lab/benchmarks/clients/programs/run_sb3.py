"""Stable-Baselines3: its checker, and PPO without masks."""

import gymnasium
from each_game import on_each_game
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env


def env_of(game):
    """An environment for a learner that ignores masks."""
    return gymnasium.make("cardwar/game-v0", game=game, illegal_action="forfeit")


def learn(game):
    """Trains briefly in a vector environment, as in SB3's documentation."""
    PPO("MultiInputPolicy", make_vec_env(lambda: env_of(game), n_envs=2), n_steps=64, device="cpu").learn(128)


on_each_game("`check_env`, illegal actions forfeit", lambda game: check_env(env_of(game)))
on_each_game("PPO, 128 steps, illegal actions forfeit", learn)
