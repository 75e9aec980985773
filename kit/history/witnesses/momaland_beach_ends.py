"""momaland 0.2.0, beach and item_gathering: `step` returns truncations before terminations.

PettingZoo's order is observations, rewards, terminations, truncations, infos. Both environments return
`self.truncations, self.terminations`. The docstring of beach says "The problem is not truncated", but its end is
reported as a truncation. item_gathering reports a truncation when all items are collected, and a termination at its
time limit. Learners that bootstrap at truncations learn wrong values. Suggested fix: swap the two dicts in both return
statements.
"""

from momaland.envs.beach.beach import parallel_env

env = parallel_env(num_agents=4, num_timesteps=1)
env.reset(seed=1)
_, _, terminations, truncations, _ = env.step(dict.fromkeys(env.agents, 2))
print("env.terminations:", env.terminations)
print("step's terminations:", terminations)
print("step's truncations: ", truncations)
