"""Fitted value iteration: a network learns state values; the matrix games of one-step lookahead are solved exactly.

Sources: L. S. Shapley, "Stochastic games" (PNAS, 1953), for the backup: the value of a state is that of the matrix game
whose entries are the reward of a joint action plus the value of the next state; R. Munos and Cs. Szepesvári,
"Finite-time bounds for fitted value iteration" (JMLR, 2008), for fitting a network on sampled states with a simulator.
A slowly moving copy of the network provides the targets.

The policy looks one move ahead in the same way, as G. Tesauro's TD-Gammon does ("Temporal difference learning and
TD-Gammon", Communications of the ACM, 1995), so policy and learner need the rules. Hidden layers learn by Muon
(K. Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import Tensor

from baselines import solve_matrices
from baselines.matrix_game.lookahead import Lookahead, StateValues, one_view
from cardwar_envs.core.game import Game
from cardwar_envs.envs.branching import distinct
from cardwar_envs.envs.engines.engine import Views
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms.muon import optimizers
from train.learner.arguments import FittedValueArgs as Args
from train.learner.checkpoint import Resumable, Streams, follow
from train.learner.contract import refusal
from train.policies.learned_policy import MANY_ACTIONS, has_many_actions
from train.policies.networks import LookaheadPolicy, Network


class Learner(Resumable):
    """Fitted value iteration on one game; the learned policy looks one move ahead with the target network."""

    _args: Args

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        super().__init__(game, args)
        try:
            self._lookahead = Lookahead(game)
        except ValueError as error:
            raise refusal(error) from None
        if has_many_actions(game):
            raise refusal(
                f"{game.facts.name}: fitted value iteration tries every joint action, so it supports fewer "
                f"than {MANY_ACTIONS} actions per player; this game has {game.facts.num_actions:,}"
            )
        self._starts = GameBatch(game, args.num_games, seed, start="random")
        observations, masks = self._starts.reset()
        self._followers = Views(observations[:0], masks[:0])
        self._rng = np.random.default_rng([seed, 1])  # a separate random stream from that of the games
        self._network = Network(game, args.width, args.layers, 1, "relu", memory=0)
        self._target = deepcopy(self._network)
        self._parameters: list[Tensor] = [*self._network.parameters()]
        self._following: list[Tensor] = [*self._target.parameters()]
        self._optimizers = optimizers(self._network)
        networks = {"network": self._network, "target": self._target}
        self.parts = {**networks, **self._optimizers, "starts": Streams(self._starts), "generator": self._rng}

    def advance(self, steps: int) -> dict[str, float]:
        """Trains in rounds until `steps`; returns the mean squared error of values, in payoff points squared."""
        losses = []
        while self.steps < steps:
            situations = self._draw()
            losses += self._learn(*self._lessons(situations))
            self.steps += int(np.prod(situations.masks.sum(axis=2, dtype=np.int64), axis=1).sum())
        return {"value_loss": float(np.mean(losses))}

    def policy(self) -> LookaheadPolicy:
        return LookaheadPolicy(self._game, deepcopy(self._target))

    def _draw(self) -> Views:
        """Draws distinct states: states reached by uniform play, and successors of the last round's states."""
        fresh, followers = self._starts.reset(), self._followers
        observations = np.concatenate((fresh.observations, followers.observations))
        masks = np.concatenate((fresh.masks, followers.masks))
        different, _ = distinct(one_view(observations)[0])
        return Views(observations[different], masks[different])

    def _lessons(self, situations: Views) -> tuple[Tensor, Tensor]:
        """Returns observations `[batch, observation_size]`, and their values `[batch]` after Shapley's backup."""
        lots, followers = [], []
        for matrices, after in self._lookahead.lots(situations, StateValues(self._game, self._target)):
            lots.append(matrices)
            if self._args.followed:
                followers.append(self._some_of(after, len(matrices) / len(situations.masks)))
        if followers:
            self._followers = Views(*(np.concatenate(each) for each in zip(*followers, strict=True)))
        solved = solve_matrices(np.concatenate(lots), situations.masks[:, 0], situations.masks[:, 1], 1)
        views, signs = one_view(situations.observations)
        return torch.from_numpy(views), torch.from_numpy((signs * solved.values).astype(np.float32))

    def _some_of(self, after: Views, share: float) -> Views:
        """Draws distinct states uniformly, regardless of how rarely uniform play reaches them."""
        different, _ = distinct(one_view(after.observations)[0])
        count = min(len(different), round(share * self._args.followed * self._args.num_games))
        picked = self._rng.choice(different, count, replace=False)
        return Views(after.observations[picked], after.masks[picked])

    def _learn(self, views: Tensor, values: Tensor) -> list[float]:
        """Fits the network to observations and values in random order; returns the losses."""
        losses = []
        for optimizer in self._optimizers.values():
            optimizer.param_groups[0]["lr"] = self._falling(self._args.learning_rate, self._args.final_rate)
        for _ in range(self._args.passes):
            order = torch.from_numpy(self._rng.permutation(len(views)))
            losses += [self._update(views[some], values[some]) for some in order.split(self._args.batch_size)]
        return losses

    def _update(self, views: Tensor, values: Tensor) -> float:
        loss = torch.nn.functional.mse_loss(self._network(views)[:, 0], values)
        self._network.zero_grad()
        loss.backward()
        for optimizer in self._optimizers.values():
            optimizer.step()
        follow(self._following, self._parameters, self._args.target_rate)
        return loss.item()

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors, data = super().state()
        followers = {f"followers.{name}": torch.from_numpy(each) for name, each in self._followers._asdict().items()}
        return tensors | followers, data

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        super().restore(tensors, data)
        self._followers = Views(*(tensors[f"followers.{name}"].numpy() for name in Views._fields))
