"""A correct Gymnasium environment, and some with one defect each."""

import os

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete


class Walk(gymnasium.Env):
    """Walks on a line in a wind, for a point a step, until it is three away from where it began, or for 12 steps."""

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  # as in Gymnasium
    LENGTH, STEPS = 3, 12

    def __init__(self, render_mode=None):
        self.observation_space = Box(-self.LENGTH - 1, self.LENGTH + 1, (2,), np.float32)
        self.action_space = Discrete(2)
        self.render_mode = render_mode
        self.place, self.count, self.over = 0, 0, True

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.count, self.over = int((options or {}).get("place", 0)), 0, False
        self.wind = self.gust()
        return self.seen(), self.told()

    def step(self, action):
        if self.over:
            raise gymnasium.error.ResetNeeded("the walk is over")
        if not self.action_space.contains(action):
            raise ValueError(f"action ({action}) must be 0 or 1")
        self.place = int(np.clip(self.place + (2 * int(action) - 1) * self.wind, -self.LENGTH - 1, self.LENGTH + 1))
        self.count, self.wind = self.count + 1, self.gust()
        terminated, truncated = abs(self.place) >= self.LENGTH, self.count >= self.STEPS
        self.over = terminated or truncated
        return self.seen(), 1.0, terminated, truncated, self.told()

    def gust(self):
        return int(self.np_random.integers(1, 3))

    def seen(self):
        return np.array([self.place, self.count % 2], np.float32)

    def told(self):
        return {"steps": self.count}

    def render(self):
        return f"{self.place}\n"


class SeedIgnored(Walk):
    def gust(self):
        return int(np.random.default_rng().integers(1, 3))


class OutOfBounds(Walk):
    def seen(self):
        return 2 * super().seen()


class SharedArray(Walk):
    def seen(self):
        vars(self).setdefault("buffer", np.zeros(2, np.float32))[:] = super().seen()
        return self.buffer


class OptionsPersist(Walk):
    def reset(self, *, seed=None, options=None):
        vars(self).setdefault("kept", {}).update(options or {})
        _, info = super().reset(seed=seed, options=self.kept)
        self.place = len(self.kept)
        return self.seen(), info


class GoesOnAfterTheEnd(Walk):
    """Gymnasium leaves undefined what such a step does."""

    def step(self, action):
        self.over = False
        return super().step(action)


class InfoIsAList(Walk):
    def told(self):
        return [self.count]


class FourValues(Walk):
    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated or truncated, info


class WindowAborts(Walk):
    """As GLFW does without a display."""

    metadata = {"render_modes": ["human"]}  # noqa: RUF012

    def reset(self, *, seed=None, options=None):
        if self.render_mode == "human":
            os.abort()
        return super().reset(seed=seed, options=options)


# Environment -> the check that catches it, and what its message says.
CAUGHT = {
    SeedIgnored: ("same_seed_same_episode", "two games with the same seed and actions"),
    OutOfBounds: ("observations_fit_their_spaces", "observation"),
    SharedArray: ("arrays_are_fresh", "the next step changes data that was returned earlier"),
    OptionsPersist: ("options_do_no_harm", "options"),
    InfoIsAList: ("legal_play_goes_on", "reset() returned an info of type list, not a dict"),
    FourValues: ("legal_play_goes_on", "step() returned 4 values, not observation, reward, terminated"),
}
