"""Functions that make environments."""

import os
import signal

import numpy as np

from cardwar_envs import jujitsu_v0
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


class KillsItsProcess(skinned(Pennies, "parallel")):
    """An engine in native code that takes any number as an index."""

    def step(self, actions):
        if any(action is not None and np.any(action == 10**6) for action in actions.values()):
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().step(actions)
