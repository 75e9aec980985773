"""momaland 0.2.0, beach: observations are outside their space, and so is `state()` after the end.

The observation space is Box(0, num_agents), but the third entry is the capacity of a section, 7 by default, and the
second is the number of a section, up to 5. With num_agents=4, observations contain a 7, above the bound of 4, so code
that scales by the space gets numbers above 1. Suggested fix: high = max(num_agents, capacity, sections), or separate
bounds for each entry. After the last step, `agents` is empty and `state()` returns an array of shape (0,), although
get_central_observation_space() declares num_agents * 5 entries. Suggested fix: use `possible_agents` in `state()`.
"""

from momaland.envs.beach.beach import parallel_env

env = parallel_env(num_agents=4)
observations, infos = env.reset(seed=1)
for agent in env.agents:
    space = env.observation_space(agent)
    print(agent, observations[agent], "in", space, ":", space.contains(observations[agent]))
env.step(dict.fromkeys(env.agents, 2))
print("state after the end:", env.state().shape, "promised:", env.get_central_observation_space().shape)
