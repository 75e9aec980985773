"""Checks of bookkeeping: `last()`, `rewards`, observe(), infos and Parallel results agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoocheck.explore import Watch, step, watcher
from zoocheck.kinds import AECPlay, ParallelPlay, Turn
from zoocheck.look import difference
from zoocheck.play import as_text, payment
from zoocheck.subject import Finding, Subject
from zoocheck.verdicts import Failed


@watcher("AEC")
def last_tells_what_is_so(play: AECPlay, subject: Subject) -> Watch:
    """`last()` agrees with observe(), the flags and the infos of the selected agent.

    AEC learners read everything from `last()`.

    Example: An overridden `last()` returns truncation and termination in the wrong order.
    Fix: Inherit `last()` from `AECEnv`.
    """
    env = play.env
    while env.agents:
        agent = env.agent_selection
        observation, _, *flags, info = env.last()
        said = dict(zip(("observation", "termination", "truncation"), (observation, *flags), strict=True))
        so = {"observation": env.observe(agent), "termination": env.terminations[agent]}
        if found := difference({**so, "truncation": env.truncations[agent]}, said):
            raise Failed(f"{play.at}: last() and observe() or the flags disagree about {agent}: {found}")
        if env.last(observe=False)[0] is not None:
            raise Failed(f"{play.at}: last(observe=False) returns an observation")
        if found := difference(play.steady(env.infos[agent]), play.steady(info)):
            raise Failed(f"{play.at}: last() and `infos` disagree about {agent}: {found}")
        yield from step()


def _require_cleared(subject: Subject) -> None:
    unpaid = subject.once("unpaid", dict)
    if "stale" in unpaid and "anew" not in unpaid:
        subject.fail(unpaid["stale"])


@watcher("AEC", then=_require_cleared)
def rewards_are_counted_once(play: AECPlay, subject: Subject) -> Watch:
    """`last()` returns the sum of the agent's `rewards` since its previous step, and each step replaces `rewards`.

    With simultaneous moves, an environment pays after all have committed, or after each action. If a step within a turn
    leaves `rewards` unchanged, code that sums them, such as `aec_to_parallel`, counts them twice.

    Example: `step` does not clear `self.rewards`, so a win is added to the cumulative rewards again.
    Fix: `self._clear_rewards()` at the start of each step, `self._accumulate_rewards()` at its end.
    """
    simultaneous = subject.simultaneous()
    unpaid = subject.once("unpaid", dict)  # over all games: the first step that left rewards, and one that did not
    owed: dict[Any, Any] = dict.fromkeys(play.env.agents, 0.0)
    turn: Turn | None = None
    while True:
        choice = yield
        agent, before = play.env.agent_selection, play.rewards()
        turn = None if choice is None else Turn.of(play, turn)
        yield
        rewards = play.rewards()
        owed[agent] = 0.0
        for each, reward in rewards.items():
            owed[each] = owed.get(each, 0.0) + reward
        paid = {str(each): reward for each, reward in rewards.items() if np.any(reward)}
        if simultaneous and turn is not None and turn.open and paid:
            words = f"`rewards` still has {paid}, as before the step, though {turn.open[0]} has not committed yet"
            if difference(before, rewards) is None:
                unpaid.setdefault("stale", Finding(f"{play.at}: {words}", [subject.recent[-1]]))
            else:
                unpaid["anew"] = True
        if play.over:
            return
        agent = play.env.agent_selection
        told = payment(play.env.last(observe=False)[1], f"{play.at}: the reward of {agent}")
        if not np.allclose(told, owed[agent], rtol=1e-9, atol=1e-9):
            words = f"a reward of {as_text(told)}, but its `rewards` sum to {as_text(owed[agent])}"
            raise Failed(f"{play.at}: last() gives {agent} {words}")


@watcher("Parallel")
def results_name_the_agents(play: ParallelPlay, subject: Subject) -> Watch:
    """reset() and step() return dicts with an entry for each participating agent, and no others.

    Agents that join in this step need an observation; other entries for them are optional. Infos may have entries that
    name no agent, such as "common", as PettingZoo's `parallel_api_test` says.

    Learners index the dicts by agent.

    Example: Rewards contain `"__all__"`, or agents that are out.
    Fix: `{agent: ... for agent in agents}`, with the agents that were live before the step.
    """
    agents, names = set(play.env.agents), {"observations", "infos"}
    known = agents | set(getattr(play.env, "possible_agents", ()))
    while True:
        now = set(play.env.agents)
        known |= now
        for name in play.NAMES:
            needed = agents | now if name == "observations" else agents
            part = set(play.part(name)) if name in names else agents
            for agent in sorted(needed - part, key=str):
                raise Failed(f"{play.at}: {name} have no entry for {agent}")
            for agent in sorted((part & known if name == "infos" else part) - agents - now, key=str):
                raise Failed(f"{play.at}: {name} have an entry for {agent!r}, who did not take part")
        agents, names = now, set(play.NAMES)
        yield from step()
