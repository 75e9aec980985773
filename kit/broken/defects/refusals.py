"""Input outside the space is refused, and changes something all the same."""

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.registry import Kind, Skins, broken
from broken.witnesses import disturbs

INPUT, BOTH, AEC, PARALLEL = Kind.INPUT, Skins.BOTH, Skins.AEC, Skins.PARALLEL


@broken(INPUT, AEC, disturbs(-1))
class RefusalDropsTheOther(Bidding):
    """A refused action starts the round anew: what the other had committed is lost."""

    def check(self, agent, action):
        try:
            super().check(agent, action)
        except ValueError:
            self._committed = {}
            self.agent_selection = self.agents[0]
            raise


@broken(INPUT, AEC, disturbs(99))
class RefusalPassesTheTurn(Lowest):
    """The turn is passed on before the action is checked."""

    def check(self, agent, action):
        selected, self.agent_selection = self.agent_selection, (self.waiting() or self.agents)[-1]
        super().check(agent, action)
        self.agent_selection = selected


@broken(INPUT, AEC, disturbs(99))
class RefusalClearsRewards(Bidding):
    """The rewards of the step before are cleared before the action is checked."""

    def check(self, agent, action):
        self._clear_rewards()
        super().check(agent, action)


@broken(INPUT, AEC, disturbs(2))
class RefusalTakesTheReward(Pennies):
    """The reward that last() still had to tell is set to 0 before the action is checked."""

    def check(self, agent, action):
        self._cumulative_rewards[agent] = 0.0
        super().check(agent, action)


@broken(INPUT, BOTH, disturbs(99))
class RefusalStaysInInfo(Lowest):
    """A refused action leaves a count of errors in the agent's info."""

    def deal(self):
        super().deal()
        self._errors = dict.fromkeys(self.players, 0)

    def check(self, agent, action):
        try:
            super().check(agent, action)
        except ValueError:
            self._errors[agent] += 1
            raise

    def info(self, agent):
        return {"errors": self._errors[agent]}


@broken(INPUT, BOTH, disturbs(99))
class RefusalDrawsChance(Pennies):
    """A refused action draws a random one for the error's text, from the game's generator."""

    def check(self, agent, action):
        try:
            super().check(agent, action)
        except ValueError as error:
            raise ValueError(f"{error}; try {self._rng.integers(2)}") from None


@broken(INPUT, PARALLEL, disturbs(99))
class HalfOfTheCardsGone(Bidding):
    """Each card leaves its hand as it is checked, also if the other's action is then refused."""

    def check(self, agent, action):
        super().check(agent, action)
        if len(np.flatnonzero(self._hands[agent])) > 1:
            self._hands[agent] = self._hands[agent] * (np.arange(5) != action).astype(np.int8)


@broken(INPUT, AEC, disturbs(99))
class RefusalMasksTheRest(Bidding):
    """After a refused action the agent's mask allows its lowest card only."""

    def deal(self):
        super().deal()
        self._punished = set()

    def check(self, agent, action):
        try:
            super().check(agent, action)
        except ValueError:
            self._punished.add(agent)
            raise

    def mask(self, agent):
        mask = super().mask(agent)
        mask[np.flatnonzero(mask)[1:]] *= agent not in self._punished
        return mask


@broken(INPUT, BOTH, disturbs(99))
class RefusalEndsTheGame(Pennies):
    """A refused action raises, and makes the round that follows the last."""

    def begin(self, seed, options):
        super().begin(seed, options)
        self._fouled = False

    def check(self, agent, action):
        try:
            super().check(agent, action)
        except ValueError:
            self._fouled = True
            raise

    def play(self, actions):
        rewards = super().play(actions)
        self._over = self._over or self._fouled
        return rewards
