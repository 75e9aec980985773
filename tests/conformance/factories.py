"""Functions that make environments."""

import os
import signal

import numpy as np
from pettingzoo.utils import (
    AssertOutOfBoundsWrapper,
    BaseParallelWrapper,
    OrderEnforcingWrapper,
    aec_to_parallel,
    parallel_to_aec,
)

from cardwar_envs import dice_poker_v0, dice_wars_v0, goofspiel_v0, jujitsu_v0, lowest_unique_v0
from tests.broken.bases import Pennies, skinned


def needs_size(size):
    return jujitsu_v0.parallel_env(num_cards=size)


def noisy(render_mode=None):
    """Prints once, when the second environment is made: the first one only shows that it can be."""
    made.append(jujitsu_v0.parallel_env(num_cards=3, render_mode=render_mode))
    if len(made) == 3:
        print("the checks have begun")
    return made[-1]


made = []


class NeedsADisplay(skinned(Pennies, "parallel")):
    def deal(self):
        super().deal()
        if self.render_mode is not None:
            raise RuntimeError("No available video device")


class NeverReturns(skinned(Pennies, "parallel")):
    def step(self, actions):
        while True:
            pass


class KillsItsProcess(skinned(Pennies, "parallel")):
    """An engine in native code that takes any number as an index."""

    def step(self, actions):
        if any(action is not None and np.any(action == 10**6) for action in actions.values()):
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().step(actions)


def order_enforced(render_mode=None):
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(dice_poker_v0.env(render_mode=render_mode)))


def as_parallel(render_mode=None):
    return aec_to_parallel(goofspiel_v0.env(num_cards=3, render_mode=render_mode))


def as_aec(render_mode=None):
    return parallel_to_aec(lowest_unique_v0.parallel_env(rounds=2, render_mode=render_mode))


class Flattened(BaseParallelWrapper):
    """Observations are arrays; masks stand in infos, where our environments have them too."""

    def observation_space(self, agent):
        return self.env.observation_space(agent)["observation"]

    def reset(self, seed=None, options=None):
        return self._flat(*self.env.reset(seed, options))

    def step(self, actions):
        return self._flat(*self.env.step(actions))

    def _flat(self, observations, *rest):
        return {agent: seen["observation"] for agent, seen in observations.items()}, *rest


def flattened(render_mode=None):
    return Flattened(dice_wars_v0.parallel_env(num_cards=3, render_mode=render_mode))
