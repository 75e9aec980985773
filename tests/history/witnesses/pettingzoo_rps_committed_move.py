"""pettingzoo 1.27.0, rps_v2: the first player's move is drawn, and is stored in public, before the second one moves.

In AEC, `env.unwrapped.state` holds the first player's move, and `render()` draws it, before the second player has
chosen. A person or an agent that plays from pictures wins every round. The observation hides the move. Besides, the
attribute `state`, a dict, hides the method: `env.state()` raises TypeError. Suggested fix: draw and publish moves only
after both have chosen, and give the dict another name.
"""

import os

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

from pettingzoo.classic import rps_v2


def after(move):
    """What player_1 can look at after player_0's move."""
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
