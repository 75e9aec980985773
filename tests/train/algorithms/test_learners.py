"""What all learners of networks have in common."""

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

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


class TypesSeen(TorchDispatchMode):
    """Notes the types of all tensors that torch's operations take and return."""

    def __init__(self):
        super().__init__()
        self.types = set()

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        self.types |= {each.dtype for each in tree_leaves((args, kwargs, result)) if isinstance(each, torch.Tensor)}
        return result


def test_torch_takes_notice_of_half_precision():
    with TypesSeen() as seen:
        torch.ones(2).bfloat16()
    assert seen.types == {torch.float32, torch.bfloat16}


@pytest.mark.parametrize(
    "algorithm", [each for each in ALGORITHMS.values() if each.step == "joint actions"], ids=lambda each: each.name
)
def test_nothing_is_computed_in_half_precision(algorithm):
    """Most processors have no units for it: a product takes thirty times as long as in single precision."""
    little = {"num_games": 8, "width": 8, "batch_size": 16, "rollout": 8, "opponent": "uniform", "response_steps": 100}
    known = algorithm.defaults()
    steps = 200 if algorithm.step == "joint actions" else 1
    args = algorithm.args(**{name: value for name, value in little.items() if name in known}, steps=steps)
    learner = algorithm.learner(GAME, args, seed=0)
    with TypesSeen() as seen:
        learner.advance(steps)
    assert torch.float32 in seen.types
    assert not seen.types & {torch.bfloat16, torch.float16}
