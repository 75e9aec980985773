"""Driving an environment by random legal choices, and writing down all that can be seen of it."""

from __future__ import annotations

import copy
import random
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from cardwar_envs.conformance.verdicts import Failed, NotApplicable

# An episode is followed for so many calls of step(), unless a check wants to see its end.
STEPS = 120
# Episodes that have not ended by then count as endless.
MOST_STEPS = 20_000


def mask_of(observation: Any, info: Any) -> NDArray[Any] | None:
    """The action mask, out of an observation or else an info; None if neither has one."""
    for place in (observation, info):
        if isinstance(place, Mapping) and place.get("action_mask") is not None:
            return np.asarray(place["action_mask"])
    return None


class Chooser:
    """Random legal choices, which depend on the seed, on the agent and on how often it had a choice."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._rngs: dict[Any, np.random.Generator] = {}
        self._spaces: dict[Any, gymnasium.Space[Any]] = {}

    def choose(self, agent: Any, space: gymnasium.Space[Any], mask: NDArray[Any] | None) -> Any:
        """One of the actions that the mask allows."""
        if agent not in self._rngs:
            self._rngs[agent] = np.random.default_rng([self._seed, zlib.crc32(str(agent).encode())])
        rng = self._rngs[agent]
        if isinstance(space, gymnasium.spaces.Discrete):
            legal = legal_actions(space, mask)
            if not legal:
                raise Failed(f"the action mask of {agent}, who is to choose, is all zero")
            return legal[0] if len(legal) == 1 else legal[int(rng.integers(len(legal)))]
        own = self._spaces.setdefault(agent, copy.deepcopy(space))  # sampling changes a space
        own.seed(int(rng.integers(2**31)))
        return own.sample()


def legal_actions(space: Any, mask: NDArray[Any] | None) -> list[int]:
    """The actions of a Discrete space that a mask allows, all without one."""
    numbers = range(int(space.n)) if mask is None else np.flatnonzero(mask)
    return [int(number + space.start) for number in numbers]


class Play(ABC):
    """One environment being driven.

    Attributes:
        env: The environment.
        log: All that could be seen after `reset` and after each step, as copies.
        played: What was handed to each step.
    """

    kind: ClassVar[str]

    def __init__(self, env: Any, choices: int = 0) -> None:
        self.env, self.chooser = env, Chooser(choices)
        self.log: list[Any] = []
        self.played: list[Any] = []

    def reset(self, seed: int | None = None) -> Play:
        """Starts a game and a new log; the chooser goes on."""
        self._reset(seed)
        self.log, self.played = [self.seen()], []
        return self

    def step(self, log: bool = True) -> None:
        """Steps once, with legal choices."""
        self.submit(self.choice(), log)

    def submit(self, choice: Any, log: bool = True) -> None:
        """Steps once, with a given choice."""
        self._submit(choice)
        self.played.append(choice)
        if log:
            self.log.append(self.seen())

    def run(self, steps: int = STEPS) -> list[Any]:
        """Plays on for so many steps or to the end; returns the log."""
        while not self.over and steps > 0:
            self.step()
            steps -= 1
        return self.log

    def step_to_end(self) -> None:
        """One step without a log, of those that are to lead to the end.

        Raises:
            NotApplicable: If it has not come in `MOST_STEPS`.
        """
        if len(self.played) >= MOST_STEPS:
            raise NotApplicable(f"no game ended within {MOST_STEPS:,} steps")
        self.step(log=False)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self.env.agents

    @abstractmethod
    def _reset(self, seed: int | None) -> None: ...

    @abstractmethod
    def _submit(self, choice: Any) -> None: ...

    @abstractmethod
    def choice(self) -> Any:
        """A legal choice for the next step."""

    @abstractmethod
    def seen(self) -> dict[str, Any]:
        """A copy of all that can be seen now."""

    @abstractmethod
    def masks(self) -> dict[Any, NDArray[Any] | None]:
        """The mask of each agent that is still in the game."""


class AECPlay(Play):
    """An AEC environment being driven."""

    kind = "AEC"

    def _reset(self, seed: int | None) -> None:
        self.env.reset(seed=seed)

    def _submit(self, choice: Any) -> None:
        self.env.step(choice)

    def dead(self, agent: Any) -> bool:
        """Whether the agent has been told that it is out."""
        return bool(self.env.terminations[agent] or self.env.truncations[agent])

    def choice(self) -> Any:
        """A legal choice for the selected agent, None if it is out."""
        agent = self.env.agent_selection
        if self.dead(agent):
            return None
        return self.chooser.choose(agent, self.env.action_space(agent), self.mask(agent))

    def mask(self, agent: Any) -> NDArray[Any] | None:
        """What the agent may play."""
        return mask_of(self.env.observe(agent), self.env.infos.get(agent))

    def masks(self) -> dict[Any, NDArray[Any] | None]:
        """The mask of each agent that is still in the game."""
        return {agent: self.mask(agent) for agent in self.env.agents if not self.dead(agent)}

    def seen(self) -> dict[str, Any]:
        """A copy of all that can be seen now."""
        env, agents = self.env, list(self.env.agents)
        seen: dict[str, Any] = {"agents": agents, "agent_selection": env.agent_selection if agents else None}
        seen["observations"] = {agent: env.observe(agent) for agent in agents}
        for name in ("rewards", "terminations", "truncations", "infos"):
            seen[name] = getattr(env, name)
        seen["last"] = env.last() if agents else None
        return copy.deepcopy(seen)


class ParallelPlay(Play):
    """A Parallel environment being driven.

    Attributes:
        result: What the last call of step() or reset() returned; of reset() with no rewards and no ends.
    """

    kind = "Parallel"
    NAMES = ("observations", "rewards", "terminations", "truncations", "infos")

    def _reset(self, seed: int | None) -> None:
        observations, infos = self.env.reset(seed=seed)
        self.result: tuple[dict[Any, Any], ...] = (observations, {}, {}, {}, infos)

    def _submit(self, choice: Any) -> None:
        self.result = self.env.step(dict(choice))

    def choice(self) -> Any:
        """A legal choice for every agent."""
        masks = self.masks()
        return {agent: self.chooser.choose(agent, self.env.action_space(agent), masks[agent]) for agent in masks}

    def masks(self) -> dict[Any, NDArray[Any] | None]:
        """The mask of each agent that is still in the game."""
        observations, infos = self.result[0], self.result[-1]
        return {agent: mask_of(observations.get(agent), infos.get(agent)) for agent in self.env.agents}

    def seen(self) -> dict[str, Any]:
        """A copy of all that can be seen now."""
        named = dict(zip(self.NAMES, self.result, strict=True))
        return copy.deepcopy({"agents": list(self.env.agents), **named})


def seats(env: Any) -> list[Any]:
    """The agents in order of seat.

    Raises:
        NotApplicable: If the environment makes up its agents as it goes.
    """
    if not hasattr(env, "possible_agents"):
        raise NotApplicable("it does not say who its possible agents are")
    return list(env.possible_agents)


def layers(env: Any) -> list[Any]:
    """The environment, what it wraps, and so on."""
    found = [env]
    for layer in found:
        inner = [vars(layer).get(name) for name in ("env", "aec_env")] + [getattr(layer, "unwrapped", None)]
        found += [below for below in inner if below is not None and all(below is not known for known in found)]
    return found


def generators(env: Any) -> dict[str, Any]:
    """The states of all random generators that the environment holds as attributes."""
    states: dict[str, Any] = {}
    for layer in layers(env):
        for name, value in vars(layer).items():
            where = f"{type(layer).__name__}.{name}"
            if isinstance(value, np.random.Generator):
                states[where] = copy.deepcopy(value.bit_generator.state)
            elif isinstance(value, np.random.RandomState):
                states[where] = value.get_state()
            elif isinstance(value, random.Random):
                states[where] = value.getstate()
    return states
