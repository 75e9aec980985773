"""Conversion between strings and states: `hands=1,3/2,3 score=1 ties=0`.

A state is written field by field, with the field names of its class and values in the format of `converted`. States
without named fields are written as Python literals: `3` or `(1, "a")`.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import types
import typing
from collections.abc import Collection, Mapping
from typing import Any

from cardwar_envs import Game
from train.text.parsing import LISTS, NONE, converted

SEPARATORS = "/,"


def state_from(text: str, game: Game[Any]) -> Any:
    """Parses a state; fields with defaults may be omitted (see also `Game.state_defaults`).

    Args:
        text: The state in this format.
        game: The game of the state.

    Raises:
        ValueError: If the string is not a state, or not a valid state of the game; the error shows a valid state.
    """
    example = game.initial()[0].state
    try:
        state = _read(text, example, game)
        game.check(state)
    except ValueError as error:
        shown = state_in_words(example)
        raise ValueError(f"--state {text!r}: {error}; a complete state of {game.facts.name}: {shown!r}") from None
    return state


def state_in_words(state: Any) -> str:
    """Returns the string that `state_from` parses to this state, or the state's `repr` if a field cannot be written."""
    hints = _fields(type(state))
    texts = {name: _written(getattr(state, name), 0) for name in hints or ()}
    if hints is None or None in texts.values():
        return repr(state)
    return " ".join(f"{name}={text}" for name, text in texts.items())


def _fields(state_type: type) -> dict[str, Any] | None:
    """Returns the fields of a state's class with their types; None if the class has no fields."""
    if dataclasses.is_dataclass(state_type):
        names: Collection[str] = [field.name for field in dataclasses.fields(state_type) if field.init]
    elif issubclass(state_type, tuple) and hasattr(state_type, "_fields"):
        names = state_type._fields
    else:
        return None
    try:
        hints = typing.get_type_hints(state_type)
    except NameError:  # a type imported for type checkers only
        hints = {}
    return {name: hints.get(name) for name in names}


def _read(text: str, example: Any, game: Game[Any]) -> Any:
    state_type = type(example)
    hints = _fields(state_type)
    if hints is None:
        try:
            return ast.literal_eval(text.strip())
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # including strings nested too deeply
            raise ValueError("it is not a number, a string or a tuple of these") from None
    given: dict[str, Any] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals or name not in hints:
            raise ValueError(f"{word!r} must read FIELD=VALUE, where the field is one of {', '.join(hints)}")
        if name in given:
            raise ValueError(f"{name} is given twice")
        given[name] = converted(name, value, hints[name] or _type_of(getattr(example, name)))
    return _made(state_type, {**game.state_defaults(given), **given})


def _made(state_type: type, given: Mapping[str, Any]) -> Any:
    needed = [
        name
        for name, parameter in inspect.signature(state_type).parameters.items()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    ]
    if missing := [name for name in needed if name not in given]:
        raise ValueError(f"{', '.join(missing)} must be given")
    return state_type(**given)


def _type_of(value: Any) -> Any:
    """Infers the type of a field without a hint from a value."""
    if isinstance(value, (tuple, list)):
        return types.GenericAlias(tuple, (_type_of(value[0]) if value else int, ...))
    return type(value)


def _written(value: Any, depth: int) -> str | None:
    """Returns a field's value as text; None if no text is parsed to this value."""
    if isinstance(value, LISTS):
        items = sorted(value) if isinstance(value, frozenset) else value
        nested = any(isinstance(item, LISTS) for item in items)
        texts = [_written(item, depth + 1) for item in items]
        if depth > 1 or (nested and depth == 1) or None in texts or (nested and texts == [""]):
            return None
        return ("/" if nested else ",").join(map(str, texts))
    text = NONE if value is None else str(value)
    ambiguous = any(mark in text for mark in SEPARATORS) or not text or text.split() != [text]
    return None if isinstance(value, str) and ambiguous else text
