"""Checks of bookkeeping: `last()`, `rewards`, observe(), infos and Parallel results agree and are up to date."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from numbers import Number
from typing import Any

import numpy as np

from zoocheck.explore import Watch, step, watcher
from zoocheck.kinds import AECPlay, ParallelPlay, Turn
from zoocheck.look import arrays_in, difference, state_shown
from zoocheck.play import Play, as_text, payment, styled
from zoocheck.seeds import SHORT, steady_apis
from zoocheck.subject import Api, Finding, Subject
from zoocheck.verdicts import Failed

SEEDS = 16
# Infos whose names contain these may refer to the previous turn.
OF_THE_PAST = re.compile(r"(?:\b|_)(?:last|prev|before|past|old|histor|delay)", re.IGNORECASE)
# Minimum number of turns, over all games, that differ from the previous turn.
LEAST_CHANGES = 8
FRESH = "is of now"
STATE = "state()"
# Longer arrays are compared only as a whole.
MOST_ENTRIES = 64

# Maps paths to values, as bytes that are equal if the numbers are.
Numbers = dict[str, bytes]
# For each turn of one agent in one game: the numbers in its observation, and those in its info and in state().
Game = list[tuple[Numbers, Numbers]]


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
        observation, _, termination, truncation, info = env.last()
        said = {"observation": observation, "termination": termination, "truncation": truncation}
        flags = {"termination": env.terminations[agent], "truncation": env.truncations[agent]}
        if found := difference({"observation": env.observe(agent), **flags}, said):
            raise Failed(f"{play.at}: last() and observe() or the flags disagree about {agent}: {found}")
        if env.last(observe=False)[0] is not None:
            raise Failed(f"{play.at}: last(observe=False) returns an observation")
        if found := difference(play.steady(env.infos[agent]), play.steady(info)):
            raise Failed(f"{play.at}: last() and `infos` disagree about {agent}: {found}")
        yield from step()


@dataclass
class Unpaid:
    """What the steps of an environment with simultaneous moves do with `rewards` within a turn, over all games."""

    stale: Finding | None = None  # the first step that left the rewards of the previous step unchanged
    anew: bool = False  # whether any step set new rewards


def _require_cleared(subject: Subject) -> None:
    unpaid: Unpaid = subject.once(Unpaid, Unpaid)
    if unpaid.stale is not None and not unpaid.anew:
        subject.fail(unpaid.stale)


@watcher("AEC", then=_require_cleared)
def rewards_are_counted_once(play: AECPlay, subject: Subject) -> Watch:
    """`last()` returns the sum of the agent's `rewards` since its previous step, and each step replaces `rewards`.

    With simultaneous moves, an environment pays after all have committed, or after each action. If a step within a turn
    leaves `rewards` unchanged, code that sums them, such as `aec_to_parallel`, counts them twice.

    Example: `step` does not clear `self.rewards`, so a win is added to the cumulative rewards again.
    Fix: `self._clear_rewards()` at the start of each step, `self._accumulate_rewards()` at its end.
    """
    simultaneous = subject.simultaneous()
    unpaid: Unpaid = subject.once(Unpaid, Unpaid)
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
                unpaid.stale = unpaid.stale or Finding(f"{play.at}: {words}", [subject.recent[-1]])
            else:
                unpaid.anew = True
        if play.over:
            return
        agent = play.env.agent_selection
        told = payment(play.env.last(observe=False)[1], f"{play.at}: the reward of {agent}")
        if not np.allclose(told, owed[agent], rtol=1e-9, atol=1e-9):
            words = f"a reward of {as_text(told)}, but its `rewards` sum to {as_text(owed[agent])}"
            raise Failed(f"{play.at}: last() gives {agent} {words}")


@watcher("AEC")
def observations_are_of_now(play: AECPlay, subject: Subject) -> Watch:
    """Observations at the start of a turn are not those of the previous turn.

    With simultaneous moves, observations should not change while agents commit. If they do, and each turn starts with
    what the agent observed when it was selected in the previous turn, observations are one turn late.

    A learner that sees only the past cannot react to the present.

    Example: `observe` returns what was computed before the last joint action was played.
    Fix: Compute observations after the joint action.
    """
    if not subject.simultaneous():
        return
    turn: Turn | None = None
    first: dict[Any, Any] = {}  # agent -> its observation at the start of the turn
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
        raise Failed(f"{play.where}: at the start of a turn agents see the observations of the previous turn")


def _bytes(observation: Any) -> Any:
    """An observation in a form that can be compared quickly."""
    return [array.tobytes() for _, array in arrays_in(observation)] or repr(observation)


@watcher("Parallel")
def results_name_the_agents(play: ParallelPlay, subject: Subject) -> Watch:
    """reset() and step() return dicts with an entry for each participating agent, and no others.

    Agents that join in this step need an observation; other entries for them are optional.

    Learners index the dicts by agent.

    Example: Rewards contain `"__all__"`, or agents that are out.
    Fix: `{agent: ... for agent in agents}`, with the agents that were live before the step.
    """
    agents, names = set(play.env.agents), {"observations", "infos"}
    while True:
        now = set(play.env.agents)
        for name in play.NAMES:
            needed = agents | now if name == "observations" else agents
            part = set(play.part(name)) if name in names else agents
            for agent in sorted(needed - part, key=str):
                raise Failed(f"{play.at}: {name} have no entry for {agent}")
            for agent in sorted(part - agents - now, key=str):
                raise Failed(f"{play.at}: {name} have an entry for {agent!r}, who did not take part")
        agents, names = now, set(play.NAMES)
        yield from step()


def infos_are_of_now(subject: Subject) -> None:
    """Infos and state() refer to the current turn, not to the previous one.

    An info is stale if, in all compared games, it repeats the previous turn's observation, or if it is the same in the
    first two turns and changes in every later one. Infos whose names refer to the past ("last", "previous", "before")
    are exempt. Parts of state() may be stale, but not the whole.

    Example: `step` fills `infos`, for example with the mask, before it plays the joint action.
    Fix: Fill `infos` after the joint action.
    """
    for api in steady_apis(subject):
        games: dict[Any, list[Game]] = defaultdict(list)
        for seed in range(subject.budget.fewer(SEEDS)):
            for agent, turns in _turns(api, seed).items():
                games[agent].append(turns)
        for agent, known in games.items():
            names = sorted({name for game in known for _, told in game for name in told})
            found = {name: _sign(known, name) for name in names if not OF_THE_PAST.search(name)}
            for name, sign in found.items():
                if sign not in (None, FRESH) and not (name.startswith(STATE) and _is_fresh_in_part(found)):
                    what = name if name.startswith(STATE) else f"the info {name!r} of {agent}"
                    raise Failed(f"{api.kind}: {what} {sign}")


def _is_fresh_in_part(found: dict[str, str | None]) -> bool:
    return any(sign == FRESH for name, sign in found.items() if name.startswith(STATE))


def _turns(api: Api, seed: int) -> dict[Any, Game]:
    """Plays one game; returns what each agent observes whenever it acts."""
    play, told = api.game(seed), defaultdict[Any, Game](list)
    play.chooser = styled(seed)
    while play.goes_on(SHORT):
        for agent in play.asked():
            told[agent].append(_told(play, agent))
        play.step(log=False)
    return told


def _told(play: Play, agent: Any) -> tuple[Numbers, Numbers]:
    observation, info = play.told(agent)
    told = [*_numbers(play.steady(info), ""), *_numbers(state_shown(play.env), STATE)]
    return dict(_numbers(observation, "")), dict(told)


def _numbers(data: Any, path: str) -> Iterator[tuple[str, bytes]]:
    """All numbers in nested data: arrays as a whole and entry by entry."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _numbers(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, Number | np.ndarray | list | tuple):
        for at, array in arrays_in(np.asarray(data) if isinstance(data, Number) else data, path):
            if array.dtype.kind in "biuf":
                numbers = array.astype(np.float64).ravel() + 0.0
                yield at, numbers.tobytes()
                if 1 < numbers.size <= MOST_ENTRIES:
                    yield from ((f"{at}[{i}]", number.tobytes()) for i, number in enumerate(numbers))


def _sign(games: list[Game], name: str) -> str | None:
    """`FRESH` if a current observation has the same value; a description if the info is stale; else None."""
    games = [game for game in games if all(name in info for _, info in game)]
    told = [[info[name] for _, info in game] for game in games]
    if not any(one != other for values in told for one, other in pairwise(values)):
        return None
    names = sorted({place for game in games for seen, _ in game for place in seen})
    observed = {place: [[numbers.get(place, b"") for numbers, _ in game] for game in games] for place in names}
    if told in observed.values():
        return FRESH
    for place, seen in observed.items():
        changes = sum(one != other for values in seen for one, other in pairwise(values))
        if changes >= LEAST_CHANGES and told == [[*values[:1], *values[:-1]] for values in seen]:
            return f"repeats the observation ({place}) of the previous turn"
    later = [pair for values in told for pair in pairwise(values[1:])]
    repeats = all(len(values) < 2 or values[0] == values[1] for values in told)
    if repeats and len(later) >= LEAST_CHANGES and all(one != other for one, other in later):
        return "is the same in the first two turns, though it changes in every later turn"
    return None
