"""Actor, critic and rollouts for Stable-Baselines3 in games with many actions or many players.

sb3-contrib's distributions compute with all actions, legal or not, and its updates use all rows of a rollout, even rows
of eliminated players. Here distributions use only legal actions, and updates only rows with a legal action.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from sb3_contrib.common.maskable.distributions import MaskableCategorical, MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from cardwar_envs.core.game import Game
from train.policies.layers import ActionParts, LegalPairs, Scaling, as_bits
from train.policies.learned_policy import has_many_actions

# The columns of SB3's buffer that minibatches contain.
COLUMNS = ("observations", "actions", "values", "log_probs", "advantages", "returns", "action_masks")


class LegalDistribution(MaskableDistribution):
    """A categorical distribution over the legal actions in each row, from network outputs for parts of actions."""

    def __init__(self, parts: ActionParts) -> None:
        super().__init__()
        self._parts = parts
        self.distribution = self  # the attribute in which SB3 expects torch's distribution

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        """Creates the layer with an output for each part."""
        return nn.Linear(latent_dim, self._parts.size)

    def proba_distribution(self, action_logits: Tensor) -> LegalDistribution:
        """Sets the outputs `[batch, parts]`; call `apply_masking` next."""
        self._outputs = action_logits
        return self

    def apply_masking(self, masks: Any) -> None:
        """Sets the masks: `[batch, num_actions]`, or packed as bits."""
        self._pairs = LegalPairs.of(np.asarray(masks))
        self._logs = self.logs_of(self._outputs)

    def logs_of(self, outputs: Tensor) -> Tensor:
        """Returns `[pairs]`: log-probabilities of the same legal actions under other outputs."""
        return self._pairs.log_softmax(self._parts.logits(outputs, self._pairs))

    def log_prob(self, actions: Tensor) -> Tensor:
        """Returns `[batch]`: log-probabilities of actions; 0 for a row with no legal action."""
        rows, places = self._pairs.places_of(actions.flatten())
        return torch.zeros(self._pairs.count).index_add(0, rows, self._logs.index_select(0, places))

    def entropy(self) -> Tensor:
        """Returns `[batch]`: entropies in nats; 0 for a row with no legal action."""
        return -self._pairs.sums(self._logs.exp() * self._logs)

    def divergence(self, outputs: Tensor) -> Tensor:
        """Returns `[batch]`: Kullback-Leibler divergences from the distribution with other outputs, in nats."""
        return self._pairs.sums(self._logs.exp() * (self._logs - self.logs_of(outputs)))

    def sample(self) -> Tensor:
        """Returns `[batch]` sampled actions; 0 for a row with no legal action."""
        return self._pairs.sample(self._logs.exp(), torch.rand(self._pairs.count, dtype=torch.float64))

    def mode(self) -> Tensor:
        """Returns `[batch]`: the most probable actions; 0 for a row with no legal action."""
        return self._pairs.sample(self._pairs.greatest(self._logs), torch.zeros(self._pairs.count))

    def actions_from_params(self, action_logits: Tensor, deterministic: bool = False) -> Tensor:
        """Raises an error: without masks, it is unknown which actions are legal."""
        raise NotImplementedError

    log_prob_from_params = actions_from_params


class ActorCritic(MaskableActorCriticPolicy):
    """SB3's actor and critic; with many actions, the actor has one output per part of an action."""

    def __init__(self, *args: Any, parts: ActionParts | None = None, **kwargs: Any) -> None:
        self._parts = parts
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        if self._parts is not None:
            self.action_dist = LegalDistribution(self._parts)
        super()._build(lr_schedule)

    def divergence(self, outputs: Tensor, masks: Tensor | None) -> Tensor:
        """Returns `[batch]`: divergences of the last distribution from one with other outputs and the same masks."""
        if self._parts is not None:
            return self.action_dist.divergence(outputs)
        return kl_divergence(self.action_dist.distribution, MaskableCategorical(logits=outputs, masks=masks))


def kl_divergence(first: MaskableCategorical, second: MaskableCategorical) -> Tensor:
    """Returns `[batch]`: Kullback-Leibler divergences of `first` from `second`, in nats; both have the same masks."""
    return (first.probs * (first.logits - second.logits)).sum(dim=-1)


class ScaledFeatures(BaseFeaturesExtractor):
    """Scales observations for the first layer; other columns are dropped, or kept unscaled."""

    def __init__(self, observation_space: Any, game: Game[Any], rest: bool = False) -> None:
        self._size = game.facts.observation_size
        super().__init__(observation_space, observation_space.shape[0] if rest else self._size)
        self.scaling = Scaling(game)

    def forward(self, observations: Tensor) -> Tensor:
        """Scales `[batch, columns]` observations to `[batch, features_dim]`."""
        scaled = self.scaling(observations[:, : self._size])
        return torch.cat((scaled, observations[:, self._size : self.features_dim]), dim=1)


def policy_arguments(game: Game[Any]) -> dict[str, Any]:
    """Arguments of SB3's policies that wide observation bounds or many actions require."""
    arguments: dict[str, Any] = {}
    if Scaling(game).needed:
        arguments |= {"features_extractor_class": ScaledFeatures, "features_extractor_kwargs": {"game": game}}
    if has_many_actions(game):
        arguments["parts"] = ActionParts(game)
    return arguments


def actor(policy: MaskableActorCriticPolicy) -> nn.Sequential:
    """Returns the layers of SB3's policy that map observations `[batch, observation_size]` to outputs."""
    features = policy.features_extractor
    first = [features.scaling] if isinstance(features, ScaledFeatures) else []
    return nn.Sequential(*first, *policy.mlp_extractor.policy_net, policy.action_net)


class DecisionBuffer(MaskableRolloutBuffer):
    """A rollout buffer that returns only rows with legal actions; masks of many actions are stored as bits."""

    def __init__(self, *args: Any, bits: bool, **kwargs: Any) -> None:
        self._bits = bits
        super().__init__(*args, **kwargs)

    def reset(self) -> None:
        """Empties the buffer."""
        self._present = np.zeros((self.buffer_size, self.n_envs), dtype=np.bool_)
        if not self._bits:
            super().reset()
            return
        self.mask_dims = -(-int(self.action_space.n) // 8)
        self.action_masks = np.zeros((self.buffer_size, self.n_envs, self.mask_dims), dtype=np.uint8)
        RolloutBuffer.reset(self)

    def add(self, *args: Any, action_masks: NDArray[np.int8], **kwargs: Any) -> None:
        """Adds one row per environment, as SB3's buffer does."""
        self._present[self.pos] = action_masks.any(axis=1)
        super().add(*args, action_masks=as_bits(action_masks) if self._bits else action_masks, **kwargs)

    def get(self, batch_size: int | None = None) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yields minibatches of the rows with legal actions, in random order."""
        if not self.generator_ready:
            kept = self.swap_and_flatten(self._present)[:, 0]
            for name in COLUMNS:
                column = self.swap_and_flatten(getattr(self, name))
                setattr(self, name, column if kept.all() else column[kept])
            self.generator_ready = True
        order = np.random.permutation(len(self.observations))
        if batch_size is not None and 1 < len(order) < self._present.size and len(order) % batch_size == 1:
            order = order[:-1]  # the advantage of a single row cannot be normalized
        for first in range(0, len(order), batch_size or len(order)):
            yield self._get_samples(order[first : first + (batch_size or len(order))])
