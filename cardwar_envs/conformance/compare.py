"""Where two pieces of data differ, and the arrays in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.conformance.verdicts import Failed


def difference(first: Any, second: Any, path: str = "") -> str | None:
    """The first place at which two nested pieces of data are not equal to the last bit, in words; else None."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return _array_difference(first, second, path)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if list(map(str, first)) != list(map(str, second)):
            return f"{path or 'keys'}: {list(first)} and {list(second)}"
        parts = [(f"{path}.{key}" if path else str(key), first[key], second[key]) for key in first]
    elif _is_list(first) and _is_list(second):
        if len(first) != len(second):
            return f"{path}: {len(first)} and {len(second)} entries"
        parts = [(f"{path}[{i}]", *pair) for i, pair in enumerate(zip(first, second, strict=True))]
    else:
        return None if _equal(first, second) else f"{path}: {_short(first)} and {_short(second)}"
    return next((found for where, one, other in parts if (found := difference(one, other, where))), None)


def _is_list(data: Any) -> bool:
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _equal(first: Any, second: Any) -> bool:
    # What compares by identity is never equal to its copy.
    if type(first).__eq__ is object.__eq__:  # type: ignore[comparison-overlap]  # it can be
        return type(first) is type(second)
    return bool(first == second) or (first != first and second != second)


def _array_difference(first: Any, second: Any, path: str) -> str | None:
    one, other = np.asarray(first), np.asarray(second)
    if one.dtype != other.dtype or one.shape != other.shape:
        return f"{path}: {one.dtype}{list(one.shape)} and {other.dtype}{list(other.shape)}"
    if one.tobytes() == other.tobytes() and one.dtype != object:
        return None
    places = np.argwhere(one != other)
    if not len(places):  # a NaN differs from itself, and zero has two signs
        return None
    place = tuple(places[0])
    return f"{path}{[int(i) for i in place] if place else ''}: {one[place]} and {other[place]}"


def _short(data: Any) -> str:
    text = " ".join(repr(data).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def require_same(first: Any, second: Any, what: str) -> None:
    """Raises Failed, with `what` and the place, if the two differ."""
    if found := difference(first, second):
        raise Failed(f"{what}: {found}")


def require_same_play(first: Sequence[Any], second: Sequence[Any], what: str) -> None:
    """As `require_same` for two logs of play; says after which step they part."""
    for step, (one, other) in enumerate(zip(first, second, strict=False)):
        require_same(one, other, f"{what}, after step {step}" if step else f"{what}, after reset")
    if len(first) != len(second):
        raise Failed(f"{what}: one has {len(first) - 1} steps, the other {len(second) - 1}")


def arrays_in(data: Any, path: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    """All arrays in a nested piece of data, each with its path."""
    if isinstance(data, np.ndarray):
        yield path, data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from arrays_in(value, f"{path}.{key}" if path else str(key))
    elif _is_list(data):
        for i, value in enumerate(data):
            yield from arrays_in(value, f"{path}[{i}]")
