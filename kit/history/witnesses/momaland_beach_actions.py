"""momaland 0.2.0, beach: -1 is accepted as an action, and a step that raises has already moved some agents.

step() uses the action as an index into a list, so -1 selects the last entry. It moves agents one by one: if the second
agent's action is 3, it raises IndexError after the first agent has moved, and a caller that catches the error and
retries plays a different game. Suggested fix: check all actions against `action_space(agent)` before any agent moves.
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
