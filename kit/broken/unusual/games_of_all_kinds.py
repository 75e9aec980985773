"""Healthy environments with unusual agents, turns, rewards, lengths, infos, texts and generators."""

import time
import uuid

import numpy as np
from gymnasium.utils import seeding
from pettingzoo.utils import wrappers

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import healthy

# -- agents and turns -----------------------------------------------------------------------------


@healthy()
class FivePlayers(Lowest):
    """Five players."""

    players = ("ann", "bob", "cy", "dee", "eve")


@healthy(base=Lowest, players=("solo",))
def OnePlayer(self, out):
    """One player alone, who is never out before the limit of rounds."""
    return set()


@healthy()
class OddNames(Lowest):
    """Names with blanks and letters beyond ASCII."""

    players = ("the first", "Zoë", "3")


@healthy()
class NumbersForNames(Lowest):
    """Agents are named by integers."""

    players = (0, 1, 2)


@healthy("aec")
class SittingOut(Lowest):
    """Who won a round sits out the next, and is not asked: not parallelizable, and it says so."""

    def prepare(self):
        self.metadata["is_parallelizable"] = False

    def deal(self):
        super().deal()
        self._resting = None

    def share(self, winner, agents):
        self._resting = winner
        return super().share(winner, self.agents)

    def announce(self):
        super().announce()
        staying = [agent for agent in self.agents if agent not in self.out() | self.cut()]
        if self.agent_selection == self._resting and len(staying) > 1:
            self.agent_selection = staying[1]
        self._resting = self._resting if len(staying) > 1 and self._resting in staying else None

    def waiting(self):
        return [agent for agent in super().waiting() if agent != self._resting]


@healthy("aec")
class OneAfterTheOther(Pennies):
    """player_1 sees the side of player_0: a game of perfect information, which says that it is not parallelizable."""

    def prepare(self):
        self.metadata["is_parallelizable"] = False

    def seen(self, agent):
        seen = super().seen(agent)
        return [seen[0], self._committed.get("player_0", seen[1]), *seen[2:]] if agent == "player_1" else seen


@healthy("aec", base=Lowest)
def TurnsRotate(self, announce):
    """Who is asked first changes from round to round, for all to see."""
    announce()
    staying = [agent for agent in self.agents if agent not in self.out() | self.cut()]
    if len(staying) == len(self.agents):
        self.agent_selection = staying[self._round % len(staying)]


@healthy("aec", base=Lowest, num_moves=0)
def SaysWhoHasCommitted(self, commit, agent, action):
    """Infos and a public counter tell that others have committed, and not to what."""
    commit(agent, action)
    self.num_moves += 1
    for info in self.infos.values():
        info["committed"] = len(self._committed)


@healthy("aec", wrap=wrappers.OrderEnforcingWrapper)
class Wrapped(Pennies):
    """PettingZoo's OrderEnforcingWrapper stands around it."""


# -- rewards, lengths and ends --------------------------------------------------------------------


@healthy(base=Lowest)
def NothingPaid(self, share, winner, agents):
    """All rewards are 0."""
    return dict.fromkeys(agents, 0.0)


@healthy(base=Bidding)
def PaidAtTheEnd(self, play, actions):
    """The score is paid after the last round."""
    rewards = play(actions)
    return {agent: self.score(agent) if self.out() else 0.0 for agent in rewards}


@healthy(base=Pennies)
def IntegerRewards(self, payoffs, side_0, side_1):
    """Rewards are Python integers."""
    return tuple(int(each) for each in payoffs(side_0, side_1))


@healthy(base=Lowest)
def NumpyRewards(self, share, winner, agents):
    """Rewards are numpy scalars."""
    return {agent: np.float32(each) for agent, each in share(winner, agents).items()}


@healthy()
class OneRound(Pennies):
    """A game is one round."""

    shortest = longest = 1


@healthy()
class LongGames(Lowest):
    """Twenty-five rounds, and nobody is ever out."""

    rounds, lives, highest = 25, 1000, 1000


# -- infos, texts, generators, options ------------------------------------------------------------


@healthy(base=Bidding)
def RichInfos(self, info, agent):
    """Infos have constants, texts, arrays and dicts, all public."""
    return {"game": "bidding", "limits": {"cards": 5}, "hand": self._hands[agent].copy(), "won": None}


@healthy()
class Describes(Bidding):
    """str(env) and a public history tell what has been revealed."""

    def deal(self):
        super().deal()
        self.history = []

    def play(self, actions):
        self.history.append(dict(actions))
        return super().play(actions)

    def __str__(self):
        return f"bidding after {self.history}" if self.agents else "bidding"


@healthy(base=Pennies, render_modes=())
def NoModes(self, render):
    """Nothing can be drawn, and no mode is declared."""
    return None


@healthy(base=Bidding)
def GymnasiumsGenerator(self, begin, seed, options):
    """The generator is public, and Gymnasium's."""
    if seed is not None:
        self.np_random, _ = seeding.np_random(seed)
        self._rng = self.np_random
    self.deal()


@healthy(base=Lowest)
def UsesOptions(self, begin, seed, options):
    """An option of its own sets the lives of one game."""
    begin(seed, options)
    self._lives = dict.fromkeys(self.players, min((options or {}).get("lives", 2), 2))


# -- healthy, but a kit may say something ---------------------------------------------------------


@healthy(says="infos have the time", base=Bidding)
def WallClock(self, info, agent):
    """Infos have the time."""
    return {**info(agent), "time": time.perf_counter()}


@healthy(says="infos have a uuid")
class Uuid(Lowest):
    """Infos have a uuid of the game."""

    def deal(self):
        super().deal()
        self._uuid = str(uuid.uuid4())

    def info(self, agent):
        return {"game": self._uuid}


@healthy(says="infos count the games of the environment", base=Pennies)
def CountsGames(self, info, agent):
    """Infos count the games of the environment."""
    return {"episode": self._games}
