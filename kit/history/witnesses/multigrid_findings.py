"""multigrid 0.1.0, all environments: random positions ignore the seed; the PettingZoo wrapper lacks infos.

`RandomMixin` keeps the generator that exists when the environment is made. `reset(seed=...)` then makes another one, so
everything drawn with `_rand_int`, such as where agents start, is never seeded. In the wrapper for PettingZoo, `reset`
returns an empty dict of infos, there is no attribute `render_mode`, and `step` goes on after the end. Suggested fixes:
let `RandomMixin` ask for `self.np_random` at each draw; make an info for each agent; pass `render_mode` on.
"""

from multigrid.envs import EmptyEnv
from multigrid.pettingzoo import to_pettingzoo_env

Empty = to_pettingzoo_env(EmptyEnv, metadata={"name": "empty_v0", "render_modes": ["rgb_array"]})


def places(seed):
    """Where the agents start."""
    env = Empty(agents=2, size=6, agent_start_pos=None)
    env.reset(seed=seed)
    return [tuple(map(int, agent.state.pos)) for agent in env.env.agents]


print("places after reset(seed=1), four times:", [places(1) for _ in range(4)])
env = Empty(agents=2, size=6, max_steps=5, render_mode="rgb_array")
_, infos = env.reset(seed=1)
print("infos of reset have the agents:", set(env.agents) <= set(infos))
print("the environment has render_mode:", hasattr(env, "render_mode"))
while env.agents:
    env.step(dict.fromkeys(env.agents, 0))
print("a step after the end returns:", env.step({0: 0, 1: 0})[1:4])
