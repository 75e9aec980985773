"""Dice Wars, version 0: the PettingZoo environments.

Both players hold stacks of dice and send one each into battle at once; the higher total of the
rolled dice scores a point, ties score nothing.

Agents are `player_0` and `player_1`. An observation is
`{"observation": float32[2 * ranks + 2], "action_mask": int8[ranks]}`: own count per rank, the
other's count per rank, own score minus the other's, carried ties. Action `i` plays the `i`-th
lowest rank. Rewards are payoff points: +1 / 0 / -1 for each battle (`payoff="margin"`).

* `env(**parameters)`, `raw_env(**parameters)`: AEC; they are the same, no wrapper is needed.
* `parallel_env(**parameters)`: Parallel.

Parameters are those of `cardwar_envs.games.dice_wars.DiceWars`, and `render_mode` and
`illegal_action` of `cardwar_envs.envs.pettingzoo_skin.PettingZooSkin`.

Version history: 0: first version.
"""

from functools import partial

from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.games.dice_wars import DiceWars

env = raw_env = partial(AECGameEnv, DiceWars.name)
parallel_env = partial(ParallelGameEnv, DiceWars.name)
