"""cardiosim 0.1.0, PacingControl: a reset keeps the rate of the game before, and observations leave their space.

`reset` calls `conduction.reset`, which sets the time of the last beat from `sa_interval`, then sets the rate of
the new game; so with the same seed, a game depends on the one before. It makes a new generator even if the seed is
None, so learners that seed once cannot repeat a run. The time since the last beat is observed as negative, below its
bound 0, because beats are dated ahead. Actions of NaN are played. Suggested fixes: set the rate before
`conduction.reset`; use `self.np_random`; clip the time at 0; check `action_space.contains(action)`.
"""

import numpy as np
from cardiosim.envs.pacing_control import PacingControlEnv


def voltages(env, seed):
    """The voltages of 120 steps without pacing."""
    env.reset(seed=seed)
    return [float(env.step(np.zeros(2, np.float32))[0][0]) for _ in range(120)]


fresh, used = PacingControlEnv(), PacingControlEnv()
voltages(used, 2)
pairs = zip(voltages(fresh, 1), voltages(used, 1), strict=True)
differing = [step for step, (one, other) in enumerate(pairs, 1) if one != other]
print("reset(seed=1), fresh and after another game: differ from step", differing[:1])
fresh.reset(seed=1)
first = fresh.reset()[0][0]
fresh.reset(seed=1)
print("the game after reset(seed=1) is the same twice:", bool(first == fresh.reset()[0][0]))
fresh.reset(seed=0)
times = [float(fresh.step(np.array([0, 1], np.float32))[0][3]) for _ in range(120)]
print("least time since the last beat:", min(times), "bound:", fresh.observation_space.low[3])
fresh.reset(seed=0)
print("rewards after an action of NaN:", [float(fresh.step(np.full(2, np.nan, np.float32))[1]) for _ in range(2)])
