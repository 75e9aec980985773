"""Checks of `check`: it accepts every reachable state, and raises ValueError for anything that is not a state."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from cardwar_envs.contract.answers import short
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.observations import observation_fault
from cardwar_envs.contract.verdicts import Failed, in_a_line

Rebuild = Callable[[Any], Any]

CHANGED = 24  # states whose parts are replaced
DEEPEST = 3
FAR = (-(10**9), 10**9)


class NoState:
    """A value that is not a state of any game."""

    def __repr__(self) -> str:
        return "NoState()"


JUNK: tuple[Any, ...] = (None, "no state", 0.5, (), [], {}, NoState())


def check_takes_states(case: Case) -> None:
    """Every reachable state passes `check`."""
    for node in case.nodes:
        case.ask("check", node.state)


def check_refuses_junk(case: Case) -> None:
    """`check` raises ValueError for other types, and for states in which a part has the wrong type.

    If the state is public, it also rejects numbers far out of bounds and parts of twice the length, unless such a state
    has a valid observation: `check` may accept unreachable states, but environments must handle every state that it
    accepts.
    """
    types = {type(node.state) for node in case.nodes}
    for junk in JUNK:
        if type(junk) not in types:
            _require_refused(case, junk)
    seen: dict[str, set[type]] = defaultdict(set)
    for node in case.nodes:
        for path, part, _ in _parts(node.state):
            seen[path].add(type(part))
    for node in case.some(CHANGED):
        for path, part, rebuild in _parts(node.state):
            for junk in JUNK:
                if type(junk) not in seen[path]:
                    _try(case, rebuild, junk, _require_refused)
            for other in _odd(part) if case.facts.public_state else ():
                _try(case, rebuild, other, _require_refused_or_shown)


def _odd(part: Any) -> tuple[Any, ...]:
    """Other values of the same type that are unlikely there."""
    if type(part) is int:
        return FAR
    return (part * 2,) if type(part) is tuple and part else ()


def _try(case: Case, rebuild: Rebuild, part: Any, require: Callable[[Case, Any], None]) -> None:
    try:
        state = rebuild(part)
    except Exception:  # the state cannot even be constructed
        return
    require(case, state)


def _require_refused(case: Case, junk: Any) -> None:
    if _is_refused(case, junk):
        return
    raise Failed(f"check accepts {short(junk)}, which is not a state")


def _require_refused_or_shown(case: Case, state: Any) -> None:
    if _is_refused(case, state):
        return
    for player in range(case.facts.num_players):
        try:
            fault = observation_fault(case.facts, case.game.observation(state, player))
        except Exception as error:
            fault = f"observation raises {in_a_line(error)}"
        if fault:
            raise Failed(f"check accepts {short(state)}, where the observation of player_{player} is wrong: {fault}")


def _is_refused(case: Case, junk: Any) -> bool:
    try:
        case.game.check(junk)
    except ValueError:
        return True
    except Exception as error:
        raise Failed(f"check raises {in_a_line(error)} for {short(junk)}; it must raise ValueError") from error
    return False


def _parts(value: Any, path: str = "", depth: int = DEEPEST) -> Iterator[tuple[str, Any, Rebuild]]:
    """Yields the path of each part of a state, the part, and a function that returns the state with another part."""
    for name, at, part in _own_parts(value) if depth else ():
        rebuild = partial(_with_part, value, at)
        yield f"{path}.{name}", part, rebuild
        for inner_path, inner, inside in _parts(part, f"{path}.{name}", depth - 1):
            yield inner_path, inner, partial(_inside, rebuild, inside)


def _own_parts(value: Any) -> Iterator[tuple[str, str | int, Any]]:
    """Yields the name, key and value of each field, or of a tuple's first and last entry."""
    if type(value) is tuple and value:
        yield from (("item", i, value[i]) for i in {0, len(value) - 1})
        return
    names = getattr(value, "_fields", ())
    if not names and dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
    yield from ((name, name, getattr(value, name)) for name in names)


def _with_part(value: Any, at: Any, other: Any) -> Any:
    if type(value) is tuple:
        return (*value[:at], other, *value[at + 1 :])
    return value._replace(**{at: other}) if hasattr(value, "_fields") else dataclasses.replace(value, **{at: other})


def _inside(outer: Rebuild, inner: Rebuild, other: Any) -> Any:
    return outer(inner(other))
