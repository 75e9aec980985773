"""pogema 1.4.0, PettingZoo: reset(seed=...) is ignored, and render() returns nothing in mode "ansi".

Maps come from `GridConfig(seed=...)` alone, so the seed of `reset` has no effect; without a seed in the configuration,
no game can be repeated, though the learner seeds each. `metadata` and `render_mode` say "ansi", but `render` prints the
map and returns None. Suggested fixes: use the seed of `reset` for the next map; return the text.
"""

import contextlib
import io

from pogema import GridConfig, pogema_v0


def first(seed):
    """The first observation of a game."""
    env = pogema_v0(GridConfig(integration="PettingZoo", num_agents=2, size=5))
    return env.reset(seed=seed)[0]["player_0"].tolist()


print("reset(seed=1) gives the same observation, ten times:", [first(1) == first(1) for _ in range(10)])
env = pogema_v0(GridConfig(integration="PettingZoo", num_agents=2, size=2, obs_radius=1))
env.reset(seed=1)
with contextlib.redirect_stdout(io.StringIO()):
    returned = env.render()
print(f"render() in mode {env.render_mode!r} returns: {returned}")
