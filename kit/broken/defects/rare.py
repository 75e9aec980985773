"""Defects of other classes that show in rare states only: one in thirty, after a tie, in one game of hundreds."""

import numpy as np
from gymnasium import spaces

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.defects.parallel_skin import agents_are_wrong
from broken.leaks import drawn, informed, leaks, observed
from broken.playing import rounds
from broken.witnesses import backwards, differ, game, in_space, violates

RARE, BOTH, AEC, PARALLEL = Kind.RARE, Skins.BOTH, Skins.AEC, Skins.PARALLEL


def one_above(env, agent, observation, info):
    """player_0 bids the prize's own rank, and player_1 the rank below, or the highest for the lowest prize."""
    return (env.prize() - 1 - (agent == "player_1")) % 5


def lowest_card(env, agent, observation, info):
    return int(np.flatnonzero(observation["action_mask"])[0])


@broken(RARE, AEC, leaks(informed, games=25), Bidding)
def LeakInOneScore(self, commit, agent, action):
    """The info tells whether the other laid the highest card left, if the score is 3 and this is the third round."""
    commit(agent, action)
    if self._round == 2 and abs(self._score) == 3:
        for other in self.waiting():
            self.infos[other]["highest"] = bool(action == np.flatnonzero(self._hands[agent])[-1])


@broken(RARE, AEC, leaks(observed, games=10), Bidding)
def LeakBeforeTheLast(self, observe, agent):
    """Only when two cards are left does the other's hand in the observation lack the laid card."""
    seen = observe(agent)
    for other, card in self._committed.items():
        if other != agent and self._round == 3:
            seen["observation"][5 + card] = 0
    return seen


@broken(RARE, AEC, leaks(drawn, games=10, render_mode="ansi"))
class LeakAfterATie(Bidding):
    """After a tie the drawing marks a bid above 3."""

    tie = False

    def play(self, actions):
        self.tie = len(set(actions.values())) == 1
        return super().play(actions)

    def deal(self):
        super().deal()
        self.tie = False

    def render(self):
        high = self.tie and max(self._committed.values(), default=0) > 2
        return super().render() + "!" * high


@broken(RARE, AEC, leaks(observed, before=1), Pennies)
def LeakFromTheSecondGameOn(self, seen, agent):
    """From the second game on the memory of the other seat is written at commitment."""
    numbers = seen(agent)
    for other, side in self._committed.items():
        if self._games > 1 and other != agent:
            numbers[3] = side
    return numbers


@broken(RARE, AEC, leaks(informed, games=10), Lowest)
def LeakAmongTwo(self, commit, agent, action):
    """When only two are left, the info of the other tells an even number."""
    commit(agent, action)
    if len(self.agents) == 2:
        for other in self.waiting():
            self.infos[other]["even"] = action % 2


@broken(RARE, AEC, leaks(drawn, games=20, render_mode="rgb_array"), Lowest)
def LeakInTheLastPicture(self, render):
    """In the last round the picture's corner has the number."""
    frame = render()
    if self._round == self.rounds - 1 and not isinstance(frame, str):
        frame[-1, -1] -= np.uint8(sum(self._committed.values()))
    return frame


@broken(RARE, BOTH, violates(in_space, games=60), Pennies)
def OutOfBoundsInLongGames(self, new_observation_space, agent):
    """The space counts to 10 rounds; one game in about ten goes further."""
    return spaces.MultiDiscrete([3, 3, 3, 3, 11])


@broken(RARE, BOTH, violates(in_space, games=1, choices=one_above), Bidding)
def OutOfBoundsOneInThreeHundred(self, new_observation_space, agent):
    """The score is bounded by 12; it is 13 if one loses the prize of 1 only, in one random game of 300."""
    space = new_observation_space(agent)
    return spaces.Dict({**space, "observation": spaces.Box(-12, 12, (12,), np.float32)})


@broken(
    RARE,
    BOTH,
    violates(lambda env, agent, view: np.isfinite(view.reward), games=1, choices=lowest_card),
    Bidding,
    _fresh={"_ties": 0},
)
def NanAfterThreeTies(self, payment, own, other):
    """After three ties in a row the payment is NaN."""
    self._ties = self._ties + 1 if own == other else 0
    return float("nan") if self._ties == 3 else payment(own, other)


@broken(RARE, PARALLEL, differ(game, backwards, games=40))
class OrderInAThreeWayTie(Lowest):
    """Only if all three name the same number does the first in the dict of actions get the point."""

    def step(self, actions):
        self._first = next(iter(actions), None)
        return super().step(actions)

    def play(self, actions):
        rewards = super().play(actions)
        if len(actions) == 3 and len(set(actions.values())) == 1 and self._first in rewards:
            rewards[self._first] = 1.0
        return rewards


@broken(RARE, PARALLEL, agents_are_wrong, Lowest, players=("ann", "bob", "cy", "dee"))
def TwoFallAtOnce(self, resolve, actions):
    """If two go out at once and the game goes on, only the first of them is removed."""
    asked = list(self.agents)
    result = resolve(actions)
    gone = [agent for agent in asked if agent not in self.agents]
    if len(gone) == 2 and self.agents:
        self.agents = [agent for agent in asked if agent != gone[0]]
    return result


def accepted_in_the_last_round(make):
    """Card -1 is accepted in the last round of a game."""
    env = make()
    for seed in range(5):
        for views in rounds(env, seed):
            if all(sum(view.observation["action_mask"]) == 1 for view in views.values()):
                try:
                    env.check("player_0", -1)
                except ValueError:
                    continue
                return True
    return False


@broken(RARE, BOTH, accepted_in_the_last_round)
class ForcedCardUnchecked(Bidding):
    """The last card is played whatever is handed in, be it -1, None or a string."""

    def check(self, agent, action):
        if self._hands[agent].sum() > 1:
            super().check(agent, action)

    def play(self, actions):
        if self._round == 4:
            actions = {agent: int(np.flatnonzero(self._hands[agent])[0]) for agent in actions}
        return super().play(actions)


@broken(RARE, BOTH, differ(game, game, games=40), Bidding)
def UnseededAfterATieOfFives(self, play, actions):
    """After a tie of the two highest cards the rest of the deck is shuffled by a generator without seed."""
    rewards = play(actions)
    if set(actions.values()) == {4}:
        rest = self._deck[self._round :]
        np.random.default_rng().shuffle(rest)
        self._deck[self._round :] = rest
    return rewards


@broken(RARE, BOTH, violates(in_space, games=60), Bidding)
def ScoreOfPlayerOneAtSix(self, observe, agent):
    """player_1 alone sees 99, which is outside the space, for a score of 6."""
    seen = observe(agent)
    if agent == "player_1" and self._score == -6:
        seen["observation"][-1] = 99
    return seen


@broken(RARE, BOTH, lambda make: any(raising(make, seed) for seed in range(60)), Bidding)
def DrawingOfTwoDigits(self, render):
    """render() raises at a score beyond 9."""
    return render() + " abcdefghi"[int(abs(self._score))]


def raising(make, seed):
    env = make(render_mode="ansi")
    try:
        for _ in rounds(env, seed):
            env.render()
    except IndexError:
        return True
    return False


@broken(RARE, AEC, lambda make: any(lost(make, seed) for seed in range(40)), Bidding, _fresh={"_tied": False})
def RewardLostAfterATie(self, resolve):
    """In the round after a tie player_1's reward is lost for last()."""
    tied, self._tied = self._tied, len(set(self._committed.values())) == 1
    resolve()
    if tied:
        self._cumulative_rewards["player_1"] = 0.0


def lost(make, seed):
    """Just after a round the cumulative reward of who is asked last is not the reward."""
    env = make()
    return any(
        env._cumulative_rewards[agent] != view.reward
        for views in rounds(env, seed)
        for agent, view in views.items()
        if agent == "player_1"
    )
