"""Drivers for the two kinds of environment, AEC and Parallel."""

from __future__ import annotations

import copy
from typing import Any

from cardwar_envs.conformance.play import PARTS, Play, payment


class AECPlay(Play):
    """An AEC environment that is being driven."""

    kind = "AEC"

    def _reset(self, **arguments: Any) -> None:
        self.env.reset(**arguments)

    def _step(self, choice: Any) -> None:
        self.env.step(choice)

    def part(self, name: str) -> dict[Any, Any]:
        """The attribute of that name."""
        part: dict[Any, Any] = getattr(self.env, name)
        return part

    def observation(self, agent: Any) -> Any:
        """What `observe` hands out."""
        return self.env.observe(agent)

    def dead(self, agent: Any) -> bool:
        """Whether the agent has been flagged as out."""
        return bool(self.env.terminations[agent] or self.env.truncations[agent])

    def asked(self) -> list[Any]:
        """The selected agent, unless it is out."""
        return [] if self.over or self.dead(self.env.agent_selection) else [self.env.agent_selection]

    def choice(self) -> Any:
        """A legal choice for the selected agent, None if it is out."""
        agent = self.env.agent_selection
        return None if self.dead(agent) else self.legal_choice(agent)

    def with_action(self, agent: Any, action: Any) -> Any:
        """The action: only one agent acts."""
        return action

    def shown(self) -> list[tuple[Any, Any]]:
        """What `observe` hands out."""
        return [(agent, self.env.observe(agent)) for agent in self.env.agents]

    def handed(self) -> Any:
        """The observation and the info that `last` returns."""
        observation, *_, info = self.env.last()
        return observation, info

    def cumulative_reward(self) -> Any:
        """The selected agent's reward since its previous action, from `last`."""
        return payment(self.env.last(observe=False)[1], f"the reward of {self.env.agent_selection}")

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
        result: The result of the last step() or reset() (then without rewards and flags).
    """

    kind = "Parallel"
    NAMES = ("observations", *PARTS)

    def _reset(self, **arguments: Any) -> None:
        observations, infos = self.env.reset(**arguments)
        self.result: tuple[dict[Any, Any], ...] = (observations, {}, {}, {}, infos)

    def _step(self, choice: Any) -> None:
        self.result = self.env.step(choice)

    def part(self, name: str) -> dict[Any, Any]:
        """That part of the last result."""
        return self.result[self.NAMES.index(name)]

    def observation(self, agent: Any) -> Any:
        """The agent's observation in the last result."""
        return self.result[0].get(agent)

    def dead(self, agent: Any) -> bool:
        """Always False: an agent that is out leaves `agents` at once."""
        return False

    def asked(self) -> list[Any]:
        """Every agent."""
        return list(self.env.agents)

    def choice(self) -> Any:
        """A legal choice for every agent."""
        return {agent: self.legal_choice(agent) for agent in self.env.agents}

    def with_action(self, agent: Any, action: Any) -> Any:
        """The action, and legal choices for all others."""
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
