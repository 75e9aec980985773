"""shimmy 2.0.1, OpenSpielCompatibilityV0: after the last move of a game, observations are those of the turn before.

`observe` returns the stored array, which the last move does not replace. In the last transition of the last player to
move, observation and next observation are therefore one array, which does not show that move; an agent that scales
observations in place scales this one twice. Suggested fix: update the observations at the end too, and return copies.
"""

import numpy as np
from shimmy import OpenSpielCompatibilityV0

env, generator = OpenSpielCompatibilityV0(game_name="oshi_zumo"), np.random.default_rng(0)
env.reset(seed=1)
seen = {}
for agent in env.agent_iter():
    observation, _, termination, truncation, info = env.last()
    if termination or truncation:
        print(f"at the end, {agent} receives the array of its last turn: {observation is seen[agent]}")
    seen[agent] = observation
    legal = np.flatnonzero(info["action_mask"])
    env.step(None if termination or truncation else int(generator.choice(legal)))
