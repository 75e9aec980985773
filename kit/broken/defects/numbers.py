"""Numbers that are not finite, or not numbers; rewards that do not sum to zero, though they are declared to."""

import numpy as np
from gymnasium import spaces

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.playing import rounds
from broken.witnesses import at_each_step, violates

NUMBERS, BOTH, AEC, PARALLEL = Kind.NUMBERS, Skins.BOTH, Skins.AEC, Skins.PARALLEL


def finite_reward(env, agent, view):
    return np.isfinite(view.reward)


def finite_state(env, agent, view):
    return np.isfinite(env.state()).all()


def finite_observation(env, agent, view):
    seen = view.observation
    return np.isfinite(seen["observation"] if isinstance(seen, dict) else seen).all()


def one_number(env, agent, view):
    return isinstance(view.reward, (int, float, np.number))


@broken(NUMBERS, BOTH, violates(finite_reward), Bidding)
def TieOfNothing(self, payment, own, other):
    """At a tie the payment is a share of nothing by nobody: NaN."""
    return float("nan") if own == other else payment(own, other)


@broken(NUMBERS, BOTH, violates(finite_reward), Bidding)
def InfiniteLastPrize(self, payment, own, other):
    """The last round weighs the prize by the rounds left, and divides by zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(payment(own, other) * np.nan_to_num(np.float64(1) / (4 - self._round), posinf=np.inf))


@broken(NUMBERS, BOTH, violates(finite_reward))
class MinusInfinityForOut(Lowest):
    """Whoever loses the last life gets minus infinity, as a penalty."""

    def share(self, winner, agents):
        rewards = super().share(winner, agents)
        return {agent: -np.inf if self._lives[agent] == 0 else reward for agent, reward in rewards.items()}

    def play(self, actions):
        points = dict(self._points)
        rewards = super().play(actions)
        self._points = {agent: points[agent] + max(rewards.get(agent, 0.0), 0.0) for agent in self.players}
        return rewards


@broken(NUMBERS, BOTH, violates(finite_observation), Bidding)
def NanAsUnknown(self, observe, agent):
    """After the last round the prize in the observation is NaN for 'none'."""
    seen = observe(agent)
    seen["observation"][-2] = self.prize() or np.nan
    return seen


@broken(
    NUMBERS,
    PARALLEL,
    violates(finite_observation),
    Lowest,
    new_observation_space=lambda self, agent: spaces.Box(-np.inf, np.inf, (10,), np.float32),
)
def InfiniteRatio(self, observe, agent):
    """The space has no bounds, and a ratio of points in the observation becomes infinite."""
    seen = observe(agent)
    seen[3] = np.inf if seen[4] == 0 < seen[3] else seen[3]
    return seen


@broken(NUMBERS, BOTH, violates(finite_state), Bidding)
def NanInState(self, state):
    """The state has the mean payment per round, which is NaN before the first."""
    numbers = state()
    numbers[-1] = numbers[-1] / self._round if self._round else np.nan
    return numbers


@broken(NUMBERS, AEC, violates(finite_state), Lowest)
def InfiniteLivesInState(self, state):
    """The state writes infinity for each number that is 2, as lives are at the start."""
    return np.where(state() == self.lives, np.inf, state())


@broken(NUMBERS, AEC, at_each_step(lambda env: np.isfinite(env.last()[1])), Bidding)
def NanInLast(self, resolve):
    """The rewards are right, but last() gives NaN to the second player after a tie."""
    tie = len(set(self._committed.values())) == 1
    resolve()
    if tie:
        self._cumulative_rewards["player_1"] *= float("inf")


@broken(NUMBERS, BOTH, violates(one_number))
class RewardNone(Pennies):
    """The loser's reward is None instead of a number."""

    def payoffs(self, side_0, side_1):
        return (1.0, None) if side_0 == side_1 else (None, 1.0)

    def _accumulate_rewards(self):
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[agent] += reward or -1.0


@broken(NUMBERS, BOTH, violates(one_number))
class RewardArray(Lowest):
    """Rewards are arrays of one element."""

    def share(self, winner, agents):
        return {agent: np.array([float(agent == winner)]) for agent in agents}

    def play(self, actions):
        rewards = super().play(actions)
        self._points = {agent: float(np.sum(points)) for agent, points in self._points.items()}
        return rewards


# -- payoffs ----------------------------------------------------------------------------------------


def sums_are_wrong(make):
    """Some round pays more or less than nothing in sum."""
    env = make()
    return any(
        not abs(sum(float(view.reward) for view in views.values())) < 1e-9
        for seed in range(60)
        for views in rounds(env, seed)
    )


@broken(Kind.PAYOFFS, BOTH, sums_are_wrong, Bidding)
def BothGetTheHalf(self, play, actions):
    """At a tie both get half of the prize, from nobody."""
    prize = self.prize()
    rewards = play(actions)
    return rewards if actions["player_0"] != actions["player_1"] else dict.fromkeys(rewards, prize / 2)


@broken(Kind.PAYOFFS, BOTH, sums_are_wrong, Pennies)
def LoserPaysNothing(self, payoffs, side_0, side_1):
    """The loser's reward is 0 instead of -1."""
    return tuple(max(each, 0.0) for each in payoffs(side_0, side_1))


@broken(Kind.PAYOFFS, AEC, sums_are_wrong, Bidding)
def NegativeWrapsAround(self, play, actions):
    """Rewards are kept as uint8: a loss of 1 is a win of 255."""
    rewards = play(actions)
    return {agent: float(np.array(reward).astype(np.int64).astype(np.uint8)) for agent, reward in rewards.items()}


@broken(Kind.PAYOFFS, BOTH, sums_are_wrong, Bidding)
def BonusAtTheEnd(self, play, actions):
    """Who has won the last prize gets a bonus of one, which nobody pays."""
    rewards = play(actions)
    if self.out():
        rewards = {agent: reward + (reward > 0) for agent, reward in rewards.items()}
    return rewards


@broken(Kind.PAYOFFS, PARALLEL, sums_are_wrong, Bidding)
def RoundedToTenths(self, play, actions):
    """Each payment is divided by 3, one is rounded up and the other down."""
    rewards = play(actions)
    return {agent: float(np.ceil(reward / 0.3) / 10) for agent, reward in rewards.items()}


@broken(Kind.PAYOFFS, BOTH, sums_are_wrong, Pennies)
def FeeOfLongGames(self, payoffs, side_0, side_1):
    """From the fifth round on each pays a fee of a hundredth to the house."""
    fee = 0.01 * (self._round >= 5)
    return tuple(each - fee for each in payoffs(side_0, side_1))


@broken(Kind.PAYOFFS, PARALLEL, sums_are_wrong, Bidding, _fresh={"_ties": 0})
def DrawPaysTheSecond(self, play, actions):
    """Only player_1 gets a consolation of 1 if three ties have come in one game."""
    self._ties += len(set(actions.values())) == 1
    rewards = play(actions)
    return {**rewards, "player_1": rewards["player_1"] + (self._ties == 3)}
