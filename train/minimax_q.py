"""Deep minimax-Q: a network learns the payoff of every joint action, matrix games do the rest.

Source: M. L. Littman, "Markov games as a framework for multi-agent reinforcement learning"
(ICML 1994), section 4: Q(s, a, b) moves towards the reward plus the value of the matrix game
Q(s', ., .). Here Q is a network, its targets come from a slowly following copy, and play is
kept in a replay buffer. Both players' views of a move are learned from: observations are
egocentric, so the column player's view is a move of a row player too.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from baselines import solve_matrices
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.envs.game_batch import BatchStep, GameBatch
from train.algorithms import SelfPlayArgs, option
from train.files import optimizer_tensors, restore_optimizer, within
from train.networks import MatrixPolicy, Network, joint_values
from train.self_play import restore_streams, stored_streams


@dataclass(frozen=True)
class Args(SelfPlayArgs):
    """Arguments of minimax-Q."""

    steps: int = option(1_500_000, "joint actions to play in all games together", low=1)
    num_games: int = option(125, "games played side by side", low=1)
    exploration: float = option(1.0, "share of actions played uniformly, the rest by the policy", low=0.0, high=1.0)
    replay_size: int = option(65_536, "moves kept in the replay buffer", low=1)
    batch_size: int = option(256, "moves per update; there is one update per step of the batch of games", low=1)
    learning_rate: float = option(1e-3, "Adam's learning rate at the start; it falls linearly", low=1e-9)
    final_rate: float = option(0.02, "learning rate at the end, as a share of that at the start", low=0.0, high=1.0)
    target_rate: float = option(0.01, "share by which the target network follows at each update", low=1e-9, high=1.0)
    width: int = option(256, "units of each hidden layer", low=1)
    layers: int = option(2, "hidden layers", low=1)


class Learner:
    """Minimax-Q at work on one game; its policy is that of the target network."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        facts = game.facts
        if not (facts.num_players == 2 and facts.zero_sum and facts.public_state):
            raise ValueError(f"{facts.name}: minimax-Q learns two-player zero-sum games of public state")
        self.steps = 0
        self._game, self._args = game, args
        self._batch = GameBatch(game, args.num_games, seed)
        self._rng = np.random.default_rng([seed, 1])  # a stream of its own beside the batch's
        self._network = Network(game, args.width, args.layers, facts.num_actions**2, "relu")
        self._target = deepcopy(self._network)
        self._optimizer = torch.optim.Adam(self._network.parameters(), lr=args.learning_rate)
        self._replay = _Replay(game, args.replay_size)

    def advance(self, steps: int) -> dict[str, float]:
        """Plays and learns until `steps`; returns the mean squared error of Q, payoff points squared."""
        observations, masks = self._batch.reset()
        losses = []
        while self.steps < steps:
            actions = self._actions(observations, masks)
            step = self._batch.step(actions)
            self._replay.add(observations, actions, step)
            observations, masks = step.observations, step.masks
            self.steps += self._args.num_games
            losses.append(self._update())
        return {"q_loss": float(np.mean(losses))}

    def policy(self) -> MatrixPolicy:
        """The row player's strategy of the matrix games of the target network."""
        return MatrixPolicy(self._game, deepcopy(self._target))

    def _actions(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """`[num_games, 2]`: each player's action is uniform play's or the policy's, drawn for each alone."""
        facts, shape = self._game.facts, masks.shape[:2]
        counts = self._game.action_counts(
            observations.reshape(-1, facts.observation_size), masks.reshape(-1, facts.num_actions)
        )
        actions = sample_actions(counts, self._rng).reshape(shape)
        if self._args.exploration < 1.0:
            solved = solve_matrices(joint_values(self._target, observations[:, 0]), masks[:, 0], masks[:, 1])
            both = np.stack([solved.row_strategies, solved.column_strategies], axis=1)
            by_policy = sample_actions(both.reshape(-1, facts.num_actions), self._rng).reshape(shape)
            actions = np.where(self._rng.random(shape) < self._args.exploration, actions, by_policy)
        return actions

    def _update(self) -> float:
        moves = self._replay.sample(self._args.batch_size, self._rng)
        targets = torch.from_numpy(self._targets(moves).astype(np.float32))
        joint = moves.actions * self._game.facts.num_actions + moves.opponent_actions
        outputs: Tensor = self._network(torch.from_numpy(moves.observations))
        predicted = outputs.gather(1, torch.from_numpy(joint)[:, None])[:, 0]
        loss = nn.functional.mse_loss(predicted, targets)
        for group in self._optimizer.param_groups:
            group["lr"] = self._learning_rate()
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no hints for it
        self._optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(self._target.parameters(), self._network.parameters(), strict=True):
                slow.lerp_(fast, self._args.target_rate)
        return loss.item()

    def _targets(self, moves: _Moves) -> NDArray[np.float64]:
        """`[batch]`: reward plus value of the matrix game that follows, 0 where none does."""
        targets, goes_on = moves.rewards.astype(np.float64), ~moves.done
        if goes_on.any():
            matrices = joint_values(self._target, moves.next_observations[goes_on])
            targets[goes_on] += solve_matrices(
                matrices, moves.next_masks[goes_on], moves.next_opponent_masks[goes_on]
            ).values
        return targets

    def _learning_rate(self) -> float:
        progress = min(1.0, self.steps / self._args.steps)
        return self._args.learning_rate * (1.0 - (1.0 - self._args.final_rate) * progress)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Networks, Adam's moments, the replay buffer, the games' random streams and the generator."""
        tensors = {f"network.{k}": v for k, v in self._network.state_dict().items()}
        tensors |= {f"target.{k}": v for k, v in self._target.state_dict().items()}
        tensors |= optimizer_tensors(self._optimizer)
        tensors |= {f"replay.{k}": torch.from_numpy(v) for k, v in self._replay.filled().items()}
        tensors["streams"] = stored_streams(self._batch)
        return tensors, {"steps": self.steps, "added": self._replay.added, "generator": self._rng.bit_generator.state}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        """Continues from what `state` returned."""
        self._network.load_state_dict(within(tensors, "network."))
        self._target.load_state_dict(within(tensors, "target."))
        restore_optimizer(self._optimizer, tensors)
        self._replay.restore({k: v.numpy() for k, v in within(tensors, "replay.").items()}, data["added"])
        self.steps = data["steps"]
        self._rng.bit_generator.state = data["generator"]
        restore_streams(self._batch, tensors["streams"])


class _Moves(NamedTuple):
    """Moves as one of the two players saw them; `[batch, ...]` each."""

    observations: NDArray[np.float32]
    actions: NDArray[np.int64]
    opponent_actions: NDArray[np.int64]
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    next_observations: NDArray[np.float32]
    next_masks: NDArray[np.int8]
    next_opponent_masks: NDArray[np.int8]


class _Replay:
    """The newest moves, as both players saw them; `added` counts all moves ever added."""

    def __init__(self, game: Game[Any], size: int) -> None:
        facts = game.facts
        self._size, self.added = size, 0
        self._columns: dict[str, NDArray[Any]] = {
            "observations": np.zeros((size, 2, facts.observation_size), dtype=np.float32),
            "actions": np.zeros((size, 2), dtype=np.int64),
            "rewards": np.zeros((size, 2), dtype=np.float32),
            "done": np.zeros(size, dtype=np.bool_),
            "next_observations": np.zeros((size, 2, facts.observation_size), dtype=np.float32),
            "next_masks": np.zeros((size, 2, facts.num_actions), dtype=np.int8),
        }

    def add(self, observations: NDArray[np.float32], actions: NDArray[np.int64], step: BatchStep) -> None:
        places = np.arange(self.added, self.added + len(actions)) % self._size
        new = (observations, actions, step.rewards, step.done, step.observations, step.masks)
        for column, values in zip(self._columns.values(), new, strict=True):
            column[places] = values
        self.added += len(actions)

    def sample(self, count: int, rng: np.random.Generator) -> _Moves:
        """Moves drawn with replacement, each seen from a seat drawn at random."""
        rows = rng.integers(min(self.added, self._size), size=count)
        own = rng.integers(2, size=count)
        column = self._columns
        return _Moves(
            column["observations"][rows, own],
            column["actions"][rows, own],
            column["actions"][rows, 1 - own],
            column["rewards"][rows, own],
            column["done"][rows],
            column["next_observations"][rows, own],
            column["next_masks"][rows, own],
            column["next_masks"][rows, 1 - own],
        )

    def filled(self) -> dict[str, NDArray[Any]]:
        """The part of each column that holds moves."""
        return {name: column[: self.added] for name, column in self._columns.items()}

    def restore(self, columns: Mapping[str, NDArray[Any]], added: int) -> None:
        self.added = added
        for name, column in self._columns.items():
            column[:added] = columns[name]
