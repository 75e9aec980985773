"""A caller's mistake is one clear line, and the game in progress is left as it was."""

import re

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from knock_out import Always
from skins import every_api, every_game, every_seated, illegal_actions, is_over, one_step, same, view
from thinning import each_row
from toys import Answering

from cardwar_envs import DuelState, IllegalActionError, Pool, make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.session import WITHOUT_MASKS, checked_seed
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv

ALWAYS_THERE = {"game": make_game("jujitsu", num_cards=2)}


def started(skin, **arguments):
    """An environment after its first step, and what can be seen of it."""
    env = skin(**(ALWAYS_THERE | arguments))
    env.reset(seed=0)
    one_step(env, np.random.default_rng(0))
    return env, view(env)


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


@pytest.mark.parametrize("engine", ["compiled", "rules"])
def test_illegal_actions_in_many_games_are_refused_and_change_nothing(engine):
    envs = GameVectorEnv("dice_wars", 2, engine=engine, num_cards=3)
    envs.reset(seed=0)
    envs.step(np.array([0, 1]))
    before = view(envs)
    for action in (1, -1, 3, 10**12):
        message = f"game 1: player_0 cannot play action {action}; legal actions are 0, 2{WITHOUT_MASKS}"
        with pytest.raises(IllegalActionError, match=re.escape(message)):
            envs.step(np.array([1, action]))
    for actions in (np.array([1]), np.array([[1, 2]]), np.array([1.0, 2.0]), np.array([True, False]), None):
        with pytest.raises(ValueError, match=r"must be integers of shape \(2,\)"):
            envs.step(actions)
    assert same(before, view(envs))


def test_the_error_names_a_numpy_action_as_a_plain_number():
    env = SingleAgentEnv("jujitsu", num_cards=3)
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match=r"action 3; legal actions are 0, 1, 2\. Stable-Baselines3"):
        env.step(np.int64(3))


@each_row("actions", [{}, {"player_0": 0, "player_1": 0, "player_2": 0}, {0: 0, "player_1": 0}])
def test_missing_and_extra_agents_are_named(actions):
    env = ParallelGameEnv(**ALWAYS_THERE)
    env.reset(seed=0)
    expected = f"actions are given for {list(actions)}, but must be given for ['player_0', 'player_1']"
    with pytest.raises(ValueError, match=re.escape(expected)):
        env.step(actions)


@each_row(
    ("row", "message"),
    [
        ((0.0, 0.5, 0.4), "sum to 0.9"),
        ((0.5, 0.5), "2), not ("),
        ((np.nan, 0.5, 0.5), "finite"),
        ((1.0, 0.0, 0.0), "on illegal action 0; legal actions are [1, 2]"),
    ],
)
@every_seated
def test_an_opponent_that_answers_nonsense_changes_nothing(skin, row, message):
    env = skin("jujitsu", opponent=Answering(lambda _, masks: np.tile(row, (len(masks), 1))), num_cards=3)
    env.reset(seed=0, options={"state": DuelState(((1, 2), (2, 3)), score=1)})
    before = view(env)
    with pytest.raises(ValueError, match=re.escape(message)):
        env.step(np.zeros(1, dtype=int) if skin is GameVectorEnv else 0)
    assert same(before, view(env))


# -- out of turn ------------------------------------------------------------------------------


@every_api
def test_nothing_goes_before_reset(skin):
    env = skin(**ALWAYS_THERE, render_mode="ansi")
    with pytest.raises(ValueError, match="start"):
        env.reset(options={"start": "late"})
    calls = [lambda: env.step(np.zeros(1, dtype=int)), env.render]
    calls += [env.state] if skin in (AECGameEnv, ParallelGameEnv) else []
    calls += [lambda: env.observe("player_0")] if skin is AECGameEnv else []
    calls += [env.action_masks] if skin is GameVectorEnv else []
    for call in calls:
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    env.reset(seed=0)
    one_step(env, np.random.default_rng(0))


# -- making an environment --------------------------------------------------------------------

POLICY = "must be a name or have a method action_probabilities"


@each_row(
    ("arguments", "message"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": None}, "game (None) must be a game or the name of a game"),
        ({"game": type(ALWAYS_THERE["game"])}, "must be a game or the name of a game"),
        ({"game": "jujitsu", "cards": 3}, "jujitsu has no parameter 'cards'"),
        ({"game": "jujitsu", "num_cards": 0}, "num_cards (0) must be in 1..1000"),
        ({"num_cards": 3}, "parameters ['num_cards'] can only be given with the name of a game"),
        ({"render_mode": "film"}, "render_mode ('film') must be one of None, 'human', 'ansi', 'rgb_array'"),
        ({"illegal_action": "ignore"}, "illegal_action ('ignore') must be one of 'raise', 'forfeit'"),
    ],
)
@every_api
def test_bad_arguments(skin, arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        skin(**(ALWAYS_THERE | arguments))


@each_row(
    ("arguments", "message"),
    [
        *(({"seat": seat}, f"seat ({seat!r}) must be one of 0, 1") for seat in (-1, 2, "player_0", None, 0.5)),
        *(({"opponent": wrong}, POLICY) for wrong in (Always, object(), None, 3, [3], {"player_1": "uniform"})),
        ({"opponent": "grandmaster"}, "unknown policy 'grandmaster'; policies for"),
        ({"opponent": ["grandmaster"]}, "unknown policy 'grandmaster'"),
        ({"opponent": Pool(["uniform", "grandmaster"])}, "unknown policy 'grandmaster'"),
        ({"opponent": []}, "0 opponents given for 1 other seats"),
        (
            {"opponent": ["uniform"] * 2},
            "2 opponents given for 1 other seats; to draw an opponent per game",
        ),
    ],
)
@every_seated
def test_bad_seats_and_opponents(skin, arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        skin(**ALWAYS_THERE, **arguments)


@each_row(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs (0) must be in 1..10000000"),
        ({"num_envs": 2.0}, "num_envs (2.0) must be an integer"),
        ({"num_envs": 10**12}, "num_envs (1000000000000) must be in"),
        ({"engine": "steam"}, "engine ('steam') must be one of"),
        *(
            ({"autoreset_mode": mode}, f"autoreset_mode ({mode!r}) must be one of 'NextStep', 'SameStep', 'Disabled'")
            for mode in ("next", 3, None)
        ),
    ],
)
def test_bad_arguments_of_many_games(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        GameVectorEnv("jujitsu", **arguments)


@each_row("given", [{"game": "jujitsu"}, ALWAYS_THERE])
@every_api
def test_an_unknown_keyword_is_a_type_error_too(skin, given):
    """Stable-Baselines3 and TorchRL try keywords of their own, and go on without them after a TypeError."""
    for error in (TypeError, ValueError):
        with pytest.raises(error, match=r"^unexpected keyword argument 'frameskip'"):
            skin(**given, frameskip=4)


# -- options of reset -------------------------------------------------------------------------


@each_row(
    ("options", "message"),
    [
        ({"state": DuelState(((1, 2, 3), (1, 2)))}, "unequal size"),
        ({"state": DuelState(((3,), (1,)))}, "cannot hold: [3]"),
        ({"state": DuelState(((1,), (1,)), score=5)}, "score 5"),
        ({"state": "12"}, "DuelState"),
        ({"state": [[[1], [1]], 0, 0]}, "DuelState"),
        ({"state": DuelState(((), ()), score=0, ties=2)}, "must not be one in which the game is over"),
        ({"start": "middle"}, "start ('middle') must be one of 'initial', 'random'"),
        ({"start": None}, "start (None) must be one of"),
        ({"start": "random", "state": DuelState(((1, 2), (1, 2)))}, "'state' and 'start' cannot be given together"),
    ],
)
@every_api
def test_bad_options_change_nothing(skin, options, message):
    env, before = started(skin)
    for seed in (None, 7):
        with pytest.raises(ValueError, match=re.escape(message)) as error:
            env.reset(seed=seed, options=options)
        assert "\n" not in str(error.value)
        assert same(before, view(env))


@each_row("seed", [1.5, "1", -1])
def test_a_seed_must_be_a_natural_number(seed):
    with pytest.raises(ValueError, match=r"seed \(.*\) must be an integer of at least 0, or None"):
        checked_seed(seed)


@each_row(
    ("arguments", "error", "message"),
    [
        ({"seed": [1, 2, 3]}, ValueError, "3 seeds given for 2 games"),
        *(
            # Of both types, because Gymnasium's own vector environments raise either.
            ({"seed": 1, "options": {"reset_mask": mask}}, error, "reset_mask (")
            for mask in ([True, False], np.array([1, 0]), np.array([True]), np.zeros(2, dtype=bool), None)
            for error in (TypeError, ValueError)
        ),
    ],
)
def test_bad_seeds_and_masks_of_many_games_change_nothing(arguments, error, message):
    envs, before = started(GameVectorEnv, num_envs=2)
    with pytest.raises(error, match=re.escape(message)):
        envs.reset(**arguments)
    assert same(before, view(envs))
