"""Deep minimax-Q: that it learns, what from, and what its memory is."""

import numpy as np
import pytest
import torch

from baselines import solve
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from train.algorithms import minimax_q
from train.measures.exact import evaluate
from train.policies.encoding import ROW_SIZE, Encoding

GAME = make_game("jujitsu", num_cards=3)
SMALL = {"num_games": 64, "batch_size": 32, "width": 32, "memory": 256, "target_rate": 0.05}


@pytest.fixture
def learner():
    return minimax_q.Learner(GAME, minimax_q.Args(**SMALL), seed=0)


def lessons_of(learner):
    """A round's situations, what was tried in them, and what both players learn."""
    situations = learner._draw()
    tried = learner._trials.all_joint(situations)
    return situations, tried, learner._seen_by_both(situations, tried)


@pytest.mark.parametrize(
    ("game", "steps", "loss"),
    [
        pytest.param(GAME, 1_500, 0.1, marks=pytest.mark.wide),
        pytest.param(make_game("jujitsu", num_cards=3, view="word"), 1_500, 0.1, marks=pytest.mark.wide),
        (make_game("dice_wars", hand_0=(1, 3), hand_1=(2, 2), sides=2), 300, 0.25),  # the variance of chance remains
    ],
    ids=["cards", "word", "chance and unlike hands"],
)
def test_it_learns_small_games(game, steps, loss):
    args = minimax_q.Args(**SMALL | {"steps": steps, "target_rate": 0.1})
    learner = minimax_q.Learner(game, args, seed=0)
    figures = learner.advance(steps)
    assert learner.steps >= steps
    assert figures["q_loss"] < loss
    value = solve(game).value
    assert evaluate(game, learner.policy()).guarantees == pytest.approx((value, -value), abs=0.02)


def test_situations_of_a_round_are_different(learner):
    seen = learner._draw().observations[:, 0]
    assert len(np.unique(seen, axis=0)) == len(seen) > 10


def test_targets_are_littmans():
    learner = minimax_q.Learner(GAME, minimax_q.Args(width=8, **{k: SMALL[k] for k in ("num_games", "memory")}), seed=0)
    learner.advance(1_000)  # so that the memory is not empty
    tried = learner._trials.all_joint(learner._draw())
    targets = learner._targets(tried)
    assert tried.done.any()
    assert np.array_equal(targets[tried.done], tried.rewards[tried.done])
    # Where one card each is left, the value that follows is the network's for the pair of them.
    single = ~tried.done & (tried.masks_after[:, 0].sum(axis=1) == 1)
    assert single.any()
    own, other = tried.masks_after[single, 0].argmax(axis=1), tried.masks_after[single, 1].argmax(axis=1)
    outputs = learner._target.outputs(tried.after[single, 0])
    expected = tried.rewards[single] + outputs[np.arange(len(own)), own * 3 + other]
    assert targets[single] == pytest.approx(expected, abs=1e-6)


def test_both_players_learn_the_same_from_a_situation(learner):
    situations, tried, lessons = lessons_of(learner)
    count = len(situations.masks)
    payoffs, weights = (each.reshape(2, count, 3, 3).numpy() for each in (lessons.payoffs, lessons.weights))
    assert np.array_equal(payoffs[0], -payoffs[1].transpose(0, 2, 1))
    assert np.array_equal(weights[0], weights[1].transpose(0, 2, 1))
    assert weights.sum(axis=(2, 3)) == pytest.approx(1.0)
    assert np.array_equal(weights[0] > 0, situations.masks[:, 0, :, None] & situations.masks[:, 1, None, :])
    trial = len(tried.joint) // 2
    place = (tried.situations[trial], *tried.joint[trial])
    assert payoffs[0][place] == pytest.approx(learner._targets(tried)[trial], abs=1e-6)
    assert np.array_equal(lessons.observations[count:].numpy(), situations.observations[:, 1])


def test_rates_fall_linearly_over_the_whole_run():
    learner = minimax_q.Learner(
        GAME, minimax_q.Args(steps=1_000, learning_rate=0.01, memory_rate=0.1, final_rate=0.2, **SMALL), seed=0
    )
    learner.steps = 500
    learner._learn(lessons_of(learner)[2])
    assert learner._optimizer.param_groups[0]["lr"] == pytest.approx(0.006)
    assert learner._memory_optimizer.param_groups[0]["lr"] == pytest.approx(0.06)


def test_the_copy_follows_and_shares_the_memory(learner):
    before = [each.clone() for each in learner._following]
    learner._update(lessons_of(learner)[2])
    assert learner._target.memory is learner._network.memory
    assert learner._network.memory.any()
    for old, slow, fast in zip(before, learner._following, learner._parameters, strict=True):
        assert torch.allclose(slow, old + 0.05 * (fast - old), atol=1e-6)


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
