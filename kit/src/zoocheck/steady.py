"""Finds infos that differ despite equal seeds and choices: clocks, identifiers, counts of games; replaces clocks."""

import datetime
import itertools
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from types import BuiltinFunctionType
from typing import Any, NamedTuple

import numpy as np

from zoocheck.explore import explored
from zoocheck.look import difference, require_same_play
from zoocheck.play import Play, info_name, layers, styled
from zoocheck.subject import Api, Finding, Subject, once
from zoocheck.verdicts import Failed, NotApplicable, Noted

# The time at first, in seconds since 1970.
START = 1e9
# Function of `time` that returns a number -> its units per second.
NUMBERS = {
    name + end: unit for name in ("time", "monotonic", "perf_counter") for end, unit in (("", 1), ("_ns", 10**9))
}
# Packages whose use of clocks is no business of the environment.
LIBRARIES = {"builtins", "abc", "typing", "pettingzoo", "gymnasium"}
SEEDS = range(3)
SHORT = 40
SHARE, MOST_SEEDS = 0.015, 40
# The seconds between two calls of a clock in games that are compared.
TICK = 0.01
# Infos with such names may be durations, which a library may measure with clocks of its own.
OF_TIME = re.compile(r"time|clock|elapsed|duration|second|latency|fps|per_s|_ms\b|_ns\b|speed", re.IGNORECASE)
# Other types are the author's own objects, whose content the kit cannot judge.
SIMPLE = (type(None), bool, int, float, complex, str, bytes, np.generic, np.ndarray, Mapping, Sequence, Set)
HARMLESS = {
    "clock": "depends on the time",
    "identifier": "is a different string each time, like an identifier",
    "object": "is a different object each time",
    "count": "increases from game to game, like a count",
}


class Told(NamedTuple):
    """An info as returned; entries of nested dicts are named "dict.key"."""

    agent: Any
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
    series = [_series(api, seed, 4) for seed in SEEDS]
    games: list[list[Told]] = []
    with stepping_clocks(api.make(), TICK) as restart:
        for seed in (seed for seed in SEEDS for _ in range(2)):
            restart()
            games += _series(api, seed, 1)
    pairs = list(zip(games[::2], games[1::2], strict=True))
    every = [*games, *(game for same in series for game in same)]
    for name in {name for game in every for told in game for name in told.info} - {""}:
        if any(_differ(name, *pair) for pair in pairs):
            found.kinds[name] = _kind_of(name, games)
        elif any(_differ(name, pair[0], same[0]) for pair, same in zip(pairs, series, strict=True)):
            found.kinds[name] = "clock"
        elif unlike := next((same for same in series if _differ(name, *same[:2])), None):
            counts = _goes_up(_values(name, unlike)) or _adds_up(name, unlike)
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
        try:
            require_same_play(logs[0], logs[1], f"{api.kind}: two games with the same seed and actions")
        except Failed as failure:
            return Finding(str(failure), [*subject.recent])
        if seed >= len(SEEDS) and next(clock, None) is None:
            break
    return explored(subject, api.kind).unrepeatable


def _series(api: Api, seed: int, games: int) -> list[list[Told]]:
    """All infos of successive games with that seed and the same actions in one environment."""
    env, found = api.new(choices=seed), list[list[Told]]()
    for _ in range(games):
        play: Play = env.again(seed).reset(seed)
        found.append([])
        while True:
            for agent, info in play.part("infos").items():
                found[-1].append(Told(agent, dict(_leaves(info))))
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


def _values(name: str, games: list[list[Told]]) -> list[list[Any]]:
    """The values under that name in each game that has any."""
    return [values for game in games if (values := [told.info[name] for told in game if name in told.info])]


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
    of_time = OF_TIME.search(name) and all(isinstance(value, float) for value in values) and _are_apart(by_game)
    return "clock" if of_time or _goes_up(by_game) else "drawn"


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
        own = ([told for told in game if told.agent == agent] for game in games)
        kept = [np.array(values) for values in _values(name, [*own])]
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


@contextmanager
def stepping_clocks(env: Any, seconds: float) -> Iterator[Callable[[], None]]:
    """Each call of a clock of `time` or `datetime` is so many seconds later than the one before.

    This holds also for clocks that the modules of the environment have imported by name. The context gives a function
    that sets all clocks back to `START`.
    """
    calls: list[float] = []
    stepping: dict[Any, Any] = {}

    def now() -> float:
        calls.append(START + seconds * len(calls))
        return calls[-1]

    for name, unit in NUMBERS.items():
        stepping[getattr(time, name)] = now if unit == 1 else partial(lambda unit: int(now() * unit), unit)
    for read in (time.localtime, time.gmtime, time.ctime):
        stepping[read] = partial(lambda read, at=None: read(now() if at is None else at), read)
    written, local = time.strftime, time.localtime
    stepping[written] = lambda form, at=None: written(form, local(now()) if at is None else at)
    stepping |= {kind: _stepping_kind(kind, now) for kind in (datetime.datetime, datetime.date)}
    own = {kind.__module__.partition(".")[0] for layer in layers(env) for kind in type(layer).__mro__} - LIBRARIES
    modules = [time, datetime, *(module for name, module in sys.modules.items() if name.partition(".")[0] in own)]
    named = [(module, name, value) for module in modules for name, value in vars(module).items()]
    changed = [each for each in named if isinstance(each[2], BuiltinFunctionType | type) and each[2] in stepping]
    try:
        for module, name, value in changed:
            setattr(module, name, stepping[value])
        yield calls.clear
    finally:
        for module, name, value in changed:
            setattr(module, name, value)


class _Kind(type):
    """The class of a class of dates whose instances are those of the class itself."""

    def __instancecheck__(cls, each: Any) -> bool:
        return isinstance(each, cls.__mro__[1])


def _stepping_kind(kind: Any, now: Callable[[], float]) -> type:
    """A class of dates whose `now`, `utcnow` and `today` are such a clock."""
    read = staticmethod(lambda *zone, **named: kind.fromtimestamp(now(), *zone, *named.values()))
    return _Kind(kind.__name__, (kind,), {name: read for name in ("now", "utcnow", "today") if hasattr(kind, name)})
