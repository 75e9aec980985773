"""Liar's dice, version 0: PettingZoo environments. `help(env)` describes observations and parameters."""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("liars_dice")
