"""Input outside the space is accepted."""

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.registry import Kind, Skins, broken
from broken.witnesses import accepts, differ, game, raises

INPUT, BOTH, AEC, PARALLEL = Kind.INPUT, Skins.BOTH, Skins.AEC, Skins.PARALLEL


@broken(INPUT, BOTH, accepts(-1))
class MinusOneIsTheLast(Bidding):
    """Action -1 plays the highest card, as an index from behind."""

    def check(self, agent, action):
        if action != -1:
            super().check(agent, action)


@broken(INPUT, BOTH, accepts(4))
class TooHighIsClipped(Lowest):
    """A number above 4 counts as 4."""

    def check(self, agent, action):
        super().check(agent, min(action, 3))

    def play(self, actions):
        return super().play({agent: min(action, 3) for agent, action in actions.items()})


@broken(INPUT, BOTH, accepts(2.7))
class FractionIsCut(Lowest):
    """2.7 counts as 2."""

    def check(self, agent, action):
        super().check(agent, int(action))


@broken(INPUT, BOTH, accepts(None))
class NoneIsHeads(Pennies):
    """None counts as heads for agents that are still in the game."""

    def check(self, agent, action):
        super().check(agent, action or 0)

    def play(self, actions):
        return super().play({agent: action or 0 for agent, action in actions.items()})


@broken(INPUT, BOTH, accepts(float("nan")))
class NanPassesTheBounds(Pennies):
    """The bounds are checked by two comparisons, which NaN passes."""

    def check(self, agent, action):
        if action is None or isinstance(action, (str, list, np.ndarray)) or action < 0 or action > 1:
            raise ValueError(f"{agent} cannot play {action!r}")

    def play(self, actions):
        return super().play({agent: int(action == 1) for agent, action in actions.items()})


@broken(INPUT, BOTH, accepts("1"))
class StringIsANumber(Lowest):
    """The string "1" counts as the number 1."""

    def check(self, agent, action):
        super().check(agent, int(action) if isinstance(action, str) else action)


@broken(INPUT, BOTH, accepts(np.array([1])))
class ArrayOfOne(Bidding):
    """An array of one element counts as the element."""

    def check(self, agent, action):
        super().check(agent, int(action[0]) if isinstance(action, np.ndarray) and action.size else action)

    def play(self, actions):
        return super().play({agent: int(np.ravel(action)[0]) for agent, action in actions.items()})


@broken(INPUT, AEC, accepts([1]))
class ListOfOne(Pennies):
    """A list of one element counts as the element."""

    def check(self, agent, action):
        super().check(agent, action[0] if isinstance(action, list) and action else action)

    def play(self, actions):
        return super().play({agent: int(np.ravel(action)[0]) for agent, action in actions.items()})


@broken(INPUT, PARALLEL, accepts(np.float64(1.0)))
class FloatScalar(Pennies):
    """A numpy float that happens to be whole counts as an integer."""

    def check(self, agent, action):
        super().check(agent, int(action) if isinstance(action, np.floating) and action == int(action) else action)


@broken(INPUT, BOTH, accepts(3))
class ModuloTheNumberOfSides(Pennies):
    """Any integer counts, modulo 2."""

    def check(self, agent, action):
        super().check(agent, action % 2 if isinstance(action, (int, np.integer)) else action)

    def play(self, actions):
        return super().play({agent: action % 2 for agent, action in actions.items()})


@broken(INPUT, BOTH, accepts(7, seat=1))
class OnlyTheFirstIsChecked(Lowest):
    """Only the first agent's action is checked; bob and cy may name any number."""

    def check(self, agent, action):
        if agent == "ann" or not isinstance(action, (int, np.integer)):
            super().check(agent, action)

    def play(self, actions):
        return super().play({agent: int(np.clip(action, 0, 3)) for agent, action in actions.items()})


def plays_a_card_twice(make):
    env = make()
    env.reset(seed=0)
    try:
        for _ in range(4):
            attempt_one(env, 0)
    except ValueError:
        return False
    return True


@broken(INPUT, BOTH, plays_a_card_twice)
class CardPlayedTwice(Bidding):
    """The mask says that a card is gone, but it can be played again."""

    def check(self, agent, action):
        if not self.action_space(agent).contains(action):
            super().check(agent, action)


@broken(INPUT, BOTH, raises(lambda env: (env.reset(seed=0), attempt_one(env, 1))))
class PythonIntegersRefused(Bidding):
    """Only numpy integers are accepted, as the space samples them; a Python 1 is in the space and refused."""

    def check(self, agent, action):
        super().check(agent, action)
        if type(action) is int:
            raise ValueError(f"{agent} cannot play {action!r}: it has no dtype")


def attempt_one(env, action):
    env.step(action if hasattr(env, "agent_iter") else dict.fromkeys(env.agents, action))


@broken(INPUT, BOTH, differ(game, lambda make, seed: game(as_arrays(make), seed)))
class ScalarArraysCompareAsOthers(Lowest):
    """Numbers given as numpy scalars are kept by identity, so equal ones do not collide."""

    def play(self, actions):
        if all(type(action) is not int for action in actions.values()):
            actions = dict(zip(actions, range(len(actions)), strict=True))
        return super().play(actions)


def as_arrays(make):
    """Environments that get each action as a numpy scalar."""

    def scalar(given):
        if isinstance(given, dict):
            return {agent: scalar(action) for agent, action in given.items()}
        return None if given is None else np.int64(given)

    def made():
        env = make()
        step = env.step
        env.step = lambda given: step(scalar(given))
        return env

    return made
