"""Checks of an AEC environment's bookkeeping: `last()`, `rewards` and `observe()` agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.conformance.compare import arrays_in, difference
from cardwar_envs.conformance.explore import Watcher, watched, watcher
from cardwar_envs.conformance.kinds import AECPlay
from cardwar_envs.conformance.play import Play, as_text, payment
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.turns import Turn
from cardwar_envs.conformance.verdicts import Failed


def last_tells_what_is_so(subject: Subject) -> None:
    """`last()` agrees with observe(), the flags and the infos of the selected agent."""
    subject.skin("AEC")
    watched("last_tells_what_is_so", subject)


@watcher
class _Last(Watcher):
    check, kinds = "last_tells_what_is_so", ("AEC",)

    def __init__(self, play: Play, subject: Subject) -> None:
        self.after(play)

    def after(self, play: Play) -> None:
        env = play.env
        if not env.agents:
            return
        agent = env.agent_selection
        observation, _, termination, truncation, info = env.last()
        said = {"observation": observation, "termination": termination, "truncation": truncation}
        so = {
            "observation": env.observe(agent),
            "termination": env.terminations[agent],
            "truncation": env.truncations[agent],
        }
        if found := difference(so, said):
            raise Failed(f"{play.at}: last() tells {agent} otherwise than observe() and the flags: {found}")
        if env.last(observe=False)[0] is not None:
            raise Failed(f"{play.at}: last(observe=False) hands out an observation")
        if found := difference(play.steady(env.infos[agent]), play.steady(info)):
            raise Failed(f"{play.at}: last() tells {agent} another info than `infos`: {found}")


def rewards_are_counted_once(subject: Subject) -> None:
    """`last()` returns the sum of each agent's `rewards` since its own last step, and rewards are zero in mid-turn.

    With simultaneous moves nothing is won before all have committed. Stale entries in `rewards` would then be counted
    twice by code that sums them, such as `aec_to_parallel`.
    """
    subject.skin("AEC")
    watched("rewards_are_counted_once", subject)


@watcher
class _Books(Watcher):
    check, kinds = "rewards_are_counted_once", ("AEC",)

    def __init__(self, play: Play, subject: Subject) -> None:
        self._simultaneous = subject.once("simultaneous", subject.simultaneous)
        self._owed: dict[Any, Any] = dict.fromkeys(play.env.agents, 0.0)
        self._turn: Turn | None = None
        self._agent: Any = None

    def before(self, play: Play, choice: Any) -> None:
        assert isinstance(play, AECPlay)
        self._agent = play.env.agent_selection
        if choice is None:
            self._turn = None
            return
        if self._turn is None or not self._turn.goes_on(play):
            self._turn = Turn(play)
        self._turn.ask(self._agent)

    def after(self, play: Play) -> None:
        rewards = play.rewards()
        self._owed[self._agent] = 0.0
        for agent, reward in rewards.items():
            self._owed[agent] = self._owed.get(agent, 0.0) + reward
        paid = {str(agent): reward for agent, reward in rewards.items() if np.any(reward)}
        if self._simultaneous and self._turn is not None and self._turn.open and paid:
            raise Failed(f"{play.at}: `rewards` has {paid}, though {self._turn.open[0]} has not committed yet")
        if play.over:
            return
        agent = play.env.agent_selection
        told = payment(play.env.last(observe=False)[1], f"{play.at}: the reward of {agent}")
        if not np.allclose(told, owed := self._owed[agent], rtol=1e-9, atol=1e-9):
            words = f"a reward of {as_text(told)}, its `rewards` sum to {as_text(owed)}"
            raise Failed(f"{play.at}: last() tells {agent} {words}")


def observations_are_of_now(subject: Subject) -> None:
    """Observations at the beginning of a turn are not those of the previous turn.

    With simultaneous moves a commitment reveals nothing. If observations change with it nevertheless, and at the
    beginning of each turn are those of the previous turn, they come too late.
    """
    subject.skin("AEC")
    watched("observations_are_of_now", subject)


@watcher
class _Late(Watcher):
    check, kinds = "observations_are_of_now", ("AEC",)

    def __init__(self, play: Play, subject: Subject) -> None:
        self._simultaneous = subject.once("simultaneous", subject.simultaneous)
        self._turn: Turn | None = None
        self._first: dict[Any, Any] = {}  # agent -> its observation at the beginning of the turn
        self._then: dict[Any, Any] = {}  # agent -> its observation when it was selected
        self._late = self._turns = 0

    def before(self, play: Play, choice: Any) -> None:
        assert isinstance(play, AECPlay)
        agent = play.env.agent_selection
        if choice is None or not self._simultaneous:
            return
        if self._turn is None or not self._turn.goes_on(play):
            self._turn = Turn(play)
            self._first = {each: _bytes(play.env.observe(each)) for each in play.env.agents}
        self._turn.ask(agent)
        now = _bytes(play.env.observe(agent))
        if now != self._first[agent] and agent in self._then:
            self._turns += 1
            self._late += self._first[agent] == self._then[agent]
        self._then[agent] = now

    def end(self, play: Play) -> None:
        if self._late >= 2 and self._late == self._turns:
            raise Failed(f"{play.where}: at the beginning of a turn agents see what they saw in the turn before")


def _bytes(observation: Any) -> Any:
    """An observation in a form that compares quickly."""
    return [array.tobytes() for _, array in arrays_in(observation)] or repr(observation)
