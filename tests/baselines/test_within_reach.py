"""Whether a game is in the reach of the oracles is said without a policy being measured."""

import pytest

from baselines.oracles.choice import within_reach
from cardwar_envs import make_game
from tests.helpers.tiny_games import TINY_GAMES, each_of


@each_of(TINY_GAMES)
def test_small_games_are(game):
    assert within_reach(game)


@pytest.mark.parametrize(
    ("name", "parameters"), [("jujitsu", {}), ("war", {}), ("goofspiel", {"num_cards": 9})], ids=lambda part: str(part)
)
def test_games_with_too_many_states_are_not(name, parameters):
    assert not within_reach(make_game(name, **parameters))
