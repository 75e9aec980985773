"""TorchRL's PettingZooWrapper on both interfaces, with masks."""

import torch
from each_game import GAMES, on_each_game
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import check_env_specs

from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv


class WithoutInfos(BaseParallelWrapper):
    """TorchRL cannot take a mask in the observation with more than a mask in `infos`, as WAR has it."""

    def reset(self, seed=None, options=None):
        observations, infos = super().reset(seed=seed, options=options)
        return observations, {agent: {} for agent in infos}

    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, {agent: {} for agent in infos}


class WithoutInfosAEC(BaseWrapper):
    """The same for AEC."""

    @property
    def infos(self):
        return {agent: {} for agent in self.env.infos}


def parallel(game):
    """The Parallel environment; agents may leave before the end."""
    return PettingZooWrapper(WithoutInfos(ParallelGameEnv(game)), use_mask=True, done_on_any=False)


def aec(game):
    """The AEC environment."""
    return PettingZooWrapper(WithoutInfosAEC(AECGameEnv(game)), use_mask=True, done_on_any=False)


def play(env):
    """Plays 20 games with legal actions drawn by TorchRL."""
    torch.manual_seed(0)
    for _ in range(20):
        env.rollout(1000)


on_each_game("Parallel: `check_env_specs`", lambda game: check_env_specs(parallel(game)))
on_each_game("Parallel: 20 rollouts with masks", lambda game: play(parallel(game)))
on_each_game(
    "AEC: `check_env_specs`, which asks for an action after the end of Dice Poker",
    lambda game: check_env_specs(aec(game)),
    tuple(name for name in GAMES if name != "dice_poker"),
)
on_each_game("AEC: 20 rollouts with masks", lambda game: play(aec(game)))
