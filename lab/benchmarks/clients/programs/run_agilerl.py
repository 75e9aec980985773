"""AgileRL's vector environment and IPPO, with the PettingZoo that AgileRL pins."""

from importlib.metadata import version

import numpy as np
from agilerl.vector import PzDummyVecEnv
from each_game import on_each_game
from pettingzoo.utils import BaseParallelWrapper

from cardwar_envs.envs.parallel import ParallelGameEnv


class WithoutMasks(BaseParallelWrapper):
    """Observations as arrays, and empty infos."""

    def observation_space(self, agent):
        return super().observation_space(agent)["observation"]

    def reset(self, seed=None, options=None):
        observations, infos = super().reset(seed=seed, options=options)
        return {agent: observations[agent]["observation"] for agent in infos}, {agent: {} for agent in infos}

    def step(self, actions):
        observations, *rest, infos = super().step(actions)
        return (
            {agent: each["observation"] for agent, each in observations.items()},
            *rest,
            {agent: {} for agent in infos},
        )


def play(game):
    """Plays 30 steps of random actions in AgileRL's vector environment."""
    env = WithoutMasks(ParallelGameEnv(game, illegal_action="forfeit"))
    games = PzDummyVecEnv(env)
    games.reset(seed=0)
    for _ in range(30):
        games.step({agent: np.array([env.action_space(agent).sample()]) for agent in env.possible_agents})


on_each_game(f"`PzDummyVecEnv` with PettingZoo {version('pettingzoo')}, 30 steps, illegal actions forfeit", play)
