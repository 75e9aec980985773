"""Checks of observations and spaces: observations fit their spaces, and spaces do not change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium
import numpy as np

from cardwar_envs.conformance.compare import arrays_in, require_same
from cardwar_envs.conformance.explore import Watch, step, watcher
from cardwar_envs.conformance.look import space_facts, without_generators
from cardwar_envs.conformance.play import Play, seats
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, in_a_line

# Spaces that also accept lists, which learners cannot use.
TYPES: dict[Any, Any] = {
    (gymnasium.spaces.Box, gymnasium.spaces.MultiDiscrete, gymnasium.spaces.MultiBinary): (np.ndarray, np.generic),
    gymnasium.spaces.Tuple: tuple,
}


@watcher("AEC", "Parallel")
def observations_fit_their_spaces(play: Play, subject: Subject) -> Watch:
    """Every observation of every agent is finite, lies in its space and has exactly its type.

    PettingZoo's `parallel_api_test` does not compare observations with their spaces, and `Space.contains` accepts other
    types. A global state must fit its space as well.
    """
    known: set[Any] = subject.once(("fits", play.kind), set)
    while True:
        for what, space, data in _observed(play):
            key = what, repr(space), tuple((path, str(array.dtype), array.tobytes()) for path, array in arrays_in(data))
            if not key[2] or key not in known:
                require_fit(space, data, f"{play.at}: {what}")
                known.add(key)
        yield from step()


def _observed(play: Play) -> Iterator[tuple[str, Any, Any]]:
    """All observations and the state, each with its name and its space."""
    for agent, observation in play.shown():
        yield f"observation of {agent}", play.env.observation_space(agent), observation
    try:
        state = play.env.state()
    except NotImplementedError:
        return
    except Exception as error:
        raise Failed(f"{play.at}: state() raises {in_a_line(error)}") from error
    yield "state()", getattr(play.env, "state_space", None), state


def require_fit(space: gymnasium.Space[Any] | None, data: Any, what: str) -> None:
    """Raises Failed unless the data is finite and, if there is a space, lies in it and has its types."""
    for path, array in arrays_in(data):
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise Failed(f"{what}{path and f', {path}'} has an entry that is not a finite number: {array}")
    for path, part, value in _leaves(space, data) if space is not None else ():
        at = f"{what}{path and f', {path}'}"
        if isinstance(value, np.ndarray | np.generic) and part.dtype is not None and value.dtype != part.dtype:
            raise Failed(f"{at} is {value.dtype}, the space is {part.dtype}")
        wanted = next((types for spaces, types in TYPES.items() if isinstance(part, spaces)), object)
        if not isinstance(value, wanted):
            what = f"which are of type {type(part.sample()).__name__}"
            raise Failed(f"{at} is a {type(value).__name__}, unlike the samples of {type(part).__name__}, {what}")
        if not part.contains(value):
            raise Failed(f"{at} is not in its space {' '.join(str(part).split())}: {' '.join(repr(value).split())}")


def _leaves(space: Any, data: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(space, gymnasium.spaces.Dict) and isinstance(data, Mapping) and set(data) == set(space.spaces):
        for key, part in space.spaces.items():
            yield from _leaves(part, data[key], f"{path}.{key}" if path else str(key))
    elif isinstance(space, gymnasium.spaces.Tuple) and isinstance(data, tuple) and len(data) == len(space.spaces):
        for place, part in enumerate(space.spaces):
            yield from _leaves(part, data[place], f"{path}[{place}]")
    else:
        yield path, space, data


def _require_one_space(subject: Subject) -> None:
    """Before the first reset, each call returns the same object."""
    for skin in subject.skins():
        env = skin.new().env
        for agent in seats(env):
            for name in ("observation_space", "action_space"):
                try:
                    first, second = (getattr(env, name)(agent) for _ in range(2))
                except Exception as error:
                    raise Failed(f"{skin.kind}: {name}({agent!r}) before reset raises {in_a_line(error)}") from error
                if first is not second:
                    raise Failed(f"{skin.kind}: {name}({agent!r}) makes a new space at each call")


@watcher("AEC", "Parallel", first=_require_one_space)
def spaces_stay_the_same(play: Play, subject: Subject) -> Watch:
    """Spaces exist before the first reset, and each call returns the same, unchanging object.

    Learners query the spaces once, before any reset, and sample later from the objects that they seeded.
    """
    first = subject.once(("spaces", play.kind), lambda: _facts(play))
    while True:
        if len(play.played) % 4 == 3 or len(play.env.agents) < 2:
            require_same(first, _facts(play), f"{play.at}: spaces at first and now")
        yield from step()


def _facts(play: Play) -> dict[str, Any]:
    return {
        f"{name}({agent!r})": without_generators(space_facts(getattr(play.env, name)(agent)))
        for name in ("observation_space", "action_space")
        for agent in getattr(play.env, "possible_agents", ())
    }


def spaces_of_seats_are_seeded_apart(subject: Subject) -> None:
    """If a reset seeds the action spaces, it seeds those of two agents differently.

    Otherwise random players always make the same choice.
    """
    for skin in subject.skins():
        env = skin.new().reset(3).env
        known: list[tuple[Any, Any, Any]] = []
        for agent in seats(env):
            space = env.action_space(agent)
            generator = getattr(space, "_np_random", None)
            if generator is None:
                continue
            state = generator.bit_generator.state
            for other, other_space, other_state in known:
                if other_space is not space and repr(state) == repr(other_state):
                    raise Failed(f"{skin.kind}: reset(seed=3) seeds the action spaces of {other} and {agent} alike")
            known.append((agent, space, state))
    if not any(getattr(skin.new().env, "possible_agents", ()) for skin in subject.skins()):
        raise NotApplicable("it does not say who its possible agents are")
