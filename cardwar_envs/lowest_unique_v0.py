"""Lowest unique number, version 0: the PettingZoo environments.

All players choose a number simultaneously. A number is unique if only one player has chosen it, and the lowest unique
number wins the round.

A worked round, with three players and `payoff="share"`:

    player_0 chooses 1, player_1 chooses 1, player_2 chooses 4: only 4 is unique, so player_2 wins

`player_2` gets +1, and the others get -0.5 each. With `payoff="prize"` the others get 0, so the payoffs do not sum to
zero. If all choose 2, no number is unique, and all get 0.

Agents are `player_0` ... `player_{num_players - 1}`. An observation is
`{"observation": float32[num_players + 1], "action_mask": int8[numbers]}`: the rounds left, including the current one;
then, for each seat in order from the agent's own, 1 if it won the last round. Action `i` chooses `i + 1`. Rewards are
payoff points, paid after each round.

`env` and `raw_env` make the same AEC environment (no wrapper is needed), and `parallel_env` makes the Parallel
environment; `help(env)` lists their parameters.

Version history: 0: first version.
"""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("lowest_unique")
