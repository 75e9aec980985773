"""generals 1.0.0, PettingZooGenerals: spaces before reset, random numbers, missing pictures, and the mask.

`observation_space` and `action_space` raise AttributeError before the first reset, when learners ask for them to build
their networks. An unseeded reset draws from numpy's global generator, so one seed does not determine the games that
follow, and other users of `np.random` change them. The wheel has no pictures, so render_mode="human" raises
FileNotFoundError. Suggested fixes: make the spaces in `__init__`; keep a generator that `reset(seed)` seeds; list the
assets as package data.
"""

import numpy as np
from generals import GridFactory, PettingZooGenerals
from generals.agents import RandomAgent


def made(**parameters):
    return PettingZooGenerals({name: RandomAgent(name) for name in "ab"}, GridFactory(grid_dims=(5, 5)), **parameters)


try:
    made().action_space("a")
except AttributeError as error:
    print("action_space before reset raises AttributeError:", error)


def second_game():
    """The map of the game after a seeded one."""
    env = made()
    env.reset(seed=1)
    env.reset()
    return str(env.game.channels.army)


print("the game after reset(seed=1) is the same twice:", second_game() == second_game())
np.random.seed(0)
first = second_game()
np.random.seed(0)
print("the same, if somebody seeds numpy before each:", first == second_game())
try:
    made(render_mode="human").reset(seed=1)
except FileNotFoundError as error:
    print("render_mode='human' raises FileNotFoundError:", error)
