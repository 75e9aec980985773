"""DSSE 1.1.9, DroneSwarmSearch: the seed is ignored, and all drones get one array.

`reset(seed=...)` seeds nothing: persons move by Python's and numpy's global generators, so no run can be repeated. All
drones get the very same matrix of probabilities, so whoever writes into one observation changes the others'. The place
in an observation is a tuple, where samples of its space are arrays. Suggested fixes: a generator of the environment's
own from `gymnasium.utils.seeding.np_random(seed)`; `matrix.copy()` and `np.array(place)` for each drone.
"""

import numpy as np
from DSSE import DroneSwarmSearch


def places(seed):
    """Where the person is after ten steps."""
    env = DroneSwarmSearch(grid_size=10, drone_amount=2)
    env.reset(seed=seed)
    for _ in range(10):
        env.step(dict.fromkeys(env.agents, 0))
    return [(person.x, person.y) for person in env.persons_set]


print("the person after ten steps of seed 1, six times:", [places(1) for _ in range(6)])
env = DroneSwarmSearch(grid_size=10, drone_amount=2)
observations, _ = env.reset(seed=1)
(place, first), (_, second) = observations.values()
print("drones share the memory of their observations:", np.shares_memory(first, second))
print("place in an observation:", type(place), "in a sample:", type(env.observation_space("drone0").sample()[0]))
