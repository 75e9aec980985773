"""Healthy environments with unusual agents, turns, rewards, lengths, infos, texts and generators."""

import time
import uuid

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo.utils import wrappers

from broken.bases import Bidding, Lowest, Pennies
from broken.healthy import healthy

# -- agents and turns -----------------------------------------------------------------------------


@healthy()
class FivePlayers(Lowest):
    """Five players."""

    players = ("ann", "bob", "cy", "dee", "eve")

    def new_observation_space(self, agent):
        return spaces.Box(0, 6, (16,), np.float32)

    @property
    def state_space(self):
        return spaces.Box(0, 6, (16,), np.float64)


@healthy()
class OnePlayer(Lowest):
    """One player alone, who is never out before the limit of rounds."""

    players = ("solo",)

    def new_observation_space(self, agent):
        return spaces.Box(0, 6, (4,), np.float32)

    @property
    def state_space(self):
        return spaces.Box(0, 6, (4,), np.float64)

    def out(self):
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

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
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

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.metadata["is_parallelizable"] = False

    def seen(self, agent):
        seen = super().seen(agent)
        return [seen[0], self._committed.get("player_0", seen[1]), *seen[2:]] if agent == "player_1" else seen


@healthy("aec")
class TurnsRotate(Lowest):
    """Who is asked first changes from round to round, for all to see."""

    def announce(self):
        super().announce()
        staying = [agent for agent in self.agents if agent not in self.out() | self.cut()]
        if len(staying) == len(self.agents):
            self.agent_selection = staying[self._round % len(staying)]


@healthy("aec")
class SaysWhoHasCommitted(Lowest):
    """Infos and a public counter tell that others have committed, and not to what."""

    num_moves = 0

    def commit(self, agent, action):
        super().commit(agent, action)
        self.num_moves += 1
        for info in self.infos.values():
            info["committed"] = len(self._committed)


@healthy("aec", wrap=wrappers.OrderEnforcingWrapper)
class Wrapped(Pennies):
    """PettingZoo's OrderEnforcingWrapper stands around it."""


# -- rewards, lengths and ends --------------------------------------------------------------------


@healthy()
class NothingPaid(Lowest):
    """All rewards are 0."""

    def share(self, winner, agents):
        return dict.fromkeys(agents, 0.0)


@healthy()
class PaidAtTheEnd(Bidding):
    """The score is paid after the last round."""

    def play(self, actions):
        rewards = super().play(actions)
        return {agent: self.score(agent) if self.out() else 0.0 for agent in rewards}


@healthy()
class IntegerRewards(Pennies):
    """Rewards are Python integers."""

    def payoffs(self, side_0, side_1):
        return tuple(int(each) for each in super().payoffs(side_0, side_1))


@healthy()
class NumpyRewards(Lowest):
    """Rewards are numpy scalars."""

    def share(self, winner, agents):
        return {agent: np.float32(each) for agent, each in super().share(winner, agents).items()}


@healthy()
class OneRound(Pennies):
    """A game is one round."""

    shortest = longest = 1


@healthy()
class LongGames(Lowest):
    """Twenty-five rounds, and nobody is ever out."""

    rounds, lives = 25, 1000

    def new_observation_space(self, agent):
        return spaces.Box(0, 1000, (10,), np.float32)

    @property
    def state_space(self):
        return spaces.Box(0, 1000, (10,), np.float64)


# -- infos, texts, generators, options ------------------------------------------------------------


@healthy()
class RichInfos(Bidding):
    """Infos have constants, texts, arrays and dicts, all public."""

    def info(self, agent):
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


@healthy()
class NoModes(Pennies):
    """Nothing can be drawn, and no mode is declared."""

    render_modes = ()

    def render(self):
        return None


@healthy()
class GymnasiumsGenerator(Bidding):
    """The generator is public, and Gymnasium's."""

    def begin(self, seed, options):
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
            self._rng = self.np_random
        self.deal()


@healthy()
class UsesOptions(Lowest):
    """An option of its own sets the lives of one game."""

    def begin(self, seed, options):
        super().begin(seed, options)
        self._lives = dict.fromkeys(self.players, min((options or {}).get("lives", 2), 2))


# -- healthy, but a kit may say something ---------------------------------------------------------


@healthy(says="infos have the time")
class WallClock(Bidding):
    """Infos have the time."""

    def info(self, agent):
        return {**super().info(agent), "time": time.perf_counter()}


@healthy(says="infos have a uuid")
class Uuid(Lowest):
    """Infos have a uuid of the game."""

    def deal(self):
        super().deal()
        self._uuid = str(uuid.uuid4())

    def info(self, agent):
        return {"game": self._uuid}


@healthy(says="infos count the games of the environment")
class CountsGames(Pennies):
    """Infos count the games of the environment."""

    games = 0

    def deal(self):
        super().deal()
        self.games += 1

    def info(self, agent):
        return {"episode": self.games}
