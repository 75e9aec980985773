"""Checks parameters and arguments: each function returns the value or raises a ValueError with its name and limits."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from operator import index
from typing import Any

import numpy as np

FIELD = re.compile(r"^    (\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)
# Numbers with this many digits are abbreviated in messages.
MANY_DIGITS = re.compile(r"\d{31,}")


class ArgumentError(ValueError, TypeError):
    """An unknown argument.

    `ArgumentError` is also a TypeError, which Python raises for an unknown keyword: Stable-Baselines3 and TorchRL try
    keywords of their own and drop them after a TypeError.
    """


def abbreviated(text: str) -> str:
    """Abbreviates very long numbers in a string, as in "123456…(300 digits)"."""
    return MANY_DIGITS.sub(lambda found: f"{found[0][:6]}…({len(found[0])} digits)", text)


def shown(value: object) -> str:
    """Formats a value for messages: its `repr`, abbreviated."""
    try:
        return abbreviated(repr(value))
    except ValueError:  # Python refuses to format integers of thousands of digits
        return f"{type(value).__name__} of more than {sys.get_int_max_str_digits()} digits"


def whole_number(name: str, number: object, allowed: range | None = None) -> int:
    """Converts an integer of any type but bool to an int.

    Raises a ValueError that names the parameter if it is not an integer in the allowed range.
    """
    try:
        if isinstance(number, bool | np.bool_):
            raise TypeError
        whole = index(number)  # type: ignore[arg-type]  # this call is the check
    except TypeError:
        raise ValueError(f"{name} ({shown(number)}) must be an integer") from None
    if allowed is not None and whole not in allowed:
        raise ValueError(f"{name} ({shown(whole)}) must be in {allowed[0]}..{allowed[-1]}")
    return whole


def set_whole_number(owner: object, field: str, least: int, most: int) -> None:
    """Converts a field of a frozen dataclass to an int; raises a ValueError unless it is in `least..most`."""
    object.__setattr__(owner, field, whole_number(field, getattr(owner, field), range(least, most + 1)))


@contextmanager
def reading_state(state: object, form: str) -> Iterator[None]:
    """Context manager that raises a ValueError if a part of a state is missing, of the wrong type or not hashable."""
    try:
        hash(state)
        yield
    except (AttributeError, TypeError, ValueError):
        raise ValueError(f"state ({state!r}) must be {form}") from None


def whole_numbers(name: str, numbers: object) -> tuple[int, ...]:
    """Converts a tuple of integers to ints; raises a ValueError for anything else."""
    return tuple(whole_number(name, number) for number in checked_tuple(name, numbers))


def checked_tuple(name: str, items: object) -> tuple[Any, ...]:
    """Returns `items`; raises a ValueError unless they are a tuple."""
    if not isinstance(items, tuple):
        raise ValueError(f"{name} ({shown(items)}) must be a tuple")
    return items


def one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """Returns `value`; raises a ValueError that lists the allowed values if it is not among them."""
    # Arrays do not compare to a single bool.
    if not isinstance(value, str | int | np.integer | None) or value not in allowed:
        raise ValueError(f"{name} ({shown(value)}) must be one of {', '.join(map(repr, allowed))}")
    return value


def nearest(name: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """Returns the known name that `name` may misspell, ignoring case; None if none is close.

    `alike` is the `cutoff` of `difflib.get_close_matches`, from 0 to 1.
    """
    return next(iter(get_close_matches(name.lower(), known, n=1, cutoff=alike)), None)


def _abbreviates(name: str, words: Sequence[str]) -> bool:
    """Returns whether a name consists of beginnings of the first words: `lr`, `lrate` and `learning_rate`."""
    if not words or not name:
        return not name
    lengths = range(1, min(len(name), len(words[0])) + 1)
    return any(words[0].startswith(name[:n]) and _abbreviates(name[n:], words[1:]) for n in lengths)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Returns a hint for errors about unknown names: " (did you mean 'jujitsu'?)", or "" if no known name is close.

    A name that abbreviates a single known name is close to it, such as `lr` to `learning_rate`.
    """
    known = list(known)
    short = [each for each in known if name and _abbreviates(name.lower().replace("_", ""), each.split("_"))]
    near = short[0] if len(short) == 1 else nearest(name, known)
    return "" if near is None else f" (did you mean {near!r}?)"


def unexpected_keyword(name: str, reason: str) -> ArgumentError:
    """Returns the error for an unknown keyword, worded like Python's because TorchRL recognises it by that message."""
    return ArgumentError(f"unexpected keyword argument {name!r}: {reason}")


def check_names(kind: Any, names: Iterable[str], owner: str, *, keywords: bool = False) -> None:
    """Raises an ArgumentError for a name that is not a field of the dataclass `kind`, the parameters of `owner`.

    With `keywords`, the names are keyword arguments, and `unexpected_keyword` makes the error.
    """
    known = [field.name for field in dataclasses.fields(kind) if field.init]
    for name in names:
        if name not in known:
            has = f"it has {', '.join(known) or 'none'}"
            reason = f"{owner} has no parameter {name!r}{did_you_mean(name, known)}; {has}"
            raise unexpected_keyword(name, reason) if keywords else ArgumentError(reason)


def described(kind: type) -> dict[str, str]:
    """Maps field names to their one-line descriptions in the "Attributes:" sections of a dataclass and its bases."""
    told: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        found = FIELD.findall(block_below(vars(base).get("__doc__") or "", "Attributes:"))
        told |= {name: " ".join(text.split()) for name, text in found}
    return {field.name: told.get(field.name, "") for field in dataclasses.fields(kind) if field.init}


def block_below(docstring: str, heading: str) -> str:
    """Returns the block of a docstring below `heading`."""
    below = inspect.cleandoc(docstring).partition(f"{heading}\n")[2]
    return re.split(r"^\S|\n\n", below, maxsplit=1, flags=re.MULTILINE)[0]
