"""AEC and Parallel disagree: the one with the defect stands beside an honest other."""

import numpy as np
from gymnasium import spaces

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.playing import exact, record, rounds

AEC, PARALLEL = Skins.AEC_BESIDE, Skins.PARALLEL_BESIDE


def games_differ(aec, parallel):
    """The same choices from the same seed give other views."""
    return any(played(aec, seed) != played(parallel, seed) for seed in range(12))


def played(make, seed):
    try:
        return record(make(), seed)
    except Exception as error:
        return repr(error)


def use_differs(use):
    return lambda aec, parallel: exact(use(aec())) != exact(use(parallel()))


@broken(Kind.SKINS, AEC, games_differ, Pennies)
def RewardsOfTheOtherSeat(self, payoffs, side_0, side_1):
    """AEC gives each player the reward of the other."""
    return payoffs(side_0, side_1)[::-1]


@broken(Kind.SKINS, AEC, games_differ)
class TruncatedForTerminated(Bidding):
    """AEC says that a game that is over by the rules was cut."""

    def out(self):
        return set()

    def cut(self):
        return super().out()


@broken(Kind.SKINS, PARALLEL, games_differ)
class TerminatedForTruncated(Lowest):
    """Parallel says that a game that was cut is over by the rules."""

    def out(self):
        return super().out() | super().cut()

    def cut(self):
        return set()


@broken(Kind.SKINS, AEC, games_differ, Pennies)
def OneMoreDraw(self, deal):
    """AEC draws one random number more at the start, so the same seed plays another game."""
    deal()
    self._rng.random()


@broken(Kind.SKINS, PARALLEL, games_differ, Bidding)
def ScaledRewards(self, play, actions):
    """Parallel gives rewards as parts of 15."""
    return {agent: reward / 15 for agent, reward in play(actions).items()}


@broken(Kind.SKINS, PARALLEL, games_differ, Lowest)
def RewardsOfLastRound(self, resolve, actions):
    """Parallel pays one round later; the last round is never paid."""
    observations, rewards, *others = resolve(actions)
    late = getattr(self, "_late", {}) if self._round > 1 else {}
    self._late = rewards
    return observations, {agent: late.get(agent, 0.0) for agent in rewards}, *others


@broken(Kind.SKINS, AEC, games_differ, Pennies)
def AecPaysLate(self, play, actions):
    """AEC pays one round later; the last round is never paid."""
    rewards = play(actions)
    late = self._late if self._round > 1 else dict.fromkeys(rewards, 0.0)
    self._late = rewards
    return late


@broken(Kind.SKINS, AEC, games_differ, Bidding)
def InfosDiffer(self, info, agent):
    """AEC's infos count rounds from 1, Parallel's from 0."""
    return {"round": self._round + 1}


@broken(Kind.SKINS, PARALLEL, games_differ)
class OneRoundLess(Lowest):
    """Parallel cuts after five rounds, AEC after six."""

    rounds = 5


@broken(
    Kind.SKINS,
    PARALLEL,
    use_differs(lambda env: [repr(env.action_space(agent)) for agent in env.possible_agents]),
    Pennies,
    new_action_space=lambda self, agent: spaces.Discrete(3),
)
def WiderActionSpace(self, play, actions):
    """Parallel's action space has a third action, to pass, which counts as heads."""
    return play({agent: action % 2 for agent, action in actions.items()})


@broken(Kind.SKINS, PARALLEL, use_differs(lambda env: env.possible_agents))
class OtherOrderOfSeats(Lowest):
    """Parallel lists its agents in another order."""

    def prepare(self):
        self.possible_agents = ["cy", "ann", "bob"]

    def others(self, agent):
        return [other for other in self.players if other != agent]


@broken(Kind.SKINS, AEC, games_differ, Lowest)
def LastBitOfRewards(self, share, winner, agents):
    """AEC's points are a last bit below 1."""
    return {agent: each * float(np.nextafter(1, 0)) for agent, each in share(winner, agents).items()}


@broken(Kind.SKINS, PARALLEL, games_differ, Pennies)
def DtypeDiffers(self, observe, agent):
    """Parallel's observations are int32, AEC's int64."""
    return observe(agent).astype(np.int32)


def states_differ(aec, parallel):
    first, second = aec(), parallel()
    pairs = zip(rounds(first, 3), rounds(second, 3), strict=False)
    return any(exact(first.state()) != exact(second.state()) for _ in pairs)


@broken(Kind.SKINS, AEC, states_differ, Bidding)
def StatesDiffer(self, state):
    """AEC's state has the score from the seat of player_1."""
    return state() * np.where(np.arange(12) == 11, -1.0, 1.0)


@broken(Kind.SKINS, AEC, games_differ, Pennies, _fresh={"_again": True})
def FirstRoundTwice(self, play, actions):
    """AEC deals anew after the first round, but keeps count of rewards."""
    rewards = play(actions)
    if self._again:
        self._again = False
        self._memory = [2, 2, 2, 2]
    return rewards
