"""Payoff tables: the payoffs of all players at each joint action of a one-shot game, exact where they are rational."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from numbers import Integral, Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.numbers import exact_or_rounded
from cardwar_envs.core.parameters import shown

# The most payoffs of a table, over all players and joint actions, and the most players.
MOST_NUMBERS, MOST_PLAYERS = 2_000_000, 16
# The longest number, the largest exponent and the largest absolute value, so that no number exhausts the memory.
LONGEST, MOST_EXPONENT, LARGEST = 100, 300, Fraction(10) ** 100
# The longest label, after white space is shortened.
LONGEST_LABEL = 100
NUMBER = re.compile(r"[-+]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE]([-+]?\d{1,4}))?)")
# Tolerance for the sums of payoffs that are floats, relative to the largest payoff.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Table:
    """A payoff table; `table_game` makes one from arrays.

    Attributes:
        shape: The number of actions of each player.
        numbers: The payoffs as text: those of player 0 at all joint actions, the last player's action fastest, then
            those of player 1, and so on. "1/2" is a fraction; a number with a point or exponent is a rounded float.
        players: The players' names.
        actions: The names of each player's actions.
        title: The table's name.
        is_file: Whether the title is the name of its file.
    """

    shape: tuple[int, ...]
    numbers: str
    players: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    title: str
    is_file: bool = False

    def to_json(self) -> str:
        """The table as JSON text, which `table_from_json` and the files `.json` take; rational payoffs as strings."""
        numbers: Any = self.payoffs if self.exact is None else self.exact.astype(str)
        names = {"players": self.players, "actions": self.actions, "title": self.title}
        return json.dumps({"payoffs": numbers.tolist(), "rounded": self.exact is None, **names})

    @cached_property
    def exact(self) -> NDArray[np.object_] | None:
        """The payoffs as Fractions, in the shape of `payoffs`; None if some are rounded floats."""
        if "." in self.numbers or "e" in self.numbers:
            return None
        return self._array([Fraction(number) for number in self.numbers.split()], object)

    @cached_property
    def payoffs(self) -> NDArray[np.float64]:
        """`[players, actions of player 0, ..., actions of the last player]` payoff points, rounded to floats."""
        return self._array([float(Fraction(number)) for number in self.numbers.split()], np.float64)

    def _array(self, numbers: Sequence[Any], dtype: Any) -> NDArray[Any]:
        array = np.array(numbers, dtype).reshape(len(self.shape), *self.shape)
        array.setflags(write=False)
        return array

    @cached_property
    def sha256(self) -> str:
        """A checksum of everything but the title."""
        return hashlib.sha256(repr((self.shape, self.numbers, self.players, self.actions)).encode()).hexdigest()

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether the payoffs of every joint action sum to zero; up to rounding if they are floats."""
        if self.exact is not None:
            return not self.exact.sum(axis=0).any()
        return bool(np.abs(self.payoffs.sum(axis=0)).max() <= ROUNDING * max(np.abs(self.payoffs).max(), 1.0))


def make_table(
    payoffs: Any,
    players: Sequence[str] | None = None,
    actions: Sequence[Sequence[str]] | None = None,
    title: str = "",
    is_file: bool = False,
) -> Table:
    """Returns the table of some payoffs; see `table_game`."""
    array = _payoff_array(payoffs)
    shape = array.shape[1:]
    numbers = [_number(number) for number in array.ravel().tolist()]
    if any(isinstance(number, float) for number in numbers):
        numbers = [_number(float(number)) for number in numbers]
    names = _labels("players", players or [f"player_{i}" for i in range(len(shape))], len(shape))
    given = actions or [[str(number + 1) for number in range(count)] for count in shape]
    if len(given) != len(shape):
        raise ValueError(f"actions ({shown(actions)}) must have a list of names for each of the {len(shape)} players")
    labels = tuple(_labels(f"actions[{i}]", each, shape[i]) for i, each in enumerate(given))
    written = " ".join(repr(each) if isinstance(each, float) else str(each) for each in numbers)
    return Table(shape, written, names, labels, title or "x".join(map(str, shape)), is_file)


def _payoff_array(payoffs: Any) -> NDArray[Any]:
    """Returns payoffs as an array `[players, actions of player 0, ...]` of objects; a matrix is zero-sum."""
    uneven = "payoffs must be an array: all rows must have the same length"
    try:
        array = payoffs if isinstance(payoffs, np.ndarray) else np.array(payoffs, dtype=object)
    except ValueError:  # arrays that differ in a later side
        raise ValueError(uneven) from None
    if array.dtype == object and any(isinstance(each, list | tuple | np.ndarray) for each in array.flat):
        raise ValueError(uneven)
    if array.ndim == 2:
        array = np.array([[_number(each) for each in row] for row in array.tolist()], dtype=object)
        array = np.stack([array, -array]) if array.size else array[None]
    if not 3 <= array.ndim <= MOST_PLAYERS + 1 or len(array) != array.ndim - 1:
        raise ValueError(
            f"payoffs of shape {array.shape} must be a matrix (zero-sum, the row player's payoffs) or have the shape "
            f"[players, actions of player 0, ..., actions of the last player] for 2..{MOST_PLAYERS} players"
        )
    if not 0 < array.size <= MOST_NUMBERS:
        raise ValueError(f"payoffs of shape {array.shape} must have 1..{MOST_NUMBERS:,} numbers")
    return array


def _number(number: Any) -> Fraction | float:
    """Returns a number as a Fraction, or as a float if it is a float whose value is not the decimal it is printed as.

    Raises a ValueError if it is not a number, not finite or too large.
    """
    number = number.item() if isinstance(number, np.generic) else number
    if isinstance(number, str):
        return parsed_number(number)
    if isinstance(number, bool) or not isinstance(number, Integral | Rational | Decimal | float):
        raise ValueError(f"payoff {shown(number)} must be a number, such as 2, 0.5 or '1/3'")
    try:
        fraction = Fraction(number)
    except (ValueError, OverflowError):
        raise ValueError(f"payoff {number} must be finite") from None
    if abs(fraction) > LARGEST:
        raise ValueError(f"payoff {number!s:.30} must be at most 1e100 in absolute value")
    return exact_or_rounded(number)


def parsed_number(text: str) -> Fraction:
    """Returns the exact value of an integer, a fraction or a decimal, e.g. "-1/2", "0.1" or "1e-3"."""
    found = NUMBER.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None or abs(int(found[1] or 0)) > MOST_EXPONENT:
        raise ValueError(f"{shown(text[:LONGEST])} must be a number, such as 2, 0.5 or 1/3")
    try:
        number = Fraction(found[0])
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by zero") from None
    if abs(number) > LARGEST:
        raise ValueError(f"payoff {text!r} must be at most 1e100 in absolute value")
    return number


def _labels(what: str, labels: Iterable[Any], count: int) -> tuple[str, ...]:
    """Returns labels with single spaces; raises a ValueError unless they are `count` different printable names."""
    found = tuple(" ".join(str(label).split()) for label in labels)
    if len(found) != count:
        raise ValueError(f"{what} ({shown(found)}) must be {count} names")
    for label in found:
        if not label or len(label) > LONGEST_LABEL or not label.isprintable():
            raise ValueError(f"{what}: {label!r:.120} must be a printable name of 1..{LONGEST_LABEL} characters")
        if found.count(label) > 1:
            raise ValueError(f"{what}: two have the name {label!r}")
    return found
