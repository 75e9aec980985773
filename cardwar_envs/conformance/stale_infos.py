"""A check that infos and state() are as current as observations."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from numbers import Number
from typing import Any

import numpy as np

from cardwar_envs.conformance.choices import Driver
from cardwar_envs.conformance.compare import arrays_in
from cardwar_envs.conformance.look import state_shown
from cardwar_envs.conformance.play import Play
from cardwar_envs.conformance.seeds import SHORT, steady_skins
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.verdicts import Failed

SEEDS = range(16)
# Infos with such names may refer to the previous turn.
OF_THE_PAST = re.compile(r"(?:\b|_)(?:last|prev|before|past|old|histor|delay)", re.IGNORECASE)
# Minimal number of turns, over all games, that differ from the previous turn.
LEAST_CHANGES = 8
FRESH = "is of now"
STATE = "state()"
# Longer arrays are compared as a whole only.
MOST_ENTRIES = 64

# Path -> value, as bytes that are equal if the numbers are.
Numbers = dict[str, bytes]
# For each turn of one agent in one game: the numbers of its observation, and those of its info and of state().
Game = list[tuple[Numbers, Numbers]]


def infos_are_of_now(subject: Subject) -> None:
    """Infos and state() refer to the current turn, not to the previous one.

    An info is stale if, in all games compared, it repeats the previous turn's observation, or if it is unchanged from
    the first turn to the second and changes in every later turn. An info whose name refers to the past ("last",
    "previous", "before") may be. Parts of state() may be of the past, but not all of it.
    """
    for skin in steady_skins(subject):
        games: dict[Any, list[Game]] = defaultdict(list)
        for seed in SEEDS:
            for agent, turns in _turns(skin, seed).items():
                games[agent].append(turns)
        for agent, known in games.items():
            names = sorted({name for game in known for _, told in game for name in told})
            found = {name: _sign(known, name) for name in names if not OF_THE_PAST.search(name)}
            for name, sign in found.items():
                if sign not in (None, FRESH) and not (name.startswith(STATE) and _is_fresh_in_part(found)):
                    what = name if name.startswith(STATE) else f"the info {name!r} of {agent}"
                    raise Failed(f"{skin.kind}: {what} {sign}")


def _is_fresh_in_part(found: dict[str, str | None]) -> bool:
    return any(sign == FRESH for name, sign in found.items() if name.startswith(STATE))


def _turns(skin: Skin[Any], seed: int) -> dict[Any, Game]:
    """One game, as each agent sees it when it acts."""
    play, told = skin.game(seed), defaultdict[Any, Game](list)
    play.chooser = Driver(seed)
    while not play.over and len(play.played) < SHORT:
        for agent in play.asked():
            told[agent].append(_told(play, agent))
        play.step(log=False)
    return told


def _told(play: Play, agent: Any) -> tuple[Numbers, Numbers]:
    observation, info = play.told(agent)
    told = [*_numbers(play.steady(info), ""), *_numbers(state_shown(play.env), STATE)]
    return dict(_numbers(observation, "")), dict(told)


def _numbers(data: Any, path: str) -> Iterator[tuple[str, bytes]]:
    """All numbers in nested data; arrays as a whole, and entry by entry."""
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
    """`FRESH` if a current observation has the same value; a description if it is stale; else None."""
    games = [game for game in games if all(name in info for _, info in game)]
    told = [[info[name] for _, info in game] for game in games]
    if not any(one != other for values in told for one, other in pairwise(values)):
        return None
    for place in sorted({place for game in games for seen, _ in game for place in seen}):
        seen = [[numbers.get(place, b"") for numbers, _ in game] for game in games]
        if told == seen:
            return FRESH
    for place in sorted({place for game in games for seen, _ in game for place in seen}):
        seen = [[numbers.get(place, b"") for numbers, _ in game] for game in games]
        changes = sum(one != other for values in seen for one, other in pairwise(values))
        if changes >= LEAST_CHANGES and told == [[*values[:1], *values[:-1]] for values in seen]:
            return f"tells what the observation ({place}) told in the turn before"
    later = [pair for values in told for pair in pairwise(values[1:])]
    repeats = all(len(values) < 2 or values[0] == values[1] for values in told)
    if repeats and len(later) >= LEAST_CHANGES and all(one != other for one, other in later):
        return "is in the second turn what it was in the first, though it changes in every turn from then on"
    return None
