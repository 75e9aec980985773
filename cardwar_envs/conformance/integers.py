"""A check that actions of all integer types are equivalent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium
import numpy as np

from cardwar_envs.conformance.compare import difference
from cardwar_envs.conformance.seeds import steady_apis
from cardwar_envs.conformance.subject import Api, Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, Noted, in_a_line

SEEDS, STEPS = 4, 24


def equal_actions_play_alike(subject: Subject) -> None:
    """NumPy integers as actions are equivalent to Python integers.

    So are zero-dimensional arrays, unless they are rejected.

    Networks return NumPy integers, scripts Python integers. If only the width of integers in observations differs, this
    is noted.

    Example: `if isinstance(action, int)`.
    Fix: `action = int(action)` after the check.
    """
    compared, noted = False, ""
    for api in steady_apis(subject):
        for what, one, other in _compared(api):
            compared = True
            if found := difference(_of_one_size(one), _of_one_size(other)):
                raise Failed(f"{what}: {found}")
            noted = noted or (f"{what}: {found}" if (found := difference(one, other)) else "")
    if noted:
        raise Noted(noted)
    if not compared:
        raise NotApplicable("actions are not integers")


def _compared(api: Api[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yields a location in a game, and all visible data there if actions are Python integers and if of other types."""
    for seed in range(SEEDS):
        play = api.game(seed)
        agents = list(play.env.agents)
        if not all(isinstance(play.env.action_space(agent), gymnasium.spaces.Discrete) for agent in agents):
            continue
        log = play.run(STEPS)
        for kind in (np.int64, np.int32, np.array):
            other = api.game(seed)
            for number, choice in enumerate(play.played):
                try:
                    handed = _as(kind, choice)
                except OverflowError:  # the action is too large for this type
                    break
                try:
                    other.submit(handed)
                except Exception as error:
                    if kind is np.array:  # never a sample of a space, so it may be refused
                        break
                    raise Failed(f"{other.at}: legal {handed!r} raises {in_a_line(error)}") from error
                yield f"{other.at}: with actions as int and as {kind.__name__}", log[number + 1], other.log[-1]


def _of_one_size(data: Any) -> Any:
    """Converts all integer arrays in the data to int64."""
    if isinstance(data, Mapping):
        return {key: _of_one_size(value) for key, value in data.items()}
    if type(data) in (list, tuple):
        return type(data)(map(_of_one_size, data))
    return data.astype(np.int64) if isinstance(data, np.ndarray) and data.dtype.kind in "iu" else data


def _as(kind: Any, choice: Any) -> Any:
    if isinstance(choice, Mapping):
        return {agent: _as(kind, action) for agent, action in choice.items()}
    return None if choice is None else kind(choice)
