"""One seat against policies: who may sit there, what comes out, and the libraries that use it."""

import re

import gymnasium
import numpy as np
import pytest
from knock_out import Always
from skins import SingleAgentEnv, choose, every_game
from thinning import each_row
from toys import Answering

from cardwar_envs import DuelState

TINY = {"num_cards": 3}


@each_row("opponent", ["lowest_card", Always(0), ["lowest_card"], (Always(0),)])
def test_opponents_of_all_kinds(opponent):
    """Against 1, 2, 3 in this order, 2, 3, 1 wins twice and loses once."""
    env = SingleAgentEnv("dinosaur_war", **TINY, opponent=opponent)
    env.reset(seed=0)
    assert [env.step(action)[1:3] for action in (1, 2, 0)] == [(1.0, False), (1.0, False), (-1.0, True)]


@pytest.mark.thin
@pytest.mark.parametrize("opponent", ["uniform", "uniform_actions"])
@every_game
def test_opponents_for_any_game(game, opponent):
    env, rng = SingleAgentEnv(game, opponent=opponent), np.random.default_rng(100)
    env.reset(seed=0)
    steps, terminated = 0, False
    while not terminated:
        terminated = env.step(choose(env, 0, rng))[2]
        steps += 1
    assert 1 <= steps <= game.facts.max_length


def test_uniform_is_the_default_and_plays_every_card_alike():
    """With hand 1, 1, 2 the first card is a 1 in two games of three, within 4.5 standard errors."""
    env = SingleAgentEnv("dinosaur_war", hand_0=(1, 1, 2), hand_1=(1, 1, 2))
    env.reset(seed=0)
    ones, games = 0, 2000
    for _ in range(games):
        env.reset()
        env.step(0)
        ones += env._session.last_actions[1] == 0
    assert abs(ones / games - 2 / 3) < 4.5 * np.sqrt(2 / 9 / games)


@each_row(
    ("opponent", "message"),
    [
        ("grandmaster", "unknown policy 'grandmaster'; policies for"),
        (Always, "must be a name or have a method action_probabilities"),
        (object(), "must be a name or have a method action_probabilities"),
        (None, "policy (None) must be a name or have a method action_probabilities"),
        (3, "policy (3) must be a name or have a method action_probabilities"),
        ([3], "policy (3) must be a name or have a method action_probabilities"),
        ({"player_1": "uniform"}, "must be a name or have a method action_probabilities"),
        ([], "0 opponents given for 1 other seats"),
        (["uniform", "uniform"], "2 opponents given for 1 other seats"),
        (["grandmaster"], "unknown policy 'grandmaster'"),
    ],
)
def test_bad_opponents(opponent, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        SingleAgentEnv("jujitsu", **TINY, opponent=opponent)


@each_row(
    ("row", "message"),
    [
        ((0.0, 0.5, 0.4), "sum to 0.9"),
        ((0.5, 0.5), "shape (1, 2), not (1, 3)"),
        ((np.nan, 0.5, 0.5), "finite"),
        ((1.0, 0.0, 0.0), "on illegal action 0; legal actions are [1, 2]"),
    ],
)
def test_an_opponent_that_answers_nonsense_changes_nothing(row, message):
    env = SingleAgentEnv("jujitsu", **TINY, opponent=Answering(lambda *_: np.array([row])))
    state = DuelState(((1, 2), (2, 3)), score=1)
    env.reset(seed=0, options={"state": state})
    before = env._rng.bit_generator.state
    with pytest.raises(ValueError, match=re.escape(message)):
        env.step(0)
    assert (env._session.state, env._rng.bit_generator.state) == (state, before)


# -- what comes out ---------------------------------------------------------------------------

UNLIKE = {"hand_0": (1, 3, 4, 5, 6), "hand_1": (2, 2, 2, 2, 7)}


def test_start_in_a_state_seen_from_the_other_seat():
    env = SingleAgentEnv("dinosaur_war", **UNLIKE, seat=1, opponent="highest_card")
    seen, _ = env.reset(options={"state": DuelState(((4, 6), (2, 7)), score=-1)})
    # ranks 1..7: own 2 and 7, the other's 4 and 6, own score +1, no carried ties
    assert seen["observation"].tolist() == [0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0]
    assert env.action_masks().tolist() == [False, True, False, False, False, False, True]
    assert env.step(6)[1] == 1.0  # 7 beats 6
    assert env.step(1)[1] == -1.0  # 2 loses to 4


# -- with Gymnasium and Stable-Baselines3 -----------------------------------------------------


@pytest.mark.parametrize("wrapped", [True, False])
def test_maskable_ppo_learns_in_it(wrapped):
    """It plays legal cards only, else the environment would raise."""
    sb3_contrib = pytest.importorskip("sb3_contrib")
    env = gymnasium.make("cardwar/Jujitsu-v0", num_cards=3, opponent="lowest_card")
    env = env if wrapped else env.unwrapped
    model = sb3_contrib.MaskablePPO(
        "MultiInputPolicy", env, n_steps=32, batch_size=16, n_epochs=1, seed=0, device="cpu"
    )
    model.learn(64)
    assert model.num_timesteps == 64
    seen, _ = env.reset(seed=0)
    for _ in range(3):
        action, _ = model.predict(seen, action_masks=env.get_wrapper_attr("action_masks")())
        seen, _, terminated, _, _ = env.step(action)
    assert terminated
