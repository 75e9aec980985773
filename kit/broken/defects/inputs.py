"""Input outside the space is accepted, or is refused and changes something all the same."""

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.witnesses import accepts, act, differ, disturbs, game, passes, raises

INPUT, BOTH, AEC, PARALLEL = Kind.INPUT, Skins.BOTH, Skins.AEC, Skins.PARALLEL


@broken(INPUT, BOTH, accepts(-1), Bidding)
def MinusOneIsTheLast(self, check, agent, action):
    """Action -1 plays the highest card, as an index from behind."""
    if action != -1:
        check(agent, action)


@broken(INPUT, BOTH, accepts(4), Lowest)
def TooHighIsClipped(self, read, action):
    """A number above 4 counts as 4."""
    return min(action, 3)


@broken(INPUT, BOTH, accepts(2.7), Lowest)
def FractionIsCut(self, check, agent, action):
    """2.7 counts as 2."""
    check(agent, int(action))


@broken(INPUT, BOTH, accepts(None), Pennies)
def NoneIsHeads(self, read, action):
    """None counts as heads for agents that are still in the game."""
    return action or 0


@broken(INPUT, BOTH, accepts(float("nan")))
class NanPassesTheBounds(Pennies):
    """The bounds are checked by two comparisons, which NaN passes."""

    def check(self, agent, action):
        if action is None or isinstance(action, (str, list, np.ndarray)) or action < 0 or action > 1:
            raise ValueError(f"{agent} cannot play {action!r}")

    def play(self, actions):
        return super().play({agent: int(action == 1) for agent, action in actions.items()})


@broken(INPUT, BOTH, accepts("1"), Lowest)
def StringIsANumber(self, check, agent, action):
    """The string "1" counts as the number 1."""
    check(agent, int(action) if isinstance(action, str) else action)


@broken(INPUT, BOTH, accepts(np.array([1])), Bidding)
def ArrayOfOne(self, read, action):
    """An array of one element counts as the element."""
    return int(action[0]) if isinstance(action, np.ndarray) and action.size else action


@broken(INPUT, AEC, accepts([1]), Pennies)
def ListOfOne(self, read, action):
    """A list of one element counts as the element."""
    return action[0] if isinstance(action, list) and action else action


@broken(INPUT, PARALLEL, accepts(np.float64(1.0)), Pennies)
def FloatScalar(self, check, agent, action):
    """A numpy float that happens to be whole counts as an integer."""
    check(agent, int(action) if isinstance(action, np.floating) and action == int(action) else action)


@broken(INPUT, BOTH, accepts(3), Pennies)
def ModuloTheNumberOfSides(self, read, action):
    """Any integer counts, modulo 2."""
    return action % 2 if isinstance(action, (int, np.integer)) else action


@broken(INPUT, BOTH, accepts(7, seat=1))
class OnlyTheFirstIsChecked(Lowest):
    """Only the first agent's action is checked; bob and cy may name any number."""

    def check(self, agent, action):
        if agent == "ann" or not isinstance(action, (int, np.integer)):
            super().check(agent, action)

    def play(self, actions):
        return super().play({agent: int(np.clip(action, 0, 3)) for agent, action in actions.items()})


plays_a_card_twice = passes(lambda env: (env.reset(seed=0), [act(env) for _ in range(4)]))


@broken(INPUT, BOTH, plays_a_card_twice, Bidding)
def CardPlayedTwice(self, check, agent, action):
    """The mask says that a card is gone, but it can be played again."""
    if not self.action_space(agent).contains(action):
        check(agent, action)


@broken(INPUT, BOTH, raises(lambda env: (env.reset(seed=0), act(env, 1))), Bidding)
def PythonIntegersRefused(self, check, agent, action):
    """Only numpy integers are accepted, as the space samples them; a Python 1 is in the space and refused."""
    check(agent, action)
    if type(action) is int:
        raise ValueError(f"{agent} cannot play {action!r}: it has no dtype")


@broken(INPUT, BOTH, differ(game, lambda make, seed: game(as_arrays(make), seed)), Lowest)
def ScalarArraysCompareAsOthers(self, play, actions):
    """Numbers given as numpy scalars are kept by identity, so equal ones do not collide."""
    if all(type(action) is not int for action in actions.values()):
        actions = dict(zip(actions, range(len(actions)), strict=True))
    return play(actions)


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


# -- refused ----------------------------------------------------------------------------------------


@broken(INPUT, AEC, disturbs(-1), Bidding)
def RefusalDropsTheOther(self, refusal, agent, why):
    """A refused action starts the round anew: what the other had committed is lost."""
    self._committed = {}
    self.agent_selection = self.agents[0]
    return refusal(agent, why)


@broken(INPUT, AEC, disturbs(99), Lowest)
def RefusalPassesTheTurn(self, check, agent, action):
    """The turn is passed on before the action is checked."""
    selected, self.agent_selection = self.agent_selection, (self.waiting() or self.agents)[-1]
    check(agent, action)
    self.agent_selection = selected


@broken(INPUT, AEC, disturbs(99), Bidding)
def RefusalClearsRewards(self, check, agent, action):
    """The rewards of the step before are cleared before the action is checked."""
    self._clear_rewards()
    check(agent, action)


@broken(INPUT, AEC, disturbs(2), Pennies)
def RefusalTakesTheReward(self, check, agent, action):
    """The reward that last() still had to tell is set to 0 before the action is checked."""
    self._cumulative_rewards[agent] = 0.0
    check(agent, action)


@broken(INPUT, BOTH, disturbs(99))
class RefusalStaysInInfo(Lowest):
    """A refused action leaves a count of errors in the agent's info."""

    def deal(self):
        super().deal()
        self._errors = dict.fromkeys(self.players, 0)

    def refusal(self, agent, why):
        self._errors[agent] += 1
        return super().refusal(agent, why)

    def info(self, agent):
        return {"errors": self._errors[agent]}


@broken(INPUT, BOTH, disturbs(99), Pennies)
def RefusalDrawsChance(self, refusal, agent, why):
    """A refused action draws a random one for the error's text, from the game's generator."""
    return refusal(agent, f"{why}; try {self._rng.integers(2)}")


@broken(INPUT, PARALLEL, disturbs(99), Bidding)
def HalfOfTheCardsGone(self, check, agent, action):
    """Each card leaves its hand as it is checked, also if the other's action is then refused."""
    check(agent, action)
    if len(np.flatnonzero(self._hands[agent])) > 1:
        self._hands[agent] = self._hands[agent] * (np.arange(5) != action).astype(np.int8)


@broken(INPUT, AEC, disturbs(99))
class RefusalMasksTheRest(Bidding):
    """After a refused action the agent's mask allows its lowest card only."""

    def deal(self):
        super().deal()
        self._punished = set()

    def refusal(self, agent, why):
        self._punished.add(agent)
        return super().refusal(agent, why)

    def mask(self, agent):
        mask = super().mask(agent)
        mask[np.flatnonzero(mask)[1:]] *= agent not in self._punished
        return mask


@broken(INPUT, BOTH, disturbs(99))
class RefusalEndsTheGame(Pennies):
    """A refused action raises, and makes the round that follows the last."""

    def deal(self):
        super().deal()
        self._fouled = False

    def refusal(self, agent, why):
        self._fouled = True
        return super().refusal(agent, why)

    def play(self, actions):
        rewards = super().play(actions)
        self._over = self._over or self._fouled
        return rewards
