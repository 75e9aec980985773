"""Dice Poker, version 0: the PettingZoo environments.

Each player rolls a die that only that player sees. Then `player_0` checks (0) or raises (1) while, at the same time,
`player_1` folds (0) or calls (1). `player_1`'s choice matters only after a raise. Then the game is over.

An observation is `{"observation": float32[2], "action_mask": int8[2]}`: the agent's own roll and its seat. Unlike in
the other games of the suite, an observation does not determine the state: only `state()` shows both rolls. Rewards are
payoff points, at most the ante plus the raise.

`env` and `raw_env` make the same AEC environment (no wrapper is needed), and `parallel_env` makes the Parallel
environment; `help(env)` lists their parameters.

Version history: 0: first version.
"""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("dice_poker")
