"""momaland 0.2.0, beach: `reset(seed=...)` seeds the global generators, and the next game is drawn from them.

reset() calls `random.seed(seed)` and `np.random.seed(seed)`, and initial positions are drawn from `random`. Any other
code in the process that uses `random` (a replay buffer, a second environment) changes the games, and after each seeded
reset that code's random numbers repeat. Suggested fix: create a generator in reset() with
`gymnasium.utils.seeding.np_random(seed)`, store it in the environment, and use it in `_init_state`.
"""

import random

from momaland.envs.beach.beach import parallel_env

env = parallel_env(num_agents=8)


def second_game(draws):
    """The section of each agent in the game after a seeded game, if other code calls `random` in between."""
    env.reset(seed=1)
    for _ in range(draws):
        random.random()
    return [int(observation[1]) for observation in env.reset()[0].values()]


print("sections in the second game of seed 1:", second_game(0))
print("the same, after one more random():    ", second_game(1))
random.seed(99)
env.reset(seed=1)
first = random.random()
random.seed(7)
env.reset(seed=1)
print("the caller's random numbers repeat after reset(seed=1):", first == random.random())
