"""Earlier games decide, or other environments of the class."""

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.playing import legal, record, rounds
from broken.witnesses import after_games, differ, game

HISTORY, BOTH, AEC, PARALLEL = Kind.HISTORY, Skins.BOTH, Skins.AEC, Skins.PARALLEL


def matters(count, of_its_own=True):
    """A game is another one after some games."""
    return differ(game, after_games(count, of_its_own))


def after_half_a_game(make, seed):
    """A game of an environment that was reset in the middle of another; in AEC, in the middle of a round."""
    env = make()
    for _ in zip(range(2), rounds(env, 9), strict=False):
        pass
    if hasattr(env, "agent_iter"):
        env.step(legal(env, env.agent_selection)[0])
    return record(env, seed)


abandoning_matters = differ(game, after_half_a_game)


@broken(HISTORY, BOTH, matters(10), Bidding)
def TenthGame(self, payment, own, other):
    """From the tenth game on prizes count double, as in a warm-up that was left in."""
    return payment(own, other) * (2 if self._games > 10 else 1)


@broken(HISTORY, PARALLEL, matters(20), Pennies, steps=0)
def StepsOfALifetime(self, play, actions):
    """The limit of 90 rounds counts the rounds of all games."""
    rewards = play(actions)
    self.steps += 1
    self._over = self._over or self.steps > 90
    return rewards


@broken(HISTORY, BOTH, matters(50), Lowest)
def SmallCounter(self, observe, agent):
    """The games are counted in the observation's last number, beyond its bound of 6 from the 50th game on."""
    seen = observe(agent)
    seen[-1] += self._games // 50
    return seen


@broken(HISTORY, BOTH, matters(1))
class DeckStaysShuffled(Bidding):
    """The deck is shuffled in place, so its order depends on the games before."""

    def prepare(self):
        self._prizes = np.arange(1, 6)

    def deal(self):
        super().deal()
        self._prizes = self._prizes[np.array(self._deck) - 1]
        self._deck = [int(prize) for prize in self._prizes]


CLASS_DECK = [1, 2, 3, 4, 5]


@broken(HISTORY, BOTH, matters(3, of_its_own=False), Bidding)
def DeckOfTheModule(self, deal):
    """The deck is a list of the module that is shuffled in place: environments disturb each other."""
    deal()
    CLASS_DECK[:] = [CLASS_DECK[prize - 1] for prize in self._deck]
    self._deck = list(CLASS_DECK)


@broken(HISTORY, BOTH, matters(1), Pennies)
def SeatsChange(self, payoffs, side_0, side_1):
    """In every second game the seats are changed, so the other one wins with equal sides."""
    return payoffs(side_0, side_1)[:: 1 if self._games % 2 else -1]


@broken(HISTORY, PARALLEL, matters(1))
class WinnerRemembered(Bidding):
    """At a tie the winner of the game before gets one point."""

    winner = 0

    def out(self):
        out = super().out()
        if out:
            self.winner = int(np.sign(self._score))
        return out

    def payment(self, own, other):
        return float(self.winner) if own == other else super().payment(own, other)


@broken(HISTORY, AEC, abandoning_matters, Bidding)
def BidsOfAnAbandonedGame(self, reset, seed=None, options=None):
    """A bid that was laid when the game was abandoned still lies there in the next."""
    kept = getattr(self, "_committed", {})
    reset(seed, options)
    self._committed = {agent: card for agent, card in kept.items() if agent == "player_0"}
    self.agent_selection = self.waiting()[0]


@broken(HISTORY, BOTH, abandoning_matters, Lowest)
def LivesOfAnAbandonedGame(self, deal):
    """Lives are dealt when a game has ended, so an abandoned game leaves its own to the next."""
    lives = getattr(self, "_lives", None)
    deal()
    if lives and len([each for each in lives.values() if each > 0]) > 1:
        self._lives = {agent: max(each, 1) for agent, each in lives.items()}


@broken(HISTORY, BOTH, matters(1, of_its_own=False))
class MemoryOfTheClass(Pennies):
    """The memory is a list of the class: a new environment sees the last rounds of another."""

    memory = [2, 2, 2, 2]  # noqa: RUF012

    def deal(self):
        super().deal()
        self._memory = self.memory

    def play(self, actions):
        rewards = super().play(actions)
        self.memory[:] = self._memory
        return rewards


@broken(HISTORY, BOTH, matters(5), Lowest, discount=1.0)
def RewardsWearOut(self, share, winner, agents):
    """A discount goes on from game to game instead of starting anew."""
    self.discount *= 1 - 1e-9
    return {agent: each * self.discount for agent, each in share(winner, agents).items()}
