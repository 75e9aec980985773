"""Magnetic mirror descent with a network: what pulls, what is averaged, that it learns."""

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from train.algorithms import mmd
from train.algorithms.experience.decisions import actor, kl_divergence
from train.measures.exact import evaluate, reference

GAME = make_game("jujitsu", num_cards=3)


def small(**args):
    return mmd.Learner(GAME, mmd.Args(**{"num_games": 8, "rollout": 3, "batch_size": 16, "width": 8, **args}), seed=0)


def weights(module):
    return [parameter.detach().clone() for parameter in module.parameters()]


def directly(logits, masks):
    """`[batch, num_actions]` probabilities, action by action in double precision."""
    legal = np.exp(logits.astype(np.float64)) * masks
    return legal / legal.sum(axis=1, keepdims=True)


def test_the_divergence_stays_finite_where_the_magnet_all_but_rules_an_action_out():
    sure, unlike = torch.tensor([[200.0, 0.0, 0.0]]), torch.tensor([[0.0, 0.0, 0.0]], requires_grad=True)
    mask = torch.tensor([[1, 1, 0]])
    divergence = kl_divergence(*(MaskableCategorical(logits=each, masks=mask) for each in (unlike, sure)))
    assert divergence.item() == pytest.approx(100.0 - np.log(2.0))
    divergence.sum().backward()
    assert torch.isfinite(unlike.grad).all()


def test_what_counts_as_entropy_is_both_bonuses_as_weighed_and_its_gradient_spares_the_magnet():
    """The gradient at the last layer's biases is the mean over the batch of the derivatives by the logits."""
    learner = small(magnet_every=1000)  # the magnet is not where the actor is
    learner.advance(240)
    policy, (_, *seen) = learner._model.policy, full_graph(GAME).seen_by(0)
    observations, masks = map(torch.from_numpy, seen)
    policy.entropy_weight, policy.magnet_weight = 0.3, 0.7
    policy.zero_grad()  # of what learning left
    _, _, bonus = policy.evaluate_actions(observations, masks.argmax(dim=1), masks)
    bonus.mean().backward()
    with torch.no_grad():
        p, q = (directly(each(observations).numpy(), masks.numpy()) for each in (actor(policy), policy.magnet))
    p_logs, q_logs = (np.log(np.where(masks.numpy() == 1, each, 1.0)) for each in (p, q))
    assert (p * (p_logs - q_logs)).sum(axis=1).max() > 1e-3
    worth = -0.3 * p_logs - 0.7 * (p_logs - q_logs)  # an action's share of the bonus, per probability
    assert bonus.detach().numpy() == pytest.approx((p * worth).sum(axis=1), abs=1e-5)
    expected = p * (worth - (p * worth).sum(axis=1, keepdims=True))
    assert np.abs(expected.mean(axis=0)).max() > 1e-4
    assert policy.action_net.bias.grad.numpy() == pytest.approx(expected.mean(axis=0), abs=1e-6)
    assert all(each.grad is None for each in [*policy.magnet.parameters(), *policy.average.parameters()])


def test_the_update_weighs_what_the_arguments_say():
    learner = small(steps=96, entropy=0.1, final_entropy=0.5, magnet=0.3)
    learner.advance(72)  # the last of these rollouts of 24 began after 48
    policy = learner._model.policy
    assert learner._model.ent_coef == 1.0
    assert policy.entropy_weight == pytest.approx(0.1 * (1 - 0.5 * 48 / 96))
    assert policy.magnet_weight == 0.3


def test_the_average_is_the_average_of_the_actors():
    learner = small(average_rate=0.25)
    policy = learner._model.policy
    expected = weights(actor(policy))
    for rollout in range(1, 6):
        learner.advance(24 * rollout)
        fresh = weights(actor(policy))
        expected = [0.75 * old + 0.25 * new for old, new in zip(expected, fresh, strict=True)]
        for average, each in zip(weights(policy.average), expected, strict=True):
            assert average.numpy() == pytest.approx(each.numpy(), abs=1e-6)


def test_the_policy_is_that_of_the_average():
    learner = small()
    learner.advance(240)
    _, observations, masks = full_graph(GAME).seen_by(0)
    probabilities = learner.policy().action_probabilities(observations, masks)
    for module, same in ((learner._model.policy.average, True), (actor(learner._model.policy), False)):
        with torch.no_grad():
            expected = directly(module(torch.from_numpy(observations)).numpy(), masks)
        assert np.allclose(probabilities, expected, atol=1e-5) is same


def test_the_magnet_is_renewed_on_schedule_also_after_a_resume():
    learner = small(magnet_every=3)
    renewed, before = [], weights(learner._model.policy.magnet)
    for rollout in range(1, 10):
        if rollout == 5:
            state = learner.state()
            learner = small(magnet_every=3)
            learner.restore(*state)
        learner.advance(24 * rollout)
        magnet, average = (weights(each) for each in (learner._model.policy.magnet, learner._model.policy.average))
        if not all(map(torch.equal, magnet, before)):
            assert all(map(torch.equal, magnet, average))
            renewed.append(rollout)
        before = magnet
    assert renewed == [3, 6, 9]


@pytest.mark.parametrize(
    ("game", "values", "share"),
    [
        pytest.param(
            make_game("jujitsu", num_cards=3, view="word"),
            {"steps": 12_000, "rollout": 3, "batch_size": 96, "learning_rate": 3e-3},
            2 / 5,
            marks=pytest.mark.wide,
        ),
        (
            make_game("dice_poker", sides=3),
            {"steps": 10_000, "rollout": 2, "batch_size": 64, "learning_rate": 6e-3},
            1 / 4,
        ),
    ],
    ids=["word", "private rolls"],
)
def test_it_learns_to_concede_a_share_of_what_uniform_play_does(game, values, share):
    args = mmd.Args(num_games=64, width=32, magnet_every=10, average_rate=0.06, **values)
    learner = mmd.Learner(game, args, seed=0)
    learner.advance(args.steps)
    assert evaluate(game, learner.policy()).exploitability < share * reference(game)["uniform_exploitability"]


def test_games_start_at_the_beginning_unless_random_starts_are_asked_for():
    def left(learner):
        observations, _ = learner._batch.reset()
        return set(observations[:, 0, :3].sum(axis=1).astype(int).tolist())

    assert left(small(num_games=64)) == {3}
    assert left(small(num_games=64, random_starts=1)) == {1, 2, 3}
