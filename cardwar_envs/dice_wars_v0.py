"""Dice Wars, version 0: the PettingZoo environments.

Both players hold stacks of dice. In each battle both choose a stack simultaneously and roll its dice; the higher total
scores a point, and ties score nothing.

Agents are `player_0` and `player_1`. An observation is
`{"observation": float32[2 * ranks + 2], "action_mask": int8[ranks]}`: own count per rank, the
opponent's count per rank, own score minus the opponent's, carried ties. Action `i` plays the
`i`-th lowest rank. Rewards are payoff points: +1 / 0 / -1 for each battle (`payoff="margin"`).

`env` and `raw_env` make the same AEC environment (no wrapper is needed), and `parallel_env` makes the Parallel
environment; `help(env)` lists their parameters.

Version history: 0: first version.
"""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("dice_wars")
