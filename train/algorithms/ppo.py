"""PPO in self-play: sb3-contrib's MaskablePPO, with one policy in all seats; opponents may join some games.

Source: J. Schulman et al., "Proximal Policy Optimization Algorithms" (2017), as implemented with masks by sb3-contrib.
Training against the current policy need not converge if optimal play is mixed; the entropy bonus keeps the policy
mixed. sb3-contrib's default settings are the preset `ppo_library` of `studies/standings.toml`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from cardwar_envs.core.game import Game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.against import AgainstVecEnv
from cardwar_envs.sb3.self_play import SelfPlayVecEnv
from train.algorithms.experience.decisions import ActorCritic, DecisionBuffer, actor, policy_arguments
from train.algorithms.experience.opponents import League
from train.learner.arguments import PPOArgs as Args
from train.learner.arguments import UpdateArgs
from train.learner.checkpoint import Resumable
from train.policies.learned_policy import has_many_actions
from train.policies.networks import ACTIVATIONS, GreedyPolicy, Network, SoftmaxPolicy

NEVER = sys.maxsize


class Forgetful(BaseCallback):
    """A callback without references; SB3's default keeps all variables of a rollout alive in a reference cycle.

    With 11 players of WAR, these variables take 15 MB per rollout, and Python's garbage collector frees them too late.
    """

    def update_locals(self, locals_: dict[str, Any]) -> None:
        """Ignores the variables."""

    def _on_step(self) -> bool:
        return True


class Learner(Resumable):
    """MaskablePPO on one game.

    Subclasses may override `policy_class`, `_new_envs`, `_start`, `_before_rollout`, `_after_rollout` and `_learned`.
    """

    policy_class: ClassVar[type[ActorCritic]] = ActorCritic
    logged: ClassVar[dict[str, str]] = {
        "policy_loss": "train/policy_gradient_loss",
        "value_loss": "train/value_loss",
        "entropy_loss": "train/entropy_loss",
        "approx_kl": "train/approx_kl",
    }

    _args: UpdateArgs

    def __init__(self, game: Game[Any], args: UpdateArgs, seed: int) -> None:
        super().__init__(game, args)
        self._league: League | None = None
        if isinstance(args, Args) and args.opponents:
            self._league = League(game, args.num_games, args.opponents, args.opponent_share)
        self._batch = GameBatch(game, args.num_games, seed, self._start())
        envs = self._new_envs(seed)
        decisions = args.rollout * envs.num_envs
        if args.normalize_advantage and decisions % args.batch_size == 1:
            raise ValueError(
                f"batch_size ({args.batch_size}) must not leave a minibatch with one of the {decisions} decisions "
                "of a rollout: a single advantage cannot be normalized"
            )
        self._activation = "relu" if args.relu else "tanh"
        self._model = MaskablePPO(
            self.policy_class,
            envs,
            n_steps=args.rollout,
            batch_size=args.batch_size,
            n_epochs=args.epochs,
            # SB3's own progress restarts with each call of learn(), so it cannot control the decay.
            learning_rate=lambda _: self._falling(args.learning_rate, args.final_rate),
            gamma=args.gamma,
            gae_lambda=args.gae_lambda,
            clip_range=args.clip_range,
            clip_range_vf=args.value_clip or None,
            vf_coef=args.value_coefficient,
            max_grad_norm=args.max_grad_norm,
            target_kl=args.target_kl or None,
            normalize_advantage=bool(args.normalize_advantage),
            rollout_buffer_class=DecisionBuffer,
            rollout_buffer_kwargs={"bits": has_many_actions(game)},
            policy_kwargs={
                "net_arch": [args.width] * args.layers,
                "activation_fn": ACTIVATIONS[self._activation],
                **policy_arguments(game),
            },
            device="cpu",
        )
        self._model.set_logger(Logger(folder=None, output_formats=[]))
        self._forgetful = Forgetful()
        policy = self._model.policy
        self.parts = {"network": policy, "optimizer": policy.optimizer, "batch": self._batch}
        if isinstance(envs, AgainstVecEnv):
            self.parts["opponents"] = envs
        self._remember()
        self._go_on(envs.reset())

    def _go_on(self, observations: NDArray[np.float32]) -> None:
        """Makes SB3 start its next rollout from observations `[environments, observation_size]`."""
        # GAE uses none of these flags: a game's start matters only to the row before it.
        starts = np.zeros(self._model.n_envs, dtype=np.bool_)
        self._model._last_obs, self._model._last_episode_starts = observations, starts

    def _new_envs(self, seed: int) -> VecEnv:
        """Creates SB3's environments: one per seat and game, except for the opponents' seats."""
        if self._league is None:
            return SelfPlayVecEnv(self._batch)
        return AgainstVecEnv(self._batch, self._league.opponents(), seed, self._league.learns)

    def _start(self) -> str:
        """Returns the `start` argument for `GameBatch`."""
        return "initial"

    def advance(self, steps: int) -> dict[str, float]:
        """Plays and trains, rollout by rollout, until `steps`; returns the losses of the last update."""
        while self.steps < steps:
            self._remember()
            self._before_rollout()
            self._model.learn(1, self._forgetful, log_interval=NEVER, reset_num_timesteps=False)
            # SB3 counts steps of environments, but several environments may be seats of one game.
            self.steps = self._model.num_timesteps * self._args.num_games // self._model.n_envs
            self._after_rollout()
        return {name: float(self._model.logger.name_to_value[key]) for name, key in self.logged.items()}

    def _remember(self) -> None:
        """Adds the network to the opponents, if the run's past plays and a snapshot is due."""
        league, args = self._league, self._args
        if league is None or not league.has_past or not isinstance(args, Args):
            return
        if self.steps >= league.remembered * args.past_every:
            league.remember(SoftmaxPolicy(self._game, self.network()))
            self._model.env.opponents = league.opponents()

    def _before_rollout(self) -> None:
        """Sets the weights of the next update."""
        self._model.ent_coef = self._shared(self._falling(self._args.entropy, self._args.final_entropy))

    def _shared(self, weight: float) -> float:
        """Divides a weight by the number of opponents, because less can be won from each of several opponents."""
        return weight / max(1, self._game.facts.num_players - 1)

    def _after_rollout(self) -> None:
        """A hook for subclasses; does nothing here."""

    def policy(self) -> SoftmaxPolicy | GreedyPolicy:
        return SoftmaxPolicy(self._game, self.network())

    def network(self) -> Network:
        """Returns a copy of the actor, which maps observations to logits."""
        args = self._args
        with torch.random.fork_rng(devices=()):  # a new network draws weights, which are then replaced
            network = Network.of_actions(self._game, args.width, args.layers, self._activation)
        return network.holding(self._learned())

    def _learned(self) -> nn.Module:
        return actor(self._model.policy)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors, data = super().state()
        data["updates"] = self._model._n_updates
        if self._league is not None:
            past, data["league"] = self._league.state()
            tensors |= past
        return tensors, data

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        if self._league is not None:
            self._league.restore(tensors, data["league"])
        super().restore(tensors, data)
        self._model.num_timesteps = self.steps * self._model.n_envs // self._args.num_games
        self._model._n_updates = data["updates"]
        self._go_on(self._model.env.look())
        if self._league is not None and self._league.has_past:
            self._model.env.opponents = self._league.opponents()
