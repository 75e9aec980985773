"""SuperSuit's wrappers around the Parallel environment."""

import numpy as np
import supersuit
from each_game import on_each_game

from cardwar_envs.envs.parallel import ParallelGameEnv


def arrays(game):
    """Observations as arrays; without masks, so illegal actions forfeit."""
    env = ParallelGameEnv(game, illegal_action="forfeit")
    return supersuit.observation_lambda_v0(env, lambda seen, _: seen["observation"], lambda space: space["observation"])


def stacked(game):
    """Frames are stacked, and agents that are out get zeros."""
    env = supersuit.black_death_v3(supersuit.frame_stack_v1(arrays(game), 2))
    env.reset(seed=0)
    while env.agents and not all(ends(env)):
        pass


def ends(env):
    """Plays one joint action; returns the agents that are then out."""
    _, _, terminations, truncations, _ = env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    return [terminations[agent] or truncations[agent] for agent in terminations]


def vectorised(game):
    """Plays two games in one vector environment for 30 steps; agents that are out get zeros, as the size is fixed."""
    env = supersuit.pettingzoo_env_to_vec_env_v1(supersuit.black_death_v3(arrays(game)))
    games = supersuit.concat_vec_envs_v1(env, 2)
    games.reset(seed=0)
    for _ in range(30):
        observations, *_ = games.step(np.array([games.action_space.sample() for _ in range(games.num_envs)]))
        if not np.isfinite(observations).all():
            raise ValueError("an observation is not a number")


on_each_game("`frame_stack_v1` and `black_death_v3`, one game", stacked)
on_each_game("`pettingzoo_env_to_vec_env_v1` and `concat_vec_envs_v1`, 30 steps", vectorised)
