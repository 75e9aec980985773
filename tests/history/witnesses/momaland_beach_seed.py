"""momaland 0.2.0, beach: `reset(seed=...)` seeds the process, and Python's global generator decides the next game.

reset() calls `random.seed(seed)` and `np.random.seed(seed)`, and the first positions come from `random`. Whatever else
uses `random` in the process (a replay buffer, a second environment) changes the games, and each seeded reset makes
everybody else's random numbers repeat. Suggested fix: a generator of the environment's own, set in reset() with
`gymnasium.utils.seeding.np_random(seed)`, used in `_init_state`.
"""

import random

from momaland.envs.beach.beach import parallel_env

env = parallel_env(num_agents=8)


def second_game(draws):
    """The game after a seeded one, if somebody else uses `random` in between."""
    env.reset(seed=1)
    for _ in range(draws):
        random.random()
    return [int(observation[1]) for observation in env.reset()[0].values()]


print("sections in the second game of seed 1:", second_game(0))
print("the same, after one other random():   ", second_game(1))
random.seed(99)
env.reset(seed=1)
first = random.random()
random.seed(7)
env.reset(seed=1)
print("the caller's random numbers repeat after reset(seed=1):", first == random.random())
