"""Tianshou's PettingZooEnv, with masks."""

import logging

from each_game import on_each_game
from tianshou.algorithm import MARLRandomDiscreteMaskedOffPolicyAlgorithm as Random
from tianshou.algorithm import MultiAgentOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv

from cardwar_envs.envs.aec import AECGameEnv

logging.disable()


def collect(game):
    """Collects 20 games of random legal play, in two environments."""
    env = PettingZooEnv(AECGameEnv(game))
    players = MultiAgentOffPolicyAlgorithm(algorithms=[Random(env.action_space) for _ in env.agents], env=env)
    games = DummyVectorEnv([lambda: PettingZooEnv(AECGameEnv(game)) for _ in range(2)])
    collector = Collector(players, games, VectorReplayBuffer(2000, 2))
    collector.reset()
    collector.collect(n_episode=20)


on_each_game("`PettingZooEnv` and `Collector`, 20 games with masks", collect)
