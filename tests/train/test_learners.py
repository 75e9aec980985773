"""The learners themselves: that they learn, what they refuse, what their policies are."""

import dataclasses

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from baselines import solve
from baselines.game_graph import full_graph
from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.games.jujitsu import Jujitsu
from train import minimax_q, ppo
from train.algorithms import ALGORITHMS
from train.evaluate import evaluate
from train.self_play import SelfPlayVecEnv

GAME = make_game("jujitsu", num_cards=3)


class PrivateJujitsu(Jujitsu):
    """Says of itself that an observation does not show the state."""

    @property
    def facts(self):
        return dataclasses.replace(super().facts, public_state=False)


@pytest.fixture(autouse=True)
def seeded():
    """Seeds torch, and keeps to one thread: several wait for each other on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)


def test_minimax_q_learns_three_cards():
    args = minimax_q.Args(steps=48_000, num_games=32, batch_size=64, width=64, target_rate=0.02)
    learner = minimax_q.Learner(GAME, args, seed=0)
    figures = learner.advance(args.steps)
    assert learner.steps == args.steps
    assert figures["q_loss"] < 0.1
    assert evaluate(GAME, learner.policy()).exploitability < 0.05


def test_minimax_q_learns_a_game_with_chance_and_unlike_hands():
    game = make_game("dice_wars", hand_0=(1, 3), hand_1=(2, 2), sides=2)
    args = minimax_q.Args(steps=48_000, num_games=32, batch_size=64, width=64, target_rate=0.02)
    learner = minimax_q.Learner(game, args, seed=0)
    learner.advance(args.steps)
    guarantees, value = evaluate(game, learner.policy()).guarantees, solve(game).value
    assert guarantees[0] == pytest.approx(value, abs=0.05)
    assert guarantees[1] == pytest.approx(-value, abs=0.05)


def test_minimax_q_targets_are_littmans():
    learner = minimax_q.Learner(GAME, minimax_q.Args(num_games=8, width=8), seed=0)
    learner.advance(64)
    moves = learner._replay.sample(50, np.random.default_rng(0))
    targets = learner._targets(moves)
    assert moves.done.any()
    assert np.array_equal(targets[moves.done], moves.rewards[moves.done])
    # Where one card each is left, the value that follows is the network's for the pair of them.
    single = ~moves.done & (moves.next_masks.sum(axis=1) == 1)
    assert single.any()
    own, other = moves.next_masks[single].argmax(axis=1), moves.next_opponent_masks[single].argmax(axis=1)
    outputs = learner._target.outputs(moves.next_observations[single])
    expected = moves.rewards[single] + outputs[np.arange(len(own)), own * 3 + other]
    assert targets[single] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("exploration", [0.0, 0.5, 1.0])
def test_minimax_q_explores_as_much_as_it_is_told(exploration):
    game = make_game("jujitsu", num_cards=2)
    learner = minimax_q.Learner(game, minimax_q.Args(num_games=1000, exploration=exploration), seed=0)
    with torch.no_grad():  # a network that always likes the first action best, and dislikes it in the other
        for parameter in learner._target.parameters():
            parameter.zero_()
        learner._target[-1].bias.copy_(torch.tensor([0.0, 1.0, -1.0, 0.0]))
    observations, masks = learner._batch.reset()
    first = (learner._actions(observations, masks) == 0).mean()
    assert first == pytest.approx(1.0 - exploration / 2, abs=0.05)


def test_minimax_q_refuses_other_kinds_of_games():
    with pytest.raises(ValueError, match="minimax-Q learns two-player zero-sum games of public state"):
        minimax_q.Learner(PrivateJujitsu(num_cards=3), minimax_q.Args(), seed=0)


def test_ppo_plays_with_the_probabilities_of_its_distribution():
    learner = ppo.Learner(GAME, ppo.Args(num_games=16, rollout=5, batch_size=64, width=16), seed=0)
    figures = learner.advance(160)
    assert learner.steps == 160
    assert figures.keys() == ppo.LOGGED.keys()
    _, observations, masks = full_graph(GAME).seen_by(1)
    distribution = learner._model.policy.get_distribution(torch.from_numpy(observations), masks)
    expected = distribution.distribution.probs.detach().numpy()
    probabilities = learner.policy().action_probabilities(observations, masks)
    assert probabilities == pytest.approx(expected, abs=1e-6)
    assert not probabilities[masks == 0].any()


def test_ppo_soon_gets_better_than_uniform_play():
    np.random.seed(0)
    args = ppo.Args(num_games=64, rollout=9, batch_size=288, width=32, learning_rate=1e-3)
    learner = ppo.Learner(GAME, args, seed=0)
    learner.advance(6_000)
    # Uniform play's exploitability is 0.5; later on the learner circles.
    assert evaluate(GAME, learner.policy()).exploitability < 0.35


def test_ppo_lowers_its_learning_rate_over_the_whole_run():
    """And not anew from one evaluation to the next, as SB3's own schedule would."""
    args = ppo.Args(
        steps=200, num_games=10, rollout=2, batch_size=40, threads=1, learning_rate=0.01, final_rate=0.5, width=8
    )
    learner, rates = ppo.Learner(GAME, args, seed=0), []
    for steps in (40, 100, 200):
        learner.advance(steps)
        rates.append(learner._model.policy.optimizer.param_groups[0]["lr"])
    # set before each stretch, by the steps played until then
    assert rates == pytest.approx([0.01, 0.01 * (1 - 0.5 * 40 / 200), 0.01 * (1 - 0.5 * 100 / 200)])


@pytest.mark.parametrize("algorithm", [ALGORITHMS["minimax_q"], ALGORITHMS["ppo"]], ids=lambda each: each.name)
def test_a_policy_stays_as_it_was_when_learning_goes_on(algorithm):
    learner = algorithm.learner(GAME, algorithm.args(num_games=16, batch_size=32), seed=0)
    learner.advance(160)
    policy = learner.policy()
    _, observations, masks = full_graph(GAME).seen_by(0)
    before = policy.action_probabilities(observations, masks)
    outputs = policy.network.outputs(observations)
    learner.advance(800)
    assert np.array_equal(policy.action_probabilities(observations, masks), before)
    assert not np.array_equal(learner.policy().network.outputs(observations), outputs)


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
    with pytest.raises(ValueError, match="reset must be called first"):
        envs.action_masks()
    with pytest.raises(ValueError, match="step_async must be called before step_wait"):
        envs.step_wait()
    assert envs.get_attr("render_mode") == [None, None]
    assert envs.env_is_wrapped(object) == [False, False]
    assert envs.get_images() == [None, None]
    for call in (
        lambda: envs.get_attr("deck"),
        lambda: envs.set_attr("deck", 1),
        lambda: envs.env_method("peek"),
    ):
        with pytest.raises(AttributeError):
            call()
    envs.close()
