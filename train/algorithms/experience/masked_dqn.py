"""SB3's DQN with masks of legal actions, which it knows nothing of: they are part of what it observes.

Source: V. Mnih et al., "Human-level control through deep reinforcement learning" (2015), as implemented by SB3. The
target network follows softly instead of being copied now and then.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.utils import polyak_update
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor

# The value of an illegal action: below any payoff, but finite, because DQN multiplies it by 0 at the end of a game.
NEVER_PLAYED = -1e6
# A float32 holds each integer of so many bits, so a mask of thousands of actions takes little space in a replay buffer.
BITS = 24
REPLAYED = ("observations", "next_observations", "actions", "rewards", "dones")


def packed_size(num_actions: int) -> int:
    """How many numbers a mask makes."""
    return -(-num_actions // BITS)


def packed(masks: NDArray[np.int8]) -> NDArray[np.float32]:
    """Masks `[rows, num_actions]` as `[rows, packed_size(num_actions)]` integers, lowest bits first."""
    of_bytes = np.packbits(masks.view(np.bool_), axis=1, bitorder="little")
    of_bytes = np.pad(of_bytes, ((0, 0), (0, -of_bytes.shape[1] % 3))).reshape(len(masks), -1, 3)
    return of_bytes @ np.array([1, 1 << 8, 1 << 16], dtype=np.float32)


def unpacked(numbers: Tensor, num_actions: int) -> Tensor:
    """The masks, `[rows, num_actions]` int32, that `packed` was given."""
    bits = (numbers.to(torch.int32).unsqueeze(2) >> torch.arange(BITS, dtype=torch.int32)) & 1
    return bits.flatten(1)[:, :num_actions]


class MaskShowingEnv(VecEnvWrapper):
    """Environments whose observations end with the packed mask of legal actions."""

    def __init__(self, venv: VecEnv) -> None:
        """Takes environments with a method `action_masks`."""
        space, actions = venv.observation_space, venv.action_space.n
        more = np.zeros(packed_size(actions), dtype=np.float32)
        low, high = np.concatenate([space.low, more]), np.concatenate([space.high, more + (2**BITS - 1)])
        super().__init__(venv, Box(low, high, dtype=np.float32))

    def reset(self) -> NDArray[np.float32]:
        """Starts every game anew; `[num_envs, observation_size + numbers of a packed mask]`."""
        return self._with_masks(self.venv.reset())

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; observations are like those of `reset`."""
        observations, *rest = self.venv.step_wait()
        return (self._with_masks(observations), *rest)

    def _with_masks(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.concatenate([observations, packed(self.venv.action_masks())], axis=1)


class MaskedDQN(DQN):
    """DQN whose illegal actions are worth less than all others. The caller plays and fills the replay buffer."""

    def __init__(
        self,
        envs: MaskShowingEnv,
        learning_rate: float | Callable[[float], float],
        replay_size: int,
        net_arch: list[int],
        sees_masks: bool,
    ) -> None:
        """Sets up the networks.

        Args:
            envs: The environments.
            learning_rate: Adam's, or a function that says what it is.
            replay_size: The newest decisions to keep.
            net_arch: Units of the hidden layers.
            sees_masks: Whether the network has the masks as inputs as well.
        """
        extractor = {"size": envs.venv.observation_space.shape[0], "masks": envs.action_space.n if sees_masks else 0}
        super().__init__(
            _MaskedDQNPolicy,
            envs,
            learning_rate=learning_rate,
            buffer_size=max(replay_size, envs.num_envs),
            replay_buffer_kwargs={"handle_timeout_termination": False},  # no game is truncated
            gamma=1.0,  # games end by themselves, and only their payoff counts
            target_update_interval=sys.maxsize,  # the target follows softly instead
            policy_kwargs={
                "net_arch": net_arch,
                "features_extractor_class": _Inputs,
                "features_extractor_kwargs": extractor,
            },
            device="cpu",
        )
        self.set_logger(Logger(folder=None, output_formats=[]))

    def best(self, views: NDArray[np.float32]) -> NDArray[np.int64]:
        """`[rows]`: the best legal action at observations with their masks."""
        with torch.no_grad():
            best: NDArray[np.int64] = self.q_net(torch.from_numpy(views)).argmax(dim=1).numpy()
        return best

    def improve(self, batch_size: int, target_rate: float) -> float:
        """Makes an update, after which the target follows by a share `target_rate`; returns the loss."""
        self.train(1, batch_size)
        polyak_update(self.q_net.parameters(), self.q_net_target.parameters(), target_rate)
        return float(self.logger.name_to_value["train/loss"])

    def replayed(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What the networks and their optimizer do not know: the replay buffer, and the number of updates."""
        replay = self.replay_buffer
        filled = replay.buffer_size if replay.full else replay.pos
        tensors = {name: torch.from_numpy(getattr(replay, name)[:filled]) for name in REPLAYED}
        return tensors, {"updates": self._n_updates, "place": replay.pos, "full": replay.full}

    def put_back(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        """Takes back what `replayed` returned."""
        replay = self.replay_buffer
        for name, column in tensors.items():
            getattr(replay, name)[: len(column)] = column.numpy()
        replay.pos, replay.full, self._n_updates = data["place"], data["full"], data["updates"]


class _Inputs(BaseFeaturesExtractor):
    """What the network sees: the observation itself and, if asked for, the mask."""

    def __init__(self, space: Box, size: int, masks: int) -> None:
        super().__init__(space, size + masks)
        self._size, self._masks = size, masks

    def forward(self, views: Tensor) -> Tensor:
        seen = views[:, : self._size]
        return torch.cat([seen, unpacked(views[:, self._size :], self._masks)], dim=1) if self._masks else seen


class _MaskedQNetwork(QNetwork):
    """DQN's network, in which illegal actions are worth less than all others."""

    def forward(self, obs: Tensor) -> Tensor:
        """`[batch, observation with mask]` -> `[batch, num_actions]`, payoff points."""
        values = super().forward(obs)
        actions = values.shape[1]
        return values.masked_fill(unpacked(obs[:, -packed_size(actions) :], actions) == 0, NEVER_PLAYED)


class _MaskedDQNPolicy(DQNPolicy):
    def make_q_net(self) -> QNetwork:
        """DQN's network and its target."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return _MaskedQNetwork(**arguments).to(self.device)
