"""Neural fictitious self-play: SB3's DQN learns best responses, and a second network imitates their average.

Source: J. Heinrich and D. Silver, "Deep reinforcement learning from self-play in imperfect-information games" (2016),
section 3: each player plays a game with an approximate best response (with the anticipatory probability) or with the
average of its past best responses. A reservoir keeps a uniform sample of all decisions made by best responses, which
the average policy imitates. So at each decision a best response is weighted by its reach probability, as averaging
behaviour strategies requires.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.self_play import SelfPlayVecEnv
from train.algorithms.experience.buffers import Reservoir
from train.algorithms.experience.masked_dqn import DQNLearner, MaskedDQN, MaskShowingEnv
from train.learner.arguments import NFSPArgs as Args
from train.policies.layers import LegalPairs
from train.policies.learned_policy import has_many_actions
from train.policies.networks import Network, SoftmaxPolicy

# Checkpoints contain the reservoir, so its limit is well below the memory of a machine.
RESERVOIR_BYTES = 1 << 28


class Learner(DQNLearner):
    """NFSP on one game, with the same networks in all seats; the learned policy is the average."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        facts = game.facts
        super().__init__(game, args)
        self._batch = GameBatch(game, args.num_games, seed)
        self._rng = np.random.default_rng([seed, 1])  # a separate random stream from that of the games
        self._envs = MaskShowingEnv(SelfPlayVecEnv(self._batch), game)
        sizes = [args.width] * args.layers
        self._dqn = MaskedDQN(self._envs, game, sizes, args.learning_rate, args.replay_size)
        self._average = Network.of_actions(game, args.width, args.layers, "relu")
        self._optimizer = torch.optim.Adam(self._average.parameters(), lr=args.average_rate)
        widths = facts.observation_size, self._envs.mask_width
        self._mask_type = np.uint8 if has_many_actions(game) else np.int8
        fitting = RESERVOIR_BYTES // (4 * widths[0] + widths[1] + 8)
        self._reservoir = Reservoir(min(args.reservoir_size, fitting), widths, self._mask_type)
        self._views = self._envs.reset()
        self._responds = self._draw_roles(len(self._views))
        self.parts = {
            "dqn": self._dqn.policy,
            "dqn_optimizer": self._dqn.policy.optimizer,
            "average": self._average,
            "average_optimizer": self._optimizer,
            "reservoir": self._reservoir,
            "batch": self._batch,
            "roles": [torch.from_numpy(self._responds)],
            "generator": self._rng,
        }

    def advance(self, steps: int) -> dict[str, float]:
        """Plays and trains until `steps`; returns the mean losses of DQN and of the average policy (in nats)."""
        views, responds = self._views, self._responds
        losses = []
        while self.steps < steps:
            actions = self._actions(views, responds)
            observations, masks = self._split(views)
            added = responds & masks.any(axis=1)
            self._reservoir.add(observations[added], masks[added], actions[added], self._rng)
            after, rewards, done, infos = self._envs.step(actions)
            self._dqn.replay_buffer.add(views, after, actions, rewards, done, infos)
            views = after
            responds = np.where(done, self._draw_roles(len(views)), responds)
            self.steps += self._args.num_games
            response_loss = self._dqn.update(self._args.batch_size, self._args.target_rate)
            losses.append((response_loss, self._improve_average()))
        self._views, self._responds[:] = views, responds
        response, average = np.nanmean(losses, axis=0)
        return {"response_loss": float(response), "average_loss": float(average)}

    def policy(self) -> SoftmaxPolicy:
        return SoftmaxPolicy(self._game, deepcopy(self._average))

    def _draw_roles(self, count: int) -> NDArray[np.bool_]:
        """Draws `[count]`: whether each seat plays its next game with the best response."""
        return self._rng.random(count) < self._args.anticipatory

    def _split(self, views: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[Any]]:
        """Splits rows into observations and masks; masks are int8 or packed as bits."""
        size = self._game.facts.observation_size
        return views[:, :size], views[:, size:].astype(self._mask_type)

    def _actions(self, views: NDArray[np.float32], responds: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns `[seats of all games]`: the best response's action where `responds`, else the average's; 0 if out."""
        here = self._split(views)[1].any(axis=1)
        actions = np.zeros(len(views), dtype=np.int64)
        actions[here] = self._chosen(views[here], responds[here])
        return actions

    def _chosen(self, views: NDArray[np.float32], responds: NDArray[np.bool_]) -> NDArray[np.int64]:
        observations, masks = self._split(views)
        actions = SoftmaxPolicy(self._game, self._average).sample(observations, masks, self._rng)
        best = self._dqn.greedy_actions(views)
        explores = self._rng.random(len(views)) < self._exploration()
        uniform = _any_legal(masks, self._rng)
        return np.where(responds, np.where(explores, uniform, best), actions)

    def _exploration(self) -> float:
        first, last = self._args.exploration, self._args.final_exploration
        return first + (last - first) * min(1.0, self.steps / self._args.steps)

    def _improve_average(self) -> float:
        """Makes an imitation update; returns its loss, or NaN before any best response was played."""
        if not self._reservoir.added:
            return float("nan")
        observations, masks, actions = self._reservoir.sample(self._args.batch_size, self._rng).values()
        loss = imitation_loss(self._average, *map(torch.from_numpy, (observations, masks, actions)))
        for group in self._optimizer.param_groups:
            group["lr"] = self._falling(self._args.average_rate, self._args.final_rate)
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        return loss.item()


def imitation_loss(network: Network, observations: Tensor, masks: Tensor, actions: Tensor) -> Tensor:
    """Returns the mean cross-entropy of the network's softmax with the actions, in nats; masks may be packed bits."""
    outputs = network(observations)
    if network.parts is None:
        legal = torch.where(masks == 1, outputs, -torch.inf)
        return nn.functional.cross_entropy(legal, actions)
    pairs = LegalPairs.of(masks.numpy())
    _, places = pairs.places_of(actions)
    return -pairs.log_softmax(network.parts.logits(outputs, pairs)).index_select(0, places).mean()


def _any_legal(masks: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draws `[batch]`: a uniformly random legal action per row."""
    if masks.dtype == np.int8:
        return sample_actions(masks.astype(np.float64), rng)
    pairs = LegalPairs.of(masks)
    return pairs.sample(torch.ones(len(pairs.rows)), torch.from_numpy(rng.random(len(masks)))).numpy()
