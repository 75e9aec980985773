"""Stable-Baselines3's DQN for games with action masks, which are appended to the observations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import create_mlp
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.common.utils import polyak_update
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor, nn

from cardwar_envs.core.game import Game
from train.algorithms.experience.decisions import ScaledFeatures
from train.learner.checkpoint import Resumable
from train.policies.layers import ActionParts, LegalPairs, Scaling, as_bits
from train.policies.learned_policy import has_many_actions

# The value of an illegal action: lower than any payoff, but finite, because DQN multiplies it by 0 at a game's end.
NEVER_PLAYED = -1e6
REPLAYED = ("observations", "next_observations", "actions", "rewards", "dones")


class MaskShowingEnv(VecEnvWrapper):
    """Environments that append the action mask to observations, because SB3's DQN does not query masks.

    A mask occupies `mask_width` numbers; large masks are packed, eight bits per number.
    """

    def __init__(self, venv: VecEnv, game: Game[Any]) -> None:
        """Wraps environments of a game; they must have a method `action_masks`."""
        self._bits, actions = has_many_actions(game), game.facts.num_actions
        self.mask_width = -(-actions // 8) if self._bits else actions
        space, more = venv.observation_space, np.zeros(self.mask_width, dtype=np.float32)
        most = more + (255 if self._bits else 1)
        shown = Box(np.concatenate([space.low, more]), np.concatenate([space.high, most]), dtype=np.float32)
        super().__init__(venv, shown)

    def reset(self) -> NDArray[np.float32]:
        """Restarts every game; returns `[num_envs, observation_size + mask_width]`."""
        return self._with_masks(self.venv.reset())

    def look(self) -> NDArray[np.float32]:
        """Returns the games as they stand, in the format of `reset`."""
        return self._with_masks(self.venv.look())

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; returns observations in the format of `reset`."""
        observations, *rest = self.venv.step_wait()
        return (self._with_masks(observations), *rest)

    def _with_masks(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        masks = self.venv.action_masks()
        return np.concatenate([observations, as_bits(masks) if self._bits else masks], axis=1, dtype=np.float32)


class SeatReplay(ReplayBuffer):
    """SB3's replay buffer, which samples only decisions: rows in which the seat was still in the game."""

    def __init__(self, *args: Any, mask_width: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._mask_width = mask_width
        self.recompute_present()

    def recompute_present(self) -> None:
        """Recomputes which rows are decisions."""
        self._present = (self.observations[..., -self._mask_width :] != 0.0).any(axis=-1)

    def add(self, obs: NDArray[np.float32], *rest: Any) -> None:
        """Adds a row per seat."""
        self._present[self.pos] = (obs[:, -self._mask_width :] != 0.0).any(axis=-1)
        super().add(obs, *rest)

    def sample(self, batch_size: int, env: Any = None) -> ReplayBufferSamples:
        """Draws decisions with replacement."""
        present = self._present[: self.buffer_size if self.full else self.pos]
        if present.all():
            return super().sample(batch_size, env)
        places, seats = np.nonzero(present)
        drawn = np.random.randint(len(places), size=batch_size)
        at = places[drawn], seats[drawn]
        after = self.next_observations[at], self.dones[at][:, None], self.rewards[at][:, None]
        return ReplayBufferSamples(*map(self.to_torch, (self.observations[at], self.actions[at], *after)))


class _MaskedQNetwork(QNetwork):
    """DQN's network, in which illegal actions have lower values than all legal actions.

    With `parts`, the value of an action is the sum of the values of its parts, and masks are packed as bits.
    """

    parts: ActionParts | None = None

    def forward(self, obs: Tensor) -> Tensor:
        """Maps `[batch, observation with mask]` to action values `[batch, num_actions]`, in payoff points."""
        values = super().forward(obs)
        if self.parts is None:
            return values.masked_fill(obs[:, -values.shape[1] :] == 0.0, NEVER_PLAYED)
        pairs = LegalPairs.of(obs[:, self.features_dim :].to(torch.uint8).numpy())
        never = torch.full((len(obs), int(self.action_space.n)), NEVER_PLAYED)
        return never.index_put((pairs.rows, pairs.actions), self.parts.logits(values, pairs))


class _MaskedDQNPolicy(DQNPolicy):
    """DQN's policy, with networks that respect masks."""

    def __init__(self, *args: Any, parts: ActionParts | None, **kwargs: Any) -> None:
        self._parts = parts
        super().__init__(*args, **kwargs)

    def make_q_net(self) -> QNetwork:
        """Creates a Q-network; SB3 calls this for the online network and for the target network."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        network = _MaskedQNetwork(**arguments)
        if self._parts is not None:
            network.parts = self._parts
            network.q_net = nn.Sequential(*create_mlp(network.features_dim, self._parts.size, self.net_arch, nn.ReLU))
        return network.to(self.device)


class MaskedDQN(DQN):
    """SB3's DQN on one game; the caller plays the games, fills the replay buffer and requests updates."""

    def __init__(
        self,
        envs: MaskShowingEnv,
        game: Game[Any],
        sizes: list[int],
        learning_rate: float | Callable[[float], float],
        replay_size: int,
        sees_masks: bool = True,
    ) -> None:
        """Creates the networks with hidden layers of `sizes` units; `replay_size` is in decisions.

        With `sees_masks`, masks are inputs of the network, except in games with many actions.
        """
        many = has_many_actions(game)
        features: dict[str, Any] = {}
        if many or not sees_masks or Scaling(game).needed:
            features["features_extractor_class"] = ScaledFeatures
            features["features_extractor_kwargs"] = {"game": game, "rest": sees_masks and not many}
        super().__init__(
            _MaskedDQNPolicy,
            envs,
            learning_rate=learning_rate,
            buffer_size=max(replay_size, envs.num_envs),
            replay_buffer_class=SeatReplay,
            # Games are never truncated.
            replay_buffer_kwargs={"handle_timeout_termination": False, "mask_width": envs.mask_width},
            gamma=1.0,  # no discounting: games are finite
            target_update_interval=sys.maxsize,  # SB3 must not update the target: `improve` moves it gradually
            policy_kwargs={"net_arch": sizes, "parts": ActionParts(game) if many else None, **features},
            device="cpu",
        )
        self.set_logger(Logger(folder=None, output_formats=[]))

    def greedy_actions(self, views: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns `[rows]`: the actions with the highest value at observations with appended masks."""
        with torch.no_grad():
            best: NDArray[np.int64] = self.q_net(torch.from_numpy(views)).argmax(dim=1).numpy()
        return best

    def update(self, batch_size: int, target_rate: float) -> float:
        """Makes an update, then moves the target by a fraction `target_rate`; returns the loss."""
        self.train(1, batch_size)
        polyak_update(self.q_net.parameters(), self.q_net_target.parameters(), target_rate)
        return float(self.logger.name_to_value["train/loss"])


class DQNLearner(Resumable):
    """A learner that uses a `MaskedDQN` and includes its replay buffer and number of updates in the state."""

    _dqn: MaskedDQN
    _envs: MaskShowingEnv
    _views: NDArray[np.float32]  # the current observations, with masks

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors, data = super().state()
        replay = self._dqn.replay_buffer
        filled = replay.buffer_size if replay.full else replay.pos
        tensors |= {f"replay.{name}": torch.from_numpy(getattr(replay, name)[:filled]) for name in REPLAYED}
        return tensors, {**data, "updates": self._dqn._n_updates, "place": replay.pos, "full": replay.full}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        super().restore(tensors, data)
        replay = self._dqn.replay_buffer
        for name in REPLAYED:
            column = tensors[f"replay.{name}"].numpy()
            getattr(replay, name)[: len(column)] = column
        replay.pos, replay.full, self._dqn._n_updates = data["place"], data["full"], data["updates"]
        replay.recompute_present()
        self._views = self._envs.look()
