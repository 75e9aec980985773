"""Healthy environments with unusual observations, masks and actions."""

import copy

import numpy as np
from gymnasium import spaces

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import healthy

# -- observations and masks -----------------------------------------------------------------------


@healthy()
class MaskInInfos(Bidding):
    """The mask stands in the infos only, and observations are plain arrays."""

    def new_observation_space(self, agent):
        return super().new_observation_space(agent)["observation"]

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def info(self, agent):
        return {"action_mask": self.mask(agent)}


@healthy(base=Bidding)
def MaskTwice(self, info, agent):
    """The mask stands in the infos and in the observations."""
    return {"action_mask": self.mask(agent)}


@healthy(base=Lowest, new_observation_space=lambda self, agent: spaces.Box(0, 6, (10,), np.float64))
def DoublePrecision(self, observe, agent):
    """Observations are float64."""
    return observe(agent).astype(np.float64)


@healthy(base=Lowest)
def Unbounded(self, new_observation_space, agent):
    """The space has no bounds, and all numbers are finite."""
    return spaces.Box(-np.inf, np.inf, (10,), np.float32)


@healthy()
class NestedObservation(Pennies):
    """Observations are a Dict of a Tuple and a Discrete, without a mask."""

    def new_observation_space(self, agent):
        sides = spaces.Tuple([spaces.Discrete(3)] * 4)
        return spaces.Dict({"sides": sides, "round": spaces.Discrete(self.longest + 1)})

    def observe(self, agent):
        *sides, number = self.seen(agent)
        return {"sides": tuple(sides), "round": number}


@healthy(base=Pennies, new_observation_space=lambda self, agent: spaces.Discrete(3 * 3))
def OneNumber(self, observe, agent):
    """The observation is one Discrete number."""
    return np.int64(3 * self.seen(agent)[0] + self.seen(agent)[1])


@healthy(base=Lowest)
def ReadOnlyArrays(self, observe, agent):
    """Observations cannot be written to."""
    seen = observe(agent)
    seen.flags.writeable = False
    return seen


@healthy(base=Bidding)
def MinusZero(self, observe, agent):
    """A score of zero is always -0.0."""
    seen = observe(agent)
    seen["observation"][-1] += np.float32(-0.0)
    return {**seen, "observation": np.where(seen["observation"] == 0, np.float32(-0.0), seen["observation"])}


# -- actions --------------------------------------------------------------------------------------


class Numbers(Lowest):
    """Lowest with other actions: `number_of` makes a number from 0 to 3 of an action."""

    def commit(self, agent, action):
        super().commit(agent, copy.copy(action))  # the caller may use its array again before all have committed

    def play(self, actions):
        return super().play({agent: self.number_of(action) for agent, action in actions.items()})


@healthy(base=Numbers, new_action_space=lambda self, agent: spaces.MultiDiscrete([2, 2]))
def MultiDiscreteActions(self, number_of, action):
    """An action is a pair, of which each part adds to the number."""
    return int(action[0] * 2 + action[1])


@healthy(base=Numbers, new_action_space=lambda self, agent: spaces.MultiBinary(3))
def MultiBinaryActions(self, number_of, action):
    """An action is three bits, which are counted."""
    return int(np.sum(action))


@healthy(
    base=Numbers,
    new_action_space=lambda self, agent: spaces.Dict({"number": spaces.Discrete(4), "joker": spaces.Discrete(2)}),
)
def DictActions(self, number_of, action):
    """An action is a dict."""
    return 0 if action["joker"] else int(action["number"])


@healthy(base=Numbers, new_action_space=lambda self, agent: spaces.Tuple([spaces.Discrete(2), spaces.Discrete(2)]))
def TupleActions(self, number_of, action):
    """An action is a tuple."""
    return int(2 * action[0] + action[1])


@healthy(base=Numbers, new_action_space=lambda self, agent: spaces.Box(0, 1, (1,), np.float32))
def ContinuousActions(self, number_of, action):
    """An action is a number from 0 to 1."""
    return min(int(action[0] * 4), 3)


@healthy(base=Numbers, new_action_space=lambda self, agent: spaces.Discrete(4, start=1))
def FromOne(self, number_of, action):
    """The action space starts at 1."""
    return int(action) - 1
