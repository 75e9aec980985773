"""AlphaZero for simultaneous moves: a policy and value network learns from searches in self-play.

Sources: D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi and Go through
self-play" (Science, 2018); T. Becker and Z. Sunberg, "Simultaneous AlphaZero: extending tree search to Markov games"
(arXiv 2512.12486, 2025), for matrix games at the nodes of the search. Differences from the latter: nodes are solved
exactly, and not by a bandit algorithm; and the value's target is the value of the matrix game at the root, not the
outcome of the game, which depends on moves that explore.

In every state the network guides a search: its values stand for what follows the tree, and its strategies are those by
which the search explores. The strategies found at the root are played, mixed with uniform moves, and learned.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines.search.policy import SearchPolicy
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.envs.engines.engine import Views
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms.experience.buffers import Buffer
from train.learner.arguments import AlphaZeroArgs as Args
from train.learner.checkpoint import Resumable, follow
from train.policies.networks import Network, PolicyValue


class Learner(Resumable):
    """AlphaZero on one game; the policy and the searches use a slowly moving copy of the network."""

    _args: Args

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        super().__init__(game, args)
        self._require_few_actions("AlphaZero solves a matrix game of all joint actions at every node")
        facts = game.facts
        self._batch = GameBatch(game, args.num_games, seed)
        self._batch.reset()
        self._rng = np.random.default_rng([seed, 1])  # a separate random stream from that of the games
        self._network = Network(game, args.width, args.layers, facts.num_actions + 1, "relu", args.memory)
        memory = self._network.memory
        self._target = deepcopy(self._network, {id(memory): memory})  # shares the memory
        self._following: list[Tensor] = self._target.dense
        self._optimizers: dict[str, torch.optim.Optimizer] = {
            "adam": torch.optim.Adam(self._network.dense, fused=True),
            "memory_optimizer": torch.optim.SparseAdam([memory]),
        }
        self._buffer = Buffer(
            args.replay_size,
            observations=((2, facts.observation_size), np.float32),
            masks=((2, facts.num_actions), np.int8),
            strategies=((2, facts.num_actions), np.float32),
            values=((), np.float32),
        )
        self._searches = SearchPolicy(game, "matrix", args.simulations, self.policy())
        self.parts = {
            "network": self._network,
            "target": self._following,
            **self._optimizers,
            "buffer": self._buffer,
            "batch": self._batch,
            "generator": self._rng,
        }

    def advance(self, steps: int) -> dict[str, float]:
        """Plays and trains until `steps`.

        Returns:
            The mean squared error of values, in payoff points squared, and the cross entropy of strategies, in nats.
        """
        losses = []
        while self.steps < steps:
            views, self._searches.leaf = self._batch.views(), PolicyValue(self._game, self._target)
            seeds = self._rng.integers(2**63, size=self._args.num_games).astype(np.uint64)
            found = self._searches.search(views.observations[:, 0], seeds)
            self._buffer.put(*views, found.strategies, found.values)
            self._batch.step(self._actions(views, found.strategies))
            self.steps += self._args.num_games
            losses += [self._update() for _ in range(self._args.updates)]
        value_loss, policy_loss = np.mean(losses, axis=0)
        return {"value_loss": float(value_loss), "policy_loss": float(policy_loss)}

    def policy(self) -> PolicyValue:
        return PolicyValue(self._game, deepcopy(self._target))

    def _actions(self, views: Views, strategies: NDArray[np.float64]) -> NDArray[np.int64]:
        """Draws `[num_games, 2]` actions: uniform ones, or from the strategies that were found."""
        explores = self._rng.random(views.masks.shape[:2]) < self._args.exploration
        nothing = strategies.sum(axis=2) == 0.0  # where no action matters any more
        weights = np.where((explores | nothing)[:, :, None], views.masks, strategies)
        weights[~views.masks.any(axis=2), 0] = 1.0
        return sample_actions(weights.reshape(-1, weights.shape[2]), self._rng).reshape(-1, 2)

    def _update(self) -> tuple[float, float]:
        """Makes an update on searches; returns the losses of values and of strategies."""
        args, rows = self._args, self._buffer.sample(self._args.batch_size, self._rng)
        for name, optimizer in self._optimizers.items():
            rate = args.memory_rate if name == "memory_optimizer" else args.learning_rate
            optimizer.param_groups[0]["lr"] = self._falling(rate, args.final_rate)
        outputs = self._network(torch.from_numpy(rows["observations"]).flatten(0, 1))
        targets = torch.from_numpy(np.stack((rows["values"], -rows["values"]), axis=1)).flatten()
        value_loss = (outputs[:, -1] - targets).square().mean()
        legal = torch.from_numpy(rows["masks"]).flatten(0, 1).bool()
        logits = outputs[:, :-1].masked_fill(~legal, -1e9).log_softmax(dim=1)
        policy_loss = -(torch.from_numpy(rows["strategies"]).flatten(0, 1) * logits).sum(dim=1).mean()
        self._network.zero_grad()
        (value_loss + policy_loss).backward()
        for optimizer in self._optimizers.values():
            optimizer.step()
        follow(self._following, self._network.dense, args.target_rate)
        return value_loss.item(), policy_loss.item()
