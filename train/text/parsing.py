"""Strings of the command line as values: numbers, lists, `KEY=VALUE` and options."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from cardwar_envs.core.parameters import abbreviated, check_names

TYPES: dict[Any, str] = {int: "an integer", float: "a number", bool: "true or false"}
# All integers up to this are exact as floats.
MOST_OF_A_FLOAT = 2**53
BOOLEANS, NONE = {"true": True, "false": False}, "none"
LISTS = (tuple, list, frozenset)
# The name of a class of the user's.
MODULE_AND_CLASS = re.compile(r"[^\W\d]\w*(\.\w+)*:[^\W\d]\w*(\.\w+)*")


def converted(name: str, text: str, hint: Any, depth: int = 0) -> Any:
    """Converts a string to a value of a field's type.

    Commas separate the items of a list, slashes the lists in a list of lists. An empty string is an empty list.

    Args:
        name: Name of the field, for the error.
        text: The string to convert.
        hint: The field's type: int, float, bool, str, literal strings or numbers, a tuple, list or frozenset of these
            or of lists of these, or a union of any of them with None, which is written `none`.
        depth: Nesting depth of the string in lists.

    Raises:
        ValueError: If the string cannot be parsed as that type, or the type is not supported.
    """
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if text.lower() == NONE and types.NoneType in parts:
            return None
        return converted(name, text, next(part for part in parts if part is not types.NoneType), depth)
    if origin is typing.Literal:
        return {str(part): part for part in parts}.get(text, text)  # the game checks the value itself
    if origin in LISTS:
        return origin(_items(name, text, origin, parts, depth))
    if hint not in (str, *TYPES):
        raise ValueError(f"{name} ({abbreviated(text)}) cannot be written as text: it is of the type {hint}")
    try:
        return BOOLEANS[text.lower()] if hint is bool else whole(text) if hint is int else hint(text)
    except (KeyError, ValueError):
        raise ValueError(f"{name} ({abbreviated(text)}) must be {TYPES[hint]}") from None


def whole(text: str) -> int:
    """Parses an integer, also in the form 1e5; raises ValueError for other strings."""
    if "e" not in text.lower():
        return int(text)
    number = float(text)
    if not number.is_integer() or abs(number) > MOST_OF_A_FLOAT:
        raise ValueError(f"{text} must be an integer")
    return int(number)


def _items(name: str, text: str, origin: Any, parts: tuple[Any, ...], depth: int) -> list[Any]:
    nested = any(typing.get_origin(part) in LISTS for part in parts)
    separator = "/" if nested else ","
    if depth > 1 or (depth == 1 and nested):
        raise ValueError(f"{name} has lists of lists of lists, which cannot be written as text")
    fixed = origin is tuple and Ellipsis not in parts
    texts = [] if not text and not (fixed and parts) else text.split(separator)
    if fixed and len(texts) != len(parts):
        raise ValueError(f"{name} ({text}) must have {len(parts)} parts with {separator!r} between them")
    hints = parts if fixed else parts[:1] * len(texts)
    return [converted(name, each.strip(), hint, depth + 1) for each, hint in zip(texts, hints, strict=True)]


def fields_from(kind: type, words: Mapping[str, str], owner: str) -> dict[str, Any]:
    """Converts strings, by field name, to keyword arguments of the dataclass `kind`; errors name `owner`.

    Raises:
        ValueError: If a field is unknown, a string cannot be converted to its field's type, or the type cannot be
        resolved.
    """
    check_names(kind, words, owner)
    try:
        hints = typing.get_type_hints(kind) if words else {}
    except NameError as error:  # a type imported for type checkers only
        raise ValueError(f"{owner}: the types of its parameters cannot be read: {error}") from None
    return {name: converted(name, text, hints[name]) for name, text in words.items()}


def split_words(words: Iterable[str]) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Sorts arguments into `KEY=VALUE`, `--option VALUE` and the rest.

    Raises:
        ValueError: If something is given twice or an option has no value.
    """
    parameters: dict[str, str] = {}
    options: dict[str, str] = {}
    rest: list[str] = []
    remaining = iter(words)
    for word in remaining:
        name, equals, text = word.partition("=")
        if word.startswith("--"):
            if not equals:
                text = next(remaining, "")
            if not text:
                raise ValueError(f"option {name} needs a value")
            target, name = options, name[2:].replace("-", "_")
        elif equals and name.isidentifier():
            target = parameters
        else:
            rest.append(word)
            continue
        if name in target:
            raise ValueError(f"{name} is given twice")
        target[name] = text
    return parameters, options, rest


def parameters_and_names(words: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Sorts arguments into `KEY=VALUE` and the rest.

    Raises:
        ValueError: In the cases of `split_words`; also if there is an option.
    """
    parameters, options, names = split_words(words)
    if options:
        raise ValueError(f"no such option: --{next(iter(options))}")
    return parameters, names


def only_parameters(words: Iterable[str], hint: str = "") -> dict[str, str]:
    """Parses `KEY=VALUE` arguments; raises ValueError for other arguments, with a message that ends with `hint`."""
    parameters, options, rest = split_words(words)
    for word in (*rest, *(f"--{option}" for option in options)):
        raise ValueError(f"{word!r} must read KEY=VALUE, a parameter of the game{hint}")
    return parameters
