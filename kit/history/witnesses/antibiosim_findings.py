"""antibiosim 0.1.0: reset() without a seed forgets the seed, NaN and 2.7 are played, and steps after the end are paid.

`reset` makes a generator with `np.random.default_rng(seed)` even if the seed is None, so learners that seed once, as
Gymnasium recommends, cannot repeat a run. An action of 2.7 counts as 2, and a dose of NaN makes every later number NaN.
After the episode has terminated, `step` goes on and pays. Suggested fixes: draw from `self.np_random`, which
`super().reset(seed=seed)` keeps; check `action_space.contains(action)`; raise `gymnasium.error.ResetNeeded`.
"""

import antibiosim  # noqa: F401  # registers the environments
import gymnasium
import numpy as np


def second_game(env):
    """How the game after the one of seed 1 begins."""
    env.reset(seed=1)
    return env.reset()[0].tolist()


def after(env, action):
    env.reset(seed=1)
    return env.step(action)[0].tolist()


env, doses = (
    gymnasium.make(f"antibiosim/{name}", disable_env_checker=True)
    for name in ("AntibioticSelection-v0", "DoseOptimization-v0")
)
print("the game after reset(seed=1) is the same twice:", second_game(doses) == second_game(doses))
print(f"{env.action_space}; the action 2.7 gives what 2 gives: {after(env, 2.7) == after(env, 2)}")
print("observation after a dose of NaN:", after(doses, np.array([np.nan], np.float32)))
dose = np.array([1.0], np.float32)
doses.reset(seed=1)
while not doses.step(dose)[2]:
    pass
print("rewards of three steps after the episode has terminated:", [doses.step(dose)[1] for _ in range(3)])
