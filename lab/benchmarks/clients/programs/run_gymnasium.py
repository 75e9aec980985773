"""Gymnasium's checkers, on our single-agent environment."""

import warnings

import gymnasium
from each_game import on_each_game
from gymnasium.utils.env_checker import check_env

from cardwar_envs.envs.single_agent import SingleAgentEnv


def passive(game):
    """Plays through `PassiveEnvChecker`, in which `gymnasium.make` wraps every environment."""
    env = gymnasium.make("cardwar/game-v0", game=game)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(20):
            observation, _ = env.reset(seed=seed)
            done = False
            while not done:
                action = env.action_space.sample(observation["action_mask"])
                observation, _, terminated, truncated, _ = env.step(action)
                done = terminated or truncated


on_each_game(
    "`check_env`, illegal actions forfeit", lambda game: check_env(SingleAgentEnv(game, illegal_action="forfeit"))
)
on_each_game("`PassiveEnvChecker`, 20 episodes, warnings are errors", passive)
