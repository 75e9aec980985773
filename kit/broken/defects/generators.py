"""A committed move shows in a generator or in a space."""

import random

import numpy as np
from gymnasium import spaces

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.leaks import attribute, generator, leaks

GENERATORS, AEC, AEC_BESIDE = Kind.GENERATORS, Skins.AEC, Skins.AEC_BESIDE
of_action_space = generator(lambda env, others: env.action_space(others[0]).np_random)


@broken(GENERATORS, AEC, leaks(of_action_space), Bidding)
def ActionSpaceSeeded(self, commit, agent, action):
    """Committing seeds the action space of the other with the card."""
    commit(agent, action)
    for other in self.others(agent):
        self.action_space(other).seed(action)


@broken(GENERATORS, AEC, leaks(of_action_space))
class ActionSpaceDrawn(Pennies):
    """For tails a dummy action of the other is sampled, and thrown away."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        for agent in self.players:
            self.action_space(agent).seed(seed)

    def commit(self, agent, action):
        super().commit(agent, action)
        if action:
            for other in self.waiting():
                self.action_space(other).sample()


@broken(GENERATORS, AEC, leaks(generator(lambda env, others: env.observation_space(others[0]).np_random)), Lowest)
def ObservationSpaceSeeded(self, commit, agent, action):
    """Committing seeds the observation spaces."""
    commit(agent, action)
    for space in self._observation_spaces.values():
        space.seed(action)


@broken(GENERATORS, AEC, leaks(lambda env, others: random.getstate()), Pennies)
def PythonsGenerator(self, commit, agent, action):
    """A sound is chosen with Python's generator, twice for tails."""
    commit(agent, action)
    for _ in range(1 + action):
        random.random()


@broken(GENERATORS, AEC, leaks(lambda env, others: np.random.get_state()), Lowest)
def NumpysGenerator(self, commit, agent, action):
    """numpy's global generator is seeded with the number that was named."""
    commit(agent, action)
    np.random.seed(action)


@broken(
    GENERATORS, AEC_BESIDE, leaks(lambda env, others: hasattr(env, "np_random") and env.np_random.bit_generator.state)
)
class PublicGenerator(Bidding):
    """The public generator of the environment is drawn from as often as the card is high."""

    def begin(self, seed, options):
        super().begin(seed, options)
        self.np_random = self._rng

    def commit(self, agent, action):
        super().commit(agent, action)
        self.np_random.random(action)


class Dealer:
    """Deals, with a generator of its own."""

    def __init__(self, seed):
        self.rng = random.Random(seed)


@broken(GENERATORS, AEC, leaks(lambda env, others: hasattr(env, "dealer") and env.dealer.rng.getstate()))
class GeneratorOfADealer(Bidding):
    """The dealer's generator shuffles the laid card under as many others."""

    def begin(self, seed, options):
        super().begin(seed, options)
        self.dealer = Dealer(int(self._rng.integers(99)))

    def commit(self, agent, action):
        super().commit(agent, action)
        self.dealer.rng.sample(range(9), action)


@broken(GENERATORS, AEC, leaks(lambda env, others: env.observation_space(others[0]).high.tobytes()), Lowest)
def BoundsOfASpace(self, commit, agent, action):
    """A bound of the observation space follows the number that was named."""
    commit(agent, action)
    for other in self.waiting():
        self.observation_space(other).high[-1] = 6 + action


@broken(GENERATORS, AEC, leaks(lambda env, others: repr(env.action_space(others[0]))))
class ActionSpaceShrinks(Lowest):
    """After somebody has named 1 the others' action spaces are smaller until the round is over."""

    def commit(self, agent, action):
        super().commit(agent, action)
        if action == 0:
            self._action_spaces.update({other: spaces.Discrete(3) for other in self.waiting()})

    def resolve(self):
        super().resolve()
        self._action_spaces = {agent: self.new_action_space(agent) for agent in self.players}


@broken(GENERATORS, AEC, leaks(lambda env, others: env.action_space(others[0]).dtype), Pennies)
def DtypeOfASpace(self, action_space, agent):
    """The action space of who waits is a new one, of a dtype that tells the penny."""
    side = sum(getattr(self, "_committed", {}).values())
    return spaces.Discrete(2, dtype=np.int32) if side else action_space(agent)


@broken(GENERATORS, AEC, leaks(attribute("state_space", "high")))
class StateSpaceBounds(Bidding):
    """The bound of the state space has the card that was laid."""

    @property
    def state_space(self):
        return spaces.Box(-15, 15 + sum(self._committed.values()), (12,), np.float64)
