"""A best response by reinforcement learning: sb3-contrib's MaskablePPO against fixed policies.

Against fixed policies, a game is a Markov decision process for a player who sees its state. The learner has one seat in
each game, all seats equally often, with one network.

Source: J. Schulman et al., "Proximal Policy Optimization Algorithms" (2017), as implemented with masks by sb3-contrib.
"""

from __future__ import annotations

from typing import Any

from pydantic.dataclasses import dataclass

from cardwar_envs.core.game import Game
from cardwar_envs.sb3.against import AgainstVecEnv, Opponents
from train.algorithms import ppo
from train.algorithms.contract import option
from train.algorithms.experience.opponents import OPPONENT_HELP, LineUp
from train.policies.networks import GreedyPolicy, SoftmaxPolicy


@dataclass(frozen=True)
class ResponderArgs(ppo.UpdateArgs):
    """Arguments of PPO against fixed policies."""

    num_games: int = option(256, "games played in parallel", low=1)
    rollout: int = option(10, "joint actions per game between updates", low=2)
    batch_size: int = option(256, "decisions per minibatch", low=2)
    epochs: int = option(4, "epochs per rollout", low=1)
    learning_rate: float = option(1e-3, "initial learning rate of Adam; decays linearly", low=1e-9)
    final_rate: float = option(0.2, "final learning rate as a fraction of the initial one", low=0.0, high=1.0)
    entropy: float = option(0.02, ppo.ENTROPY_HELP, low=0.0)
    final_entropy: float = option(0.0, "final entropy weight as a fraction of the initial one", low=0.0, high=1.0)
    relu: int = option(1, "1: rectified linear units; 0: tanh", 0, 1)


@dataclass(frozen=True)
class Args(ResponderArgs):
    """Arguments of the learned best response."""

    steps: int = option(300_000, "joint actions to play, summed over all games", low=1)
    evaluate_every: int = option(30_000, "steps between evaluations, each with a checkpoint", low=1)
    opponent: str = option("uniform", OPPONENT_HELP)


class Responder(ppo.Learner):
    """MaskablePPO against fixed policies in all other seats."""

    def __init__(self, game: Game[Any], args: ResponderArgs, opponents: Opponents, seed: int) -> None:
        self._opponents = opponents
        super().__init__(game, args, seed)

    def _new_envs(self, seed: int) -> AgainstVecEnv:
        return AgainstVecEnv(self._batch, self._opponents, seed)


class Learner(Responder):
    """Learns a best response. Its policy is greedy, because some best response is deterministic."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        self._line_up = LineUp(game, args.opponent)
        super().__init__(game, args, self._line_up.opponents, seed)
        self.parts = {"line_up": self._line_up.named, **self.parts}

    def advance(self, steps: int) -> dict[str, float]:
        """Learns until `steps`; returns losses and the exact figures of `LineUp.figures`."""
        losses, network = super().advance(steps), self.network()
        return losses | self._line_up.figures(GreedyPolicy(self._game, network), SoftmaxPolicy(self._game, network))

    def policy(self) -> GreedyPolicy:
        return GreedyPolicy(self._game, self.network())
