"""A check that the AEC and the Parallel version of an environment are one game."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.conformance.compare import require_same
from cardwar_envs.conformance.play import STEPS, AECPlay, ParallelPlay, seats
from cardwar_envs.conformance.seeds import repeatable
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed, in_a_line

SEEDS = range(8)


def skins_are_one_game(subject: Subject) -> None:
    """By the same seed and choices, AEC and Parallel show the same, pay every agent the same sum, and end alike.

    Both ways of adding up the AEC rewards must agree with the Parallel rewards: what last() hands out, and
    `rewards` after each step, as `aec_to_parallel` adds them. An environment that forgets to clear them pays twice.
    """
    aec, parallel = (subject.skin(kind) for kind in ("AEC", "Parallel"))
    for skin in (aec, parallel):
        repeatable(skin)
    for seed in SEEDS:
        _Pair(aec.new(), parallel.new(choices=seed), seed).follow()


class _Pair:
    def __init__(self, aec: AECPlay, parallel: ParallelPlay, seed: int) -> None:
        self.aec, self.parallel = aec, parallel
        aec.reset(seed)
        parallel.reset(seed)
        self.where = f"seed {seed}, after reset"
        self.paid = {name: dict.fromkeys(seats(parallel.env), 0.0) for name in ("Parallel", "last()", "rewards")}

    def follow(self) -> None:
        """Plays both environments by the same choices, and compares them."""
        seed = self.where.partition(",")[0]
        self._compare_views()
        while not self.parallel.over and len(self.parallel.played) < STEPS:
            choice = self.parallel.choice()
            self.parallel.submit(choice, log=False)
            self.where = f"{seed}, after joint action {len(self.parallel.played)}"
            self._add("Parallel", self.parallel.rewards())
            self._commit(dict(choice))
            self._compare_ends()
            self._take_leave()
            self._compare_views()
        self._compare_payments()

    def _add(self, name: str, rewards: dict[Any, float]) -> None:
        for agent, reward in rewards.items():
            self.paid[name][agent] += reward

    def _commit(self, choice: dict[Any, Any]) -> None:
        """Asks the AEC agents until all agents with a choice have made it."""
        while choice and (asked := self.aec.asked()) and asked[0] in choice:
            agent = asked[0]
            self._collect(agent)
            try:
                self.aec.submit(choice.pop(agent), log=False)
            except Exception as error:
                what = f"{self.where}: what {agent} plays in Parallel raises in AEC: {in_a_line(error)}"
                raise Failed(what) from error
            self._add("rewards", self.aec.rewards())
            order = seats(self.aec.env)
            # The agents whose seats were passed over had nothing to choose.
            if self.aec.over or order.index(self.aec.env.agent_selection) <= order.index(agent):
                return

    def _collect(self, agent: Any) -> None:
        self.paid["last()"][agent] += self.aec.cumulative_reward()

    def _compare_ends(self) -> None:
        for name in ("terminations", "truncations"):
            for agent, there in self.parallel.part(name).items():
                here = self.aec.part(name).get(agent, False)
                if bool(here) != bool(there):
                    raise Failed(f"{self.where}: {name} of {agent}: AEC {bool(here)}, Parallel {bool(there)}")

    def _take_leave(self) -> None:
        """Lets the AEC agents that are out make their last step."""
        env, left = self.aec.env, len(self.aec.env.agents)
        while env.agents and self.aec.dead(env.agent_selection):
            self._collect(env.agent_selection)
            self.aec.submit(None, log=False)
            left -= 1
            if len(env.agents) != left:
                raise Failed(f"{self.where}: AEC: an agent that is out stays in `agents` after its last step")

    def _compare_views(self) -> None:
        here, there = (sorted(map(str, play.env.agents)) for play in (self.aec, self.parallel))
        require_same(here, there, f"{self.where}: agents in AEC and Parallel")
        for agent in self.parallel.env.agents:
            what = f"{self.where}: observation of {agent} in AEC and Parallel"
            require_same(self.aec.observation(agent), self.parallel.observation(agent), what)

    def _compare_payments(self) -> None:
        if self.aec.over != self.parallel.over:
            raise Failed(f"{self.where}: AEC is {'over' if self.aec.over else 'not over'}, Parallel is not like that")
        names = ("last()", "rewards") if self.aec.over else ("rewards",)
        for name in names:
            for agent, there in self.paid["Parallel"].items():
                here = self.paid[name][agent]
                if not np.isclose(here, there, rtol=1e-9, atol=1e-9):
                    raise Failed(f"{self.where}: {agent} was paid {here:g} by {name} in AEC, {there:g} in Parallel")
