"""Numbers that are not finite, or not numbers."""

import numpy as np
from gymnasium import spaces

from broken.bases import Bidding, Lowest, Pennies
from broken.registry import Kind, Skins, broken
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


@broken(NUMBERS, BOTH, violates(finite_reward))
class TieOfNothing(Bidding):
    """At a tie the payment is a share of nothing by nobody: NaN."""

    def payment(self, own, other):
        return float("nan") if own == other else super().payment(own, other)


@broken(NUMBERS, BOTH, violates(finite_reward))
class InfiniteLastPrize(Bidding):
    """The last round weighs the prize by the rounds left, and divides by zero."""

    def payment(self, own, other):
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(super().payment(own, other) * np.nan_to_num(np.float64(1) / (4 - self._round), posinf=np.inf))


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


@broken(NUMBERS, BOTH, violates(finite_observation))
class NanAsUnknown(Bidding):
    """After the last round the prize in the observation is NaN for 'none'."""

    def observe(self, agent):
        seen = super().observe(agent)
        seen["observation"][-2] = self.prize() or np.nan
        return seen


@broken(NUMBERS, PARALLEL, violates(finite_observation))
class InfiniteRatio(Lowest):
    """The space has no bounds, and a ratio of points in the observation becomes infinite."""

    def new_observation_space(self, agent):
        return spaces.Box(-np.inf, np.inf, (10,), np.float32)

    def observe(self, agent):
        seen = super().observe(agent)
        seen[3] = np.inf if seen[4] == 0 < seen[3] else seen[3]
        return seen


@broken(NUMBERS, BOTH, violates(finite_state))
class NanInState(Bidding):
    """The state has the mean payment per round, which is NaN before the first."""

    def state(self):
        state = super().state()
        state[-1] = state[-1] / self._round if self._round else np.nan
        return state


@broken(NUMBERS, AEC, violates(finite_state))
class InfiniteLivesInState(Lowest):
    """The state writes infinity for each number that is 2, as lives are at the start."""

    def state(self):
        return np.where(super().state() == self.lives, np.inf, super().state())


@broken(NUMBERS, AEC, at_each_step(lambda env: np.isfinite(env.last()[1])))
class NanInLast(Bidding):
    """The rewards are right, but last() gives NaN to the second player after a tie."""

    def resolve(self):
        tie = len(set(self._committed.values())) == 1
        super().resolve()
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
