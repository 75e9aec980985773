"""A best response by reinforcement learning: sb3-contrib's MaskablePPO against one fixed policy.

Against a fixed policy, a game is a Markov decision process for a player who sees its state, and PPO's payoff
can be compared with the exact best response's value. One network plays both seats: the learner has the first
seat in half of the games and the second in the others.

Source: J. Schulman et al., "Proximal Policy Optimization Algorithms" (2017), as implemented with masks by
sb3-contrib.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.dataclasses import dataclass
from torch import Tensor

from baselines import best_response, head_to_head
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.algorithms import ppo
from train.algorithms.contract import option
from train.algorithms.experience.fixed_opponents import AgainstVecEnv, Opponents
from train.policies.by_word import policy_from
from train.policies.networks import GreedyPolicy, SoftmaxPolicy

# A best response's value below this is only rounding, and no share of it is given.
LEAST_VALUE = 1e-6


@dataclass(frozen=True)
class ResponderArgs(ppo.Args):
    """Arguments of PPO against fixed policies."""

    num_games: int = option(256, "games played side by side", low=1)
    rollout: int = option(10, "joint actions per game between updates", low=2)
    batch_size: int = option(256, "decisions per minibatch", low=2)
    epochs: int = option(4, "passes over the decisions of a rollout", low=1)
    learning_rate: float = option(1e-3, "Adam's learning rate at the start; it falls linearly", low=1e-9)
    final_rate: float = option(0.2, "learning rate at the end, as a share of that at the start", low=0.0, high=1.0)
    entropy: float = option(0.02, "weight of the entropy bonus at the start, payoff points per nat", low=0.0)
    final_entropy: float = option(0.0, "that weight at the end, as a share of that at the start", low=0.0, high=1.0)
    relu: int = option(1, "1: rectified linear units; 0: tanh", 0, 1)


@dataclass(frozen=True)
class Args(ResponderArgs):
    """Arguments of the learned best response."""

    steps: int = option(300_000, "joint actions to play in all games together", low=1)
    evaluate_every: int = option(30_000, "steps from one evaluation and checkpoint to the next", low=1)
    opponent: str = option("uniform", "policy to respond to: a name, or the folder of a run")


class Responder(ppo.Learner):
    """MaskablePPO against fixed policies; the learner chooses once in each joint action."""

    def __init__(self, game: Game[Any], args: ResponderArgs, opponents: Opponents, seed: int) -> None:
        """Takes the game, the arguments, the opponents and a seed."""
        self._opponents = opponents
        super().__init__(game, args, seed)
        self.parts["opponents"] = self._model.env

    def _new_envs(self, seed: int) -> AgainstVecEnv:
        return AgainstVecEnv(self._batch, self._opponents, seed)


class Learner(Responder):
    """Learns a best response. Its policy is the greedy one, because some best response is deterministic."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        """Takes a two-player zero-sum game small enough for exact best responses.

        Raises:
            ValueError: If the game is another, or there is no such opponent.
        """
        if not (game.facts.num_players == 2 and game.facts.zero_sum):
            raise ValueError(f"{game.facts.name}: best responses are learned in two-player zero-sum games")
        self._opponent = policy_from(args.opponent, game)
        self._best = [best_response(game, self._opponent, seat).value for seat in (0, 1)]
        super().__init__(game, args, Opponents.one(self._opponent), seed)

    def advance(self, steps: int) -> dict[str, float]:
        """Learns until `steps`; returns losses and exact payoffs against the opponent (payoff points).

        `payoff_0` and `payoff_1` are the greedy policy's payoffs in each seat, `sampled_0` and `sampled_1` those
        of the policy as it was learned, `best_0` and `best_1` the exact best response's. `shortfall` is what the
        greedy policy misses on average over the seats. `share` and `sampled_share` are the two policies' shares
        of the exact value; they are left out if it is not positive.
        """
        figures = super().advance(steps)
        network = self.network()
        greedy = self._payoffs(GreedyPolicy(self._game, network))
        sampled = self._payoffs(SoftmaxPolicy(self._game, network))
        for name, payoffs in (("payoff", greedy), ("sampled", sampled), ("best", self._best)):
            figures |= {f"{name}_{seat}": payoff for seat, payoff in enumerate(payoffs)}
        figures["shortfall"] = (sum(self._best) - sum(greedy)) / 2
        if sum(self._best) / 2 > LEAST_VALUE:
            figures |= {"share": sum(greedy) / sum(self._best), "sampled_share": sum(sampled) / sum(self._best)}
        return figures

    def _payoffs(self, policy: Policy) -> list[float]:
        """A policy's exact payoff against the opponent in each seat."""
        first, second = (policy, self._opponent), (self._opponent, policy)
        return [head_to_head(self._game, *first).mean, -head_to_head(self._game, *second).mean]

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """The states of all parts, and the exact best response's values, which identify the opponent."""
        tensors, data = super().state()
        return tensors, {**data, "best": self._best}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        """Continues from what `state` returned.

        Raises:
            ValueError: If the opponent has changed since.
        """
        if data["best"] != self._best:
            raise ValueError(f"best responses to {self._args.opponent} are worth {self._best}, not {data['best']}")
        super().restore(tensors, data)

    def policy(self) -> GreedyPolicy:
        """The greedy policy."""
        return GreedyPolicy(self._game, self.network())
