"""The parts of learners: environments of seats, buffers, SB3's settings, encodings of observations, and Muon."""

import dataclasses
import gc
import inspect
import math
import time
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
from train.algorithms import nfsp, ppo
from train.algorithms.experience.buffers import Reservoir
from train.algorithms.experience.decisions import actor
from train.algorithms.experience.masked_dqn import NEVER_PLAYED, MaskShowingEnv
from train.algorithms.muon import ORTHOGONAL_STEPS, Muon, optimizers, orthogonal
from train.policies.layers import ROW_SIZE, Encoding, LegalPairs
from train.policies.networks import Network
from train.studies.study_file import read_study

GAME = make_game("jujitsu", num_cards=3)
STUDIES = Path(__file__).parents[3] / "studies"


def test_every_seat_of_every_game_is_an_environment_of_its_own():
    envs = SelfPlayVecEnv(GameBatch(GAME, 2, seed=0))
    for call, message in ((envs.action_masks, "reset must be called before"), (envs.step_wait, "step_async must be")):
        with pytest.raises(ValueError, match=message):
            call()
    assert envs.num_envs == 4
    observations = envs.reset()
    assert envs.observation_space.contains(observations[0])
    assert is_masking_supported(envs)
    assert get_action_masks(envs).tolist() == [[1, 1, 1]] * 4
    assert envs.env_method("action_masks", indices=[1])[0].tolist() == [1, 1, 1]
    # Game 0: 1 against 3, 3 against 1, 2 against 2, a draw; game 1: 3 against 2, 2 against 1, 1 against 3.
    for trick, actions in enumerate([[0, 2, 2, 1], [2, 0, 1, 0], [1, 1, 0, 2]]):
        observations, rewards, dones, infos = envs.step(np.array(actions))
        assert dones.tolist() == [trick == 2] * 4
        assert infos == [{}, {}, {}, {}]
    assert (rewards.dtype, rewards.tolist()) == (np.float32, [0.0, 0.0, 1.0, -1.0])
    assert get_action_masks(envs).tolist() == [[1, 1, 1]] * 4
    assert envs.get_attr("render_mode") == [None] * 4
    assert envs.env_is_wrapped(object) == [False] * 4
    for call in (lambda: envs.get_attr("deck"), lambda: envs.set_attr("deck", 1), lambda: envs.env_method("peek")):
        with pytest.raises(AttributeError):
            call()
    envs.close()


def test_rollouts_leave_no_circles_of_references_behind():
    """What they would hold, masks included, lives until Python's collector runs, which may be gigabytes later."""
    learner = ppo.Learner(GAME, ppo.Args(num_games=16, rollout=5, batch_size=64, width=16), seed=0)
    learner.advance(160)
    gc.disable()
    gc.freeze()  # what was there before is not looked at
    try:
        learner.advance(320)
        assert gc.collect() == 0
    finally:
        gc.unfreeze()
        gc.enable()


def test_the_librarys_preset_is_what_it_ships():
    preset = [run.args for run in read_study(STUDIES / "standings.toml").runs if "ppo_library" in run.name]
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
    with pytest.raises(ValueError, match=r"batch_size \(21\) must not leave a minibatch with one of the 64 decisions"):
        ppo.Learner(GAME, ppo.Args(normalize_advantage=1, **args), seed=0)
    figures = ppo.Learner(GAME, ppo.Args(**args), seed=0).advance(32)
    assert all(math.isfinite(figure) for figure in figures.values())


def test_a_reservoir_keeps_every_decision_alike():
    """Each of 400 decisions is among the 50 kept with probability 1/8, whenever it came."""
    with pytest.raises(ValueError, match="the buffer is empty"):
        Reservoir(5, [1, 1]).sample(1, np.random.default_rng(0))
    rng, counts = np.random.default_rng(0), np.zeros(400)
    for _ in range(600):
        reservoir = Reservoir(50, [1, 1])
        for begin, end in ((0, 30), (30, 130), (130, 330), (330, 400)):
            numbers = np.arange(begin, end)
            reservoir.add(numbers[:, None].astype(np.float32), np.ones((len(numbers), 1), np.int8), numbers, rng)
        kept = reservoir.state()[0]["actions"]
        assert len(set(kept.tolist())) == 50
        assert np.array_equal(reservoir.state()[0]["observations"][:, 0], kept)
        counts[kept] += 1
    quarters = counts.reshape(4, 100).sum(axis=1) / 600
    assert quarters == pytest.approx([12.5] * 4, abs=0.6)  # five standard deviations
    assert counts.max() < 125  # of 75 expected, 8.1 standard deviation


def fictitious(**args):
    return nfsp.Learner(GAME, nfsp.Args(**{"num_games": 16, "batch_size": 32, "width": 16, **args}), seed=0)


def test_the_reservoir_holds_what_best_responses_played_and_nothing_else(monkeypatch):
    learning = fictitious(anticipatory=0.5, steps=1600)
    added, roles = [], [learning._responds.copy()]
    monkeypatch.setattr(learning._reservoir, "add", lambda *arrays: added.append(arrays[:3]))
    draw = learning._draw_roles
    assert fictitious(anticipatory=0.3)._draw_roles(10_000).mean() == pytest.approx(0.3, abs=0.02)
    monkeypatch.setattr(learning, "_draw_roles", lambda count: roles.append(draw(count)) or roles[-1])
    monkeypatch.setattr(learning, "_improve_average", lambda: 0.0)
    learning.advance(96)
    # Three tricks a game: roles are drawn at the start and hold for three joint actions.
    assert len(added) == 6
    for step, (observations, masks, actions) in enumerate(added):
        assert len(actions) == roles[0 if step < 3 else 3].sum()
        assert observations.shape == (len(actions), GAME.facts.observation_size)
        assert masks[np.arange(len(actions)), actions].all()


def test_illegal_actions_are_worth_less_than_any_other_and_never_played():
    learning = fictitious(anticipatory=1.0, exploration=0.5)
    envs = MaskShowingEnv(SelfPlayVecEnv(GameBatch(GAME, 50, seed=0)), GAME)
    views, rng = envs.reset(), np.random.default_rng(0)
    for _ in range(8):
        masks = envs.action_masks()
        assert np.array_equal(views[:, GAME.facts.observation_size :], masks)
        assert envs.observation_space.contains(views[0])
        values = learning._dqn.q_net(torch.from_numpy(views)).detach().numpy()
        assert (values[masks == 0] == NEVER_PLAYED).all()
        assert (values[masks == 1] > NEVER_PLAYED / 2).all()
        for responds in (np.ones(100, dtype=bool), rng.random(100) < 0.5):
            actions = learning._actions(views, responds)
            assert masks[np.arange(100), actions].all()
        views = envs.step(actions)[0]


def test_legal_pairs_of_nothing_are_empty():
    pairs = LegalPairs.of(np.zeros((2, 5), dtype=np.int8))
    assert pairs.log_softmax(torch.zeros(0)).tolist() == []
    assert pairs.sample(torch.zeros(0), torch.zeros(2)).tolist() == [0, 0]


def test_an_encoding_switches_on_one_number_for_each_entry():
    encoding = Encoding(make_game("jujitsu", num_cards=2), 8)
    # Counts 0..1 of two ranks in two hands, scores -2..2, carried ties 0..2.
    seen = torch.tensor([[1.0, 0.0, 0.0, 1.0, -1.0, 2.0]])
    switches = [0, 1, *[1, 0], *[1, 0], *[0, 1], *[0, 1, 0, 0, 0], *[0, 0, 1]]
    assert encoding.size == len(switches) + ROW_SIZE
    assert encoding(seen)[0].tolist() == [*switches, *[0.0] * ROW_SIZE]
    alone = Encoding(make_game("jujitsu", num_cards=2), 0)
    assert alone.memory is None
    assert not list(alone.parameters())
    assert (alone(seen)[0].tolist(), alone.size) == (switches, len(switches))


def test_an_encoding_gives_what_can_be_many_numbers_as_a_share():
    game = make_game("war", ranks=2, max_rounds=100)
    encoding = Encoding(game, 8)
    high = game.facts.observation_high
    assert high[-1] > 64
    seen = torch.zeros(1, len(high))
    seen[0, -1] = high[-1] / 4
    assert encoding(seen)[0, -ROW_SIZE - 1] == 0.25


def test_an_encoding_tells_numbers_between_whole_ones_apart():
    """A game may show shares of a hand where ours show counts."""
    encoding = Encoding(make_game("jujitsu", num_cards=2), 2**16)
    shares = torch.zeros(101, 6)
    shares[:, 0], shares[:, 4] = torch.linspace(0, 1, 101), -1.25
    encoded = encoding(shares)
    assert torch.allclose(encoded[:, 1], shares[:, 0])
    assert torch.allclose(encoded[:, 0] + encoded[:, 1], torch.ones(101))
    assert encoded[0, 8:13].tolist() == [0.25, 0.75, 0, 0, 0]
    assert len(encoding.rows(shares).unique()) == 101
    whole = torch.tensor([[1.0, 0.0, 0.0, 1.0, -1.0, 2.0]])
    assert encoding.rows(whole).tolist() == encoding.rows(whole + 2.0**-50).tolist()


def test_observations_seldom_share_a_row_of_the_memory():
    _, observations, _ = full_graph(make_game("jujitsu", num_cards=4)).seen_by(0)
    rows = Encoding(make_game("jujitsu", num_cards=4), 2**16).rows(torch.from_numpy(observations))
    assert ((rows >= 0) & (rows < 2**16)).all()
    assert len(rows.unique()) > 0.99 * len(observations)


@each_row("shape", [(64, 64), (128, 40), (40, 128), (1, 7), (7, 1)])
def test_an_orthogonal_update_keeps_its_directions_and_has_stretches_near_one(shape):
    matrix = torch.randn(shape) * 1e-3
    left, stretches, right = torch.linalg.svd(matrix, full_matrices=False)
    update = orthogonal(matrix, ORTHOGONAL_STEPS)
    after = torch.diagonal(left.T @ update @ right.T)
    assert update.dtype == torch.float32
    assert not orthogonal(torch.zeros(shape), ORTHOGONAL_STEPS).any()
    assert torch.allclose(update, left @ torch.diag(after) @ right, atol=1e-4), "the same singular vectors"
    well_above_zero = stretches >= 0.01 * matrix.norm()
    assert well_above_zero.sum() >= 0.9 * len(stretches)
    # The least and the greatest value of the polynomial, four times over, on 0.01..1.
    assert after[well_above_zero].min() > 0.68
    assert after[well_above_zero].max() < 1.21


def test_momentum_that_has_decayed_makes_no_step_slower():
    """A unit that no input activates has gradients of 0, so its momentum decays as long as the run lasts."""
    weights = torch.nn.Parameter(torch.zeros(128, 128))
    weights.grad = 1e-4 * torch.randn(128, 128, generator=torch.Generator().manual_seed(0))
    optimizer = Muon([weights], orthogonal_steps=ORTHOGONAL_STEPS)
    optimizer.step()
    weights.grad[64:] = 0.0
    momentum = optimizer.state[weights]["momentum_buffer"]

    def seconds(size):
        taken = []
        for _ in range(10):
            momentum[64:] = size
            begin = time.process_time()
            optimizer.step()
            taken.append(time.process_time() - begin)
        assert not ((momentum != 0) & (momentum.abs() < torch.finfo(momentum.dtype).tiny)).any(), "denormal numbers"
        return min(taken)

    early = seconds(1e-4)
    for decayed in range(5, 46, 2):
        assert seconds(10.0**-decayed) < 4 * early, f"with momentum of 1e-{decayed}"


def test_muon_steps_as_torchs_own_does_to_the_precision_of_bfloat16():
    ours, theirs = (torch.nn.Parameter(torch.ones(12, 7)) for _ in range(2))
    chance = torch.Generator().manual_seed(2)
    both = Muon([ours], 0.1), torch.optim.Muon([theirs], 0.1, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
    for _ in range(5):
        ours.grad = theirs.grad = torch.randn(12, 7, generator=chance)
        for optimizer in both:
            optimizer.step()
    moved = (ours - 1.0).norm()
    assert moved > 0.5
    assert (ours - theirs).norm() < 0.03 * moved


def test_muon_turns_hidden_layers_and_adam_moves_the_rest():
    network = Network(GAME, 16, 2, 1, "relu", memory=0)
    by_name = optimizers(network)
    held = [id(p) for optimizer in by_name.values() for group in optimizer.param_groups for p in group["params"]]
    assert sorted(held) == sorted(map(id, network.parameters())), "each parameter once"
    hidden, last = [each for each in network if isinstance(each, torch.nn.Linear)][1:]
    before = hidden.weight.detach().clone()
    _, observations, _ = full_graph(GAME).seen_by(0)
    network(torch.from_numpy(observations)).square().mean().backward()
    gradient, rate = hidden.weight.grad.clone(), 1e-3
    for optimizer in by_name.values():
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
    stretches = torch.linalg.svdvals(before - hidden.weight.detach()) / (rate * 0.2 * 16**0.5)
    slopes = torch.linalg.svdvals(gradient)
    assert 0.7 < stretches.max() < 1.3, "of Adam's size, whatever the gradient's"
    assert stretches[4] / stretches[0] > 0.5 > 2 * slopes[4] / slopes[0], "slow directions are not left behind"
    assert id(last.weight) in map(id, by_name["adam"].param_groups[0]["params"])
