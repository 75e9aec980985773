"""Rewards do not sum to zero, although the game is declared to be of zero sum."""

import numpy as np

from broken.bases import Bidding, Pennies
from broken.playing import rounds
from broken.registry import Kind, Skins, broken

PAYOFFS, BOTH, AEC, PARALLEL = Kind.PAYOFFS, Skins.BOTH, Skins.AEC, Skins.PARALLEL


def sums_are_wrong(make):
    """Some round pays more or less than nothing in sum."""
    env = make()
    return any(
        not abs(sum(float(view.reward) for view in views.values())) < 1e-9
        for seed in range(60)
        for views in rounds(env, seed)
    )


@broken(PAYOFFS, BOTH, sums_are_wrong)
class BothGetTheHalf(Bidding):
    """At a tie both get half of the prize, from nobody."""

    def play(self, actions):
        prize = self.prize()
        rewards = super().play(actions)
        return rewards if actions["player_0"] != actions["player_1"] else dict.fromkeys(rewards, prize / 2)


@broken(PAYOFFS, BOTH, sums_are_wrong)
class LoserPaysNothing(Pennies):
    """The loser's reward is 0 instead of -1."""

    def payoffs(self, side_0, side_1):
        return tuple(max(each, 0.0) for each in super().payoffs(side_0, side_1))


@broken(PAYOFFS, AEC, sums_are_wrong)
class NegativeWrapsAround(Bidding):
    """Rewards are kept as uint8: a loss of 1 is a win of 255."""

    def play(self, actions):
        rewards = super().play(actions)
        return {agent: float(np.array(reward).astype(np.int64).astype(np.uint8)) for agent, reward in rewards.items()}


@broken(PAYOFFS, BOTH, sums_are_wrong)
class BonusAtTheEnd(Bidding):
    """Who has won the last prize gets a bonus of one, which nobody pays."""

    def play(self, actions):
        rewards = super().play(actions)
        if self.out():
            rewards = {agent: reward + (reward > 0) for agent, reward in rewards.items()}
        return rewards


@broken(PAYOFFS, PARALLEL, sums_are_wrong)
class RoundedToTenths(Bidding):
    """Each payment is divided by 3, one is rounded up and the other down."""

    def play(self, actions):
        rewards = super().play(actions)
        return {agent: float(np.ceil(reward / 0.3) / 10) for agent, reward in rewards.items()}


@broken(PAYOFFS, BOTH, sums_are_wrong)
class FeeOfLongGames(Pennies):
    """From the fifth round on each pays a fee of a hundredth to the house."""

    def payoffs(self, side_0, side_1):
        fee = 0.01 * (self._round >= 5)
        return tuple(each - fee for each in super().payoffs(side_0, side_1))


@broken(PAYOFFS, PARALLEL, sums_are_wrong)
class DrawPaysTheSecond(Bidding):
    """Only player_1 gets a consolation of 1 if three ties have come in one game."""

    def deal(self):
        super().deal()
        self._ties = 0

    def play(self, actions):
        self._ties += len(set(actions.values())) == 1
        rewards = super().play(actions)
        return {**rewards, "player_1": rewards["player_1"] + (self._ties == 3)}
