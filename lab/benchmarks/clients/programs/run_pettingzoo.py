"""PettingZoo's own conformance tests."""

import pettingzoo.test as tests
from each_game import on_each_game

from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv


def forfeiting(game):
    """The test samples from the whole space, so illegal actions must be allowed."""
    return ParallelGameEnv(game, illegal_action="forfeit")


on_each_game("`api_test`", lambda game: tests.api_test(AECGameEnv(game), num_cycles=100))
on_each_game("`parallel_api_test`", lambda game: tests.parallel_api_test(ParallelGameEnv(game), num_cycles=100))
on_each_game("`seed_test`", lambda game: tests.seed_test(lambda: AECGameEnv(game), num_cycles=50))
on_each_game(
    "`parallel_seed_test`, illegal actions forfeit",
    lambda game: tests.parallel_seed_test(lambda: forfeiting(game), num_cycles=50),
)
on_each_game(
    "`render_test`", lambda game: tests.render_test(lambda render_mode: AECGameEnv(game, render_mode=render_mode))
)
