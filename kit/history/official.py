"""Environments with one defect each that pass PettingZoo's own tests; needs nothing but PettingZoo.

python official.py
"""

import contextlib
import io
import warnings

import numpy as np
from gymnasium.spaces import Box, Discrete
from pettingzoo import AECEnv, ParallelEnv

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its imports warn
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test


class Bids(ParallelEnv):
    """A correct environment: a prize of 1 to 9 is drawn, both bid 0 to 2, the higher bid wins it; five rounds."""

    metadata = {"name": "bids_v0", "render_modes": []}  # noqa: RUF012  # as PettingZoo
    render_mode = None

    def __init__(self):
        self.possible_agents = ["a", "b"]
        self.observation_spaces = {agent: Box(0, 9, (2,), np.int64) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(3) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        if seed is not None or not hasattr(self, "rng"):
            self.rng = np.random.default_rng(seed)
        self.agents, self.round = self.possible_agents[:], 0
        self.prize = self.draw()
        return self.observed(), {agent: {} for agent in self.agents}

    def draw(self):
        return int(self.rng.integers(1, 10))

    def observed(self):
        return {agent: np.array([self.round, self.prize]) for agent in self.possible_agents}

    def step(self, actions):
        for agent, action in actions.items():
            if not self.action_space(agent).contains(action):
                raise ValueError(f"{action} is not an action of {agent}")
        prize, self.round, self.prize = self.prize, self.round + 1, self.draw()
        a, b = actions["a"], actions["b"]
        rewards = {"a": prize * int(a > b), "b": prize * int(b > a)}
        over = dict.fromkeys(self.agents, self.round == 5)
        infos = {agent: {} for agent in self.agents}
        self.agents = [] if self.round == 5 else self.agents
        return self.observed(), rewards, over, dict.fromkeys(over, False), infos


class SeedIgnoredFromTheSecondRound(Bids):
    """`parallel_seed_test` stops after one step: `any(terminations1)` looks at the names, not at the values."""

    def draw(self):
        return super().draw() if self.round < 2 else int(np.random.default_rng().integers(1, 10))

    def witness(self):
        games = []
        for _ in range(2):
            self.reset(seed=1)
            games.append([int(self.step({"a": 0, "b": 0})[0]["a"][1]) for _ in range(5)])
        return f"prizes of two games after reset(seed=1): {games[0]} and {games[1]}"


class OutOfItsSpace(Bids):
    """`parallel_api_test` never compares observations with their spaces; `api_test` does."""

    def observed(self):
        return {agent: np.array([self.round, 10 * self.prize]) for agent in self.possible_agents}

    def witness(self):
        seen = self.reset(seed=1)[0]["a"]
        return f"{seen} in {self.observation_space('a')}: {self.observation_space('a').contains(seen)}"


class RewardsAreInfinite(Bids):
    """No test looks at the values of rewards in the Parallel API."""

    def step(self, actions):
        observed, rewards, *rest = super().step(actions)
        return observed, dict.fromkeys(rewards, float("inf")), *rest

    def witness(self):
        self.reset(seed=1)
        return f"rewards: {self.step({'a': 0, 'b': 1})[1]}"


class OneArray(Bids):
    """No test keeps what an earlier step returned, as a replay buffer does."""

    def observed(self):
        vars(self).setdefault("array", np.zeros(2, np.int64))[:] = self.round, self.prize
        return dict.fromkeys(self.possible_agents, self.array)

    def witness(self):
        first = self.reset(seed=1)[0]["a"]
        before = first.copy()
        self.step({"a": 0, "b": 0})
        return f"the first observation is {before}, and {first} after a step"


class ScoreSurvives(Bids):
    """No test resets with the same seed within a game, though the page says that the seed test does."""

    def observed(self):
        self.total = getattr(self, "total", 0) + 1
        return {agent: np.array([self.total % 10, self.prize]) for agent in self.possible_agents}

    def witness(self):
        return f"reset(seed=1) twice: {self.reset(seed=1)[0]['a']} and {self.reset(seed=1)[0]['a']}"


class SeedZeroIsNoSeed(Bids):
    """The seed tests use seed 42 alone."""

    def reset(self, seed=None, options=None):
        self.rng = np.random.default_rng(seed or None)
        return super().reset(None, options)

    def witness(self):
        return f"prizes after reset(seed=0), six times: {[int(self.reset(seed=0)[0]['a'][1]) for _ in range(6)]}"


class AlwaysTheSameGame(Bids):
    """No test resets without a seed and compares."""

    def reset(self, seed=None, options=None):
        return super().reset(7 if seed is None else seed, options)

    def witness(self):
        return f"prizes after reset(), six times: {[int(self.reset()[0]['a'][1]) for _ in range(6)]}"


class AnyActionCounts(Bids):
    """No test submits an action outside the space."""

    def step(self, actions):
        return super().step({agent: max(0, min(2, int(action))) for agent, action in actions.items()})

    def witness(self):
        self.reset(seed=1)
        return f"a bid of NumPy's 2.9 against 1 earns {self.step({'a': np.float64(2.9), 'b': 1})[1]}"


class TheSecondSeesTheFirst(AECEnv):
    """`api_test` does not ask whether an agent that moves at the same time sees the move of the other."""

    metadata = {"name": "pennies_v0", "render_modes": [], "is_parallelizable": True}  # noqa: RUF012
    render_mode = None

    def __init__(self):
        self.possible_agents = ["a", "b"]
        self.observation_spaces = {agent: Box(0, 2, (1,), np.int64) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(2) for agent in self.possible_agents}

    observation_space, action_space = Bids.observation_space, Bids.action_space

    def reset(self, seed=None, options=None):
        self.agents, self.moves, self.rounds, self.agent_selection = self.possible_agents[:], [], 0, "a"
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0), dict.fromkeys(self.agents, 0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent):
        return np.array([self.moves[-1] + 1 if self.moves else 0])

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.moves.append(action)
        if agent == "b":
            self.rewards["b"] = 1 if self.moves[0] == self.moves[1] else -1
            self.rewards["a"] = -self.rewards["b"]
            self.moves, self.rounds = [], self.rounds + 1
            self.terminations = dict.fromkeys(self.agents, self.rounds == 3)
        self.agent_selection = "b" if agent == "a" else "a"
        self._accumulate_rewards()

    def witness(self):
        seen = []
        for action in range(2):
            self.reset(seed=1)
            self.step(action)
            seen.append(self.observe("b").tolist())
        return f"b, about to choose, observes {seen[0]} if a has chosen 0, and {seen[1]} if a has chosen 1"


BROKEN = [Bids, *Bids.__subclasses__(), TheSecondSeesTheFirst]


def passed(kind):
    """Runs PettingZoo's tests; each raises an error if an environment does not pass."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if issubclass(kind, AECEnv):
            api_test(kind(), num_cycles=200)
            seed_test(kind, num_cycles=200)
            return "api_test, seed_test"
        parallel_api_test(kind(), num_cycles=200)
        parallel_seed_test(kind, num_cycles=200)
        return "parallel_api_test, parallel_seed_test"


if __name__ == "__main__":
    for kind in BROKEN:
        print(f"{kind.__name__} passes {passed(kind)}")
        if kind is not Bids:
            print(f"    {kind().witness()}")
