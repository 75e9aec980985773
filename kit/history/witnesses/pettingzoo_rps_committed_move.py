"""pettingzoo 1.27.0, rps_v2: before the second player moves, a picture and a public attribute show the first move.

In AEC, `env.unwrapped.state` contains the first player's move, and `render()` draws it, before the second player has
chosen. A human, or an agent that plays from pictures, can win every round; observations do not show the move. In
addition, the attribute `state`, a dict, shadows the method: `env.state()` raises TypeError. Suggested fix: draw and
store the moves publicly only after both players have chosen, and rename the dict.
"""

import os

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

from pettingzoo.classic import rps_v2


def after(move):
    """What player_1 can see after player_0's move: its observation, the attribute `state` and the picture."""
    env = rps_v2.env(render_mode="rgb_array")
    env.reset(seed=1)
    env.render()
    env.step(move)
    assert env.agent_selection == "player_1"
    return env.observe("player_1"), dict(env.unwrapped.state), env.render().copy()


(seen, state, picture), (seen_too, state_too, picture_too) = after(0), after(1)
print("player_1 observes", seen, "and", seen_too, "after rock and after paper")
print("env.unwrapped.state:", state, "and", state_too)
print("pixels that differ between the pictures:", int((picture != picture_too).any(axis=-1).sum()))
env = rps_v2.env()
env.reset(seed=1)
try:
    env.state()
except TypeError as error:
    print("env.state() raises TypeError:", error)
