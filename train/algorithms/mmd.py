"""Magnetic mirror descent with a network: PPO with a pull towards a moving magnet, and averaged weights.

Source: S. Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and two-player
zero-sum games" (arXiv:2206.05825, ICLR 2023): an update that weighs the value of an action against the divergence from
the last policy and from a magnet. The first divergence (`proximal`) is 0 by default, because PPO's clipping takes its
place; both are subtracted from the entropy bonus. The learned policy is the time average of the actor's weights; the
actor cycles around this average, whose window is a fraction of the run so far. The magnet is a copy of that average,
which is renewed from time to time. No theorem guarantees that averaged weights are a good policy, so measure their
exploitability.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

from torch import Tensor, nn

from train.algorithms import ppo
from train.algorithms.experience.decisions import ActorCritic, actor
from train.learner.arguments import MMDArgs as Args
from train.learner.checkpoint import follow


class MagneticPolicy(ActorCritic):
    """SB3's actor and critic with frozen copies of the actor; it replaces the entropy bonus by weighted terms.

    The magnet is an earlier snapshot of the averaged policy, `last` the actor that played the rollout. Weights are in
    payoff points per nat.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.average = deepcopy(actor(self)).requires_grad_(False)  # the moving average of the actor's weights
        self.magnet, self.last = deepcopy(self.average), deepcopy(self.average)
        self.entropy_weight = self.magnet_weight = self.proximal_weight = 0.0

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Returns values, log-probabilities and the weighted entropy minus the weighted divergences."""
        values, log_probabilities, entropy = super().evaluate_actions(obs, actions, action_masks)
        regularization = self.entropy_weight * entropy
        for weight, network in ((self.magnet_weight, self.magnet), (self.proximal_weight, self.last)):
            if weight:
                regularization = regularization - weight * self.divergence(network(obs), action_masks)
        return values, log_probabilities, regularization


class Learner(ppo.Learner):
    """Magnetic mirror descent on one game; the learned policy is the average of the actor's weights."""

    policy_class = MagneticPolicy
    logged: ClassVar[dict[str, str]] = {
        "policy_loss": "train/policy_gradient_loss",
        "value_loss": "train/value_loss",
        "regularization_loss": "train/entropy_loss",
        "approx_kl": "train/approx_kl",
    }
    _args: Args

    def _start(self) -> str:
        return "random" if self._args.random_starts else "initial"

    def _before_rollout(self) -> None:
        self._model.ent_coef = 1.0  # the policy applies its three weights itself
        args, policy = self._args, self._model.policy
        policy.entropy_weight = self._shared(self._falling(args.entropy, args.final_entropy))
        policy.magnet_weight, policy.proximal_weight = self._shared(args.magnet), self._shared(args.proximal)
        policy.last.load_state_dict(actor(policy).state_dict())

    def _after_rollout(self) -> None:
        args, policy = self._args, self._model.policy
        rollouts = self.steps // (args.num_games * args.rollout)
        window = args.average_share * rollouts
        follow(policy.average.parameters(), actor(policy).parameters(), 1.0 / max(1.0, window))
        if rollouts % args.magnet_every == 0:
            policy.magnet.load_state_dict(policy.average.state_dict())

    def _learned(self) -> nn.Module:
        return self._model.policy.average
