"""fanorona-aec 3.0.2: it needs an old PettingZoo, random players move alike, and state() is the live board.

With PettingZoo 1.27, `pettingzoo.utils.agent_selector` is a module, so `env()` raises TypeError: 'module' object is
not callable. With 1.24.3, `reset(seed=...)` seeds the action spaces of both players alike, so two random players draw
the same actions. `state()` returns the board that the next step changes, not a copy or an array. Suggested fixes: use
`AgentSelector`; leave the spaces alone in `reset`; return a copy.
"""

import numpy as np
from env.fanorona_env import env as made

try:
    env = made()
except TypeError as error:
    raise SystemExit(f"env() raises TypeError: {error}") from None
env.reset(seed=3)
draws = [[int(env.action_space(player).sample()) for _ in range(4)] for player in env.possible_agents]
print("samples of the players after reset(seed=3):", draws)
state = env.state()
before = str(state)
env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
print("state() returned before a step is the same after it:", str(state) == before)
