"""Stable-Baselines3 and sb3-contrib models as policies."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from os import PathLike
from pickle import UnpicklingError
from typing import Any, Literal

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.save_util import load_from_pkl
from stable_baselines3.common.vec_env import VecNormalize
from torch import Tensor

from cardwar_envs.core.policy import Masks, Observations, Probabilities

ProbabilityFunction = Callable[[Tensor, Masks], Tensor]
Normalize = VecNormalize | str | PathLike[str] | Literal[False]


class SB3Policy:
    """Plays a model's action distribution, not its most likely action.

    Queries the model's current weights, so the policy changes as the model trains.
    """

    def __init__(self, model: Any, legal_only: bool = False, normalize: Normalize | None = None) -> None:
        """See `from_sb3`."""
        self._model, self._name = model, type(model).__name__
        self._probabilities = _probability_function(model, legal_only)
        space = model.observation_space
        self._dict = isinstance(space, spaces.Dict)
        seen = space.spaces.get("observation") if isinstance(space, spaces.Dict) else space
        if not isinstance(seen, spaces.Box) or (self._dict and set(space.spaces) != {"observation", "action_mask"}):
            raise ValueError(f"model {self._name} has observation space {space}, which is not the space of a game")
        self._shape = seen.shape
        self._normalize = _checked(model, normalize)
        _statistics(model, self._normalize)  # raises an error now rather than at the first query

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._name}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """`[batch, num_actions]` probabilities.

        Raises:
            ValueError: If the observations do not have the model's shape.
        """
        if observations.shape[1:] != self._shape:
            raise ValueError(
                f"model {self._name} takes observations of shape {self._shape}, not {observations.shape[1:]}: "
                "was it trained on another game?"
            )
        seen: Any = {"observation": observations, "action_mask": action_masks} if self._dict else observations
        normalized = _statistics(self._model, self._normalize)
        if normalized is not None:
            seen = normalized.normalize_obs(seen)
        policy = self._model.policy
        was_training = policy.training
        policy.set_training_mode(False)
        try:
            with torch.no_grad():
                answer = self._probabilities(policy.obs_to_tensor(seen)[0], action_masks)
        finally:
            policy.set_training_mode(was_training)
        return answer.cpu().numpy().astype(np.float64)


def from_sb3(model: Any, *, legal_only: bool = False, normalize: Normalize | None = None) -> SB3Policy:
    """Converts a model to a policy for oracles, matches, and opponents in environments.

    Args:
        model: A model of Stable-Baselines3 or sb3-contrib with one discrete action:
            MaskablePPO plays its actor's distribution, with the masks.
            PPO and A2C play their actor's distribution. They ignore masks, so illegal actions may have positive
            probability; oracles reject such policies unless called with `illegal="renormalise"`.
            DQN plays the action of highest value, without exploration.
        legal_only: For DQN: whether to choose only among legal actions. The result differs from the trained policy
            wherever an illegal action has the highest value.
        normalize: The statistics with which observations are normalized: a `VecNormalize`, or the path of one that was
            saved (a pickle: load only files that you trust). None takes those of the model's environments; False does
            not normalize.

    Returns:
        The policy.

    Raises:
        ValueError: If the model is of an unsupported kind; if its observation space is not the space of a game; if
            `normalize` is something else, or is for another observation space; or if it is None for a model that was
            trained under `VecNormalize` and whose statistics are missing. With PPO, A2C and MaskablePPO this is noticed
            unless the environments have a new `VecNormalize` that has already seen observations. With a saved DQN it is
            noticed only if the model is loaded without environments, and its last observation has normalized values
            outside the observation space.
        OSError: If the file `normalize` cannot be read.
    """
    return SB3Policy(model, legal_only, normalize)


def _statistics(model: Any, given: VecNormalize | Literal[False] | None) -> VecNormalize | None:
    """Returns what normalizes observations for the model now, or None; see `from_sb3`."""
    if given is not None:
        return None if given is False else given
    found: VecNormalize | None = model.get_vec_normalize_env()
    fresh = found is not None and found.norm_obs and model.num_timesteps > 0 and _seen_by(found) < 1
    if fresh or (found is None and _learned_normalized(model)):
        raise ValueError(
            f"model ({type(model).__name__}) was trained under VecNormalize, but its statistics are missing: give "
            "from_sb3 normalize=PATH, where VecNormalize.save wrote them; or normalize=False if only rewards were "
            "normalized"
        )
    return found


def _checked(model: Any, normalize: Normalize | None) -> VecNormalize | Literal[False] | None:
    """Returns `normalize` with a path replaced by what was saved there."""
    if normalize is None or normalize is False:
        return normalize
    given = _load(normalize) if isinstance(normalize, str | PathLike) else normalize
    if not isinstance(given, VecNormalize):
        raise ValueError(f"normalize ({normalize!r}) must be a VecNormalize, the path of a saved one, or False")
    if given.observation_space != model.observation_space:
        raise ValueError(f"normalize is for {given.observation_space}, but the model for {model.observation_space}")
    return given


def _load(path: str | PathLike[str]) -> object:
    """Unpickles a file; returns None if it is not a pickle."""
    with open(path, "rb") as file:
        try:
            return load_from_pkl(file)
        except (UnpicklingError, EOFError):
            return None


def _seen_by(normalize: VecNormalize) -> float:
    """Returns the number of observations in the statistics, which SB3 starts at 0.0001."""
    running = normalize.obs_rms
    return float(min(each.count for each in (running.values() if isinstance(running, dict) else [running])))


def _learned_normalized(model: Any) -> bool:
    """Returns whether what is saved with the model shows that it was trained under `VecNormalize`."""
    if not isinstance(model, OffPolicyAlgorithm):
        return model._last_original_obs is not None  # set only under `VecNormalize`
    last, space = model._last_obs, model.observation_space
    if isinstance(last, dict) and isinstance(space, spaces.Dict):
        last, space = last["observation"], space["observation"]
    return last is not None and isinstance(space, spaces.Box) and bool(((last < space.low) | (last > space.high)).any())


def _probability_function(model: Any, legal_only: bool) -> ProbabilityFunction:
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
