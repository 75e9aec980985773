"""Deep minimax-Q: a network learns the payoff of every joint action; the matrix games it predicts are solved exactly.

Source: M. L. Littman, "Markov games as a framework for multi-agent reinforcement learning" (ICML 1994), section 4: Q(s,
a, b) moves towards the reward plus the value of the matrix game Q(s', ., .). Here Q is a network, and a slowly moving
copy of it provides the targets.

It trains in rounds, as in M. Riedmiller, "Neural fitted Q iteration" (ECML 2005): each round draws states reached by
uniform play, tries every joint action once in each, and makes several passes over the results from both players' views.
A memory in front of the network (`Encoding`), which the copy shares, learns features of single states.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines import solve_matrices
from cardwar_envs.core.game import Game
from cardwar_envs.envs.branching import Brancher, Branches, distinct
from cardwar_envs.envs.engines.engine import Views
from cardwar_envs.envs.game_batch import GameBatch
from train.learner.arguments import MinimaxQModelArgs as Args
from train.learner.checkpoint import Resumable, Streams, follow
from train.policies.networks import MatrixPolicy, Network, joint_values

# Number of observations evaluated at a time; few enough to fit into a processor's cache.
ASKED_AT_A_TIME = 2048


class Learner(Resumable):
    """Minimax-Q on one game; the learned policy is that of the target network."""

    _args: Args

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        super().__init__(game, args)
        self._require_few_actions("minimax-Q needs an output for each joint action")
        self._starts = GameBatch(game, args.num_games, seed, start="random")
        self._trials = Brancher(game, args.num_games, seed)
        self._rng = np.random.default_rng([seed, 1])  # a separate random stream from that of the games
        self._network = Network(game, args.width, args.layers, game.facts.num_actions**2, "relu", args.memory)
        memory = self._network.memory
        self._target = deepcopy(self._network, {id(memory): memory})
        self._parameters: list[Tensor] = [each for each in self._network.parameters() if each is not memory]
        self._following: list[Tensor] = [each for each in self._target.parameters() if each is not memory]
        self._optimizer = torch.optim.Adam(self._parameters, lr=args.learning_rate, fused=True)
        self._memory_optimizer = torch.optim.SparseAdam([memory], lr=args.memory_rate)
        self.parts = {
            "network": self._network,
            "target": self._following,
            "optimizer": self._optimizer,
            "memory_optimizer": self._memory_optimizer,
            "starts": Streams(self._starts),
            "chance": Streams(self._trials.batch),
            "generator": self._rng,
        }

    def advance(self, steps: int) -> dict[str, float]:
        """Trains in rounds until `steps`; returns the mean squared error of Q, in payoff points squared."""
        losses = []
        while self.steps < steps:
            situations = self._draw()
            tried = self._trials.all_joint(situations)
            losses += self._learn(self._seen_by_both(situations, tried))
            self.steps += len(tried.rewards)
        return {"q_loss": float(np.mean(losses))}

    def policy(self) -> MatrixPolicy:
        return MatrixPolicy(self._game, deepcopy(self._target))

    def _draw(self) -> Views:
        observations, masks = self._starts.reset()
        different, _ = distinct(observations[:, 0])
        return Views(observations[different], masks[different])

    def _seen_by_both(self, situations: Views, tried: Branches) -> _Lessons:
        """Returns the round's training data: first player 0's views of the states, then player 1's."""
        actions, (seen, masks) = self._game.facts.num_actions, situations
        payoffs: NDArray[np.float32] = np.zeros((len(masks), actions, actions), dtype=np.float32)
        payoffs[tried.situations, tried.joint[:, 0], tried.joint[:, 1]] = self._targets(tried)
        legal = (masks[:, 0, :, None] & masks[:, 1, None, :]).astype(np.float32)
        # All states have the same weight.
        weights: NDArray[np.float32] = legal / legal.sum(axis=(1, 2), keepdims=True)
        observations = np.concatenate((seen[:, 0], seen[:, 1]))
        payoffs = np.concatenate((payoffs, -payoffs.transpose(0, 2, 1))).reshape(-1, actions**2)
        weights = np.concatenate((weights, weights.transpose(0, 2, 1))).reshape(-1, actions**2)
        return _Lessons(*map(torch.from_numpy, (observations, payoffs, weights)))

    def _targets(self, tried: Branches) -> NDArray[np.float64]:
        """Returns `[trials]`: reward plus the value of the next matrix game, which is 0 if the game is over."""
        targets, goes_on = tried.rewards.copy(), np.flatnonzero(~tried.done)
        if len(goes_on):
            different, places = distinct(tried.after[goes_on, 0])
            asked = goes_on[different]
            targets[goes_on] += self._values(tried.after[asked, 0], tried.masks_after[asked])[places]
        return targets

    def _values(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns `[batch]`: values, to player 0, of the target network's matrix games."""
        values = np.empty(len(observations))
        for first in range(0, len(values), ASKED_AT_A_TIME):
            some = slice(first, first + ASKED_AT_A_TIME)
            matrices = joint_values(self._target, observations[some])
            values[some] = solve_matrices(matrices, masks[some, 0], masks[some, 1], 1).values
        return values

    def _learn(self, lessons: _Lessons) -> list[float]:
        """Fits the network to the training data in random order; returns the losses."""
        losses, args = [], self._args
        self._optimizer.param_groups[0]["lr"] = self._falling(args.learning_rate, args.final_rate)
        self._memory_optimizer.param_groups[0]["lr"] = self._falling(args.memory_rate, args.final_rate)
        for _ in range(args.passes):
            order = torch.from_numpy(self._rng.permutation(len(lessons.observations))).split(args.batch_size)
            losses += [self._update(_Lessons(*(each[some] for each in lessons))) for some in order]
        return losses

    def _update(self, lessons: _Lessons) -> float:
        errors = self._network(lessons.observations) - lessons.payoffs
        loss = (lessons.weights * errors * errors).sum() / len(errors)
        self._optimizer.zero_grad()
        self._memory_optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        self._memory_optimizer.step()
        follow(self._following, self._parameters, self._args.target_rate)
        return loss.item()


class _Lessons(NamedTuple):
    """Training data from one player's view; payoffs and weights are `[batch, num_actions**2]`."""

    observations: Tensor
    payoffs: Tensor
    weights: Tensor
