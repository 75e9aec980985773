"""Which infos differ each time, though seed and choices are the same: a clock, an identifier, a count of games."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardwar_envs.conformance.choices import Driver
from cardwar_envs.conformance.compare import difference
from cardwar_envs.conformance.explore import explored
from cardwar_envs.conformance.play import Play
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, Noted

SEEDS = range(3)
SHORT = 40
SHARE, MOST_SEEDS = 0.015, 40
# A name that says so may tell how long something took.
OF_TIME = re.compile(r"time|clock|elapsed|duration|second|latency|fps|per_s|_ms\b|_ns\b|speed", re.IGNORECASE)
# What is of no such type is an object of the author's own; whether it says anything is not for the kit to judge.
SIMPLE = (type(None), bool, int, float, complex, str, bytes, np.generic, np.ndarray, Mapping, Sequence, Set)
HARMLESS = {
    "clock": "goes up all the time, as a clock does",
    "identifier": "is another text each time, as an identifier is",
    "time": "is a number that never repeats, and by its name a measure of time",
    "object": "is an object that is not the same each time",
    "count": "goes up from game to game, as a count does",
}


@dataclass
class Unsteady:
    """Infos that differ each time.

    Attributes:
        kinds: Name of the info -> a key of `HARMLESS`, "drawn" or "history".
        episodes: Whether more than infos differs between two fresh environments.
    """

    kinds: dict[Any, str] = field(default_factory=dict)
    episodes: str = ""


def steady_skin(subject: Subject, kind: str) -> Skin[Any]:
    """The kind of environment, without the infos that differ each time.

    Raises:
        NotApplicable: If there is no such kind, or more than infos differs.
    """
    subject.skin(kind)
    unsteady = find(subject, kind)
    if unsteady.episodes:
        raise NotApplicable(f"{kind}: a seed does not decide the episode, see same_seed_same_episode")
    return next(skin for skin in subject.skins(frozenset(unsteady.kinds)) if skin.kind == kind)


def find(subject: Subject, kind: str) -> Unsteady:
    """What differs each time in that kind."""
    found: Unsteady = subject.once(("unsteady", kind), lambda: _find(subject, subject.skin(kind)))
    return found


def _find(subject: Subject, skin: Skin[Any]) -> Unsteady:
    found = Unsteady()
    fresh = [[_infos(skin.new(choices=seed), seed) for _ in range(2)] for seed in SEEDS]
    for name in {name for pair in fresh for infos in pair for name in _names(infos)}:
        pairs = [[[info.get(name) for info in infos] for infos in pair] for pair in fresh]
        if any(difference(one, other) for one, other in pairs):
            found.kinds[name] = _kind_of(name, [values for pair in pairs for values in pair])
    for seed in SEEDS:
        used = skin.new(choices=seed)
        games = [_infos(used.again(seed), seed) for _ in range(4)]
        for name in {name for infos in games for name in _names(infos)} - set(found.kinds):
            series = [[info.get(name) for info in infos] for infos in games]
            if difference(series[0], series[1]):
                found.kinds[name] = "count" if _goes_up(series) else "history"
    found.episodes = _unlike_episodes(subject, skin, frozenset(found.kinds))
    return found


def _unlike_episodes(subject: Subject, skin: Skin[Any], blind: frozenset[Any]) -> str:
    """Where two games of one seed differ, in words. What is drawn without the seed may be rare: many are compared."""
    clock = subject.time(SHARE)
    for seed in range(MOST_SEEDS):
        # One after the other: whether two that are played in turns meet is another question.
        if differs := difference(_game(skin, seed, blind), _game(skin, seed, blind)):
            return differs
        if seed >= len(SEEDS) and next(clock, None) is None:
            break
    return explored(subject, skin.kind).unrepeatable


def _game(skin: Skin[Any], seed: int, blind: frozenset[Any]) -> list[Any]:
    """The log of a game in a fresh environment."""
    play = type(skin.new())(skin.make(), seed, blind).reset(seed)
    play.chooser = Driver(seed)
    return list(play.run())


def _infos(play: Play, seed: int) -> list[Any]:
    """All infos of a game, in the order of time."""
    infos = []
    play.reset(seed)
    while True:
        infos += [dict(info) for info in play.part("infos").values() if isinstance(info, Mapping)]
        if play.over or len(play.played) >= SHORT:
            return infos
        play.step(log=False)


def _names(infos: list[Any]) -> set[Any]:
    return {name for info in infos for name in info}


def _kind_of(name: Any, games: list[list[Any]]) -> str:
    values = [value for game in games for value in game]
    if all(isinstance(value, str) and len(value) >= 8 for value in values) and _are_apart(games):
        return "identifier"
    if not any(isinstance(value, SIMPLE) for value in values):
        return "object"
    if _goes_up(games):
        return "clock"
    of_time = OF_TIME.search(str(name)) and all(isinstance(value, float) for value in values) and _are_apart(games)
    return "time" if of_time else "drawn"


def _are_apart(games: list[list[Any]]) -> bool:
    return sum(len(set(game)) for game in games) == len({value for game in games for value in game})


def _goes_up(games: list[list[Any]]) -> bool:
    """Whether all numbers of each game are above those of the games before."""
    try:
        return all(bool(max(one) < min(other)) for one, other in itertools.pairwise(games))
    except (TypeError, ValueError):
        return False


def infos_are_steady(subject: Subject) -> None:
    """Infos are the same for the same seed and choices.

    A clock, an identifier or a count of games is noted, and left out of all comparisons. Anything else that differs
    is drawn without the seed or is left of an earlier game.
    """
    noted = []
    for skin in subject.skins():
        for name, kind in find(subject, skin.kind).kinds.items():
            if kind not in HARMLESS:
                why = "by seed and choices it is not decided" if kind == "drawn" else "it depends on earlier games"
                raise Failed(f"{skin.kind}: the info {name!r}: {why}")
            noted.append(f"{skin.kind}: the info {name!r} {HARMLESS[kind]}; it is left out of comparisons")
    if noted:
        raise Noted("; ".join(noted))
