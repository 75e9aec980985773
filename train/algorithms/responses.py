"""Best responses by reinforcement learning: MaskablePPO, and DQN with masks, against fixed policies or in self-play.

Against fixed policies, a game is a Markov decision process for a player who sees its state. The learner plays one seat
in each game, every seat equally often, with the same network. The two algorithms rarely fail in the same games.

Sources: J. Schulman et al., "Proximal Policy Optimization Algorithms" (2017), as implemented with masks by sb3-contrib;
V. Mnih et al., "Human-level control through deep reinforcement learning" (2015), as implemented by SB3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.against import AgainstVecEnv, Opponents
from cardwar_envs.sb3.self_play import SelfPlayVecEnv
from train.algorithms import ppo
from train.algorithms.experience.masked_dqn import DQNLearner, MaskedDQN, MaskShowingEnv
from train.algorithms.experience.opponents import LineUp
from train.learner.arguments import BestResponseArgs, DQNArgs, DQNResponseArgs, ResponderArgs
from train.policies.networks import GreedyPolicy, Network, SoftmaxPolicy


class Responder(ppo.Learner):
    """MaskablePPO against fixed policies in all other seats."""

    def __init__(self, game: Game[Any], args: ResponderArgs, opponents: Opponents, seed: int) -> None:
        self._opponents = opponents
        super().__init__(game, args, seed)

    def _new_envs(self, seed: int) -> AgainstVecEnv:
        return AgainstVecEnv(self._batch, self._opponents, seed)


class PPOResponse(Responder):
    """Learns a best response. The learned policy is greedy: a deterministic best response always exists."""

    def __init__(self, game: Game[Any], args: BestResponseArgs, seed: int) -> None:
        self._line_up = LineUp(game, args.opponent)
        super().__init__(game, args, self._line_up.opponents, seed)
        self.parts = {"line_up": self._line_up.named, **self.parts}

    def figures(self) -> dict[str, float]:
        """Returns the exact figures of `LineUp.figures`."""
        network = self.network()
        return self._line_up.figures(GreedyPolicy(self._game, network), SoftmaxPolicy(self._game, network))

    def policy(self) -> GreedyPolicy:
        return GreedyPolicy(self._game, self.network())


class IndependentQ(DQNLearner):
    """DQN in self-play: in every seat the same network learns as if the other players were part of the game.

    The learned policy is greedy, so it is far from optimal play where that is mixed. Source: M. Tan, "Multi-agent
    reinforcement learning: independent vs. cooperative agents" (ICML 1993).
    """

    _args: DQNArgs

    def __init__(self, game: Game[Any], args: DQNArgs, seed: int) -> None:
        super().__init__(game, args)
        self._rng = np.random.default_rng([seed, 1])  # a separate random stream from that of the games
        self._batch = GameBatch(game, args.num_games, seed)
        self._envs = MaskShowingEnv(self._new_envs(seed), game)
        self._dqn = MaskedDQN(
            self._envs,
            game,
            [args.width] * args.layers,
            # SB3 tracks progress only in its own training loop, which is not used here.
            lambda _: self._falling(args.learning_rate, args.final_rate),
            args.replay_size,
            sees_masks=False,  # policies take only observations, so masks are not inputs of the network
        )
        self._views = self._envs.reset()
        self.parts = {
            "dqn": self._dqn.policy,
            "dqn_optimizer": self._dqn.policy.optimizer,
            "batch": self._batch,
            "rng": self._rng,
        }

    def _new_envs(self, seed: int) -> VecEnv:
        """Creates an environment for each seat that learns."""
        return SelfPlayVecEnv(self._batch)

    def advance(self, steps: int) -> dict[str, float]:
        """Plays and trains until `steps`; returns the mean loss."""
        views, losses = self._views, []
        while self.steps < steps:
            actions = self._actions(views)
            after, rewards, dones, infos = self._envs.step(actions)
            self._dqn.replay_buffer.add(views, after, actions, rewards, dones, infos)
            views = after
            losses.append(self._dqn.update(self._args.batch_size, self._args.target_rate))
            self.steps += self._args.num_games
        self._views = views
        return {"loss": float(np.mean(losses))}

    def _actions(self, views: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns an action for each environment, greedy or exploratory; any action where a seat is out."""
        args, explores = self._args, self._rng.random(len(views))
        exploration = self._falling(args.exploration, args.final_exploration)
        masks = self._envs.venv.action_masks().astype(np.float64)
        masks[~masks.any(axis=1), 0] = 1.0
        uniform = sample_actions(masks, self._rng)
        return np.where(explores < exploration, uniform, self._dqn.greedy_actions(views))

    def policy(self) -> GreedyPolicy:
        args = self._args
        with torch.random.fork_rng(devices=()):  # a new network draws weights, which are then replaced
            network = Network.of_actions(self._game, args.width, args.layers, "relu")
        return GreedyPolicy(self._game, network.holding(self._dqn.q_net))


class DQNResponse(IndependentQ):
    """DQN against fixed policies in all other seats; the learned policy is greedy."""

    def __init__(self, game: Game[Any], args: DQNResponseArgs, seed: int) -> None:
        self._line_up = LineUp(game, args.opponent)
        super().__init__(game, args, seed)
        self.parts = {"line_up": self._line_up.named, **self.parts, "opponents": self._envs.venv}

    def _new_envs(self, seed: int) -> AgainstVecEnv:
        return AgainstVecEnv(self._batch, self._line_up.opponents, seed)

    def figures(self) -> dict[str, float]:
        """Returns the exact figures of `LineUp.figures`."""
        return self._line_up.figures(self.policy())
