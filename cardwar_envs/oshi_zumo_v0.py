"""Oshi-Zumo, version 0: the PettingZoo environments.

A wrestler stands in the middle of a board. In each move both players simultaneously bid coins and lose the coins that
they bid. The higher bid pushes the wrestler one field towards the other player. A player wins by pushing the wrestler
off the board, or if it stands on the other player's side when the game ends.

A worked game, with 5 coins each and one field on each side of the middle (`coins=5, size=1`):

    player_0 bids 2, player_1 bids 1: the wrestler stands on player_1's side; 3 and 4 coins are left
    player_0 bids 1, player_1 bids 3: the wrestler is back in the middle; 2 coins and 1 coin are left
    player_0 bids 1, player_1 bids 1: the wrestler stays; 1 coin and no coin are left
    player_0 bids 1, player_1 bids 0: the wrestler is on player_1's side, nobody can bid, and player_0 wins

Agents are `player_0` and `player_1`. An observation is
`{"observation": float32[4], "action_mask": int8[coins + 1]}`: own coins, the opponent's coins, the position in fields
from the middle (positive on the opponent's side), moves left. The moves left are min(moves up to the horizon,
max(coins) // min_bid); with `min_bid=0`, the moves up to the horizon. Action `i` bids `i` coins. Rewards are payoff
points: +1 / 0 / -1 at the end.

`env` and `raw_env` make the same AEC environment (no wrapper is needed), and `parallel_env` makes the Parallel
environment; `help(env)` lists their parameters.

Version history: 0: first version.
"""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("oshi_zumo")
