"""momaland 0.2.0, item_gathering: Python's global generator decides collisions, and agents share one observation.

reset(seed=...) calls `random.seed(seed)` and `np.random.seed(seed)`, and later games draw from `random` to decide who
wins a collision and whether an item is picked up. Any other use of `random` in the process changes the game. All agents
get the same map array, so writing into one observation changes the others. In addition, `step` returns truncations
before terminations, so the time limit is reported as a termination. Suggested fixes: store a generator from
`gymnasium.utils.seeding.np_random(seed)` in the environment; return `map_obs.copy()` to each agent; swap the two dicts.
"""

import random

import numpy as np
from momaland.envs.item_gathering.item_gathering import parallel_env

env = parallel_env(pickup_probabilities=[0.5, 0.5, 0.5], num_timesteps=30)


def second_game(draws, moves):
    """The observations and flags of the game after a seeded game, if other code calls `random` in between."""
    env.reset(seed=1)
    for _ in range(draws):
        random.random()
    env.reset()
    generator, seen = np.random.default_rng(moves), []
    while env.agents:
        actions = {agent: int(generator.integers(5)) for agent in env.agents}
        observations, _, terminations, truncations, _ = env.step(actions)
        seen.append(str(observations))
    return seen, terminations, truncations


differ = [moves for moves in range(300) if second_game(0, moves)[0] != second_game(1, moves)[0]]
print(f"of 300 sequences of actions, {len(differ)} lead to a different game after one more random()")
observations, _ = env.reset(seed=1)
(_, first), (_, second) = observations.values()
print("agents share the memory of their observations:", np.shares_memory(first, second))
_, terminations, truncations = second_game(0, 0)
print("after the time limit, env.truncations:", env.truncations)
print("step's terminations:", terminations, "step's truncations:", truncations)
