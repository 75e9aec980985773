"""Drivers for AEC, Parallel and Gymnasium, which is shown as Parallel with one agent, and the turns of AEC."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Self

import gymnasium
import pettingzoo

from zoocheck.play import PARTS, Play, copy_of, legal_actions, payment

NAME, AGENT = "Gymnasium", "agent"
# What a message about the one-agent environment says -> what it says in terms of Gymnasium's API.
_WORDS = {
    r"\bParallel\b": NAME,
    r"\{'agent': ([^{}]*)\}": r"\1",
    r"\b(observation|reward|termination|truncation|info)s(?= (?:are|have)\b)": r"\1",
    r"(?<=, |: )(observation|reward|termination|truncation|info) of agent\b": r"\1",
    r"\b(of|for|from) agent\b": r"\1 the agent",
}


class AECPlay(Play):
    """Drives an AEC environment."""

    kind = "AEC"

    def _reset(self, **arguments: Any) -> None:
        self.env.reset(**arguments)

    def _step(self, choice: Any) -> None:
        self.env.step(choice)

    def part(self, name: str) -> dict[Any, Any]:
        return getattr(self.env, name)  # type: ignore[no-any-return]

    def observation(self, agent: Any) -> Any:
        return self.env.observe(agent)

    def dead(self, agent: Any) -> bool:
        return bool(self.env.terminations[agent] or self.env.truncations[agent])

    def asked(self) -> list[Any]:
        return [] if self.over or self.dead(self.env.agent_selection) else [self.env.agent_selection]

    def choice(self) -> Any:
        agent = self.env.agent_selection
        return None if self.dead(agent) else self.legal_choice(agent)

    def with_action(self, agent: Any, action: Any) -> Any:
        return action  # only one agent acts

    def shown(self) -> list[tuple[Any, Any]]:
        return [(agent, self.env.observe(agent)) for agent in self.env.agents]

    def handed(self) -> Any:
        observation, *_, info = self.env.last()
        return observation, info

    def cumulative_reward(self) -> Any:
        """The selected agent's reward since its previous action, from `last`."""
        return payment(self.env.last(observe=False)[1], f"the reward of {self.env.agent_selection}")

    def seen(self) -> dict[str, Any]:
        env, agents = self.env, list(self.env.agents)
        seen: dict[str, Any] = {"agents": agents, "agent_selection": env.agent_selection if agents else None}
        seen["observations"] = dict(self.shown())
        seen |= {name: self.part(name) for name in PARTS} | {"infos": self.infos()}
        seen["last"] = [*env.last()[:-1], self.steady(env.last()[-1])] if agents else None
        return copy_of(seen)


class ParallelPlay(Play):
    """Drives a Parallel environment; agents that are out leave `agents` immediately."""

    kind = "Parallel"


def has_choice(play: AECPlay, agent: Any) -> bool:
    """Whether an agent has more than one legal action, or its mask is missing or all zero.

    Many environments show an all-zero mask to agents that are not selected, so such a mask is uninformative.
    """
    mask, space = play.mask(agent), play.env.action_space(agent)
    return mask is None or not mask.any() or len(legal_actions(space, mask)) > 1


class Turn:
    """A joint action of an AEC environment in progress, as far as an observer can tell.

    An agent with a single action reveals nothing by committing to it, so a turn ends once all agents that had a choice
    at its start have committed.
    """

    def __init__(self, play: AECPlay) -> None:
        self.open = [agent for agent in play.masks() if has_choice(play, agent)]  # not selected yet, with a choice
        self.asked: list[Any] = []  # selected in this turn, in order

    @classmethod
    def of(cls, play: AECPlay, turn: Self | None) -> Self:
        """The turn in which the selected agent commits: the current one, or a new one."""
        agent = play.env.agent_selection
        if turn is None or play.dead(agent) or agent in turn.asked or not (turn.open or not has_choice(play, agent)):
            turn = cls(play)
        turn.asked.append(agent)
        turn.open = [each for each in turn.open if each != agent]
        return turn


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
