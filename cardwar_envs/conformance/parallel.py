"""Checks of what a Parallel environment returns."""

from __future__ import annotations

from typing import Any

from cardwar_envs.conformance.explore import Watcher, watched, watcher
from cardwar_envs.conformance.kinds import ParallelPlay
from cardwar_envs.conformance.play import Play
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed


def results_name_the_agents(subject: Subject) -> None:
    """reset() and step() return dicts with an entry for each participating agent and no others."""
    subject.skin("Parallel")
    watched("results_name_the_agents", subject)


@watcher
class _Named(Watcher):
    check, kinds = "results_name_the_agents", ("Parallel",)

    def __init__(self, play: Play, subject: Subject) -> None:
        agents = set(play.env.agents)
        for name in ("observations", "infos"):
            _require_keys(play, name, play.part(name), agents)

    def before(self, play: Play, choice: Any) -> None:
        self._agents = set(play.env.agents)

    def after(self, play: Play) -> None:
        assert isinstance(play, ParallelPlay)
        for name, part in zip(play.NAMES, play.result, strict=True):
            _require_keys(play, name, part, self._agents)


def _require_keys(play: Play, name: str, part: Any, agents: set[Any]) -> None:
    for agent in sorted(agents - set(part), key=str):
        raise Failed(f"{play.at}: {name} have no entry for {agent}")
    for agent in sorted(set(part) - agents, key=str):
        raise Failed(f"{play.at}: {name} have an entry for {agent!r}, who did not take part")
