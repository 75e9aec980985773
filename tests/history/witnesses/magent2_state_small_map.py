"""magent2 0.3.4, adversarial_pursuit_v4: `state()` raises for map_size=7, the smallest size that is allowed.

map_size must be at least 7, and reset() and step() work with 7.
"""

from magent2.environments import adversarial_pursuit_v4

env = adversarial_pursuit_v4.parallel_env(map_size=7)
env.reset(seed=1)
print("agents:", env.agents, "state space:", env.state_space.shape)
try:
    print(env.state().shape)
except Exception as error:
    print(f"state() raises {type(error).__name__}: {error}")
