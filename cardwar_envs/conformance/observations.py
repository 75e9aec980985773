"""Checks of observations: they fit the declared spaces, and they belong to the agents alone."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import gymnasium
import numpy as np

from cardwar_envs.conformance.compare import arrays_in, difference, require_same, require_same_play
from cardwar_envs.conformance.play import STEPS, AECPlay, Play
from cardwar_envs.conformance.seeds import SHORT, repeatable
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, in_a_line

SEEDS = range(2)


def observations_fit_their_spaces(subject: Subject) -> None:
    """Every observation of every agent, from reset to the end, is finite, lies in its space and has exactly its type.

    PettingZoo's `parallel_api_test` compares no observation with its space, and `Space.contains` lets other types
    pass. The global state has to fit its space as well, where there is one.
    """
    for play in subject.plays(SEEDS):
        while True:
            for agent, observation in play.shown():
                require_fit(play.env.observation_space(agent), observation, f"{play.at}: observation of {agent}")
            _require_state_fits(play.env, play.at)
            if play.over or len(play.played) >= STEPS:
                break
            play.step(log=False)


def require_fit(space: gymnasium.Space[Any], data: Any, what: str) -> None:
    """Raises Failed unless the data is of finite numbers, lies in the space and has its types."""
    require_finite(data, what)
    for path, part, value in _leaves(space, data):
        at = f"{what}{path and f', {path}'}"
        if isinstance(value, np.ndarray | np.generic) and part.dtype is not None and value.dtype != part.dtype:
            raise Failed(f"{at} is {value.dtype}, the space is {part.dtype}")
        if not part.contains(value):
            raise Failed(f"{at} is not in its space {' '.join(str(part).split())}: {' '.join(repr(value).split())}")


def require_finite(data: Any, what: str) -> None:
    """Raises Failed if an array in the data has an entry that is infinite or not a number."""
    for path, array in arrays_in(data):
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise Failed(f"{what}{path and f', {path}'} has an entry that is not a finite number: {array}")


def _leaves(space: Any, data: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(space, gymnasium.spaces.Dict) and isinstance(data, Mapping) and set(data) == set(space.spaces):
        for key, part in space.spaces.items():
            yield from _leaves(part, data[key], f"{path}.{key}" if path else str(key))
    else:
        yield path, space, data


def _require_state_fits(env: Any, where: str) -> None:
    space = getattr(env, "state_space", None)
    try:
        state = env.state()
    except NotImplementedError:
        return
    except Exception as error:
        raise Failed(f"{where}: state() raises {in_a_line(error)}") from error
    require_finite(state, f"{where}: state()")
    if space is not None:
        require_fit(space, state, f"{where}: state()")


def arrays_are_fresh(subject: Subject) -> None:
    """Arrays that were handed out stay as they are, share no memory, and writing into them changes nothing.

    An environment that uses a buffer again rewrites what a replay buffer has stored. One that hands out the very
    mask that it judges by lets a caller that writes into the mask change the rules.
    """
    for skin in map(repeatable, subject.skins()):
        clean = skin.new(choices=1).reset(1)
        kept, written = skin.new(choices=1).reset(1), skin.new(choices=1).reset(1)
        while not clean.over and len(clean.played) < STEPS:
            where = clean.at
            require_same(_essence(clean), _essence(written), f"{where}: writing into arrays changes")
            choice = written.choice()
            _require_unshared(kept, where)
            handed = kept.shown()
            before = copy.deepcopy(handed)
            _scribble(written)
            for play in (clean, kept, written):
                play.submit(choice, log=False)
            if found := difference(before, handed):
                raise Failed(f"{where}: what was handed out has been changed by the next step: {found}")


def rendering_changes_nothing(subject: Subject) -> None:
    """An episode with a render mode, rendered after every step, is the same as one without.

    Where observations are cut out of the picture, agents may be blind unless somebody watches.
    """
    pictures = subject.pictures()
    if not pictures:
        raise NotApplicable("it renders neither text nor arrays")
    for skin in map(repeatable, subject.skins()):
        plain, watched = skin.new(choices=1).reset(1), skin.new(choices=1, render_mode=pictures[0]).reset(1)
        while not (plain.over or watched.over or len(plain.played) >= SHORT):
            watched.env.render()
            for play in (plain, watched):
                play.step()
        require_same_play(plain.log, watched.log, f"{skin.kind}: without render_mode, and with {pictures[0]!r}")


def _essence(play: Play) -> dict[str, Any]:
    """What can be seen, without the infos that an AEC environment keeps until a turn is over."""
    seen = play.seen()
    if isinstance(play, AECPlay):
        del seen["infos"]
        seen["last"] = None
    return seen


def _scribble(play: Play) -> None:
    for _, array in arrays_in(play.handed()):
        if array.flags.writeable and array.dtype != object:
            array[...] = 1 - array.astype(np.int8) if array.dtype != bool else ~array


def _require_unshared(play: Play, where: str) -> None:
    shown = [*play.shown(), *(play.shown() if isinstance(play, AECPlay) else ())]  # AEC may hand out the same twice
    arrays = [(str(agent), *found) for agent, data in shown for found in arrays_in(data)]
    for (one, path, array), (other, other_path, other_array) in combinations(arrays, 2):
        if array.size and np.may_share_memory(array, other_array):
            names = f"{one}{path and f'.{path}'} and {other}{other_path and f'.{other_path}'}"
            who = f"the observations {names}" if one != other or path != other_path else f"two observations of {one}"
            raise Failed(f"{where}: {who} share their memory")
