"""What all learners of networks have in common."""

import numpy as np
import pytest

from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS

GAME = make_game("jujitsu", num_cards=3)


@pytest.mark.parametrize(
    "algorithm", [ALGORITHMS[name] for name in ("fitted_value", "minimax_q", "ppo", "mmd")], ids=lambda each: each.name
)
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
