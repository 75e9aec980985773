"""Stable-Baselines3 and sb3-contrib models as policies."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor

from cardwar_envs.core.arrays import Masks, Observations, Probabilities

Answers = Callable[[Tensor, Masks], Tensor]


class SB3Policy:
    """Plays a model's action distribution, not its most likely action.

    Queries the model's current weights, so the policy changes as the model trains.
    """

    def __init__(self, model: Any, legal_only: bool = False) -> None:
        """See `from_sb3`."""
        self._model, self._name = model, type(model).__name__
        self._answers = _answers_of(model, legal_only)
        space = model.observation_space
        self._dict = isinstance(space, spaces.Dict)
        seen = space.spaces.get("observation") if isinstance(space, spaces.Dict) else space
        if not isinstance(seen, spaces.Box) or (self._dict and set(space.spaces) != {"observation", "action_mask"}):
            raise ValueError(f"model {self._name} has observation space {space}, which is not the space of a game")
        self._size = seen.shape

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._name}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """`[batch, num_actions]` probabilities.

        Raises:
            ValueError: If the observations do not have the model's shape.
        """
        if observations.shape[1:] != self._size:
            raise ValueError(
                f"model {self._name} takes observations of shape {self._size}, not {observations.shape[1:]}: "
                "was it trained on another game?"
            )
        seen: Any = {"observation": observations, "action_mask": action_masks} if self._dict else observations
        normalized = self._model.get_vec_normalize_env()
        if normalized is not None:
            seen = normalized.normalize_obs(seen)
        policy = self._model.policy
        learns = policy.training
        policy.set_training_mode(False)
        try:
            with torch.no_grad():
                answer = self._answers(policy.obs_to_tensor(seen)[0], action_masks)
        finally:
            policy.set_training_mode(learns)
        return answer.cpu().numpy().astype(np.float64)


def from_sb3(model: Any, *, legal_only: bool = False) -> SB3Policy:
    """Converts a model to a policy for oracles, matches, and opponents in environments.

    Args:
        model: A model of Stable-Baselines3 or sb3-contrib with one discrete action:
            MaskablePPO plays its actor's distribution, with the masks.
            PPO and A2C play their actor's distribution. They ignore masks, so illegal actions may have positive
            probability; oracles reject such policies unless called with `illegal="renormalise"`.
            DQN plays the action of highest value, without exploration.
        legal_only: For DQN: whether to choose only among legal actions. The result differs from the trained policy
            wherever an illegal action has the highest value.

    Returns:
        The policy.

    Raises:
        ValueError: If the model is of an unsupported kind, or its observation space is not the space of a game.
    """
    return SB3Policy(model, legal_only)


def _answers_of(model: Any, legal_only: bool) -> Answers:
    """Makes a function that queries a model for probabilities."""
    name, policy = type(model).__name__, getattr(model, "policy", None)
    if policy is None or not isinstance(getattr(model, "action_space", None), spaces.Discrete):
        raise ValueError(f"model ({name}) must be a Stable-Baselines3 model with a Discrete action space")
    if hasattr(policy, "q_net"):
        return lambda seen, masks: _greedy(policy.q_net(seen), masks, legal_only)
    if legal_only:
        raise ValueError(f'legal_only is for DQN; oracles measure {name} with illegal="renormalise"')
    if not hasattr(policy, "get_distribution"):
        raise ValueError(f"model ({name}) must have an actor or action values, like PPO and DQN")
    if "action_masks" in signature(policy.get_distribution).parameters:
        return lambda seen, masks: policy.get_distribution(seen, action_masks=masks).distribution.probs
    return lambda seen, masks: policy.get_distribution(seen).distribution.probs


def _greedy(values: Tensor, masks: Masks, legal_only: bool) -> Tensor:
    """1 for the (first) action of highest value in each row, else 0."""
    if legal_only:
        values = values.masked_fill(torch.from_numpy(masks == 0).to(values.device), -torch.inf)
    return torch.nn.functional.one_hot(values.argmax(dim=1), values.shape[1])
