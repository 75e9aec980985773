"""Every game's AEC and Parallel environment against the rules as a model, under any order of calls.

Resets (seeded or not, from any start), legal and illegal steps come in any order; after each call everything that can
be seen must be what the rules say, so what is refused has changed nothing. The kit checks copies and looking.
"""

import numpy as np
import pytest
from by_rules import AECPair, ParallelPair
from gymnasium.error import ResetNeeded
from knock_out import KnockOut
from tiny_games import EVERY_GAME

from cardwar_envs import make_game

GAMES = [*EVERY_GAME, make_game("war", num_players=3, ranks=3, discards=1, max_rounds=4), KnockOut()]


@pytest.mark.parametrize("pair", [AECPair, ParallelPair])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.facts.name}-{game.facts.num_players}")
def test_any_calls_go_as_by_the_rules(game, pair):
    ended = 0
    for seed in range(15):
        both, rng = pair(game), np.random.default_rng(seed)
        both.reset(seed, {})
        for _ in range(40):
            steps = [both.step] * 5 + [both.refused_step]
            if not both.agents:
                ended, steps = ended + 1, []
                with pytest.raises(ResetNeeded):
                    both.env.step({} if pair is ParallelPair else None)
            calls = [*steps, both.any_reset, both.refused_reset]
            calls[rng.integers(len(calls))](rng)
            both.assert_same()
    assert ended > 9
