"""PPO in self-play: its environments, its schedules, and the library's own settings."""

import dataclasses
import gc
import inspect
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from thinning import each_row

from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.self_play import SelfPlayVecEnv
from train.algorithms import ppo
from train.algorithms.experience.decisions import actor
from train.measures.exact import evaluate
from train.studies.study_file import read_study

GAME = make_game("jujitsu", num_cards=3)
STUDIES = Path(__file__).parents[3] / "studies"
SMALL = {"num_games": 16, "rollout": 5, "batch_size": 64, "width": 16}


@each_row("relu", [0, 1])
def test_it_plays_with_the_probabilities_of_its_distribution(relu):
    learner = ppo.Learner(GAME, ppo.Args(relu=relu, **SMALL), seed=0)
    figures = learner.advance(160)
    assert learner.steps == 160
    assert figures.keys() == ppo.Learner.logged.keys()
    assert all(math.isfinite(figure) for figure in figures.values())
    _, observations, masks = full_graph(GAME).seen_by(1)
    distribution = learner._model.policy.get_distribution(torch.from_numpy(observations), masks)
    expected = distribution.distribution.probs.detach().numpy()
    probabilities = learner.policy().action_probabilities(observations, masks)
    assert probabilities == pytest.approx(expected, abs=1e-6)
    assert not probabilities[masks == 0].any()


def test_it_soon_gets_better_than_uniform_play():
    args = ppo.Args(num_games=32, rollout=9, batch_size=288, width=32, learning_rate=3e-3)
    learner = ppo.Learner(GAME, args, seed=0)
    learner.advance(2_304)
    # Uniform play's exploitability is 0.5; later on the learner circles.
    assert evaluate(GAME, learner.policy()).exploitability < 0.35


def test_rollouts_leave_no_circles_of_references_behind():
    """What they would hold, masks included, lives until Python's collector runs, which may be gigabytes later."""
    learner = ppo.Learner(GAME, ppo.Args(**SMALL), seed=0)
    learner.advance(160)
    gc.disable()
    gc.freeze()  # what was there before is not looked at
    try:
        learner.advance(320)
        assert gc.collect() == 0
    finally:
        gc.unfreeze()
        gc.enable()


def test_learning_rate_and_entropy_fall_over_the_whole_run():
    """And not anew from one evaluation to the next, as SB3's own schedule would."""
    args = ppo.Args(
        steps=200, num_games=10, rollout=2, batch_size=40, width=8,
        learning_rate=0.01, final_rate=0.5, entropy=0.1, final_entropy=0.2,
    )  # fmt: skip
    learner, seen = ppo.Learner(GAME, args, seed=0), []
    for steps in (20, 100, 200):
        learner.advance(steps)
        assert learner.steps == steps
        seen.append((learner._model.policy.optimizer.param_groups[0]["lr"], learner._model.ent_coef))
    # set before each rollout of 20 steps, by the steps played until then
    shares = [0 / 200, 80 / 200, 180 / 200]
    assert seen == [pytest.approx((0.01 * (1 - 0.5 * share), 0.1 * (1 - 0.8 * share))) for share in shares]


def test_the_librarys_preset_is_what_it_ships():
    preset = [run.args for run in read_study(STUDIES / "learning_curves.toml").runs if "ppo_library" in run.name]
    assert preset
    shipped = {name: each.default for name, each in inspect.signature(MaskablePPO).parameters.items()}
    fresh = MaskablePPO("MlpPolicy", SelfPlayVecEnv(GameBatch(GAME, 1, seed=0)), device="cpu")
    same = [
        "n_steps", "batch_size", "n_epochs", "gamma", "gae_lambda", "normalize_advantage", "ent_coef", "vf_coef",
        "max_grad_norm", "clip_range_vf", "target_kl",
    ]  # fmt: skip
    for args in {dataclasses.replace(each, num_games=1) for each in preset}:
        learner = ppo.Learner(GAME, args, seed=0)
        learner._before_rollout()
        model = learner._model
        assert {name: getattr(model, name) for name in same} == {name: shipped[name] for name in same}
        for learner.steps in (0, args.steps // 2):
            assert model.lr_schedule(1.0) == shipped["learning_rate"]
            assert model.clip_range(1.0) == shipped["clip_range"]
        assert [*map(str, model.policy.children())] == [*map(str, fresh.policy.children())]  # the same layers
        assert model.policy.optimizer.defaults == fresh.policy.optimizer.defaults


def test_the_model_gets_all_arguments():
    args = ppo.Args(
        num_games=3, rollout=7, batch_size=11, epochs=2, learning_rate=0.02, gamma=0.9, gae_lambda=0.3,
        normalize_advantage=1, clip_range=0.1, entropy=0.07, width=5, layers=3,
    )  # fmt: skip
    learner = ppo.Learner(GAME, args, seed=0)
    learner._before_rollout()
    model = learner._model
    assert (model.n_envs, model.n_steps, model.batch_size, model.n_epochs) == (6, 7, 11, 2)
    assert (model.gamma, model.gae_lambda, model.clip_range(1.0), model.ent_coef) == (0.9, 0.3, 0.1, 0.07)
    assert model.normalize_advantage is True
    assert model.lr_schedule(1.0) == 0.02
    assert [tuple(each.shape) for each in actor(model.policy).parameters()][::2] == [(5, 8), (5, 5), (5, 5), (3, 5)]


def test_a_minibatch_of_one_cannot_be_normalized():
    args = {"num_games": 4, "rollout": 8, "batch_size": 21, "width": 8}
    with pytest.raises(
        ValueError, match=r"batch_size \(21\) must not leave a minibatch with one of the 64 decisions of a rollout"
    ):
        ppo.Learner(GAME, ppo.Args(normalize_advantage=1, **args), seed=0)
    figures = ppo.Learner(GAME, ppo.Args(**args), seed=0).advance(32)
    assert all(math.isfinite(figure) for figure in figures.values())


def test_every_seat_of_every_game_is_an_environment_of_its_own():
    envs = SelfPlayVecEnv(GameBatch(GAME, 2, seed=0))
    assert envs.num_envs == 4
    observations = envs.reset()
    assert envs.observation_space.contains(observations[0])
    assert is_masking_supported(envs)
    assert get_action_masks(envs).tolist() == [[1, 1, 1]] * 4
    assert envs.env_method("action_masks", indices=[1])[0].tolist() == [1, 1, 1]
    # Game 0: 1 against 3, 3 against 1, 2 against 2, a draw; game 1: 3 against 2, 2 against 1, 1 against 3.
    tricks = [[0, 2, 2, 1], [2, 0, 1, 0], [1, 1, 0, 2]]
    for trick, actions in enumerate(tricks):
        observations, rewards, dones, infos = envs.step(np.array(actions))
        assert dones.tolist() == [trick == 2] * 4
        assert infos == [{}, {}, {}, {}]
    assert rewards.dtype == np.float32
    assert rewards.tolist() == [0.0, 0.0, 1.0, -1.0]
    assert get_action_masks(envs).tolist() == [[1, 1, 1]] * 4


def test_the_environments_of_seats_have_nothing_else():
    envs = SelfPlayVecEnv(GameBatch(GAME, 1, seed=0))
    for call, message in ((envs.action_masks, "reset must be called first"), (envs.step_wait, "step_async must be")):
        with pytest.raises(ValueError, match=message):
            call()
    assert envs.get_attr("render_mode") == [None, None]
    assert envs.env_is_wrapped(object) == [False, False]
    for call in (lambda: envs.get_attr("deck"), lambda: envs.set_attr("deck", 1), lambda: envs.env_method("peek")):
        with pytest.raises(AttributeError):
            call()
    envs.close()
