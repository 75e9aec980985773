"""Checks of bookkeeping: `last()`, `rewards`, `observe()` and the results of Parallel agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.conformance.compare import arrays_in, difference
from cardwar_envs.conformance.explore import Watch, step, watcher
from cardwar_envs.conformance.kinds import AECPlay, ParallelPlay, Turn
from cardwar_envs.conformance.play import as_text, payment
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed


@watcher("AEC")
def last_tells_what_is_so(play: AECPlay, subject: Subject) -> Watch:
    """`last()` agrees with observe(), the flags and the infos of the selected agent."""
    env = play.env
    while env.agents:
        agent = env.agent_selection
        observation, _, termination, truncation, info = env.last()
        said = {"observation": observation, "termination": termination, "truncation": truncation}
        flags = {"termination": env.terminations[agent], "truncation": env.truncations[agent]}
        if found := difference({"observation": env.observe(agent), **flags}, said):
            raise Failed(f"{play.at}: last() tells {agent} otherwise than observe() and the flags: {found}")
        if env.last(observe=False)[0] is not None:
            raise Failed(f"{play.at}: last(observe=False) hands out an observation")
        if found := difference(play.steady(env.infos[agent]), play.steady(info)):
            raise Failed(f"{play.at}: last() tells {agent} another info than `infos`: {found}")
        yield from step()


@watcher("AEC")
def rewards_are_counted_once(play: AECPlay, subject: Subject) -> Watch:
    """`last()` returns the sum of each agent's `rewards` since its own last step, and rewards are zero in mid-turn.

    With simultaneous moves nothing is won before all have committed. Stale entries in `rewards` would then be counted
    twice by code that sums them, such as `aec_to_parallel`.
    """
    simultaneous = subject.once("simultaneous", subject.simultaneous)
    owed: dict[Any, Any] = dict.fromkeys(play.env.agents, 0.0)
    turn: Turn | None = None
    while True:
        choice = yield
        agent = play.env.agent_selection
        turn = None if choice is None else Turn.of(play, turn)
        yield
        rewards = play.rewards()
        owed[agent] = 0.0
        for each, reward in rewards.items():
            owed[each] = owed.get(each, 0.0) + reward
        paid = {str(each): reward for each, reward in rewards.items() if np.any(reward)}
        if simultaneous and turn is not None and turn.open and paid:
            raise Failed(f"{play.at}: `rewards` has {paid}, though {turn.open[0]} has not committed yet")
        if play.over:
            return
        agent = play.env.agent_selection
        told = payment(play.env.last(observe=False)[1], f"{play.at}: the reward of {agent}")
        if not np.allclose(told, owed[agent], rtol=1e-9, atol=1e-9):
            words = f"a reward of {as_text(told)}, its `rewards` sum to {as_text(owed[agent])}"
            raise Failed(f"{play.at}: last() tells {agent} {words}")


@watcher("AEC")
def observations_are_of_now(play: AECPlay, subject: Subject) -> Watch:
    """Observations at the beginning of a turn are not those of the previous turn.

    With simultaneous moves a commitment reveals nothing. If observations change with it nevertheless, and at the
    beginning of each turn are those of the previous turn, they come too late.
    """
    if not subject.once("simultaneous", subject.simultaneous):
        return
    turn: Turn | None = None
    first: dict[Any, Any] = {}  # agent -> its observation at the beginning of the turn
    then: dict[Any, Any] = {}  # agent -> its observation when it was selected
    late: list[bool] = []
    while not play.over:
        choice = yield
        if choice is not None:
            before, turn = turn, Turn.of(play, turn)
            if turn is not before:
                first = {each: _bytes(play.env.observe(each)) for each in play.env.agents}
            agent = play.env.agent_selection
            now = _bytes(play.env.observe(agent))
            if now != first[agent] and agent in then:
                late.append(first[agent] == then[agent])
            then[agent] = now
        yield
    if len(late) >= 2 and all(late):
        raise Failed(f"{play.where}: at the beginning of a turn agents see what they saw in the turn before")


def _bytes(observation: Any) -> Any:
    """An observation in a form that compares quickly."""
    return [array.tobytes() for _, array in arrays_in(observation)] or repr(observation)


@watcher("Parallel")
def results_name_the_agents(play: ParallelPlay, subject: Subject) -> Watch:
    """reset() and step() return dicts with an entry for each participating agent and no others."""
    agents, names = set(play.env.agents), {"observations", "infos"}
    while True:
        for name in play.NAMES:
            part = set(play.part(name)) if name in names else agents
            for agent in sorted(agents - part, key=str):
                raise Failed(f"{play.at}: {name} have no entry for {agent}")
            for agent in sorted(part - agents, key=str):
                raise Failed(f"{play.at}: {name} have an entry for {agent!r}, who did not take part")
        agents, names = set(play.env.agents), set(play.NAMES)
        yield from step()
