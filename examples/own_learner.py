"""A learner of your own, beside ours: REINFORCE in self-play, which cycles and so does not come near an equilibrium.

cardwar train jujitsu num_cards=3 --algorithm own_learner:Reinforce --rate 0.02 --steps 20000    # in this folder
"""

import torch
from pydantic.dataclasses import dataclass

from cardwar_envs import GameBatch
from train.learner.checkpoint import Resumable
from train.learner.contract import SelfPlayArgs, option
from train.policies.networks import Network, SoftmaxPolicy


@dataclass(frozen=True)
class Arguments(SelfPlayArgs):
    """Arguments of REINFORCE, beside those that all learners of this kind have."""

    rate: float = option(0.01, "learning rate of Adam", low=1e-9)


class Reinforce(Resumable):
    """REINFORCE: the log-probabilities of a player's actions rise with what the player won in the whole game."""

    label, uses, Args = "REINFORCE", "plays only", Arguments

    def __init__(self, game, args, seed):
        super().__init__(game, args)
        self.batch, self.network = GameBatch(game, args.num_games, seed), Network.of_actions(game, 64, 1, "relu")
        self.adam = torch.optim.Adam(self.network.parameters(), lr=args.rate)
        self.parts = {"batch": self.batch, "network": self.network, "adam": self.adam}  # what a checkpoint holds

    def advance(self, steps):
        """Plays and learns until `steps`; returns figures for the run's metrics."""
        while self.steps < steps:
            logs, won = self.play()
            loss = -(logs * won).mean()
            self.adam.zero_grad()
            loss.backward()
            self.adam.step()
        return {"loss": loss.item()}

    def play(self):
        """Plays each game to its end; returns log-probabilities of all actions, and payoffs, `[games, seats]`."""
        seen, masks = self.batch.reset()
        logs, won, running = 0.0, 0.0, torch.ones(len(seen), 1)
        while running.any():
            logits = self.network(torch.from_numpy(seen)).masked_fill(torch.from_numpy(masks) == 0, -1e9)
            drawn = torch.distributions.Categorical(logits=logits)
            actions = drawn.sample()
            seen, masks, rewards, done = self.batch.step(actions.numpy())
            logs, won = logs + running * drawn.log_prob(actions), won + running * torch.from_numpy(rewards)
            running = running * torch.from_numpy(~done)[:, None]
            self.steps += len(seen)
        return logs, won

    def policy(self):
        """Returns a copy of the policy."""
        return SoftmaxPolicy(self._game, Network.of_actions(self._game, 64, 1, "relu").holding(self.network))
