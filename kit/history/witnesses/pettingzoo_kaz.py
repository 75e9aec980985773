"""pettingzoo 1.27.0, knights_archers_zombies_v11: three findings.

`reset` does not reset `zombie_spawn_interval`, so the first zombie of a game appears earlier if the environment has
been played before, whatever the seed. Observations leave their space, which ends at 1. In AEC, who moves later in a
cycle sees where the others have moved, although the metadata says `is_parallelizable` and PettingZoo documents that
such an environment "does not update the observations of the agents except at the end of a cycle". Suggested fixes: set
the interval in `reset`; clip relative positions, or widen the space; move all when the last agent has acted.
"""

import numpy as np
from pettingzoo.butterfly import knights_archers_zombies_v11 as kaz


def game(env, seed, steps):
    """All observations of a game of random moves, each kept for 20 steps."""
    generator, seen = np.random.default_rng(seed), [env.reset(seed=seed)[0]]
    for step in range(steps):
        if step % 20 == 0:
            moves = {agent: int(generator.integers(6)) for agent in env.possible_agents}
        if env.agents:
            seen.append(env.step({agent: moves[agent] for agent in env.agents})[0])
    return seen


used = kaz.parallel_env()
game(used, 1, 30)
pairs = enumerate(zip(game(kaz.parallel_env(), 2, 60), game(used, 2, 60), strict=True))
print(
    "step at which a fresh and a used environment differ after reset(seed=2):",
    next(n for n, p in pairs if str(p[0]) != str(p[1])),
)
env = kaz.parallel_env()
print(
    "largest entry:",
    max(each.max() for views in game(env, 0, 120) for each in views.values()),
    env.observation_space("knight_1"),
)


def after(action):
    """What the second agent observes after an action of the first one in the same cycle."""
    env = kaz.env()
    env.reset(seed=0)
    env.step(action)
    return env.observe(env.agent_selection)


print("archer_1 observes the same after two moves of archer_0:", np.array_equal(after(0), after(5)))
