"""frondori-kitchen 0.1.0: `step` continues the game after its end, with observations outside their space.

After max_steps, `agents` is empty, but step() with actions of the two chefs still moves them and returns observations
with time_remaining = -1, outside Discrete(201). A training loop that forgets to reset never notices. Suggested fix:
raise an error, or return five empty dicts, if `self.agents` is empty.
"""

from frondori_kitchen import KitchenEnv

env = KitchenEnv(max_steps=3)
env.reset(seed=1)
while env.agents:
    env.step(dict.fromkeys(env.agents, 0))
observations, *_ = env.step(dict.fromkeys(env.possible_agents, 0))
space = env.observation_space("chef_0")["time_remaining"]
print("agents:", env.agents, "returned:", observations["chef_0"]["time_remaining"], "in", space)
print("contained:", space.contains(observations["chef_0"]["time_remaining"]))
