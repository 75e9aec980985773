"""Drivers for the two kinds of environment, AEC and Parallel, and the turns of AEC."""

from __future__ import annotations

from typing import Any, Self

from zoocheck.play import PARTS, Play, copy_of, legal_actions, payment


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
