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

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import hardshrink

from baselines import solve_matrices
from baselines.matrix_game.lookahead import Lookahead, StateValues, one_view
from cardwar_envs.core.game import Game
from cardwar_envs.envs.branching import distinct
from cardwar_envs.envs.engines.engine import Views
from cardwar_envs.envs.game_batch import GameBatch
from train.learner.arguments import FittedValueArgs as Args
from train.learner.checkpoint import Resumable, Streams, follow
from train.learner.contract import refusal
from train.policies.learned_policy import MANY_ACTIONS, has_many_actions
from train.policies.networks import LookaheadPolicy, Network

# The quintic polynomial of Jordan et al., chosen for a large slope at zero.
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
# Root mean square of an update, which matches that of Adam (Liu et al.).
SIZE = 0.2
# Matrices of a smaller norm count as almost zero.
LEAST_NORM = 1e-7
# Entries below this fraction of the norm become 0: they move no weight in float32, but they, or their products, would
# decay into denormal numbers, with which processors multiply fifty times more slowly. All weights of a unit that no
# input activates any more have such entries, since their gradients are 0 while the momentum decays.
NEGLIGIBLE = 1e-9


class Muon(torch.optim.Optimizer):
    """Updates weight matrices by Nesterov momentum that is made nearly orthogonal; there is no weight decay.

    Source: K. Jordan et al. (see above), with the scale of J. Liu et al., "Muon is scalable for LLM training" (2025),
    equation 4, which gives updates the size of Adam's. torch's own Muon multiplies in bfloat16, which is some thirty
    times slower than float32 on processors without bfloat16 units (most laptops).

    Args:
        params: Matrices.
        lr: Learning rate; values that suit Adam suit Muon.
        momentum: Fraction of the momentum that each step keeps.
        orthogonal_steps: Newton-Schulz iterations per step; they take most of the time.
    """

    def __init__(
        self, params: Iterable[Tensor], lr: float = 1e-3, momentum: float = 0.95, orthogonal_steps: int = 5
    ) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "orthogonal_steps": orthogonal_steps})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]  # no loss to return
        """Updates every matrix that has a gradient."""
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is None:
                    continue
                momentum = self.state[matrix].setdefault("momentum_buffer", torch.zeros_like(matrix))
                momentum.lerp_(matrix.grad, 1 - group["momentum"])
                momentum.copy_(hardshrink(momentum, NEGLIGIBLE * LEAST_NORM))
                update = orthogonal(matrix.grad.lerp(momentum, group["momentum"]), group["orthogonal_steps"])
                matrix.sub_(update, alpha=group["lr"] * SIZE * max(matrix.shape) ** 0.5)


def orthogonal(matrix: Tensor, steps: int) -> Tensor:
    """Returns a matrix `[m, n]` with the same singular vectors and with singular values of about 1, in float32.

    After four Newton-Schulz iterations, singular values of at least 0.01 of the norm lie between 0.68 and 1.21.
    """
    a, b, c = COEFFICIENTS
    wide = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    wide = hardshrink(wide / wide.norm().clamp(min=LEAST_NORM), NEGLIGIBLE)  # now no singular value exceeds 1
    for _ in range(steps):
        gram = wide @ wide.T
        wide = torch.addmm(wide, torch.addmm(gram, gram, gram, beta=b, alpha=c), wide, beta=a)
    return wide if matrix.shape[0] <= matrix.shape[1] else wide.T


# Newton-Schulz iterations in a step of Muon; five are common, but four are accurate enough here.
ORTHOGONAL_STEPS = 4


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


def optimizers(network: Network) -> dict[str, torch.optim.Optimizer]:
    """Returns Muon for the weight matrices of hidden layers and Adam for the rest; the caller sets learning rates.

    Muon's updates are orthogonal matrices, so a layer learns equally fast in every direction. They have the scale of
    Adam's (J. Liu et al., "Muon is scalable for LLM training", 2025), so one learning rate suits both optimizers.
    """
    *hidden, _ = (layer for layer in network if isinstance(layer, torch.nn.Linear))
    matrices = [layer.weight for layer in hidden]
    rest = [each for each in network.parameters() if not any(each is matrix for matrix in matrices)]
    return {
        "muon": Muon(matrices, orthogonal_steps=ORTHOGONAL_STEPS),
        "adam": torch.optim.Adam(rest, fused=True),
    }
