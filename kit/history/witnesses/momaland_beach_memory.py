"""momaland 0.2.0, beach: agents in one section get the same reward array, and `step` returns the environment's dicts.

`rewards[agent] = reward_per_section[...]` returns views, so a learner that normalizes one agent's reward in place
changes the rewards of the others. All agents also share one action space object, so seeding or sampling the space of
one agent affects the others. Suggested fix: copy the rewards, return copies of the dicts, and make a space per agent.
"""

from momaland.envs.beach.beach import parallel_env

env = parallel_env(num_agents=4, sections=2, capacity=3)
env.reset(seed=1)
_, rewards, _, _, _ = env.step(dict.fromkeys(env.possible_agents, 0))
print("before:", rewards)
rewards["agent_0"] += 100
print("after rewards['agent_0'] += 100:", rewards)
print("one action space for all:", env.action_space("agent_0") is env.action_space("agent_1"))
