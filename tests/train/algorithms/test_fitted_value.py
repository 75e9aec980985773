"""Fitted value iteration: that it learns, what from, and how its policy looks ahead."""

import numpy as np
import pytest
import torch

from baselines import solve, solve_matrices
from baselines.matrix_game.lookahead import Lookahead, StateValues, one_view
from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms import fitted_value
from train.measures.exact import evaluate
from train.policies.networks import Network

GAME = make_game("jujitsu", num_cards=4)
UNLIKE = make_game("dinosaur_war", hand_0=(1, 3, 3), hand_1=(2, 2, 4))
SMALL = {"num_games": 128, "batch_size": 32, "width": 32, "target_rate": 0.05}


class KnownValues:
    """True values, where a learner has a network's."""

    def __init__(self, game):
        self._table = solve(game).policy.table
        self._game = game

    def __call__(self, views):
        return np.array([self._table.value_to_go(self._game.state_of(seen)[0]) for seen in views[:, 0]])


@pytest.fixture
def learner():
    return fitted_value.Learner(GAME, fitted_value.Args(**SMALL), seed=0)


def some_network(game):
    return Network(game, 16, 2, 1, "relu", memory=0)


@pytest.mark.parametrize(
    ("game", "steps"),
    [
        (make_game("jujitsu", num_cards=3), 4_000),
        pytest.param(make_game("jujitsu", num_cards=3, view="word"), 8_000, marks=pytest.mark.wide),
        pytest.param(UNLIKE, 8_000, marks=pytest.mark.wide),
        pytest.param(make_game("war", ranks=3, discards=1, max_rounds=4), 40_000, marks=pytest.mark.wide),
    ],
    ids=["cards", "word", "unlike hands", "war"],
)
def test_it_learns_small_games(game, steps):
    learner = fitted_value.Learner(game, fitted_value.Args(steps=steps, **SMALL), seed=0)
    before = evaluate(game, learner.policy()).exploitability
    figures = learner.advance(steps)
    assert learner.steps >= steps
    assert figures["value_loss"] < 0.1
    assert evaluate(game, learner.policy()).exploitability < min(0.02, before / 4)


@pytest.mark.parametrize("game", [GAME, UNLIKE], ids=lambda game: game.facts.name)
def test_one_move_ahead_of_true_values_is_the_equilibrium(game):
    views = GameBatch(game, 60, seed=2, start="random").reset()
    values = KnownValues(game)
    matrices = Lookahead(game).matrices(views, values)
    solved = solve_matrices(matrices, views.masks[:, 0], views.masks[:, 1])
    assert solved.values == pytest.approx(values(views.observations), abs=1e-9)
    assert not matrices[~(views.masks[:, 0, :, None] & views.masks[:, 1, None, :]).astype(bool)].any()


def test_targets_are_shapleys(learner):
    learner.advance(1_000)
    situations = learner._draw()
    views, values = (each.numpy() for each in learner._lessons(situations))
    worth = StateValues(GAME, learner._target)
    for number in range(0, len(views), 7):
        state, _ = GAME.state_of(views[number])
        own, other = GAME.legal_actions(state, 0), GAME.legal_actions(state, 1)
        payoffs = np.zeros((len(own), len(other)))
        for i, a in enumerate(own):
            for j, b in enumerate(other):
                (after,) = GAME.transitions(state, {0: a, 1: b})
                payoffs[i, j] = after.rewards[0]
                if GAME.acting_players(after.state):
                    payoffs[i, j] += worth(np.array([[GAME.observation(after.state, p) for p in (0, 1)]]))[0]
        ones = np.ones((1, len(own)), dtype=np.int8), np.ones((1, len(other)), dtype=np.int8)
        assert values[number] == pytest.approx(solve_matrices(payoffs[None], *ones).values[0], abs=1e-5)


def test_values_to_both_players_add_up_to_nothing_and_keep_within_what_can_be_paid():
    network = some_network(GAME)
    with torch.no_grad():
        network[-1].weight *= 100  # so that it is far off
    views, values_of = GameBatch(GAME, 300, seed=2, start="random").reset().observations, StateValues(GAME, network)
    values = values_of(views)
    assert np.array_equal(values, -values_of(views[:, ::-1]))
    assert np.abs(values).max() == 1.0
    alike = (views[:, 0] == views[:, 1]).all(axis=1)
    assert alike.any()
    assert not values[alike].any()
    assert values_of(views[:0]).shape == (0,)


def test_both_players_views_lead_to_the_same_one():
    views = GameBatch(GAME, 200, seed=2, start="random").reset().observations
    (taken, signs), (turned, others) = one_view(views), one_view(views[:, ::-1])
    assert np.array_equal(taken, turned)
    assert np.array_equal(signs, -others)
    assert set(signs) == {-1.0, 0.0, 1.0}


def test_muon_turns_hidden_layers_and_adam_moves_the_rest(learner):
    network = some_network(GAME)
    by_name = fitted_value.optimizers(network)
    held = [id(p) for optimizer in by_name.values() for group in optimizer.param_groups for p in group["params"]]
    assert sorted(held) == sorted(map(id, network.parameters())), "each parameter once"
    hidden, last = [each for each in network if isinstance(each, torch.nn.Linear)][1:]
    before = hidden.weight.detach().clone()
    views, values = learner._lessons(learner._draw())
    torch.nn.functional.mse_loss(network(views)[:, 0], values).backward()
    gradient, rate = hidden.weight.grad.clone(), 1e-3
    for optimizer in by_name.values():
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
    stretches = torch.linalg.svdvals(before - hidden.weight.detach()) / (rate * 0.2 * 16**0.5)
    slopes = torch.linalg.svdvals(gradient)
    assert 0.7 < stretches.max() < 1.3, "of Adam's size, whatever the gradient's"
    assert stretches[4] / stretches[0] > 0.5 > 5 * slopes[4] / slopes[0], "slow directions are not left behind"
    assert id(last.weight) in map(id, by_name["adam"].param_groups[0]["params"])


def test_situations_of_a_round_are_different_whoever_looks(learner):
    seen = learner._draw().observations
    both = {frozenset(each.tobytes() for each in views) for views in seen}
    assert len(both) == len(seen) > 20


def test_a_round_goes_on_from_what_follows_the_last_one():
    alone, learner = (fitted_value.Learner(GAME, fitted_value.Args(followed=n, **SMALL), seed=0) for n in (0.0, 0.5))
    alone._lessons(alone._draw())
    assert not len(alone._followers.masks), "uniform play's situations only"
    assert not len(learner._followers.masks)
    situations = learner._draw()
    learner._lessons(situations)
    seen, masks = learner._followers
    assert 20 < len(seen) <= 64, "half as many as games are drawn, if so many are different"
    taken, _ = one_view(seen)
    assert len(np.unique(taken, axis=0)) == len(taken)
    assert masks.any(axis=2).all(), "the game goes on"
    following = set()
    for views in situations.observations:
        state, _ = GAME.state_of(views[0])
        for a in GAME.legal_actions(state, 0):
            for b in GAME.legal_actions(state, 1):
                (after,) = GAME.transitions(state, {0: a, 1: b})
                following.add(GAME.observation(after.state, 0).tobytes())
    assert {views[0].tobytes() for views in seen} <= following
    drawn, _ = one_view(learner._draw().observations)
    assert {each.tobytes() for each in taken} <= {each.tobytes() for each in drawn}


def test_steps_are_joint_actions_tried(learner):
    tried = []
    trials = learner._lookahead._trials
    all_joint = trials.all_joint
    trials.all_joint = lambda situations: tried.append(all_joint(situations)) or tried[-1]
    learner.advance(2_000)
    assert learner.steps == sum(len(each.rewards) for each in tried) >= 2_000


def test_rates_fall_linearly_over_the_whole_run():
    learner = fitted_value.Learner(
        GAME, fitted_value.Args(steps=1_000, learning_rate=0.01, final_rate=0.2, **SMALL), seed=0
    )
    learner.steps = 500
    learner._learn(*learner._lessons(learner._draw()))
    rates = [optimizer.param_groups[0]["lr"] for optimizer in learner._optimizers.values()]
    assert rates == pytest.approx([0.006, 0.006])


def test_the_copy_follows(learner):
    before = [each.clone() for each in learner._following]
    learner._update(*learner._lessons(learner._draw()))
    for old, slow, fast in zip(before, learner._following, learner._parameters, strict=True):
        assert torch.allclose(slow, old + 0.05 * (fast - old), atol=1e-6)
