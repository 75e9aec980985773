"""Checks of bookkeeping: last(), rewards, results and both versions of a game agree, and rewards sum as declared."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from zoocheck.ends import objectives
from zoocheck.explore import Route, Watch, routes, step, watcher
from zoocheck.kinds import AECPlay, ParallelPlay, Turn
from zoocheck.look import difference, require_same, spaces_of, state_shown, without_generators
from zoocheck.play import Chooser, Play, as_text, payment, seats, styled
from zoocheck.steady import steady_api
from zoocheck.subject import Finding, Subject, once
from zoocheck.verdicts import Failed, NotApplicable, failing

SHARE = 0.035
SEEDS = range(12)
MOST_PLACES = 200
# Rewards may be rounded: 1/3 has no exact binary representation.
TOLERANCE = 1e-6


@watcher("AEC")
def last_tells_what_is_so(play: AECPlay, subject: Subject) -> Watch:
    """`last()` agrees with observe(), the flags and the infos of the selected agent.

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


def skins_are_one_game(subject: Subject) -> None:
    """With the same seed and actions, AEC and Parallel return the same observations, total rewards and terminations.

    In AEC, both the rewards from `last()` and the `rewards` after each step, which `aec_to_parallel` uses, must sum to
    the Parallel rewards. An environment that forgets to clear `rewards` pays twice.

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
        self._require_same(lambda play: {"spaces": without_generators(spaces_of(play.env))})
        self._compare_views()
        self._compare_rest()
        while self.parallel.goes_on():
            step = len(self.parallel.played)
            choice = moves[step] if step < len(moves) else self.parallel.choice()
            self.parallel.submit(choice, log=False)
            self.where = f"{seed}, after joint action {len(self.parallel.played)}"
            self._add("Parallel", self.parallel.rewards())
            self._commit(dict(choice))
            self._compare_results()
            self._compare_views()
            self._take_leave()
            self._compare_rest()
        self._compare_payments()

    def _require_same(self, look: Callable[[Play], Any]) -> None:
        require_same(look(self.aec), look(self.parallel), f"{self.where}: in AEC and Parallel")

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
        paid = [agent for agent in self.parallel.part("rewards") if agent in self.aec.part("rewards")]
        flagged, names = list(self.parallel.part("terminations")), ("terminations", "truncations")

        def results(play: Play) -> dict[str, Any]:
            flags = {name: {each: bool(play.part(name).get(each)) for each in flagged} for name in names}
            return {"rewards": {each: play.rewards()[each] for each in paid}, **flags}

        self._require_same(results)

    def _take_leave(self) -> None:
        """Makes the final AEC steps of agents that are out."""
        env, left = self.aec.env, len(self.aec.env.agents)
        while env.agents and self.aec.dead(env.agent_selection):
            self._add("last()", {env.agent_selection: self.aec.cumulative_reward()})
            self.aec.submit(None, log=False)
            left -= 1
            if len(env.agents) != left:
                raise Failed(f"{self.where}: AEC: an agent that is out stays in `agents` after its last step")

    def _compare_views(self) -> None:
        """Compares what agents receive, also those that are out and have not left yet."""
        agents = [*self.parallel.env.agents, *(self.parallel.out() & set(self.aec.env.agents))]
        self._require_same(lambda play: {"observations": {agent: play.observation(agent) for agent in agents}})
        self._require_same(lambda play: {"infos": {agent: play.infos().get(agent) for agent in agents}})

    def _compare_rest(self) -> None:
        self._require_same(lambda play: {"agents": sorted(map(str, play.env.agents))})
        self._require_same(lambda play: {"state()": state_shown(play.env)})

    def _compare_payments(self) -> None:
        if self.aec.over != self.parallel.over:
            raise Failed(f"{self.where}: the game is over in {'AEC' if self.aec.over else 'Parallel'} only")
        for name in ("last()", "rewards") if self.aec.over else ("rewards",):
            for agent, there in self.paid["Parallel"].items():
                here = self.paid[name][agent]
                if not np.allclose(here, there, rtol=1e-9, atol=1e-9):
                    words = f"{as_text(here)} in AEC (sum of {name}), {as_text(there)} in Parallel"
                    raise Failed(f"{self.where}: the total reward of {agent} is {words}")


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
