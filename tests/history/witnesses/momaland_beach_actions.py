"""momaland 0.2.0, beach: -1 counts as an action, and a refused step has moved some of the agents.

step() looks an action up in a list, so -1 is its last entry, and agents are moved one by one. If the second agent's
action is 3, IndexError is raised after the first agent has moved, and a caller who catches it and tries again plays
another game. Suggested fix: check all actions against `action_space(agent)` before any agent moves.
"""

from momaland.envs.beach.beach import parallel_env

env = parallel_env(num_agents=2)
env.reset(seed=1)
before = env.state()
try:
    env.step({"agent_0": 0, "agent_1": 3})
except IndexError as error:
    print("refused:", error)
print("section of agent_0 before and after the refused step:", before[1], env.state()[1])
env.step({"agent_0": -1, "agent_1": -1})
print("-1 is accepted; it is in", env.action_space("agent_0"), ":", env.action_space("agent_0").contains(-1))
