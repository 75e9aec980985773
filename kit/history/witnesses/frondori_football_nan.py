"""frondori-football 0.1.0: NaN in an action makes the ball or the players disappear for the rest of the match.

`step` checks only the shape of actions. A kick in direction NaN gives the ball a position of NaN, and a move of
infinity does the same to players, in the observations of both teams and until the next goal, which then never comes.
Other numbers beyond the bounds do no harm, because the length of a direction is limited. The documentation says that
an invalid action counts as the neutral one. Suggested fix: raise unless `self.action_space(agent).contains(action)`, or
at least unless all numbers are finite.
"""

import numpy as np
from frondori_football import FootballEnv


def after(column, number, steps=60):
    """What the other team observes after team_0 has played a number in one column of its action, once."""
    env, still = FootballEnv(), np.zeros((3, 5), np.float32)
    env.reset(seed=1)
    action = still.copy()
    action[:, 4], action[:, column] = 1, number
    observations, *_ = env.step({"team_0": action, "team_1": still})
    for _ in range(steps):
        observations, *_ = env.step(dict.fromkeys(env.agents, still))
    space = env.observation_space("team_1")
    return {**observations["team_1"], "fits": space.contains(observations["team_1"])}


for name, column, number in [("kick_x", 2, 1), ("kick_x", 2, 1e6), ("kick_x", 2, np.nan), ("move_x", 0, np.inf)]:
    seen = after(column, number)
    print(f"{name}={number}: ball {seen['ball']}, opponents {seen['opponent_team'][:, 0]}, fits: {seen['fits']}")
