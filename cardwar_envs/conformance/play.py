"""Drives an environment by random legal choices, and records all that can be seen of it."""

from __future__ import annotations

import copy
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import gymnasium
import numpy as np
from numpy.typing import NDArray

from cardwar_envs.conformance.verdicts import Failed, NotApplicable, in_a_line

# An episode is followed for so many calls of step(), unless a check wants to see its end.
STEPS = 120
# Episodes that have not ended by then count as endless.
MOST_STEPS = 20_000
PARTS = ("rewards", "terminations", "truncations", "infos")


class Chooser:
    """Random legal choices, which depend on the seed, the agent and how often the agent had a choice."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._rngs: dict[Any, np.random.Generator] = {}
        self._spaces: dict[Any, gymnasium.Space[Any]] = {}

    def choose(self, agent: Any, space: gymnasium.Space[Any], mask: NDArray[Any] | None) -> Any:
        """One of the actions that the mask allows."""
        if agent not in self._rngs:
            self._rngs[agent] = np.random.default_rng([self.seed, zlib.crc32(str(agent).encode())])
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
    """The actions of a Discrete space that a mask allows; all of them if there is no mask."""
    numbers = range(int(space.n)) if mask is None else np.flatnonzero(mask)
    return [int(number + space.start) for number in numbers]


class Play(ABC):
    """One environment that is being driven.

    Attributes:
        env: The environment.
        where: Its kind and its seed, for messages.
        log: Copies of all that could be seen after `reset` and after each step.
        played: What was handed to each step.
        blind: Names of infos that are left out of what is seen, because they differ each time.
        calls: Each call of reset() and step() that was made, for a script that makes them again.
    """

    kind: ClassVar[str]

    def __init__(self, env: Any, choices: int = 0, blind: frozenset[Any] = frozenset()) -> None:
        self.env, self.chooser, self.blind = env, Chooser(choices), blind
        self.where = self.kind
        self.log: list[Any] = []
        self.played: list[Any] = []
        self.calls: list[tuple[str, Any]] = []

    def again(self, choices: int = 0) -> Self:
        """The same environment, to be driven by other choices."""
        return type(self)(self.env, choices, self.blind)

    @property
    def at(self) -> str:
        """Where the game stands, for messages."""
        return f"{self.where}, after step {len(self.played)}"

    def reset(self, seed: int | None = None, **options: Any) -> Self:
        """Starts a game and a new log, with these further arguments of the environment's own; the chooser goes on."""
        self.calls.append(("reset", {"seed": seed, **options}))
        self._reset(seed=seed, **options)
        self.where = f"{self.kind}, seed {seed}"
        self.log, self.played = [self.seen()], []
        return self

    def step(self, log: bool = True) -> None:
        """Steps once, with legal choices."""
        self.submit(self.choice(), log)

    def submit(self, choice: Any, log: bool = True) -> None:
        """Steps once, with a given choice."""
        self.calls.append(("step", choice))
        self._submit(choice)
        self.played.append(choice)
        if log:
            self.log.append(self.seen())

    def replay(self, choices: Iterable[Any]) -> Self:
        """Steps with given choices, without a log.

        Raises:
            Failed: If one of them, which were legal before, raises.
        """
        for choice in choices:
            try:
                self.submit(choice, log=False)
            except Exception as error:
                step = len(self.played) + 1
                raise Failed(f"{self.where}, step {step}: legal {choice} raises {in_a_line(error)}") from error
        return self

    def run(self, steps: int = STEPS) -> list[Any]:
        """Plays on for so many steps or to the end; returns the log."""
        while not self.over and steps > 0:
            self.step()
            steps -= 1
        return self.log

    def step_to_end(self) -> None:
        """One step without a log, of those that lead to the end of the game.

        Raises:
            NotApplicable: If the end has not come within `MOST_STEPS`.
        """
        if len(self.played) >= MOST_STEPS:
            raise NotApplicable(f"no game ended within {MOST_STEPS:,} steps")
        self.step(log=False)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self.env.agents

    def mask(self, agent: Any) -> NDArray[Any] | None:
        """What the agent may play, `[num_actions]`, by its observation or else its info; None if it is not told."""
        for place in self.told(agent):
            if isinstance(place, Mapping) and place.get("action_mask") is not None:
                return np.asarray(place["action_mask"])
        return None

    def told(self, agent: Any) -> tuple[Any, Any]:
        """The observation and the info of an agent, as they are handed out."""
        return self.observation(agent), self.part("infos").get(agent)

    def steady(self, info: Any) -> Any:
        """An info without the fields that differ each time."""
        if not self.blind or not isinstance(info, Mapping):
            return info
        return {name: value for name, value in info.items() if name not in self.blind}

    def infos(self) -> dict[Any, Any]:
        """The infos of all agents, without the fields that differ each time."""
        return {agent: self.steady(info) for agent, info in self.part("infos").items()}

    def masks(self) -> dict[Any, NDArray[Any] | None]:
        """The mask of each agent that is still in the game."""
        return {agent: self.mask(agent) for agent in self.env.agents if not self.dead(agent)}

    def legal_choice(self, agent: Any) -> Any:
        """One of the actions that are legal for the agent."""
        return self.chooser.choose(agent, self.env.action_space(agent), self.mask(agent))

    def rewards(self) -> dict[Any, float]:
        """What each agent was paid in the last step.

        Raises:
            Failed: If a reward is not a finite number.
        """
        return {agent: finite(reward, f"the reward of {agent}") for agent, reward in self.part("rewards").items()}

    def out(self) -> set[Any]:
        """The agents of the last step that are said to be out."""
        terminations, truncations = self.part("terminations"), self.part("truncations")
        return {agent for agent in terminations if terminations[agent] or truncations.get(agent)}

    @abstractmethod
    def _reset(self, **arguments: Any) -> None: ...

    @abstractmethod
    def _submit(self, choice: Any) -> None: ...

    @abstractmethod
    def part(self, name: str) -> dict[Any, Any]:
        """One of `PARTS` by agent."""

    @abstractmethod
    def observation(self, agent: Any) -> Any:
        """What the agent sees, as it is handed out."""

    @abstractmethod
    def dead(self, agent: Any) -> bool:
        """Whether the agent has been told that it is out, and is still asked for a last step."""

    @abstractmethod
    def asked(self) -> list[Any]:
        """The agents that the next step needs an action of."""

    @abstractmethod
    def choice(self) -> Any:
        """A legal choice for the next step."""

    @abstractmethod
    def with_action(self, agent: Any, action: Any) -> Any:
        """The next choice, with this action for that agent, which must be one of those asked."""

    @abstractmethod
    def shown(self) -> list[tuple[Any, Any]]:
        """Each agent and its observation, as it was handed out."""

    @abstractmethod
    def handed(self) -> Any:
        """All that a learner is handed for its next choice."""

    @abstractmethod
    def seen(self) -> dict[str, Any]:
        """A copy of all that can be seen now."""


class AECPlay(Play):
    """An AEC environment that is being driven."""

    kind = "AEC"

    def _reset(self, **arguments: Any) -> None:
        self.env.reset(**arguments)

    def _submit(self, choice: Any) -> None:
        self.env.step(choice)

    def part(self, name: str) -> dict[Any, Any]:
        """The attribute of that name."""
        part: dict[Any, Any] = getattr(self.env, name)
        return part

    def observation(self, agent: Any) -> Any:
        """What `observe` hands out."""
        return self.env.observe(agent)

    def dead(self, agent: Any) -> bool:
        """Whether the agent has been told that it is out."""
        return bool(self.env.terminations[agent] or self.env.truncations[agent])

    def asked(self) -> list[Any]:
        """The selected agent, unless it is out."""
        return [] if self.over or self.dead(self.env.agent_selection) else [self.env.agent_selection]

    def choice(self) -> Any:
        """A legal choice for the selected agent, None if it is out."""
        agent = self.env.agent_selection
        return None if self.dead(agent) else self.legal_choice(agent)

    def with_action(self, agent: Any, action: Any) -> Any:
        """The action: nobody else is asked."""
        return action

    def shown(self) -> list[tuple[Any, Any]]:
        """What `observe` hands out."""
        return [(agent, self.env.observe(agent)) for agent in self.env.agents]

    def handed(self) -> Any:
        """The observation and the info that `last` hands out."""
        observation, *_, info = self.env.last()
        return observation, info

    def cumulative_reward(self) -> float:
        """What `last` says that the selected agent was paid since it was asked before."""
        return finite(self.env.last(observe=False)[1], f"the reward of {self.env.agent_selection}")

    def seen(self) -> dict[str, Any]:
        """A copy of all that can be seen now."""
        env, agents = self.env, list(self.env.agents)
        seen: dict[str, Any] = {"agents": agents, "agent_selection": env.agent_selection if agents else None}
        seen["observations"] = dict(self.shown())
        seen |= {name: self.part(name) for name in PARTS} | {"infos": self.infos()}
        seen["last"] = [*env.last()[:-1], self.steady(env.last()[-1])] if agents else None
        return copy.deepcopy(seen)


class ParallelPlay(Play):
    """A Parallel environment that is being driven.

    Attributes:
        result: What the last call of step() returned, or of reset(), which has no rewards and no ends.
    """

    kind = "Parallel"
    NAMES = ("observations", *PARTS)

    def _reset(self, **arguments: Any) -> None:
        observations, infos = self.env.reset(**arguments)
        self.result: tuple[dict[Any, Any], ...] = (observations, {}, {}, {}, infos)

    def _submit(self, choice: Any) -> None:
        self.result = self.env.step(dict(choice))

    def part(self, name: str) -> dict[Any, Any]:
        """What the last call returned under that name."""
        return self.result[self.NAMES.index(name)]

    def observation(self, agent: Any) -> Any:
        """What the last call returned for the agent."""
        return self.result[0].get(agent)

    def dead(self, agent: Any) -> bool:
        """Never: an agent that is out leaves `agents` at once."""
        return False

    def asked(self) -> list[Any]:
        """Every agent."""
        return list(self.env.agents)

    def choice(self) -> Any:
        """A legal choice for every agent."""
        return {agent: self.legal_choice(agent) for agent in self.env.agents}

    def with_action(self, agent: Any, action: Any) -> Any:
        """Legal choices of all others, and the action."""
        return {**self.choice(), agent: action}

    def shown(self) -> list[tuple[Any, Any]]:
        """The observations that the last call returned."""
        return list(self.result[0].items())

    def handed(self) -> Any:
        """The observations and infos that the last call returned."""
        return self.result[0], self.result[-1]

    def seen(self) -> dict[str, Any]:
        """A copy of all that can be seen now."""
        named = dict(zip(self.NAMES, self.result, strict=True)) | {"infos": self.infos()}
        return copy.deepcopy({"agents": list(self.env.agents), **named})


def finite(number: Any, what: str) -> float:
    """A number that can be compared.

    Raises:
        Failed: If it is infinite or not a number.
    """
    if not math.isfinite(number):
        raise Failed(f"{what} is {number}, not a finite number")
    return float(number)


def seats(env: Any) -> list[Any]:
    """The agents in order of seat.

    Raises:
        NotApplicable: If the environment makes up its agents as it goes.
    """
    if not hasattr(env, "possible_agents"):
        raise NotApplicable("it does not say who its possible agents are")
    return list(env.possible_agents)


def layers(env: Any) -> list[Any]:
    """The environment, the one that it wraps, and so on."""
    found = [env]
    for layer in found:
        inner = [vars(layer).get(name) for name in ("env", "aec_env")] + [getattr(layer, "unwrapped", None)]
        found += [below for below in inner if below is not None and all(below is not known for known in found)]
    return found
