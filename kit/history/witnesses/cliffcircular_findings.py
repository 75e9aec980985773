"""cliffcircular 0.1.1: the seed does not determine the cliff, and render() returns nothing in mode "ansi".

In two environments, `reset(seed=1)` puts the extra cliff and the player in different places, so no run can be repeated.
In mode "ansi", `render` prints the map and returns None, where Gymnasium specifies a string. Suggested fixes: call
`super().reset(seed=seed)` before anything is drawn, and draw the cliff after it; return the text.
"""

import contextlib
import io

import cliffcircular  # noqa: F401  # registers the environment
import gymnasium
import numpy as np


def started(seed):
    """The environment after a reset, without what it prints, and the place of the player."""
    with contextlib.redirect_stdout(io.StringIO()):
        env = gymnasium.make("CliffCircular-v1", render_mode="ansi", disable_env_checker=True)
        return env, int(env.reset(seed=seed)[1]["state"]), env.render()


games = [started(1) for _ in range(6)]
print("the player after reset(seed=1), six times:", [place for _, place, _ in games])
cliffs = [env.unwrapped.cliff_grids for env, _, _ in games]
print("the cliff is where it was in the first:", [bool(np.array_equal(each, cliffs[0])) for each in cliffs])
print("render() in mode 'ansi' returns", games[0][2])
