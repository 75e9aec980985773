"""The conformance tests of PettingZoo and Gymnasium; warnings are errors, as everywhere (pyproject.toml)."""

import warnings

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from skins import every_game

from cardwar_envs import GAMES
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.registration import gymnasium_id
from cardwar_envs.envs.single_agent import SingleAgentEnv

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it imports its own environments the old way
    import pettingzoo.test as conformance

# api_test knows observations as arrays only; the mask belongs into the observation all the same.
DICT_SPACE = "ignore:Observation space for each agent probably should be gymnasium.spaces.box:UserWarning"
DICT_OBSERVATION = "ignore:Observation is not a NumPy array:UserWarning"
# The agent that has just died has nothing to choose, which is what an all-zero mask says.
NOTHING_LEGAL = "ignore:Action mask numpy array is all zeros:UserWarning"
# Empty hands and an even score: nothing but zeros is there to be seen at the end.
ALL_ZEROS = "ignore:Observation numpy array is all zeros:UserWarning"
# check_env wants a spec to make copies from; `test_check_env_when_registered` has one.
NO_SPEC = "ignore:.*Not able to test alternative render modes:UserWarning"


@pytest.mark.filterwarnings(DICT_SPACE, DICT_OBSERVATION, NOTHING_LEGAL, ALL_ZEROS)
@every_game
def test_pettingzoos_tests(game):
    for illegal_action in ("raise", "forfeit"):
        conformance.api_test(AECGameEnv(game, illegal_action=illegal_action), num_cycles=100)
        conformance.parallel_api_test(ParallelGameEnv(game, illegal_action=illegal_action), num_cycles=100)
    conformance.seed_test(lambda: AECGameEnv(game), num_cycles=50)
    conformance.render_test(lambda render_mode: AECGameEnv(game, render_mode=render_mode))
    # It samples from the whole space, hence the forfeit.
    conformance.parallel_seed_test(lambda: ParallelGameEnv(game, illegal_action="forfeit"), num_cycles=50)


@pytest.mark.filterwarnings(NO_SPEC)
@every_game
def test_check_env(game):
    for seat in range(game.facts.num_players):
        # It samples from the whole space, hence the forfeit.
        check_env(SingleAgentEnv(game, seat=seat, illegal_action="forfeit", render_mode="ansi"))


@pytest.mark.parametrize("name", GAMES)
def test_check_env_when_registered(name):
    for seat in (0, 1):
        check_env(gymnasium.make(gymnasium_id(name), seat=seat, illegal_action="forfeit").unwrapped)
