"""Keeps what was worked out for a game, for the next time that somebody asks about a game by the same rules.

Games that compare equal need not have the same rules: `==` does not see an attribute that is no field, a field with
`compare=False`, a method that was set later, or that 1 stands where 1.0 stood. So answers are kept by all that a game's
rules can depend on in the game itself. A game with anything in it that can change unseen is worked out anew each time.
What rules read elsewhere, such as a variable of their module, is not looked at.
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

# Of these types, two values that are equal are the same.
PLAIN = (int, bool, str, bytes, complex, range, Fraction, type(None))
# These are the same if they are one object.
CODE = (types.FunctionType, types.BuiltinFunctionType, functools.partial, type, property, classmethod, staticmethod)


class _ChangeableError(Exception):
    """A game has something in it that can change while the game stays the same object."""


def kept_for_games(most: int) -> Callable[[Callable[Concatenate[Any, P], R]], Callable[Concatenate[Any, P], R]]:
    """Decorates a function of a game, and of other hashable arguments: keeps the answers for the last `most` games."""

    def decorate(work: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
        def by_rules(rules: _Rules, *args: Any, **kwargs: Any) -> R:
            return work(rules.game, *args, **kwargs)

        kept: Any = lru_cache(maxsize=most)(by_rules)

        @wraps(work)
        def ask(game: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
            try:
                rules = _Rules(game)
            except _ChangeableError:
                return work(game, *args, **kwargs)
            answer: R = kept(rules, *args, **kwargs)
            return answer

        told: Any = ask
        told.cache_clear = kept.cache_clear
        return cast(Callable[Concatenate[Any, P], R], ask)

    return decorate


class _Rules:
    """A game as a key: equal if nothing that the rules can depend on in the game itself differs."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self._parts: Hashable = (type(game), _class_parts(type(game)), _own_parts(game))
        self._hash = hash(self._parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rules) and self._parts == other._parts


def _class_parts(kind: type) -> Hashable:
    """All that stands in the classes of a game: methods as objects, data as values."""
    classes = [each for each in kind.__mro__ if each is not object]
    return tuple((name, _class_part(part)) for each in classes for name, part in vars(each).items() if _matters(name))


def _matters(name: str) -> bool:
    return not name.startswith("__") or name in ("__post_init__", "__getattribute__", "__getattr__")


def _class_part(part: Any) -> Hashable:
    """A method as itself, data as a value; what is in lists, dicts, sets and arrays is looked at anew each time."""
    kind = type(part)
    if isinstance(part, CODE):
        return part  # as most are; it equals only itself
    if kind in (list, tuple):
        return kind, tuple(map(_class_part, part))
    if kind in (set, frozenset):
        return kind, frozenset(map(_class_part, part))
    if kind is dict:
        return kind, tuple((_class_part(name), _class_part(value)) for name, value in part.items())
    if kind is np.ndarray and not part.dtype.hasobject:
        return kind, part.dtype.str, part.shape, part.tobytes()
    try:
        return _part(part)
    except _ChangeableError:
        return _Same(part)


class _Same:
    """One object, whatever it compares equal to."""

    def __init__(self, one: object) -> None:
        self._one = one

    def __hash__(self) -> int:
        return id(self._one)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._one is other._one


def _own_parts(game: Game[Any]) -> Hashable:
    """All that stands in a game itself, fields and others, without what it has worked out from these."""
    kind = type(game)
    slots = {name for each in kind.__mro__ for name in _slots(each) if hasattr(game, name)}
    names = {*vars(game), *slots}
    memos = {name for name in names if isinstance(getattr(kind, name, None), cached_property)}
    return frozenset((name, _part(getattr(game, name))) for name in names - memos)


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _part(value: Any) -> Hashable:
    """A value with its type, so that only what is the same in all ways is equal.

    Raises:
        _ChangeableError: If the value can change, or nobody knows whether it can.
    """
    kind = type(value)
    if kind is float:
        return kind, value.hex()  # -0.0 is not 0.0 here
    if kind in PLAIN:
        return kind, value
    if kind in (tuple, frozenset):
        return kind, kind(map(_part, value))
    if isinstance(value, (*CODE, enum.Enum)):
        return kind, value
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if isinstance(value, Game):
        return _Rules(value)
    if isinstance(value, tuple):  # a named one
        return kind, tuple(map(_part, value))
    if dataclasses.is_dataclass(value) and vars(kind)["__dataclass_params__"].frozen:
        return kind, tuple((each.name, _part(getattr(value, each.name))) for each in dataclasses.fields(value))
    raise _ChangeableError
