"""Differences between nested data, and the arrays in it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.conformance.verdicts import Failed

# Maximum number of differing entries named per array.
MOST_PLACES = 64


def difference(first: Any, second: Any, path: str = "") -> str | None:
    """Describes the first difference in value between nested data; None if they are equal.

    0.0 equals -0.0, and outside of arrays numbers of different types can be equal.
    """
    return next((f"{where}: {what}" for where, what in places(first, second, path)), None)


def places(first: Any, second: Any, path: str = "", exact: bool = False) -> Iterator[tuple[str, str]]:
    """Yields all differences between nested data, with both values; `exact` compares types and signs of zero too."""
    if type(first) is type(second) and type(first) in (bool, int, str) and first == second:
        return  # fast path: most data is of these types, and equal
    if exact and type(first) is not type(second):
        yield path, f"{_short(first)} of type {type(first).__name__} and {_short(second)} of {type(second).__name__}"
    elif isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        yield from _array_places(first, second, path, exact)
    elif isinstance(first, Mapping) and isinstance(second, Mapping):
        yield from _mapping_places(first, second, path, exact)
    elif _is_list(first) and _is_list(second):
        if len(first) != len(second):
            yield path, f"{len(first)} and {len(second)} entries"
        for i, (one, other) in enumerate(zip(first, second, strict=False)):
            if one is not other:  # fast path: identical objects need no comparison
                yield from places(one, other, f"{path}[{i}]", exact)
    elif not _equal(first, second, exact):
        yield path, f"{_short(first)} and {_short(second)}"


def _mapping_places(
    first: Mapping[Any, Any], second: Mapping[Any, Any], path: str, exact: bool
) -> Iterator[tuple[str, str]]:
    if list(first) != list(second) and list(map(str, first)) != list(map(str, second)):
        yield path or "keys", f"{list(first)} and {list(second)}"
    for key, one in first.items():
        if key in second and one is not (other := second[key]):
            yield from places(one, other, f"{path}.{key}" if path else str(key), exact)


def _is_list(data: Any) -> bool:
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _equal(first: Any, second: Any, exact: bool) -> bool:
    # An object that compares by identity never equals its copy.
    if type(first).__eq__ is object.__eq__:  # type: ignore[comparison-overlap]  # it can be
        return type(first) is type(second)
    if exact and isinstance(first, float | np.floating) and math.copysign(1, first) != math.copysign(1, second):
        return False
    return bool(first == second) or (first != first and second != second)


def _array_places(first: Any, second: Any, path: str, exact: bool) -> Iterator[tuple[str, str]]:
    one, other = np.asarray(first), np.asarray(second)
    if one.dtype != other.dtype or one.shape != other.shape:
        yield path, f"{one.dtype}{list(one.shape)} and {other.dtype}{list(other.shape)}"
        return
    if one.dtype != object and one.tobytes() == other.tobytes():
        return
    differs = one != other
    if one.dtype.kind in "fc":
        differs &= ~(np.isnan(one) & np.isnan(other))
        if exact:
            differs |= np.signbit(one.real) != np.signbit(other.real)
    for place in map(tuple, np.argwhere(differs)[:MOST_PLACES]):
        yield f"{path}{[int(i) for i in place] if place else ''}", f"{one[place]} and {other[place]}"


def _short(data: Any) -> str:
    text = " ".join(repr(data).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def require_same(first: Any, second: Any, what: str) -> None:
    """Raises Failed, with `what` and the location, if the two differ."""
    if found := difference(first, second):
        raise Failed(f"{what}: {found}")


def require_same_play(first: Sequence[Any], second: Sequence[Any], what: str) -> None:
    """Compares two logs of play as `require_same` does; names the step after which they first differ."""
    for step, (one, other) in enumerate(zip(first, second, strict=False)):
        require_same(one, other, f"{what}, after step {step}" if step else f"{what}, after reset")
    if len(first) != len(second):
        raise Failed(f"{what}: one has {len(first) - 1} steps, the other {len(second) - 1}")


def arrays_in(data: Any, path: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    """All arrays in nested data, each with its path."""
    if isinstance(data, np.ndarray):
        yield path, data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from arrays_in(value, f"{path}.{key}" if path else str(key))
    elif _is_list(data):
        for i, value in enumerate(data):
            yield from arrays_in(value, f"{path}[{i}]")
