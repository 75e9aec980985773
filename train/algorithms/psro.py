"""Policy-space response oracles: a population to which learned best responses to its own equilibrium are added.

Sources: M. Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement learning" (NeurIPS 2017),
algorithm 1; H. B. McMahan, G. J. Gordon and A. Blum, "Planning in the presence of cost functions controlled by an
adversary" (ICML 2003), where responses are exact (the double oracle). Here the payoffs between members and their
equilibrium are exact; only the next member is learned, by PPO against opponents drawn for each game from the
equilibrium. The policy is the equilibrium's mixture as one behaviour strategy (`train.algorithms.information_states`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines import head_to_head, solve_matrix
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.sb3.against import Opponents
from train.algorithms.information_states import Mixture, MixtureTables, Strategies
from train.algorithms.responses import Responder
from train.learner.arguments import PSROArgs as Args
from train.learner.contract import refusal
from train.policies.networks import SoftmaxPolicy
from train.policies.table import LearnedTable

# The exploitability of the mixture is not computed in games with more histories.
MAX_HISTORIES = 50_000
# Smaller differences between payoffs, in payoff points, are treated as rounding errors.
ROUNDING = 1e-12


class Learner:
    """PSRO on one game; the first member of the population is uniform play.

    Every member is one policy for both seats. The equilibrium gives a mixture of members for each seat, and the learned
    policy weights each member by its reach.
    """

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        self.steps = 0
        self._game, self._args, self._seed = game, args, seed
        try:
            self._tables = MixtureTables(game)
        except ValueError as error:  # raises if there are too many states
            raise refusal(error) from None
        self._follows_histories = self._tables.num_histories() <= MAX_HISTORIES
        self._strategies: list[Strategies] = []
        self._policies: list[LearnedTable] = []
        self._payoffs = np.zeros((0, 0))
        self._join(named_policy("uniform", game))

    def advance(self, steps: int) -> dict[str, float]:
        """Trains responses until there are `steps` of them; returns figures of the last response, in payoff points.

        Losses are those of PPO. `response_gain` is the response's payoff against the mixture that it was trained
        against, minus the mixture's own payoff, averaged over the seats. `mixture_exploitability` is the
        exploitability, by an opponent with perfect recall, of drawing one member per game; it is omitted if the game is
        too large. `support` is the number of members with positive probability in the mixture.
        """
        figures: dict[str, float] = {}
        while self.steps < steps:
            row, column = self._equilibrium()
            response, figures = self._response(Opponents(self._policies, np.stack([row, column])))
            self._join(response)
            figures["response_gain"] = float(self._payoffs[-1, :-1] @ column - row @ self._payoffs[:-1, -1]) / 2
            self.steps += 1
        mixtures = self._mixtures()
        if self._follows_histories:
            taken = [self._tables.response_value(player, mixtures[1 - player]) for player in (0, 1)]
            figures["mixture_exploitability"] = sum(taken) / 2
        figures["support"] = float(np.mean([np.count_nonzero(each.weights) for each in mixtures]))
        return figures

    def policy(self) -> LearnedTable:
        averages = [self._tables.average(player, mixture) for player, mixture in enumerate(self._mixtures())]
        strategies, reach = zip(*averages, strict=True)
        return self._tables.policy(self._game, strategies, reach)

    def _equilibrium(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns the probabilities of the members in the first and in the second seat, `[members]` each."""
        solution = solve_matrix(self._payoffs)
        return solution.row_strategy, solution.column_strategy

    def _mixtures(self) -> tuple[Mixture, Mixture]:
        row, column = self._equilibrium()
        first, second = (np.stack(each) for each in zip(*self._strategies, strict=True))
        return Mixture(first, row), Mixture(second, column)

    def _response(self, opponents: Opponents) -> tuple[Policy, dict[str, float]]:
        """Trains a policy from scratch against opponents; returns the policy and the losses of its last update."""
        seed = int(np.random.SeedSequence([self._seed, self.steps]).generate_state(1)[0])
        args = replace(self._args, steps=self._args.response_steps)
        responder = Responder(self._game, args, opponents, seed)
        losses = responder.advance(args.steps)
        return SoftmaxPolicy(self._game, responder.network()), losses

    def _join(self, member: Policy) -> None:
        """Adds a member, and computes the payoffs between it and all other members."""
        strategies = self._tables.strategy(0, member), self._tables.strategy(1, member)
        policy = self._tables.policy(self._game, strategies)
        self._strategies.append(strategies)
        self._policies.append(policy)
        self._payoffs = np.pad(self._payoffs, (0, 1))
        for place, other in enumerate(self._policies):
            self._payoffs[-1, place] = head_to_head(self._game, policy, other).mean
            self._payoffs[place, -1] = head_to_head(self._game, other, policy).mean
        skew = (self._payoffs - self._payoffs.T) / 2
        if np.allclose(self._payoffs, skew, rtol=0.0, atol=ROUNDING):
            self._payoffs = skew  # exactly skew-symmetric, so that both seats get the same mixture

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        first, second = (np.stack(each) for each in zip(*self._strategies, strict=True))
        arrays = {"members_0": first, "members_1": second, "payoffs": self._payoffs.copy()}
        return {name: torch.from_numpy(array) for name, array in arrays.items()}, {"steps": self.steps}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        self.steps, self._payoffs = data["steps"], tensors["payoffs"].numpy()
        first, second = (list(tensors[f"members_{player}"].numpy()) for player in (0, 1))
        self._strategies = list(zip(first, second, strict=True))
        self._policies = [self._tables.policy(self._game, each) for each in self._strategies]
