"""An actor with a critic of joint actions: an action's payoff is a sum over the opponent's actions, not a sample.

The actor follows the policy gradient of its softmax: the expected payoff minus the divergence from a *magnet*, a moving
average of the actor's weights. With `natural`, its logits follow the payoffs instead, whatever the probability of an
action: D. Hennes et al., "Neural replicator dynamics" (AAMAS 2020). The pull towards a moving magnet is an idea of S.
Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and two-player zero-sum
games" (arXiv:2206.05825, ICLR 2023), but this is not their magnetic mirror descent: no step is proximal.

The critic Q(s, a, b) is that of M. L. Littman, "Markov games as a framework for multi-agent reinforcement learning"
(ICML 1994), but bootstraps from the policies' payoff after the move instead of the value of a matrix game. Both players
see the state, so the opponent's policy is known, and an action's payoff can be summed over the opponent's actions.

Both networks have the inputs of minimax-Q: one-hot, with a memory of single observations (`Encoding`). In games with
many actions they have none of this, and Q is a sum over pairs of a part of each player's action (see
`Game.action_parts`), with one output per pair.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.optim import Optimizer

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms.experience.buffers import Replay
from train.learner.arguments import JointCriticArgs as Args
from train.learner.checkpoint import Resumable, follow
from train.policies.layers import ActionParts, LegalPairs
from train.policies.networks import Network, SoftmaxPolicy

# The log-probability of an illegal action; finite, because it is multiplied by its probability, 0.
ILLEGAL = -1e9


class Learner(Resumable):
    """Actor and critic on one game; the learned policy is the magnet, a moving average of the actor's weights."""

    _args: Args

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        super().__init__(game, args)
        self._batch = GameBatch(game, args.num_games, seed)
        self._batch.reset()
        self._rng = np.random.default_rng([seed, 1])  # separate from the stream of the games' chance
        self._actor = Network.of_actions(game, args.width, args.layers, "relu", args.memory)
        joint = self._actor.architecture["outputs"] ** 2
        self._critic = Network.of_game(game, args.width, args.layers, joint, "relu", args.memory)
        self._magnet = deepcopy(self._actor)
        self._target = deepcopy(self._critic, {id(memory): memory for memory in self._critic.memories})
        # The actor has no momentum: actor and critic follow each other, and with momentum they would overshoot.
        no_momentum: dict[str, Any] = {"betas": (0.0, 0.999)}
        groups = [{"params": self._actor.dense, **no_momentum}, {"params": self._critic.dense}]
        self._optimizer = torch.optim.Adam(groups, fused=True)
        self._replay = Replay(game, args.replay_size)
        self.parts = {
            "actor": self._actor,
            "critic": self._critic,
            "magnet": self._magnet,
            "target": self._target.dense,
            "optimizer": self._optimizer,
            "replay": self._replay,
            "batch": self._batch,
            "generator": self._rng,
        }
        self._memory_optimizer: Optimizer | None = None
        if self._actor.memories:
            groups = [{"params": self._actor.memories, **no_momentum}, {"params": self._critic.memories}]
            self.parts["memory_optimizer"] = self._memory_optimizer = torch.optim.SparseAdam(groups)

    def advance(self, steps: int) -> dict[str, float]:
        """Trains until `steps`; returns `q_loss` (mean squared error in payoff points squared) and `policy_loss`.

        As the game is zero-sum, `policy_loss` (payoff points) is the mean cost of the pull towards the magnet.
        """
        observations, masks = self._batch.views()
        losses = []
        while self.steps < steps:
            actions = self._actions(observations, masks)
            step = self._batch.step(actions)
            self._replay.add(observations, masks, actions, step)
            observations, masks = step.observations, step.masks
            self.steps += self._args.num_games
            losses.append(self._update())
        q_loss, policy_loss = np.mean(losses, axis=0)
        return {"q_loss": float(q_loss), "policy_loss": float(policy_loss)}

    def policy(self) -> SoftmaxPolicy:
        return SoftmaxPolicy(self._game, deepcopy(self._magnet))

    def _actions(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Draws actions `[num_games, 2]`, independently for each player, from uniform play or from the actor."""
        facts = self._game.facts
        seen, legal = observations.reshape(-1, facts.observation_size), masks.reshape(-1, facts.num_actions)
        uniform = sample_actions(self._game.action_counts(seen, legal), self._rng)
        by_actor = SoftmaxPolicy(self._game, self._actor).sample(seen, legal, self._rng)
        explores = self._rng.random(len(seen)) < self._args.exploration
        return np.where(explores, uniform, by_actor).reshape(-1, 2)

    def _update(self) -> tuple[float, float]:
        moves = self._sample()
        payoffs = joint_payoffs(self._critic, moves.observations)
        q_loss = nn.functional.mse_loss(self._played(moves, payoffs), self._targets(moves))
        policy_loss = self._policy_loss(moves, payoffs.detach())
        self._step(q_loss + policy_loss)
        args = self._args
        if self.steps // args.num_games % args.magnet_every == 0:
            # The magnet must slow down like the actor; otherwise it would catch up with the actor and stop pulling.
            self._move_magnet(moves.observations, self._falling(args.magnet_rate, args.final_rate))
        follow(self._target.dense, self._critic.dense, args.target_rate)
        return q_loss.item(), policy_loss.item()

    @torch.no_grad()
    def _move_magnet(self, observations: Tensor, rate: float) -> None:
        """Moves the magnet towards the actor; if it moves after each update, only the memory rows of its observations.

        So the magnet of a rare state moves as often as the actor learns there, instead of catching up between visits.
        """
        follow(self._magnet.dense, self._actor.dense, rate)
        for slow, fast in zip(self._magnet.memories, self._actor.memories, strict=True):
            if self._args.magnet_every > 1:
                slow.lerp_(fast, rate)
            else:
                rows = self._actor.rows(observations.flatten(0, 1)).unique()
                slow[rows] = slow[rows].lerp(fast[rows], rate)

    def _step(self, loss: Tensor) -> None:
        """Updates all weights but those of the magnet and the target."""
        args = self._args
        rates: list[tuple[Optimizer, tuple[float, float]]] = [(self._optimizer, (args.actor_rate, args.critic_rate))]
        if self._memory_optimizer is not None:
            rates.append((self._memory_optimizer, (args.memory_rate, args.memory_rate)))
        for optimizer, initial in rates:
            optimizer.zero_grad()
            for group, rate in zip(optimizer.param_groups, initial, strict=True):
                group["lr"] = self._falling(rate, args.final_rate)
        loss.backward()
        for optimizer, _ in rates:
            optimizer.step()

    def _sample(self) -> _Moves:
        drawn, facts = self._replay.sample(self._args.batch_size, self._rng), self._game.facts
        done = np.stack([drawn.pop("done")] * 2)
        seats = {name: np.ascontiguousarray(column.swapaxes(0, 1)) for name, column in drawn.items()}
        observations, actions = seats["observations"], seats["actions"]
        masks = seats.get("masks")
        if masks is None:
            opponent_masks = self._game.opponent_masks(observations.reshape(-1, facts.observation_size))
            masks = opponent_masks.reshape(*actions.shape, -1)[::-1].copy()
        joint = actions * facts.num_actions + actions[::-1]
        after = seats["rewards"], done, seats["next_observations"], seats["next_masks"]
        return _Moves(*map(torch.from_numpy, (observations, masks, joint, *after)))

    def _played(self, moves: _Moves, payoffs: Tensor) -> Tensor:
        """Returns `[2, batch]`: the critic's payoffs for the joint actions that were played."""
        if self._actor.parts is None:
            return payoffs.flatten(2).gather(2, moves.joint[:, :, None])[:, :, 0]
        own = self._actor.parts.of(moves.joint // self._game.facts.num_actions)
        return (own * action_payoffs(payoffs, own)).sum(dim=2)

    @torch.no_grad()
    def _targets(self, moves: _Moves) -> Tensor:
        """Returns `[2, batch]`: reward plus continuation payoff (0 after the end) if both play the magnet's policy."""
        payoffs = joint_payoffs(self._target, moves.next_observations)
        policies = expected_parts(self._magnet, moves.next_observations, moves.next_masks)
        earned = (policies * action_payoffs(payoffs, policies)).sum(dim=2)
        return moves.rewards + torch.where(moves.done, 0.0, earned)

    def _policy_loss(self, moves: _Moves, payoffs: Tensor) -> Tensor:
        """Returns the mean pull towards the magnet minus the actor's expected payoff against the current opponent.

        With `natural`, returns a loss whose gradient at a logit is the action's payoff less pull, relative to the mean
        over the legal actions.
        """
        if self._actor.parts is not None:
            return self._policy_loss_by_pairs(moves, payoffs, self._actor.parts)
        logs = log_policies(self._actor, moves.observations, moves.masks)
        with torch.no_grad():
            magnet = log_policies(self._magnet, moves.observations, moves.masks)
            earned = action_payoffs(payoffs, logs.exp())
        costs = self._args.temperature * (logs - magnet) - earned
        if not self._args.natural:
            return (logs.exp() * costs).sum(dim=2).mean()
        costs = costs.detach().where(moves.masks == 1, 0.0)
        means = costs.sum(dim=2, keepdim=True) / moves.masks.sum(dim=2, keepdim=True)
        return (logs * (costs - means).where(moves.masks == 1, 0.0)).sum(dim=2).mean()

    def _policy_loss_by_pairs(self, moves: _Moves, payoffs: Tensor, parts: ActionParts) -> Tensor:
        """Like `_policy_loss`, with rows of both seats' views and with an action's payoff summed over its parts."""
        pairs = LegalPairs.of(moves.masks.flatten(0, 1).numpy())
        seen = moves.observations.flatten(0, 1)
        logs = pairs.log_softmax(parts.logits(self._actor(seen), pairs))
        with torch.no_grad():
            magnet = pairs.log_softmax(parts.logits(self._magnet(seen), pairs))
            policies = parts.expected(logs.exp(), pairs).view(*moves.joint.shape, -1)
            earned = parts.logits(action_payoffs(payoffs, policies).flatten(0, 1), pairs)
        costs = self._args.temperature * (logs - magnet) - earned
        if not self._args.natural:
            return pairs.sums(logs.exp() * costs).mean()
        costs = costs.detach()
        means = pairs.sums(costs) / pairs.sums(torch.ones_like(costs))
        return pairs.sums(logs * (costs - means[pairs.rows])).mean()


class _Moves(NamedTuple):
    """Moves as each player sees them: arrays `[2, batch, ...]`, indexed by seat."""

    observations: Tensor
    masks: Tensor  # packed as bits in games with many actions, like `next_masks`
    joint: Tensor  # own action * number of actions + the opponent's action
    rewards: Tensor  # payoff points
    done: Tensor  # whether the move ended the game
    next_observations: Tensor
    next_masks: Tensor


def joint_payoffs(critic: Network, observations: Tensor) -> Tensor:
    """Returns `[2, batch, num_actions, num_actions]`: payoff points by seat, own action and the opponent's action.

    The two seats' payoffs sum to zero, so the matrix is skew-symmetric if both observations are equal. If the critic
    has outputs for parts of actions, so has the result: a joint action's payoff is the sum over all pairs of parts.
    `observations` are `[2, batch, observation_size]`: both seats' views of the same states.
    """
    outputs: Tensor = critic(observations.flatten(0, 1))
    actions = round(outputs.shape[1] ** 0.5)
    payoffs = outputs.reshape(*observations.shape[:2], actions, actions)
    return (payoffs - payoffs.flip(0).transpose(2, 3)) / 2


def action_payoffs(payoffs: Tensor, policies: Tensor) -> Tensor:
    """Returns `[2, batch, num_actions]`: each own action's payoff against the other seat's policy, in payoff points."""
    return (payoffs @ policies.flip(0)[:, :, :, None])[:, :, :, 0]


def log_policies(actor: Network, observations: Tensor, masks: Tensor) -> Tensor:
    """Returns `[2, batch, num_actions]`: log-probabilities, about `ILLEGAL` where `masks` are 0."""
    logits: Tensor = actor(observations.flatten(0, 1)).view(masks.shape)
    return logits.masked_fill(masks == 0, ILLEGAL).log_softmax(dim=2)


def expected_parts(actor: Network, observations: Tensor, masks: Tensor) -> Tensor:
    """Returns `[2, batch, parts]`: the expected count of each part; the probabilities if actions have no parts."""
    if actor.parts is None:
        return log_policies(actor, observations, masks).exp()
    pairs = LegalPairs.of(masks.flatten(0, 1).numpy())
    logs = pairs.log_softmax(actor.parts.logits(actor(observations.flatten(0, 1)), pairs))
    return actor.parts.expected(logs.exp(), pairs).view(*observations.shape[:2], -1)
