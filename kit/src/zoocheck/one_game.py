"""Checks that the AEC and the Parallel version are one game, and that it is zero-sum if declared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from zoocheck.ends import objectives
from zoocheck.explore import Route, Watch, routes, watcher
from zoocheck.kinds import AECPlay, ParallelPlay
from zoocheck.look import difference, require_same, spaces_of, state_shown, without_generators
from zoocheck.play import Chooser, Play, as_text, seats, styled
from zoocheck.steady import steady_api
from zoocheck.subject import Subject, once
from zoocheck.verdicts import Failed, NotApplicable, failing

SHARE = 0.035
SEEDS = range(12)
MOST_PLACES = 200


def skins_are_one_game(subject: Subject) -> None:
    """With the same seed and actions, AEC and Parallel return the same observations, total rewards and terminations.

    In AEC, both the rewards from `last()` and the `rewards` after each step, which `aec_to_parallel` uses, must sum to
    the Parallel rewards. An environment that forgets to clear `rewards` pays twice.

    Policies learned in one API must work in the other.

    Example: The Parallel version divides rewards by the number of agents.
    Fix: Derive one version from the other, or both from the same rules.
    """
    aec, parallel = (steady_api(subject, kind) for kind in ("AEC", "Parallel"))
    one, other = (api.new() for api in (aec, parallel))
    require_same(seats(one.env), seats(other.env), "possible agents in AEC and Parallel")
    clock = subject.time(SHARE)
    starts = (Route(seed, ()) for seed in SEEDS)
    for route in chain(starts, routes(subject, "Parallel", MOST_PLACES)):
        _Pair(aec.new(), parallel.new(), route.seed).follow(styled(route.seed), route.moves)
        if next(clock, None) is None:
            return


class _Pair:
    def __init__(self, aec: AECPlay, parallel: ParallelPlay, seed: int) -> None:
        self.aec, self.parallel = aec.reset(seed), parallel.reset(seed)
        self.where = f"seed {seed}, after reset"
        self.paid = {name: dict.fromkeys(seats(parallel.env), 0.0) for name in ("Parallel", "last()", "rewards")}

    def follow(self, chooser: Chooser, moves: Sequence[Any]) -> None:
        """Plays both environments with the same actions, starting with `moves`, and compares them."""
        seed = self.where.partition(",")[0]
        self.parallel.chooser = chooser
        self._compare_views()
        self._require_same("spaces of", lambda play: without_generators(spaces_of(play.env)))
        while self.parallel.goes_on():
            step = len(self.parallel.played)
            choice = moves[step] if step < len(moves) else self.parallel.choice()
            self.parallel.submit(choice, log=False)
            self.where = f"{seed}, after joint action {len(self.parallel.played)}"
            self._add("Parallel", self.parallel.rewards())
            self._commit(dict(choice))
            self._compare_results()
            for agent in self.parallel.out() & set(self.aec.env.agents):
                self._compare_view(agent)
            self._take_leave()
            self._compare_views()
        self._compare_payments()

    def _require_same(self, what: str, look: Callable[[Play], Any]) -> None:
        require_same(look(self.aec), look(self.parallel), f"{self.where}: {what} AEC and Parallel")

    def _add(self, name: str, rewards: dict[Any, Any]) -> None:
        for agent, reward in rewards.items():
            self.paid[name][agent] += reward

    def _commit(self, choice: dict[Any, Any]) -> None:
        """Steps the AEC environment until all agents with a choice have committed."""
        while choice and (asked := self.aec.asked()) and asked[0] in choice:
            agent = asked[0]
            self._add("last()", {agent: self.aec.cumulative_reward()})
            with failing(f"{self.where}: the action of {agent} in Parallel raises in AEC:"):
                self.aec.submit(choice.pop(agent), log=False)
            self._add("rewards", self.aec.rewards())
            order = seats(self.aec.env)
            # Agents that were skipped had no choice.
            if self.aec.over or order.index(self.aec.env.agent_selection) <= order.index(agent):
                return

    def _compare_results(self) -> None:
        """Compares flags and the rewards of this joint action, these exactly."""
        for name in ("terminations", "truncations"):
            for agent, out in self.parallel.part(name).items():
                if bool(here := self.aec.part(name).get(agent, False)) != bool(out):
                    raise Failed(f"{self.where}: {name} of {agent}: AEC {bool(here)}, Parallel {bool(out)}")
        rewards = self.aec.rewards()
        for agent, there in self.parallel.rewards().items():
            if agent in rewards and difference(rewards[agent], there):
                words = f"the reward of {agent} is {rewards[agent]!r} in AEC, {there!r} in Parallel"
                raise Failed(f"{self.where}: {words}")

    def _take_leave(self) -> None:
        """Makes the final AEC steps of agents that are out."""
        env, left = self.aec.env, len(self.aec.env.agents)
        while env.agents and self.aec.dead(env.agent_selection):
            self._add("last()", {env.agent_selection: self.aec.cumulative_reward()})
            self.aec.submit(None, log=False)
            left -= 1
            if len(env.agents) != left:
                raise Failed(f"{self.where}: AEC: an agent that is out stays in `agents` after its last step")

    def _compare_view(self, agent: Any) -> None:
        self._require_same("in", lambda play: {"observations": {agent: play.observation(agent)}})
        self._require_same("in", lambda play: {"infos": {agent: play.infos().get(agent)}})

    def _compare_views(self) -> None:
        self._require_same("agents in", lambda play: sorted(map(str, play.env.agents)))
        for agent in self.parallel.env.agents:
            self._compare_view(agent)
        self._require_same("state() in", lambda play: state_shown(play.env))

    def _compare_payments(self) -> None:
        if self.aec.over != self.parallel.over:
            raise Failed(f"{self.where}: the game is over in {'AEC' if self.aec.over else 'Parallel'} only")
        for name in ("last()", "rewards") if self.aec.over else ("rewards",):
            for agent, there in self.paid["Parallel"].items():
                here = self.paid[name][agent]
                if not np.allclose(here, there, rtol=1e-9, atol=1e-9):
                    words = f"{as_text(here)} in AEC (sum of {name}), {as_text(there)} in Parallel"
                    raise Failed(f"{self.where}: the total reward of {agent} is {words}")


# Rewards may be rounded: 1/3 has no exact binary representation.
TOLERANCE = 1e-6


@once
def _declares_zero_sum(subject: Subject) -> bool:
    if subject.zero_sum is not None:
        return subject.zero_sum
    game = subject.game()
    return bool(subject.any_env().metadata.get("zero_sum", False) if game is None else game.facts.zero_sum)


def _require_zero_sum(subject: Subject) -> None:
    if not _declares_zero_sum(subject):
        raise NotApplicable("not declared zero-sum")
    if objectives(subject):
        raise NotApplicable("rewards are vectors, see nobody_is_paid_after_the_end")


@watcher("AEC", "Parallel", first=_require_zero_sum)
def zero_sum_holds(play: Play, subject: Subject) -> Watch:
    """If the game is declared zero-sum, the rewards of every complete episode sum to zero.

    Otherwise exploitability, minimax values and self-play ratings are meaningless.

    Example: The winner gets 1 and the loser 0, or both get a half for a tie.
    Fix: Pay the loser -1 and a tie 0, or do not declare the game zero-sum.
    """
    if not _declares_zero_sum(subject):
        return
    paid = dict.fromkeys(seats(play.env), 0.0)
    while not play.over:
        yield
        if isinstance(play, AECPlay):  # a learner receives its rewards from last(), before it acts
            paid[play.env.agent_selection] += play.cumulative_reward()
        yield
        for agent, reward in play.rewards().items() if isinstance(play, ParallelPlay) else ():
            paid[agent] += reward
    if not np.all(np.abs(total := sum(paid.values())) <= TOLERANCE):
        raise Failed(f"{play.where}: payoffs {paid} sum to {as_text(total)}, not to 0")
