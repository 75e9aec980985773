"""Stable-Baselines3 and sb3-contrib as their users take them: two idioms, models as policies, exact figures."""

import dataclasses
import re
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable import evaluation as maskable
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
from thinning import each_row

from baselines import exploitability, head_to_head
from cardwar_envs import GameBatch, IllegalActionError, Pool, make_game
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.sb3 import ExploitabilityCallback, from_sb3, make_against, make_self_play
from cardwar_envs.sb3.against import AgainstVecEnv, Opponents

GAME = make_game("jujitsu", num_cards=3)
SHORT = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "seed": 0, "device": "cpu"}
FORFEITS = {"num_cards": 3, "illegal_action": "forfeit"}
POOL = Pool(["uniform", "highest_card", "lowest_card"])


def start():
    """What both players see of the first state, and their masks."""
    state = GAME.initial()[0].state
    seen = [GAME.observation(state, player) for player in (0, 1)]
    return np.stack(seen), np.stack([GAME.action_mask(state, player) for player in (0, 1)])


def test_ppo_of_sb3_learns_in_environments_by_name():
    envs = make_vec_env("cardwar/Jujitsu-v0", n_envs=2, seed=0, env_kwargs={**FORFEITS, "opponent": POOL})
    model = PPO("MultiInputPolicy", envs, **SHORT).learn(64)
    policy = from_sb3(model)
    seen, masks = start()
    expected = model.policy.get_distribution(
        {"observation": torch.as_tensor(seen), "action_mask": torch.as_tensor(masks)}
    ).distribution.probs
    assert np.allclose(policy.action_probabilities(seen, masks), expected.detach().numpy())
    with pytest.raises(ValueError, match="on illegal action"):
        exploitability(GAME, policy)
    with pytest.warns(UserWarning, match="illegal actions had"):
        assert 0.0 < exploitability(GAME, policy, illegal="renormalise") <= 1.0


@pytest.mark.parametrize("kind", ["self-play", "against a pool", "one player"])
def test_maskable_ppo_learns_with_masks(kind):
    envs = {
        "self-play": lambda: make_self_play("jujitsu", 4, num_cards=3),
        "against a pool": lambda: VecMonitor(make_against(GAME, 4, opponent=POOL)),
        "one player": lambda: gymnasium.make("cardwar/Jujitsu-v0", num_cards=3),
    }[kind]()
    name = "MultiInputPolicy" if kind == "one player" else "MlpPolicy"
    callback = ExploitabilityCallback(GAME, every=100)
    model = MaskablePPO(name, envs, **SHORT).learn(200, callback=callback)
    steps, figures = zip(*callback.history, strict=True)
    assert steps[0] == 0
    assert len(steps) >= 3
    assert steps[-1] == model.num_timesteps
    policy = from_sb3(model)
    assert len(set(figures)) == len(figures), "each model has trained on the steps before it"
    assert figures[-1] == exploitability(GAME, policy)
    assert -1.0 <= head_to_head(GAME, policy, "uniform").mean <= 1.0
    if kind == "against a pool":
        assert len(model.ep_info_buffer) > 10, "VecMonitor sees games end"
    other = dataclasses.replace(GAME, payoff="margin")  # with the same observations and actions
    with pytest.raises(ValueError, match=re.escape(f"the callback measures {other}, but the model trains on {GAME}")):
        model.learn(8, callback=ExploitabilityCallback(other))


def test_a_seed_of_sb3_repeats_everything():
    def learned(seed):
        envs = make_against(GAME, 4, opponent="uniform")
        model = MaskablePPO("MlpPolicy", envs, **{**SHORT, "seed": seed}).learn(64)
        return from_sb3(model).action_probabilities(*start())

    assert np.array_equal(learned(1), learned(1))
    assert not np.array_equal(learned(1), learned(2))


def test_a_seed_is_that_of_the_batch():
    for make in (make_self_play, make_against):
        by_argument, by_method = make("dice_wars", 3, seed=7, num_cards=3), make("dice_wars", 3, num_cards=3)
        by_method.seed(7)
        shown = [[envs.reset()] for envs in (by_argument, by_method)]
        for _ in range(9):
            for envs, seen in zip((by_argument, by_method), shown, strict=True):
                seen.append(envs.step(envs.action_masks().argmax(axis=1))[:3])
        assert repr(shown[0]) == repr(shown[1])


def test_dqn_plays_the_action_of_greatest_value():
    model = DQN("MultiInputPolicy", make_vec_env("cardwar/Jujitsu-v0", env_kwargs=FORFEITS), seed=0, device="cpu")
    seen, masks = start()
    masks[1, 0] = 0
    with torch.no_grad():
        model.q_net.q_net[-1].bias.copy_(torch.tensor([9.0, 0.0, 5.0]))
    plays = from_sb3(model).action_probabilities(seen, masks)
    assert plays.tolist() == [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match="all probability is on illegal actions"):
        exploitability(GAME, from_sb3(model), illegal="renormalise")
    legal = from_sb3(model, legal_only=True)
    assert legal.action_probabilities(seen, masks).tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert exploitability(GAME, legal) == 1.0


def test_a_model_is_an_opponent_and_keeps_learning_mode_as_it_was():
    model = MaskablePPO("MlpPolicy", make_self_play(GAME, 2), **SHORT)
    model.policy.set_training_mode(True)
    env = SingleAgentEnv(GAME, opponent=from_sb3(model))
    env.reset(seed=0)
    assert [env.step(card)[2] for card in (0, 1, 2)] == [False, False, True]
    assert model.policy.training


def test_normalized_observations_are_normalized_for_the_oracle_too():
    envs = VecNormalize(make_self_play(GAME, 2), norm_reward=False)
    model = MaskablePPO("MlpPolicy", envs, **SHORT).learn(64)
    seen, masks = start()
    expected = model.policy.get_distribution(
        torch.as_tensor(envs.normalize_obs(seen)), action_masks=masks
    ).distribution.probs
    assert np.allclose(from_sb3(model).action_probabilities(seen, masks), expected.detach().numpy())


def test_a_loaded_model_needs_the_statistics_that_it_was_trained_with(tmp_path):
    envs = VecNormalize(make_self_play(GAME, 2), norm_reward=False)
    model = MaskablePPO("MlpPolicy", envs, **SHORT)
    fresh = from_sb3(model)
    model.learn(64).save(tmp_path / "model")
    envs.save(str(tmp_path / "statistics.pkl"))
    seen, masks = start()
    expected = from_sb3(model).action_probabilities(seen, masks)
    assert np.array_equal(fresh.action_probabilities(seen, masks), expected), "the current statistics"

    alone = MaskablePPO.load(tmp_path / "model", device="cpu")
    for given in (envs, tmp_path / "statistics.pkl", str(tmp_path / "statistics.pkl")):
        assert np.array_equal(from_sb3(alone, normalize=given).action_probabilities(seen, masks), expected)
    raw = from_sb3(alone, normalize=False).action_probabilities(seen, masks)
    assert not np.allclose(raw, expected)

    plain, again = make_self_play(GAME, 2), make_self_play(GAME, 2)
    for without in (None, plain, VecNormalize(plain)):
        loaded = MaskablePPO.load(tmp_path / "model", env=without, device="cpu")
        with pytest.raises(ValueError, match=r"model \(MaskablePPO\) was trained under VecNormalize.*normalize=PATH"):
            from_sb3(loaded)
    loaded = MaskablePPO.load(tmp_path / "model", VecNormalize.load(str(tmp_path / "statistics.pkl"), again), "cpu")
    assert np.array_equal(from_sb3(loaded).action_probabilities(seen, masks), expected)

    loaded = MaskablePPO.load(tmp_path / "model", plain, "cpu")
    loaded.learn(8, callback=ExploitabilityCallback(GAME))  # measured on the raw observations that it now trains on

    other = VecNormalize(make_self_play("jujitsu", 2, num_cards=4))
    for wrong, message in (
        (tmp_path / "model.zip", "must be a VecNormalize, the path of a saved one, or False"),
        (True, "normalize (True) must be a VecNormalize"),
        (other, "normalize is for Box("),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            from_sb3(alone, normalize=wrong)


@pytest.mark.parametrize("normalized", [True, False])
def test_a_loaded_dqn_needs_statistics_if_its_last_observation_was_normalized(tmp_path, normalized):
    envs = make_vec_env("cardwar/Jujitsu-v0", n_envs=2, seed=0, env_kwargs=FORFEITS)
    if normalized:
        envs = VecNormalize(envs, norm_obs_keys=["observation"])
    model = DQN("MultiInputPolicy", envs, learning_starts=8, seed=0, device="cpu", buffer_size=100).learn(64)
    model.save(tmp_path / "model")
    loaded = DQN.load(tmp_path / "model", device="cpu")
    if normalized:
        with pytest.raises(ValueError, match=r"model \(DQN\) was trained under VecNormalize"):
            from_sb3(loaded)
    policy = from_sb3(loaded, normalize=envs if normalized else None)
    assert np.array_equal(policy.action_probabilities(*start()), from_sb3(model).action_probabilities(*start()))


@pytest.mark.filterwarnings("ignore:Evaluation environment is not wrapped")
@pytest.mark.parametrize("kind", ["one player", "vector", "against"])
def test_evaluation_without_masks_names_the_evaluation_with_masks(kind):
    make = {
        "one player": lambda: gymnasium.make("cardwar/Jujitsu-v0", num_cards=3),
        "vector": lambda: make_vec_env("cardwar/Jujitsu-v0", n_envs=2, seed=0, env_kwargs={"num_cards": 3}),
        "against": lambda: make_against(GAME, 2, seed=0),
    }[kind]
    model = MaskablePPO("MlpPolicy" if kind == "against" else "MultiInputPolicy", make(), **SHORT)
    with pytest.raises(IllegalActionError, match=r"use evaluate_policy of sb3_contrib\.common\.maskable\.evaluation"):
        evaluate_policy(model, make(), n_eval_episodes=200, deterministic=False)
    mean, _ = maskable.evaluate_policy(model, make(), n_eval_episodes=4, deterministic=False)
    assert -1.0 <= mean <= 1.0


def test_other_models_are_refused():
    cart = PPO("MlpPolicy", gymnasium.make("CartPole-v1"), device="cpu")
    with pytest.raises(ValueError, match=re.escape("model PPO takes observations of shape (4,), not (8,)")):
        from_sb3(cart).action_probabilities(*start())
    pendulum = SAC("MlpPolicy", gymnasium.make("Pendulum-v1"), device="cpu")
    for other in (pendulum, "ppo", None):
        with pytest.raises(ValueError, match="must be a Stable-Baselines3 model with a Discrete action space"):
            from_sb3(other)
    with pytest.raises(ValueError, match="legal_only is for DQN"):
        from_sb3(cart, legal_only=True)


@each_row(
    ("arguments", "message"),
    [
        ({"colour": "red"}, "no parameter 'colour'"),
        ({"num_games": 0}, "num_games (0) must be in 1..10000000"),
        ({"num_games": 2.0}, "num_games (2.0) must be an integer"),
        ({"start": "middle"}, "start ('middle') must be one of"),
        ({"opponent": "grandmaster"}, "unknown policy 'grandmaster'"),
        ({"opponent": ["uniform", "uniform"]}, "2 opponents given for 1 other seats; to draw an opponent per game"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make_against("jujitsu", **arguments)
    if "colour" in arguments:
        with pytest.raises(TypeError, match="colour"):
            make_self_play("jujitsu", **arguments)


@pytest.mark.parametrize("make", [make_self_play, make_against])
def test_actions_that_do_not_fit_are_refused(make):
    envs = make("jujitsu", 2, num_cards=3)
    envs.reset()
    shape = (envs.num_envs,)
    for actions in (np.zeros(1, dtype=int), np.zeros((*shape, 1), dtype=int), np.zeros(shape), 0):
        with pytest.raises(ValueError, match=re.escape(f"must be integers of shape {shape}")):
            envs.step(actions)


def test_the_seats_of_the_learner_are_a_mask():
    batch, opponents = GameBatch(GAME, 2), Opponents.of("uniform", GAME)
    for learns in (np.ones((2, 2), dtype=np.int64), np.ones((1, 2), dtype=bool)):
        with pytest.raises(
            ValueError, match=re.escape("must be a NumPy array of bools, or of int8 0 and 1, of shape (2, 2)")
        ):
            AgainstVecEnv(batch, opponents, 0, learns)
    with pytest.raises(ValueError, match="learns must be true for a seat of each game; it is not for game 1"):
        AgainstVecEnv(batch, opponents, 0, np.array([[True, False], [False, False]]))


def test_the_callback_checks_what_it_is_given():
    with pytest.raises(ValueError, match=re.escape("game ('jujitsu') must be a game, such as")):
        ExploitabilityCallback("jujitsu")
    with pytest.raises(ValueError, match=re.escape("every (0) must be in")):
        ExploitabilityCallback(GAME, every=0)


def test_without_the_extra_one_line_names_it():
    code = (
        "import sys, cardwar_envs; assert not {'stable_baselines3', 'torch'} & set(sys.modules)\n"
        "sys.modules['stable_baselines3'] = None\n"
        "try:\n    import cardwar_envs.sb3\nexcept ImportError as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    expected = "cardwar_envs.sb3 needs stable_baselines3; it comes with the extra: pip install 'cardwar-envs[train]'\n"
    assert (run.stdout, run.stderr) == (expected, "")
