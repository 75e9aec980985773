"""shimmy 2.0.1, OpenSpielCompatibilityV0: the last player to leave a game is paid the last reward twice.

At the end of a game every player makes a last step with None. `_end_routine` leaves `rewards` as the last move set
them, and `step` accumulates them again, so `last()` tells the player who leaves second twice its payoff: a game of
Oshi-Zumo, which is zero-sum, ends with totals of 1 and -2, or of -1 and 2. Suggested fix: set `self.rewards` to zeros
in `_end_routine`, as `_was_dead_step` does.
"""

import numpy as np
from shimmy import OpenSpielCompatibilityV0


def totals(seed):
    """What `last()` tells each player over a game of random moves."""
    env, generator = OpenSpielCompatibilityV0(game_name="oshi_zumo"), np.random.default_rng(seed)
    env.reset(seed=seed)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, termination, truncation, info = env.last()
        paid[agent] += reward
        legal = np.flatnonzero(info["action_mask"])
        env.step(None if termination or truncation else int(generator.choice(legal)))
    return paid


decided = {seed: paid for seed in range(60) if any((paid := totals(seed)).values())}
for seed, paid in decided.items():
    print(f"seed {seed}: {paid}, which sum to {sum(paid.values())} instead of 0")
