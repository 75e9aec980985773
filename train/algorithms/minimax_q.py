"""Minimax-Q that only plays: a network learns the payoff of every joint action from replayed games.

Source: M. L. Littman, "Markov games as a framework for multi-agent reinforcement learning" (ICML 1994), section 4:
after a joint action (a, b), Q(s, a, b) moves towards the reward plus the value of the matrix game Q(s', ., .). Here Q
is a network, a slowly moving copy of it provides the targets, and moves are replayed, as in V. Mnih et al.,
"Human-level control through deep reinforcement learning" (2015). The behaviour policy may be any that plays every
action: it affects how often a move is learned from, and not its target.

In games with symmetric seats, the network sees one of the two views of a state, and the other player's payoffs are the
opposite (`one_view`); else it learns from both views. Hidden layers learn by Muon, as in fitted value iteration. A
memory in front of the network (`Encoding`), which the copy shares, learns features of single states.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines import solve_matrices
from baselines.matrix_game.lookahead import one_view, value_views
from baselines.matrix_game.solve import MatrixSolutions
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.envs.branching import distinct
from cardwar_envs.envs.engines.engine import Views
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms.experience.buffers import Replay
from train.algorithms.muon import ORTHOGONAL_STEPS, Muon
from train.learner.arguments import MinimaxQArgs as Args
from train.learner.checkpoint import Resumable, follow
from train.policies.networks import MatrixPolicy, MirroredMatrixPolicy, Network, mirrored


class Learner(Resumable):
    """Minimax-Q on one game; the learned policy is that of the target network."""

    _args: Args

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        super().__init__(game, args)
        self._require_few_actions("minimax-Q needs an output for each joint action")
        self._batch = GameBatch(game, args.num_games, seed)
        self._batch.reset()
        self._rng = np.random.default_rng([seed, 1])  # a separate random stream from that of the games
        self._network = Network(game, args.width, args.layers, game.facts.num_actions**2, "relu", args.memory)
        memory = self._network.memory
        self._target = deepcopy(self._network, {id(memory): memory})
        self._parameters: list[Tensor] = [each for each in self._network.parameters() if each is not memory]
        self._following: list[Tensor] = [each for each in self._target.parameters() if each is not memory]
        *hidden, output = (layer for layer in self._network if isinstance(layer, torch.nn.Linear))
        matrices = [layer.weight for layer in hidden]
        rest = [*(layer.bias for layer in hidden), *output.parameters()]
        self._optimizers: dict[str, torch.optim.Optimizer] = {
            "muon": Muon(matrices, orthogonal_steps=ORTHOGONAL_STEPS),
            "adam": torch.optim.Adam(rest, fused=True),
            "memory_optimizer": torch.optim.SparseAdam([memory]),
        }
        self._replay = Replay(game, args.replay_size)
        self.parts = {
            "network": self._network,
            "target": self._following,
            **self._optimizers,
            "replay": self._replay,
            "batch": self._batch,
            "generator": self._rng,
        }

    def advance(self, steps: int) -> dict[str, float]:
        """Plays and trains until `steps`; returns the mean squared error of Q, in payoff points squared."""
        losses = []
        views = self._batch.views()
        while self.steps < steps:
            actions = self._actions(*views)
            step = self._batch.step(actions)
            self._replay.add(*views, actions, step)
            views = Views(step.observations, step.masks)
            self.steps += self._args.num_games
            losses.append(self._update())
        return {"q_loss": float(np.mean(losses))}

    def policy(self) -> MatrixPolicy:
        kind = MirroredMatrixPolicy if self._game.facts.seat_symmetric else MatrixPolicy
        return kind(self._game, deepcopy(self._target))

    def _actions(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Draws `[num_games, 2]` actions of the behaviour policy: uniform play, or the target's strategies."""
        facts, explores = self._game.facts, self._rng.random(masks.shape[:2]) < self._args.exploration
        seen, legal = observations.reshape(-1, facts.observation_size), masks.reshape(-1, facts.num_actions)
        probabilities = self._game.action_counts(seen, legal)
        if not explores.all():
            found = self._solved(observations, masks)
            strategies = np.stack((found.row_strategies, found.column_strategies), axis=1)
            probabilities = np.where(explores.reshape(-1, 1), probabilities, strategies.reshape(legal.shape))
        return sample_actions(probabilities, self._rng).reshape(-1, 2)

    def _update(self) -> float:
        """Makes an update on replayed moves; returns its loss."""
        moves, args = self._replay.sample(self._args.batch_size, self._rng), self._args
        for name, optimizer in self._optimizers.items():
            rate = args.memory_rate if name == "memory_optimizer" else args.learning_rate
            optimizer.param_groups[0]["lr"] = self._falling(rate, args.final_rate)
        seen, actions, targets = moves["observations"], moves["actions"], self._targets(moves)
        first, places, signs = self._distinct(seen)
        turned = signs != signs[first][places]
        rows, columns = np.where(turned[:, None], actions[:, ::-1], actions).T
        played = self._payoffs(self._network, seen[first])[:, places, rows, columns]
        loss = (played - torch.from_numpy(np.where(turned, -targets, targets))).square().mean()
        self._network.zero_grad()
        loss.backward()
        for optimizer in self._optimizers.values():
            optimizer.step()
        follow(self._following, self._parameters, args.target_rate)
        return loss.item()

    def _targets(self, moves: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Returns `[batch]`: player 0's reward plus the value of the next matrix game, which is 0 after the end."""
        targets, goes_on = moves["rewards"][:, 0].copy(), ~moves["done"]
        if goes_on.any():
            after = moves["next_observations"][goes_on]
            first, places, signs = self._distinct(after)
            values = signs[first] * self._solved(after[first], moves["next_masks"][goes_on][first]).values
            targets[goes_on] += signs * values[places]
        return targets

    def _distinct(self, views: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Finds the distinct states among views `[batch, 2, ...]`, mirror images of each other counted as one.

        Networks and matrix games are evaluated once for each, since in a large batch most states occur several times.

        Returns the index of the first view of each, `[batch]` the state of each view, and `[batch]` their signs, which
        differ in mirror images (`value_views`).
        """
        seen, signs = value_views(self._game, views)
        return *distinct(seen), signs

    @torch.no_grad()
    def _solved(self, views: NDArray[np.float32], masks: NDArray[np.int8]) -> MatrixSolutions:
        """Solves the target network's matrix games at states given by both views, `[batch, 2, ...]`."""
        matrices = self._payoffs(self._target, views).mean(dim=0).numpy().astype(np.float64)
        return solve_matrices(matrices, masks[:, 0], masks[:, 1], 1)

    def _payoffs(self, network: Network, views: NDArray[np.float32]) -> Tensor:
        """Returns `[views used, batch, num_actions, num_actions]`: payoff points to player 0 of all joint actions."""
        if self._game.facts.seat_symmetric:
            seen, signs = one_view(views)
        else:
            seen, signs = np.concatenate((views[:, 0], views[:, 1])), np.repeat((1.0, -1.0), len(views))
        actions = self._game.facts.num_actions
        outputs = network(torch.from_numpy(seen)).view(-1, actions, actions)
        return mirrored(outputs, torch.from_numpy(signs.astype(np.float32))).view(-1, len(views), actions, actions)
