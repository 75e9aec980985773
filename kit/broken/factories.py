"""Functions and classes that make environments, for tests of the command and the plugin."""

import os
import signal

import numpy as np

from broken.bases import Bidding, Pennies, skinned


class Sized(skinned(Bidding, "parallel")):
    """Takes the number of cards."""

    def __init__(self, size, render_mode=None):
        if not 2 <= size <= 5:
            raise ValueError(f"size ({size}) must be from 2 to 5")
        self.cards = size
        super().__init__(render_mode)


def needs_size(size):
    return Sized(size)


def noisy(render_mode=None):
    """Prints once, when the second environment is made: the first one only shows that it can be."""
    made.append(skinned(Pennies, "parallel")(render_mode=render_mode))
    if len(made) == 3:
        print("the checks have begun")
    return made[-1]


made = []


class NoModes(skinned(Pennies, "parallel")):
    """Declares modes that its constructor does not take."""

    def __init__(self):
        super().__init__()


class Offers:
    """Offers what makes an environment, as a module does."""

    def parallel_env():
        return NoModes()


def without_modes():
    return skinned(Pennies, "aec")()


def in_one_mode():
    return skinned(Pennies, "aec")("ansi")


class Prints(skinned(Pennies, "parallel")):
    def render(self):
        print(super().render())


def printing_in_one_mode():
    return Prints("ansi")


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
