"""WAR with Auction Rounds, version 0: the PettingZoo environments.

In each round every player plays a card, and the highest card takes all cards played. Players who tie for the highest
card go to war: each puts down discards and a battle card in one choice. Players pick up the cards that they have won
once their hand is empty. A player without cards is out, and the last player in the game wins.

Agents are `player_0` ... `player_{num_players - 1}`. An observation is
`{"observation": float32[(2 * num_players + 1) * ranks + 2 * num_players + 1], "action_mask":
int8[actions]}`: for each seat, in order from the agent's own, the counts of each rank in its hand and in its
wins pile; the counts of each rank in the pot; for each seat, 1 if it is in the current war; for each seat, 1
if it is in the game; rounds left. Actions `0..ranks-1` play a card of that rank; then come the war choices,
and the last action is to wait: `cardwar_envs.games.war.War.actions` encodes and decodes actions. In the
Parallel API, an agent without a choice submits the action to wait, the only one that its mask allows.

Rewards are payoff points: a player pays 1 / (num_players - 1) when it goes out, and the players left at the
end share these payments. `infos` hold the mask and the paper's `utility`, the sum of the player's cards.

`env` and `raw_env` make the same AEC environment (no wrapper is needed), and `parallel_env` makes the Parallel
environment; `help(env)` lists their parameters.

Version history: 0: first version.
"""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("war")
