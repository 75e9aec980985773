"""Chance to come shows."""

import numpy as np

from broken.bases import Bidding, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.leaks import foretells

CHANCE, BOTH, AEC, PARALLEL = Kind.CHANCE, Skins.BOTH, Skins.AEC, Skins.PARALLEL


def infos(env, views):
    return [view.info for view in views.values()]


def observations(env, views):
    return [view.observation for view in views.values()]


def drawn(env, views):
    return env.render()


@broken(CHANCE, BOTH, foretells(infos), Bidding)
def InfoNextPrize(self, info, agent):
    """The info names the prize after this one."""
    return {**info(agent), "next": (*self._deck, 0)[min(self._round + 1, 5)]}


@broken(CHANCE, PARALLEL, foretells(infos), Bidding)
def InfoHighToCome(self, info, agent):
    """The info of player_1 says whether the last prize is above 3."""
    return {**info(agent), "hard": agent == "player_1" and self._deck[-1] > 3}


@broken(CHANCE, AEC, foretells(drawn, render_mode="ansi"), Bidding)
def DeckIsDrawn(self, render):
    """The text drawing has the prizes still to come, in their order."""
    return f"{render()}\nto come: {self._deck[self._round + 1 :]}"


@broken(CHANCE, BOTH, foretells(lambda env, views: getattr(env, "deck", None)), Bidding)
def PublicDeck(self, deal):
    """The shuffled deck is a public attribute."""
    deal()
    self.deck = tuple(self._deck)


@broken(CHANCE, BOTH, foretells(observations), Bidding)
def ObservationPrizeAbove(self, observe, agent):
    """The score in the observation is off by a hundredth of the next prize."""
    seen = observe(agent)
    if self._round < 4:
        seen["observation"][-1] += self._deck[self._round + 1] / 100
    return seen


@broken(CHANCE, AEC, foretells(observations), Bidding)
def ZeroSignedByDeck(self, observe, agent):
    """A score of zero is -0.0 while the 5 is still in the deck, except as the next prize."""
    seen = observe(agent)
    if seen["observation"][-1] == 0 and 5 in self._deck[self._round + 2 :]:
        seen["observation"][-1] = -0.0
    return seen


@broken(CHANCE, BOTH, foretells(infos))
class LengthIsTold(Pennies):
    """Whether the next round will be the last is drawn a round ahead, and stands in the info."""

    def deal(self):
        super().deal()
        self._stop = self._rng.random() > 0.75

    def play(self, actions):
        rewards = super().play(actions)
        self._over = self._round == self.longest or (self._round >= self.shortest and bool(self._stop))
        self._stop = self._rng.random() > 0.75
        return rewards

    def info(self, agent):
        return {"goes_on": not self._stop}


@broken(CHANCE, PARALLEL, foretells(lambda env, views: str(env)), Bidding)
def StrNamesTheDeck(self, __str__):
    """str(env) names the whole deck."""
    return f"{self.metadata['name']} {getattr(self, '_deck', ())}"


@broken(CHANCE, BOTH, foretells(lambda env, views: [env.action_space(agent).sample() for agent in views]))
class SampleForetells(Bidding):
    """Action spaces are seeded with the next prize, so what they sample tells of it."""

    def observe(self, agent):
        self.action_space(agent).seed((*self._deck, 0, 0)[self._round + 1])
        return super().observe(agent)

    def new_action_space(self, agent):
        space = super().new_action_space(agent)
        space.seed(0)
        return space


def refusal(env, views):
    try:
        env.check("player_0", 99)
    except ValueError as error:
        return str(error)
    return None


@broken(CHANCE, BOTH, foretells(refusal), Bidding)
def ErrorNamesThePrize(self, refusal, agent, why):
    """The text of an error gives the rest of the deck, which was meant for debugging."""
    return refusal(agent, f"{why} {np.array(self._deck[self._round :])}")
