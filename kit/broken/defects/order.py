"""The order of the dict of actions decides, or the hash seed of the process."""

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.replay import digests
from broken.witnesses import order_matters

ORDER, BOTH, PARALLEL, BESIDE = Kind.ORDER, Skins.BOTH, Skins.PARALLEL, Skins.PARALLEL_BESIDE

# Played in one process for each hash seed.
TOGETHER = ("Bidding", "Lowest", "Pennies", "DeckFromASet", "TieBrokenByASet", "LuckOfTheName", "AgentsFromASet")


def hash_matters(make):
    """Two processes of other hash seeds play other games."""
    key = f"{make.title} {'aec' if hasattr(make, 'agent_iter') else 'parallel'}"
    return len({digests(TOGETHER, hash_seed)[key] for hash_seed in (0, 1, 2)}) > 1


@broken(ORDER, PARALLEL, order_matters)
class FirstWinsTheTie(Bidding):
    """At a tie whoever stands first in the dict of actions gets the prize."""

    def step(self, actions):
        self._first = next(iter(actions), None)
        return super().step(actions)

    def payment(self, own, other):
        sign = 1.0 if self._first == "player_0" else -1.0
        return sign * self.prize() if own == other else super().payment(own, other)


@broken(ORDER, BESIDE, order_matters, Pennies)
def ValuesByPosition(self, step, actions):
    """The sides are read from the dict's values, as if player_0 always stood first."""
    if set(actions) == set(self.agents):
        actions = dict(zip(self.agents, actions.values(), strict=True))
    return step(actions)


@broken(ORDER, PARALLEL, order_matters)
class NumbersInOrderOfDict(Lowest):
    """The numbers of the others are shown in the order of the dict of actions."""

    def step(self, actions):
        self._order = list(actions)
        return super().step(actions)

    def observe(self, agent):
        seen = super().observe(agent)
        if self._round:
            others = [other for other in self._order if other != agent and other in self._last]
            seen[7 : 7 + len(others)] = [self._last[other] for other in others]
        return seen


@broken(ORDER, PARALLEL, order_matters)
class SumInOrderOfDict(Lowest):
    """A fee on each number is added up in the order of the dict, so the last bit of the reward depends on it."""

    def step(self, actions):
        self._order = list(actions)
        return super().step(actions)

    def share(self, winner, agents):
        fees = {"ann": 0.1, "bob": 0.2, "cy": 0.3}
        pot = 0.0
        for agent in self._order:
            pot += fees.get(agent, 0.0)
        return {agent: pot if agent == winner else 0.0 for agent in agents}


@broken(ORDER, PARALLEL, order_matters, Pennies)
def DrawPerAction(self, step, actions):
    """The generator is drawn from while the dict is gone through, and only before the first heads."""
    for action in actions.values():
        if action == 0:
            break
        self._rng.random()
    return step(actions)


@broken(ORDER, PARALLEL, order_matters)
class LastOverwrites(Lowest):
    """Who named a number is kept by number, so among equals the last one in the dict is remembered as the winner."""

    def step(self, actions):
        self._by_number = {int(number): agent for agent, number in actions.items() if agent in self.agents}
        return super().step(actions)

    def share(self, winner, agents):
        return {agent: float(agent == self._by_number[min(self._by_number)]) for agent in agents}


@broken(ORDER, BOTH, hash_matters, Bidding)
def DeckFromASet(self, deal):
    """The deck is shuffled from a set of names, whose order depends on the hash seed."""
    deal()
    names = list({"one", "two", "three", "four", "five"})
    value = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
    self._deck = [value[names[prize - 1]] for prize in self._deck]


@broken(ORDER, BOTH, hash_matters, Lowest)
def TieBrokenByASet(self, share, winner, agents):
    """If nobody is alone, the first of a set of names wins the round."""
    return share(winner or next(iter(set(agents))), agents)


@broken(ORDER, PARALLEL, hash_matters, Pennies)
def LuckOfTheName(self, deal):
    """The seed of the length of a game is mixed with the hash of the environment's name."""
    deal()
    self._rng.random(hash(self.metadata["name"]) % 7)


@broken(ORDER, BOTH, hash_matters, Lowest)
def AgentsFromASet(self, prepare):
    """The agents of a new game are listed from a set."""
    self.possible_agents = list(set(self.players))
