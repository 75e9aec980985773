"""Shows a Gymnasium environment as a Parallel environment with one agent, so that the same checks apply to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import pettingzoo

from zoocheck.kinds import ParallelPlay

NAME, AGENT = "Gymnasium", "agent"
# What a message about the one-agent environment says -> what it says in terms of Gymnasium's API.
_WORDS = {
    r"\bParallel\b": NAME,
    r"\{'agent': ([^{}]*)\}": r"\1",
    r"\b(observation|reward|termination|truncation|info)s(?= (?:are|have)\b)": r"\1",
    r"(?<=, |: )(observation|reward|termination|truncation|info) of agent\b": r"\1",
    r"\b(of|for|from) agent\b": r"\1 the agent",
}


def spoken(text: str) -> str:
    """A message, or a line of a script, in terms of Gymnasium's API."""
    for pattern, words in _WORDS.items():
        text = re.sub(pattern, words, text)
    return text


class Solo(pettingzoo.ParallelEnv):  # type: ignore[type-arg]  # not generic before PettingZoo 1.23
    """The Gymnasium environment that `make` makes, as a Parallel environment with the agent `AGENT`."""

    def __init__(self, make: Callable[..., gymnasium.Env[Any, Any]], **parameters: Any) -> None:
        self.env = env = make(**parameters)
        self.possible_agents, self.agents = [AGENT], []
        self.metadata = {"name": type(env.unwrapped).__name__, **env.metadata}
        self.render_mode = getattr(env, "render_mode", None)
        self._truncated = False  # whether only a limit of time has ended the episode

    def observation_space(self, agent: str) -> Any:
        return self.env.observation_space

    def action_space(self, agent: str) -> Any:
        return self.env.action_space

    def reset(self, *given: Any, **named: Any) -> Any:
        """Raises TypeError if the environment returns anything but observation and info."""
        observation, info = _parts("reset", self.env.reset(*given, **named), "observation, info")
        self.agents, self._truncated = [AGENT], False
        return {AGENT: observation}, {AGENT: info}

    def step(self, actions: Mapping[str, Any]) -> Any:
        """Steps with the action of the agent; raises TypeError if that does not return five values.

        After a truncation, a further step raises ResetNeeded: environments know nothing of their time limit. After a
        termination, one that pays nothing returns nothing.
        """
        if self._truncated:
            raise gymnasium.error.ResetNeeded("the episode has been truncated")
        parts = _parts("step", self.env.step(actions[AGENT]), "observation, reward, terminated, truncated, info")
        late, (_, reward, terminated, truncated, _) = not self.agents, parts
        self.agents = [] if late or terminated or truncated else [AGENT]
        self._truncated = bool(truncated and not terminated)
        if late and not reward:
            return {}, {}, {}, {}, {}
        return tuple({AGENT: part} for part in parts)

    def render(self) -> Any:
        return self.env.render()

    def close(self) -> None:
        self.env.close()


def _parts(name: str, found: Any, named: str) -> tuple[Any, ...]:
    """What reset() or step() has returned; raises TypeError if it does not have these parts."""
    if not isinstance(found, tuple) or len(found) != len(named.split(", ")):
        what = f"{len(found)} values" if isinstance(found, tuple) else type(found).__name__
        raise TypeError(f"{name}() returned {what}, not {named}")
    if not isinstance(found[-1], dict):
        raise TypeError(f"{name}() returned an info of type {type(found[-1]).__name__}, not a dict")
    return found


class SoloPlay(ParallelPlay):
    """Drives a Gymnasium environment; records its calls as it gets them."""

    def _note(self, name: str, given: Any) -> None:
        alone = name == "step" and isinstance(given, Mapping) and set(given) == {AGENT}
        super()._note(name, given[AGENT] if alone else given)
