"""magent2 0.3.4, adversarial_pursuit_v4: `state()` raises for map_size=7, the smallest size allowed.

The documentation allows sizes from 7. For 7 and 8, the number of predators, 0.0125 * map_size**2, rounds down to 0, so
the game ends after one step, and `state()` fails on the empty group: `zip(*pos)` has nothing to unpack. Suggested fix:
place at least one agent of each group, or raise the minimum to 9, and let `state()` skip empty groups.
"""

from magent2.environments import adversarial_pursuit_v4

env = adversarial_pursuit_v4.parallel_env(map_size=7)
env.reset(seed=1)
print("agents:", env.agents, "state space:", env.state_space.shape)
try:
    print(env.state().shape)
except Exception as error:
    print(f"state() raises {type(error).__name__}: {error}")
