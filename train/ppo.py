"""PPO in self-play: sb3-contrib's MaskablePPO, one policy in both seats.

Source: J. Schulman et al., "Proximal Policy Optimization Algorithms" (2017), as implemented
with masks by sb3-contrib. It learns against itself as it is now, which need not converge in
games whose optimal play is mixed: the entropy bonus keeps it mixed, and its exploitability is
shown as it comes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn

from cardwar_envs.core.game import Game
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms import SelfPlayArgs, option
from train.files import optimizer_tensors, restore_optimizer, within
from train.networks import Network, SoftmaxPolicy
from train.self_play import SelfPlayVecEnv, restore_streams, stored_streams

NEVER = sys.maxsize
LOGGED = {
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "entropy_loss": "train/entropy_loss",
    "approx_kl": "train/approx_kl",
}


@dataclass(frozen=True)
class Args(SelfPlayArgs):
    """Arguments of PPO."""

    steps: int = option(1_000_000, "joint actions to play in all games together", low=1)
    rollout: int = option(20, "joint actions per game between updates", low=2)
    batch_size: int = option(1000, "decisions per minibatch", low=2)
    epochs: int = option(4, "passes over the decisions of a rollout", low=1)
    learning_rate: float = option(3e-4, "Adam's learning rate at the start; it falls linearly", low=1e-9)
    final_rate: float = option(1.0, "learning rate at the end, as a share of that at the start", low=0.0, high=1.0)
    entropy: float = option(0.2, "weight of the entropy bonus, payoff points per nat", low=0.0)
    gae_lambda: float = option(0.95, "lambda of generalized advantage estimation", low=0.0, high=1.0)
    clip_range: float = option(0.2, "how far a probability ratio may go from 1", low=1e-9)
    width: int = option(128, "units of each hidden layer", low=1)
    layers: int = option(2, "hidden layers", low=1)


class Learner:
    """MaskablePPO at work on one game."""

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        self.steps = 0
        self._game, self._args = game, args
        self._batch = GameBatch(game, args.num_games, seed)
        self._model = MaskablePPO(
            "MlpPolicy",
            SelfPlayVecEnv(self._batch),
            n_steps=args.rollout,
            batch_size=args.batch_size,
            n_epochs=args.epochs,
            learning_rate=self._learning_rate,
            ent_coef=args.entropy,
            gamma=1.0,  # games end by themselves, and only their payoff counts
            gae_lambda=args.gae_lambda,
            clip_range=args.clip_range,
            normalize_advantage=False,  # so that the entropy bonus weighs against payoff points
            policy_kwargs={"net_arch": [args.width] * args.layers, "activation_fn": nn.Tanh},
            device="cpu",
        )
        self._model.set_logger(Logger(folder=None, output_formats=[]))

    def advance(self, steps: int) -> dict[str, float]:
        """Plays and learns, a rollout at a time, until `steps`; returns the last update's losses."""
        self._model._last_obs = None  # has SB3 start the games anew
        decisions = (steps - self.steps) * self._game.facts.num_players
        self._model.learn(decisions, reset_num_timesteps=False, log_interval=NEVER)
        self.steps = self._model.num_timesteps // self._game.facts.num_players
        return {name: float(self._model.logger.name_to_value[key]) for name, key in LOGGED.items()}

    def _learning_rate(self, _: float) -> float:
        """Adam's learning rate for now; SB3's own measure of progress starts anew with every call of learn()."""
        progress = min(1.0, self.steps / self._args.steps)
        return self._args.learning_rate * (1.0 - (1.0 - self._args.final_rate) * progress)

    def policy(self) -> SoftmaxPolicy:
        """SB3's actor as a network of this package: the masked probabilities of its distribution."""
        args, facts = self._args, self._game.facts
        network = Network(self._game, args.width, args.layers, facts.num_actions, "tanh")
        actor = [*self._model.policy.mlp_extractor.policy_net, self._model.policy.action_net]
        with torch.no_grad():
            for own, learned in zip(network.parameters(), nn.Sequential(*actor).parameters(), strict=True):
                own.copy_(learned)
        return SoftmaxPolicy(self._game, network)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Actor and critic, Adam's moments and the games' random streams."""
        tensors = {f"network.{k}": v for k, v in self._model.policy.state_dict().items()}
        tensors |= optimizer_tensors(self._model.policy.optimizer)
        tensors["streams"] = stored_streams(self._batch)
        return tensors, {"steps": self.steps, "updates": self._model._n_updates}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        """Continues from what `state` returned."""
        self._model.policy.load_state_dict(within(tensors, "network."))
        restore_optimizer(self._model.policy.optimizer, tensors)
        self.steps = data["steps"]
        self._model.num_timesteps = self.steps * self._game.facts.num_players
        self._model._n_updates = data["updates"]
        restore_streams(self._batch, tensors["streams"])
