"""WAR in the skins: full decks for 2, 3 and 7 players, whom the small games of the other tests do not show."""

import pytest
from gymnasium.utils.env_checker import check_env
from test_env_conformance import (
    DICT_OBSERVATION,
    DICT_SPACE,
    NO_SPEC,
    NOTHING_LEGAL,
    check_aec,
    check_parallel,
    conformance,
)

from cardwar_envs import make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv

players = pytest.mark.parametrize("players", [2, 3, 7])


def war(players, **parameters):
    return make_game("war", num_players=players, **{"max_rounds": 30, **parameters})


# -- conformance --------------------------------------------------------------------------------


@pytest.mark.filterwarnings(DICT_SPACE, DICT_OBSERVATION, NOTHING_LEGAL, NO_SPEC)
@players
def test_pettingzoos_and_gymnasiums_tests(players):
    game = war(players)
    check_aec(game, render=False)
    conformance.render_test(lambda render_mode: AECGameEnv(war(players, max_rounds=5), render_mode=render_mode))
    check_parallel(game)
    check_env(SingleAgentEnv(game, seat=players - 1, illegal_action="forfeit", render_mode="ansi"))


def test_an_adversary_must_know_the_agent_too():
    """The agent is one of the others, and no policy that could be asked."""
    with pytest.raises(ValueError, match="needs the policies of the 1 other seats"):
        SingleAgentEnv("war", opponent="general_purpose_adversary")
    env = SingleAgentEnv("war", num_players=3, opponent=["min", "simple_minded_1"], seat=1)
    env.reset(seed=0)
    assert env.step(11)[1] == 0.0
    assert env._session.last_actions == {0: 0, 1: 11, 2: 11}
    assert env._session.acting == (1, 2)
