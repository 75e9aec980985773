"""Finds infos that differ despite equal seeds and choices: a clock, an identifier, a count of games."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from zoocheck.explore import explored
from zoocheck.look import difference
from zoocheck.play import Play, info_name, styled
from zoocheck.subject import Api, Finding, Subject, once
from zoocheck.verdicts import Failed, NotApplicable, Noted

SEEDS = range(3)
SHORT = 40
SHARE, MOST_SEEDS = 0.015, 40
# An info counts as the time of day within this tolerance, in seconds.
OFF, UNITS = 2.0, (1.0, 1e3, 1e6, 1e9)
# Infos with such names may be durations.
OF_TIME = re.compile(r"time|clock|elapsed|duration|second|latency|fps|per_s|_ms\b|_ns\b|speed", re.IGNORECASE)
# Other types are the author's own objects, whose content the kit cannot judge.
SIMPLE = (type(None), bool, int, float, complex, str, bytes, np.generic, np.ndarray, Mapping, Sequence, Set)
HARMLESS = {
    "clock": "increases all the time, like a clock",
    "wall clock": "is the time of day",
    "duration": "is a number of seconds, at most those since the environment was made",
    "identifier": "is a different string each time, like an identifier",
    "time": "is a number that never repeats and has the name of a time",
    "object": "is a different object each time",
    "count": "increases from game to game, like a count",
}


class Told(NamedTuple):
    """An info as returned; entries of nested dicts are named "dict.key"."""

    agent: Any
    now: float  # the time, in seconds since 1970
    passed: float  # seconds since the environment was made
    info: dict[str, Any]


@dataclass
class Unsteady:
    """The differences between games that should be equal."""

    # Info, named as in `Told` -> key of `HARMLESS`, "drawn" or "history".
    kinds: dict[str, str] = field(default_factory=dict)
    episodes: Finding | None = None  # the first difference other than in infos


def steady_api(subject: Subject, kind: str) -> Api:
    """The `Api` of a kind that ignores infos that always differ; raises NotApplicable if anything else differs."""
    api, unsteady = subject.api(kind), find(subject, kind)
    if unsteady.episodes:
        raise NotApplicable(f"{kind}: the seed does not determine the episode, see same_seed_same_episode")
    return replace(api, blind=frozenset(unsteady.kinds))


@once
def find(subject: Subject, kind: str) -> Unsteady:
    """Finds the infos of a kind that always differ."""
    api, found = subject.api(kind), Unsteady()
    fresh = [[_series(api, seed, 1)[0] for _ in range(2)] for seed in SEEDS]
    games = [game for pair in fresh for game in pair]
    for name in _names(games):
        if all(_reads_the_clock(told, value) for game in games for told, value in _of(game, name)):
            found.kinds[name] = "wall clock"
        elif any(_differ(name, *pair) for pair in fresh):
            found.kinds[name] = _kind_of(name, games)
    for seed in SEEDS:
        series = _series(api, seed, 4)
        for name in _names(series) - set(found.kinds):
            if _differ(name, *series[:2]):
                counts = _goes_up(_values(name, series)) or _adds_up(name, series)
                found.kinds[name] = "count" if counts else "history"
    found.episodes = _unlike_episodes(subject, replace(api, blind=frozenset(found.kinds)))
    return found


def _unlike_episodes(subject: Subject, api: Api) -> Finding | None:
    """The first difference of two games with the same seed. Compares many, because unseeded draws may be rare."""
    clock = subject.time(SHARE)
    for seed in range(MOST_SEEDS):
        logs: list[Any] = []
        for _ in range(2):  # one after the other; another check interleaves them
            play = api.game(seed)
            play.chooser = styled(seed)
            logs.append(play.run())
        if differs := difference(*logs):
            return Finding(differs, [*subject.recent])
        if seed >= len(SEEDS) and next(clock, None) is None:
            break
    return explored(subject, api.kind).unrepeatable


def _series(api: Api, seed: int, games: int) -> list[list[Told]]:
    """All infos of successive games with that seed and the same actions in one environment."""
    made = time.perf_counter()
    env, found = api.new(choices=seed), list[list[Told]]()
    for _ in range(games):
        play: Play = env.again(seed).reset(seed)
        found.append([])
        while True:
            for agent, info in play.part("infos").items():
                found[-1].append(Told(agent, time.time(), time.perf_counter() - made, dict(_leaves(info))))
            if not play.goes_on(SHORT):
                break
            play.step(log=False)
    return found


def _leaves(info: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if not isinstance(info, Mapping):
        yield path, info
        return
    for key, value in info.items():
        yield from _leaves(value, info_name(path, key))


def _names(games: list[list[Told]]) -> set[str]:
    return {name for game in games for told in game for name in told.info} - {""}


def _of(game: list[Told], name: str) -> list[tuple[Told, Any]]:
    """The values under that name."""
    return [(told, told.info[name]) for told in game if name in told.info]


def _values(name: str, games: list[list[Told]]) -> list[list[Any]]:
    return [values for game in games if (values := [value for _, value in _of(game, name)])]


def _differ(name: str, *games: list[Told]) -> bool:
    here, there = ([told.info.get(name) for told in game] for game in games)
    return difference(here, there) is not None


def _kind_of(name: str, games: list[list[Told]]) -> str:
    by_game = _values(name, games)
    values = [value for game in by_game for value in game]
    if all(isinstance(value, str) and len(value) >= 8 for value in values) and _are_apart(by_game):
        return "identifier"
    if not any(isinstance(value, SIMPLE) for value in values):
        return "object"
    if _goes_up(by_game):
        return "clock"
    if all(isinstance(it, float) and 0 <= it <= told.passed for game in games for told, it in _of(game, name)):
        return "duration"
    of_time = OF_TIME.search(name) and all(isinstance(value, float) for value in values) and _are_apart(by_game)
    return "time" if of_time else "drawn"


def _reads_the_clock(told: Told, value: Any) -> bool:
    """Whether a value is the current time: a number in any unit, or hours and minutes in a string."""
    if isinstance(value, str):
        moments = [zone(told.now - ago) for zone in (time.localtime, time.gmtime) for ago in (0, 1)]
        return any(time.strftime("%H:%M", moment) in value for moment in moments)
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return is_number and any(abs(float(value) / unit - told.now) <= OFF for unit in UNITS)


def _are_apart(games: list[list[Any]]) -> bool:
    return sum(len(set(game)) for game in games) == len({value for game in games for value in game})


def _goes_up(games: list[list[Any]]) -> bool:
    """Whether all numbers of each game exceed those of earlier games."""
    with suppress(TypeError, ValueError):
        return all(bool(max(one) < min(other)) for one, other in itertools.pairwise(games))
    return False


def _adds_up(name: str, games: list[list[Told]]) -> bool:
    """Whether each replay of the same game adds the same amount to the info, like a running total over games."""
    added = set()
    for agent in {told.agent for told in games[0]}:
        kept = [np.array([value for told, value in _of(game, name) if told.agent == agent]) for game in games]
        if len({each.shape for each in kept}) > 1 or any(each.dtype.kind not in "iuf" for each in kept):
            return False
        steps = {float(step) for one, other in itertools.pairwise(kept) for step in other.astype(float) - one}
        if len(steps) > 1:
            return False
        added |= steps
    return bool(added) and min(added) >= 0 and max(added) > 0


def infos_are_steady(subject: Subject) -> None:
    """Infos are the same for the same seed and actions.

    A clock, an identifier or a count of games is noted, and excluded from all comparisons. Any other info that differs
    is drawn without the seed or depends on earlier games.

    Example: `infos[agent]["hint"] = random.random()`.
    Fix: Draw from the generator that `reset(seed)` seeds, or remove the info.
    """
    noted = []
    for api in subject.apis():
        for name, kind in find(subject, api.kind).kinds.items():
            if kind not in HARMLESS:
                why = "seed and actions do not determine it" if kind == "drawn" else "it depends on earlier games"
                raise Failed(f"{api.kind}: the info {name!r}: {why}")
            noted.append(f"{api.kind}: the info {name!r} {HARMLESS[kind]}; it is excluded from comparisons")
    if noted:
        raise Noted("; ".join(noted))
