"""shimmy 2.0.1, OpenSpielCompatibilityV0: an agent that is out may pass any action, which counts as None.

PettingZoo's own environments raise ValueError ("when an agent is dead, the only valid action is None"), so that a
training loop that ignores the flags is noticed. Suggested fix: raise the same error in `_end_routine` unless the action
is None, or call `_was_dead_step(action)`.
"""

import numpy as np
from pettingzoo.classic import tictactoe_v3
from shimmy import OpenSpielCompatibilityV0


def after_the_end(env):
    """What a legal action of an agent that is out leads to."""
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        observation, *_, info = env.last()
        mask = info["action_mask"] if "action_mask" in info else observation["action_mask"]
        action = int(np.flatnonzero(mask)[0])
        env.step(action)
    try:
        env.step(action)
    except ValueError as error:
        return f"ValueError: {error}"
    return f"accepted; agents left: {env.agents}"


print("shimmy:", after_the_end(OpenSpielCompatibilityV0(game_name="oshi_zumo")))
print("tictactoe_v3:", after_the_end(tictactoe_v3.env()))
