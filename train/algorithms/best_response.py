"""A best response by reinforcement learning: sb3-contrib's MaskablePPO against fixed policies.

Against fixed policies, a game is a Markov decision process for a player who sees its state. The learner plays one seat
in each game, every seat equally often, with the same network.

Source: J. Schulman et al., "Proximal Policy Optimization Algorithms" (2017), as implemented with masks by sb3-contrib.
"""

from __future__ import annotations

from typing import Any

from cardwar_envs.core.game import Game
from cardwar_envs.sb3.against import AgainstVecEnv, Opponents
from train.algorithms import ppo
from train.algorithms.experience.opponents import LineUp
from train.learner.arguments import BestResponseArgs as Args
from train.learner.arguments import ResponderArgs
from train.policies.networks import GreedyPolicy, SoftmaxPolicy


class Responder(ppo.Learner):
    """MaskablePPO against fixed policies in all other seats."""

    def __init__(self, game: Game[Any], args: ResponderArgs, opponents: Opponents, seed: int) -> None:
        self._opponents = opponents
        super().__init__(game, args, seed)

    def _new_envs(self, seed: int) -> AgainstVecEnv:
        return AgainstVecEnv(self._batch, self._opponents, seed)


class Learner(Responder):
    """Learns a best response. The learned policy is greedy: a deterministic best response always exists."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        self._line_up = LineUp(game, args.opponent)
        super().__init__(game, args, self._line_up.opponents, seed)
        self.parts = {"line_up": self._line_up.named, **self.parts}

    def advance(self, steps: int) -> dict[str, float]:
        """Trains until `steps`; returns losses and the exact figures of `LineUp.figures`."""
        losses, network = super().advance(steps), self.network()
        return losses | self._line_up.figures(GreedyPolicy(self._game, network), SoftmaxPolicy(self._game, network))

    def policy(self) -> GreedyPolicy:
        return GreedyPolicy(self._game, self.network())
