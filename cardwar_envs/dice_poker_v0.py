"""Dice Poker, version 0: the PettingZoo environments.

Both players roll a die that only they see. At the same time `player_0` checks (0) or raises (1), and `player_1` folds
(0) or calls (1), which counts only after a raise. Then the game is over.

An observation is `{"observation": float32[2], "action_mask": int8[2]}`: the own roll and the seat. In all other games
of the suite only the pending move is hidden; here only `state()` shows both rolls. Rewards are payoff
points, at most ante and raise.

* `env(**parameters)` and `raw_env(**parameters)` make the AEC environment. They are the same: it needs no wrapper.
* `parallel_env(**parameters)` makes the Parallel environment.

Parameters are those of `cardwar_envs.games.dice_poker.DicePoker`, and `render_mode` and
`illegal_action` of `cardwar_envs.envs.pettingzoo_skin.PettingZooSkin`.

Version history: 0: first version.
"""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("dice_poker")
