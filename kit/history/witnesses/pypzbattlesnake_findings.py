"""pypzbattlesnake 0.0.3: observations are iterators, the seed is ignored, and the global generator is seeded.

`get_observation` returns `array.flat`, an iterator over the live board: it is no element of the observation space, and
cannot be copied or pickled. `reset(seed=...)` seeds NumPy's global generator, but food comes from a new
`np.random.default_rng()`, so no game can be repeated. The metadata lack a name. Suggested fixes: `array.flatten()`;
`self.rng = np.random.default_rng(seed)`, and no `np.random.seed`.
"""

import numpy as np
from pypzbattlesnake.env import BattleSnake


def started(seed):
    env = BattleSnake(2, 1, size=(7, 7), render_mode=None)
    return env, env.reset(seed=seed)[0]["snake_0_0"]


env, observation = started(1)
contained = env.observation_space("snake_0_0").contains(observation)
print("type of an observation:", type(observation).__name__, "in its space:", contained)
foods = [sorted(started(1)[0].food) for _ in range(4)]
print("food after reset(seed=1) is where it was in the first game:", [food == foods[0] for food in foods])
np.random.seed(0)
first = np.random.random()
np.random.seed(0)
started(1)
print("np.random goes on as if there were no environment:", first == np.random.random())
