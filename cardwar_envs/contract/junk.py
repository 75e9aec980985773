"""Checks of `check`: it accepts every reachable state, and raises ValueError for anything that is not a state."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from cardwar_envs.contract.answers import short
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import Failed, in_a_line

Rebuild = Callable[[Any], Any]

CHANGED = 24  # states whose parts are replaced
DEEPEST = 3


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

    The default of `check` does this. It may accept values that no state has.
    """
    seen: dict[str, set[type]] = defaultdict(set)
    for node in case.nodes:
        for path, part, _ in _parts(node.state):
            seen[path].add(type(part))
    for node in case.some(CHANGED):
        for path, _, rebuild in _parts(node.state):
            for junk in JUNK:
                if type(junk) not in seen[path]:
                    _require_refused(case, partial(rebuild, junk))


def _require_refused(case: Case, make: Callable[[], Any]) -> None:
    try:
        junk = make()
    except Exception:  # the state cannot even be constructed
        return
    try:
        case.game.check(junk)
    except ValueError:
        return
    except Exception as error:
        raise Failed(f"check raises {in_a_line(error)} for {short(junk)}; it must raise ValueError") from error
    raise Failed(f"check accepts {short(junk)}, which is not a state")


def _parts(value: Any, path: str = "", depth: int = DEEPEST) -> Iterator[tuple[str, Any, Rebuild]]:
    """Yields a state and each of its parts, with its path and a function that returns the state with another part."""
    yield path, value, lambda other: other
    for name, at, part in _own_parts(value) if depth else ():
        for inner_path, inner, inside in _parts(part, f"{path}.{name}", depth - 1):
            yield inner_path, inner, partial(_inside, value, at, inside)


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


def _inside(value: Any, at: Any, inside: Rebuild, other: Any) -> Any:
    return _with_part(value, at, inside(other))
