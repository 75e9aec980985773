"""Caches results per game, under a key with everything in a game that its rules can depend on.

Games that compare equal can still have different rules: `==` ignores fields with `compare=False`, attributes that are
not fields, and the difference between 1 and 1.0. So the key holds the class, its methods, and every attribute with its
type. A game that holds anything mutable is never cached. Rules that read state outside the game, such as a module
variable, are not covered.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cached_property, lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from cardwar_envs.core.game import Game

P = ParamSpec("P")
R = TypeVar("R")

# Equal values of these types are interchangeable.
PLAIN = (int, bool, str, bytes, complex, range, Fraction, type(None))
# Methods and other descriptors are compared by identity.
CODE = (types.FunctionType, types.BuiltinFunctionType, functools.partial, type, property, classmethod, staticmethod)


class _MutableError(Exception):
    """Signals that the game holds something mutable."""


def cached_by_game(most: int) -> Callable[[Callable[Concatenate[Any, P], R]], Callable[Concatenate[Any, P], R]]:
    """Caches a function of a game and further hashable arguments; keeps the `most` most recent results.

    What is not a game is passed on, so that the function rejects it.
    """

    def decorate(work: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
        cache: Any = lru_cache(maxsize=most)(lambda keyed, *args, **kwargs: work(_twin(keyed.game), *args, **kwargs))

        @wraps(work)
        def cached(game: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
            if not isinstance(game, Game):
                return work(game, *args, **kwargs)
            try:
                keyed = _KeyedGame(game)
            except _MutableError:
                return work(game, *args, **kwargs)
            return cast(R, cache(keyed, *args, **kwargs))

        cast(Any, cached).cache_clear = cache.cache_clear
        return cached

    return decorate


class _KeyedGame:
    """Wraps a game so that equality means equal rules."""

    def __init__(self, game: Game[Any]) -> None:
        self.game, self._key = game, _key(game)
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KeyedGame) and self._key == other._key


def _twin(game: Game[Any]) -> Game[Any]:
    """A copy with the same attributes, so that a cached result does not change with the caller's object."""
    twin = object.__new__(type(game))
    vars(twin).update(vars(game))
    for name in slots_of(game):
        object.__setattr__(twin, name, getattr(game, name))
    return twin


def slots_of(value: Any) -> list[str]:
    """The attributes of a value that are in slots, and not in its `__dict__`."""
    names = (name for each in type(value).__mro__ for name in np.atleast_1d(vars(each).get("__slots__", ())))
    return [str(name) for name in names if hasattr(value, name)]


def _key(game: Game[Any]) -> Hashable:
    kind = type(game)
    classes = [each for each in kind.__mro__ if each is not object]
    shared = [(name, part) for each in classes for name, part in vars(each).items() if _is_rule(name)]
    # Cached properties follow from the other attributes.
    names = (*vars(game), *slots_of(game))
    own = [name for name in names if not isinstance(getattr(kind, name, None), cached_property)]
    return (
        kind,
        tuple((name, part if _is_code(part) else _typed(part)) for name, part in shared),
        frozenset((name, _typed(getattr(game, name))) for name in own),
    )


def _is_rule(name: str) -> bool:
    return not name.startswith(("__", "_abc_")) or name in ("__post_init__", "__getattribute__", "__getattr__")


def _is_code(part: Any) -> bool:
    return isinstance(part, CODE) or hasattr(part, "__get__")


def _typed(value: Any) -> Hashable:
    """Pairs a value with its type; raises a _MutableError unless the type is known to be immutable."""
    kind = type(value)
    if kind is float:
        return kind, value.hex()  # distinguishes -0.0 from 0.0
    if kind in PLAIN:
        return kind, value
    if isinstance(value, (*CODE, enum.Enum)):
        return kind, value
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if isinstance(value, (tuple, frozenset)):
        return kind, (frozenset if isinstance(value, frozenset) else tuple)(map(_typed, value))
    if isinstance(value, Game):
        return _key(value)
    if dataclasses.is_dataclass(value) and vars(kind)["__dataclass_params__"].frozen:
        return kind, tuple((each.name, _typed(getattr(value, each.name))) for each in dataclasses.fields(value))
    raise _MutableError
