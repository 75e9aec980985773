"""Drivers for the two kinds of environment, AEC and Parallel, and the turns of AEC."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pettingzoo

from zoocheck.play import PARTS, Play, legal_actions, payment
from zoocheck.verdicts import Failed, failing

# Before PettingZoo 1.23, reset() of a Parallel environment returned only observations.
BEFORE_INFOS = pettingzoo.__version__.startswith("1.22.")

ATOMS = (bool, int, float, str, bytes, type(None))


def copied(data: Any, depth: int = 4) -> Any:
    """A deep copy, much faster than `copy.deepcopy` for arrays and numbers in dicts, which most environments return."""
    if type(data) is dict and depth:
        return {key: copied(value, depth - 1) for key, value in data.items()}
    if type(data) in (list, tuple) and depth:
        return type(data)(copied(value, depth - 1) for value in data)
    if type(data) is np.ndarray and data.dtype != object:
        return data.copy(order="K")
    return data if type(data) in ATOMS else copy.deepcopy(data)


def copy_of(seen: dict[str, Any]) -> dict[str, Any]:
    """A copy of all visible data; raises Failed, with the name of the part, if something cannot be copied."""
    try:
        taken: dict[str, Any] = copied(seen)
    except Exception:
        for name, part in seen.items():
            with failing(f"{name} cannot be copied:"):
                copied(part)
        raise
    return taken


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
    """Drives a Parallel environment.

    Attributes:
        result: The result of the last step() or reset() (the latter without rewards and flags).
    """

    kind = "Parallel"
    NAMES = ("observations", *PARTS)

    def _reset(self, **arguments: Any) -> None:
        found = self.env.reset(**arguments)
        if BEFORE_INFOS and isinstance(found, Mapping):
            found = found, {agent: {} for agent in found}
        if not isinstance(found, tuple) or len(found) != 2:
            raise Failed(f"reset() must return observations and infos, not {type(found).__name__}")
        self.result: tuple[dict[Any, Any], ...] = (found[0], {}, {}, {}, found[1])

    def _step(self, choice: Any) -> None:
        self.result = self.env.step(choice)

    def part(self, name: str) -> dict[Any, Any]:
        return self.result[self.NAMES.index(name)]

    def observation(self, agent: Any) -> Any:
        return self.result[0].get(agent)

    def dead(self, agent: Any) -> bool:
        return False  # an agent that is out leaves `agents` immediately

    def asked(self) -> list[Any]:
        return list(self.env.agents)

    def choice(self) -> Any:
        return {agent: self.legal_choice(agent) for agent in self.env.agents}

    def with_action(self, agent: Any, action: Any) -> Any:
        return {**self.choice(), agent: action}

    def shown(self) -> list[tuple[Any, Any]]:
        return list(self.result[0].items())

    def handed(self) -> Any:
        return self.result[0], self.result[-1]

    def seen(self) -> dict[str, Any]:
        named = dict(zip(self.NAMES, self.result, strict=True)) | {"infos": self.infos()}
        return copy_of({"agents": list(self.env.agents), **named})


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
    def of(cls, play: AECPlay, current: Self | None) -> Self:
        """The turn in which the selected agent commits: the current one, or a new one."""
        agent = play.env.agent_selection
        turn = current
        if turn is None or play.dead(agent) or agent in turn.asked or not (turn.open or not has_choice(play, agent)):
            turn = cls(play)
        turn.asked.append(agent)
        turn.open = [each for each in turn.open if each != agent]
        return turn
