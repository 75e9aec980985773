"""pettingzoo 1.27.0, multiwalker_v9: `state()` raises once a walker has fallen.

The state is made of the last observations and of the package. When the game ends, the bodies are destroyed, and
`state()` reads the position of None. A centralized critic that bootstraps from, or only stores, the last state of an
episode gets an AttributeError. Suggested fix: keep the numbers of the last state when the bodies are destroyed.
"""

import numpy as np
from pettingzoo.sisl import multiwalker_v9

env = multiwalker_v9.parallel_env()
env.reset(seed=2)
print("state after reset:", env.state().shape)
generator, steps = np.random.default_rng(2), 0
while env.agents:
    env.step({agent: generator.uniform(-1, 1, 4).astype(np.float32) for agent in env.agents})
    steps += 1
try:
    print("state after the last step:", env.state().shape)
except AttributeError as error:
    print(f"state after step {steps}, the last one, raises AttributeError: {error}")
