"""Goofspiel, version 0: the PettingZoo environments.

Both players hold the cards 1..n. The prizes 1..n are turned up one at a time. For each prize both players
simultaneously bid a card, and the higher card wins the prize. Each player tries to win prizes worth more points.

A worked round, with three cards each, prizes in random order and the margin as the payoff:

    prize 3    player_0 bids 3, player_1 bids 2: player_0 wins the prize and is paid 3 points by player_1
    prize 1    player_0 bids 1, player_1 bids 1: equal cards, so nobody wins the prize ("discard")
    prize 2    player_0 bids 2, player_1 bids 3: player_1 wins the prize and is paid 2 points by player_0

Over the game `player_0` gets +1 and `player_1` -1. With `ties="carry"`, prize 1 is added to prize 2, so
`player_1` is paid 3 points for prize 2, and both end with 0.

Agents are `player_0` and `player_1`. An observation is
`{"observation": float32[3 * num_cards + 1], "action_mask": int8[num_cards]}`: own count of each card, the opponent's
count of each card, a 1 for each prize that comes later, the current prize. `payoff="win"` adds an entry with own score
minus the opponent's; `ties="carry"` adds a last entry with the points carried over. Action `i` plays card `i + 1`.
Rewards are payoff points: each prize when it is won (`payoff="margin"`), or +1 / 0 / -1 at the end (`payoff="win"`).

`env` and `raw_env` make the same AEC environment (no wrapper is needed), and `parallel_env` makes the Parallel
environment; `help(env)` lists their parameters.

Version history: 0: first version.
"""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("goofspiel")
