"""Jujitsu, version 0: the PettingZoo environments.

Both players hold cards 1..n and play one each at once; the higher card wins the trick and all
ties carried before it. Most tricks win.

Agents are `player_0` and `player_1`. An observation is
`{"observation": float32[2 * ranks + 2], "action_mask": int8[ranks]}`: own count per rank, the
other's count per rank, own score minus the other's, carried ties. Action `i` plays the `i`-th
lowest rank. Rewards are payoff points: +1 / 0 / -1 at the end (`payoff="win"`).

* `env(**parameters)`, `raw_env(**parameters)`: AEC; they are the same, no wrapper is needed.
* `parallel_env(**parameters)`: Parallel.

Parameters are those of `cardwar_envs.games.jujitsu.Jujitsu`, and `render_mode` and
`illegal_action` of `cardwar_envs.envs.pettingzoo_skin.PettingZooSkin`.

Version history: 0: first version.
"""

from functools import partial

from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.games.jujitsu import Jujitsu

env = raw_env = partial(AECGameEnv, Jujitsu.name)
parallel_env = partial(ParallelGameEnv, Jujitsu.name)
