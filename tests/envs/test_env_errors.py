"""A caller's mistake is one clear line, and the game in progress is left as it was."""

import re

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from skins import every_game, every_skin, illegal_actions, is_over, one_step, rest_of_game, same, view
from thinning import each_row

from cardwar_envs import DuelState, IllegalActionError, make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.session import WITHOUT_MASKS, checked_seed
from cardwar_envs.envs.single_agent import SingleAgentEnv

ALWAYS_THERE = {"game": make_game("jujitsu", num_cards=2)}


@every_game
def test_illegal_actions_are_refused_and_change_nothing(game):
    """`tests/envs/test_stateful.py` has those of AEC and Parallel."""
    env, rng = SingleAgentEnv(game), np.random.default_rng(3)
    env.reset(seed=3)
    refused, asked = 0, 0
    while not is_over(env):
        before, state = view(env), env._session.state
        asked += 1
        for action in illegal_actions(game, state, 0):
            legal = ", ".join(map(str, game.legal_actions(state, 0)))
            expected = f"player_0 cannot play action {action!r}; legal actions are {legal}{WITHOUT_MASKS}"
            with pytest.raises(IllegalActionError, match=f"^{re.escape(expected)}$"):
                env.step(action)
            assert same(before, view(env))
            refused += 1
        one_step(env, rng)
    assert refused >= 9 * asked > 0
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0)


def test_the_error_names_a_numpy_action_as_a_plain_number():
    env = SingleAgentEnv("jujitsu", num_cards=3)
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match=r"action 3; legal actions are 0, 1, 2\. Stable-Baselines3"):
        env.step(np.int64(3))


# -- out of turn ------------------------------------------------------------------------------


@every_skin
def test_nothing_goes_before_reset(skin):
    env = skin(**ALWAYS_THERE, render_mode="ansi")
    calls = [lambda: env.step(0), env.render]
    if skin is not SingleAgentEnv:
        calls.append(env.state)
    if skin is AECGameEnv:
        calls.append(lambda: env.observe("player_0"))
    for call in calls:
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    env.reset(seed=0)
    rest_of_game(env)


# -- who acts in the Parallel environment -----------------------------------------------------


@each_row("actions", [{}, {"player_0": 0, "player_1": 0, "player_2": 0}, {0: 0, "player_1": 0}])
def test_missing_and_extra_agents_are_named(actions):
    env = ParallelGameEnv(**ALWAYS_THERE)
    env.reset(seed=0)
    before = view(env)
    expected = f"actions are given for {list(actions)}, but must be given for ['player_0', 'player_1']"
    with pytest.raises(ValueError, match=re.escape(expected)):
        env.step(actions)
    assert same(before, view(env))


# -- making an environment --------------------------------------------------------------------


@each_row(
    ("arguments", "message"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": None}, "game (None) must be a game or the name of a game"),
        ({"game": type(ALWAYS_THERE["game"])}, "must be a game or the name of a game"),
        ({"game": "jujitsu", "cards": 3}, "jujitsu has no parameter 'cards'"),
        ({"game": "jujitsu", "num_cards": 0}, "num_cards (0) must be in 1..1000"),
        ({**ALWAYS_THERE, "num_cards": 3}, "parameters ['num_cards'] can only be given with the name of a game"),
        (
            {**ALWAYS_THERE, "render_mode": "depth_array"},
            "render_mode ('depth_array') must be one of None, 'human', 'ansi', 'rgb_array'",
        ),
        ({**ALWAYS_THERE, "illegal_action": "ignore"}, "illegal_action ('ignore') must be one of 'raise', 'forfeit'"),
    ],
)
@every_skin
def test_bad_arguments(skin, arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        skin(**arguments)


@each_row("seat", [-1, 2, "player_0", None, 0.5])
def test_bad_seats(seat):
    with pytest.raises(ValueError, match=re.escape(f"seat ({seat!r}) must be one of 0, 1")):
        SingleAgentEnv(**ALWAYS_THERE, seat=seat)


@every_skin
def test_arguments_after_the_game_go_by_name(skin):
    with pytest.raises(TypeError, match="positional"):
        skin("jujitsu", "ansi")


# -- options of reset -------------------------------------------------------------------------

OVER = DuelState(((), ()), score=0, ties=2)


@each_row(
    ("options", "message"),
    [
        ({"state": DuelState(((1, 2, 3), (1, 2)))}, "unequal size"),
        ({"state": DuelState(((3,), (1,)))}, "cannot hold: [3]"),
        ({"state": DuelState(((1,), (1,)), score=5)}, "score 5"),
        ({"state": "12"}, "DuelState"),
        ({"state": [[[1], [1]], 0, 0]}, "DuelState"),
        ({"state": OVER}, "must not be one in which the game is over"),
        ({"start": "middle"}, "start ('middle') must be one of 'initial', 'random'"),
        ({"start": None}, "start (None) must be one of"),
        ({"start": "random", "state": DuelState(((1, 2), (1, 2)))}, "'state' and 'start' cannot be given together"),
    ],
)
@every_skin
def test_bad_options_change_nothing(skin, options, message):
    env = skin(**ALWAYS_THERE)
    env.reset(seed=0)
    one_step(env, np.random.default_rng(0))
    before = view(env)
    for seed in (None, 7):
        with pytest.raises(ValueError, match=re.escape(message)) as error:
            env.reset(seed=seed, options=options)
        assert "\n" not in str(error.value)
        assert same(before, view(env))
    rest_of_game(env)


@every_skin
def test_bad_options_at_first(skin):
    env = skin(**ALWAYS_THERE)
    with pytest.raises(ValueError, match="start"):
        env.reset(options={"start": "late"})
    with pytest.raises(ResetNeeded):
        env.step(0)


@each_row("seed", [1.5, "1", -1])
def test_a_seed_must_be_a_natural_number(seed):
    with pytest.raises(ValueError, match=r"seed \(.*\) must be an integer of at least 0, or None"):
        checked_seed(seed)
