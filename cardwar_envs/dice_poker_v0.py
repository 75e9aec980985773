"""Dice Poker, version 0: the PettingZoo environments.

Both players roll a die that only they see. `player_0` checks (0) or raises (1), `player_1` folds
(0) or calls (1) for the case of a raise, both at once; then the game is over.

An observation is `{"observation": float32[2], "action_mask": int8[2]}`: the own roll and the seat.
It is the one game of the suite in which something besides the move about to be revealed is
hidden; `state()` is the only place where both rolls stand. Rewards are payoff points: up to ante
and raise.

* `env(**parameters)` and `raw_env(**parameters)` make the AEC environment. They are the same: it needs no wrapper.
* `parallel_env(**parameters)` makes the Parallel environment.

Parameters are those of `cardwar_envs.games.dice_poker.DicePoker`, and `render_mode` and
`illegal_action` of `cardwar_envs.envs.pettingzoo_skin.PettingZooSkin`.

Version history: 0: first version.
"""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("dice_poker")
