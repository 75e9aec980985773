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

# The most payoffs of a table, over all players and joint actions; the largest absolute value, in points.
MOST_NUMBERS, LARGEST = 500_000, 1e100
# An integer, a fraction or a decimal whose exponent cannot exhaust the memory; and the longest one.
NUMBER = re.compile(r"[-+]?(?:\d+/0*[1-9]\d*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)")
LONGEST = 100
# Sums of payoffs that are floats may differ from zero by this fraction of the largest payoff.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Table:
    """A payoff table; `table_game` makes one from arrays.

    Attributes:
        shape: The number of actions of each player.
        numbers: The payoffs as text, in the order of the array `payoffs`: integers and fractions such as "1/2", or
            rounded floats, which have a point or an exponent.
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

    @cached_property
    def exact(self) -> NDArray[np.object_] | None:
        """The payoffs as Fractions, in the shape of `payoffs`; None if some are rounded floats."""
        if "." in self.numbers or "e" in self.numbers:
            return None
        return np.array(list(map(Fraction, self.numbers.split())), object).reshape(len(self.shape), *self.shape)

    @cached_property
    def payoffs(self) -> NDArray[np.float64]:
        """`[players, actions of player 0, ..., actions of the last player]` payoff points, rounded to floats."""
        if self.exact is not None:
            return self.exact.astype(np.float64)
        return np.array(self.numbers.split(), np.float64).reshape(len(self.shape), *self.shape)

    @property
    def sha256(self) -> str:
        """A checksum of everything but the title."""
        return hashlib.sha256(repr((self.shape, self.numbers, self.players, self.actions)).encode()).hexdigest()

    @property
    def is_zero_sum(self) -> bool:
        """Whether the payoffs of every joint action sum to zero; up to rounding if they are floats."""
        if self.exact is not None:
            return not self.exact.sum(axis=0).any()
        return bool(np.abs(self.payoffs.sum(axis=0)).max() <= ROUNDING * np.abs(self.payoffs).max())

    def to_json(self) -> str:
        """The table as JSON text, as `table_from_json` and the files `.json` have it; rational payoffs are strings."""
        numbers: Any = self.payoffs if self.exact is None else self.exact.astype(str)
        names = {"players": self.players, "actions": self.actions, "title": self.title}
        return json.dumps({"payoffs": numbers.tolist(), "rounded": self.exact is None, **names})


def make_table(
    payoffs: Any,
    players: Sequence[str] | None = None,
    actions: Sequence[Sequence[str]] | None = None,
    title: str = "",
    is_file: bool = False,
) -> Table:
    """Returns the table of some payoffs; see `table_game`."""
    array = _payoff_array(payoffs, alone=players is not None and len(players) == 1)
    shape, numbers = array.shape[1:], list(map(number_from, array.ravel().tolist()))
    if any(isinstance(number, float) for number in numbers):
        numbers = list(map(float, numbers))
    names = _labels("players", players or [f"player_{player}" for player in range(len(shape))], len(shape))
    given: Sequence[Sequence[Any]] = actions or [range(1, count + 1) for count in shape]
    if len(given) != len(shape):
        raise ValueError(f"actions ({shown(actions)}) must have a list of names for each of the {len(shape)} players")
    labels = tuple(_labels(f"actions[{i}]", each, shape[i]) for i, each in enumerate(given))
    if not str(title).isprintable():
        raise ValueError(f"title ({title!r:.100}) must be printable")
    return Table(shape, " ".join(map(str, numbers)), names, labels, title or "x".join(map(str, shape)), is_file)


def _payoff_array(payoffs: Any, alone: bool) -> NDArray[Any]:
    """Returns payoffs as an array `[players, actions of player 0, ...]`; a matrix is zero-sum, but for one player."""
    try:
        array = payoffs if isinstance(payoffs, np.ndarray) else np.array(payoffs, dtype=object)
    except ValueError:  # arrays that differ in a later side
        array = np.array([()], dtype=object)
    if not 0 < array.size <= MOST_NUMBERS or any(isinstance(each, list | tuple | np.ndarray) for each in array.flat):
        raise ValueError(f"payoffs must be an array, with rows of the same length, of 1..{MOST_NUMBERS:,} numbers")
    if array.ndim == 2 and not (alone and len(array) == 1):
        array = np.array(list(map(number_from, array.ravel().tolist())), dtype=object).reshape(array.shape)
        array = np.stack([array, -array])
    if array.ndim < 2 or len(array) != array.ndim - 1:
        raise ValueError(
            f"payoffs of shape {array.shape} must be a matrix (zero-sum, the row player's payoffs) or have the shape "
            "[players, actions of player 0, ..., actions of the last player]"
        )
    return array


def number_from(number: Any) -> Fraction | float:
    """Returns the exact value of a number or of text such as "-1/2" or "0.1", or a float if it was rounded before.

    Raises:
        ValueError: If it is not a finite number, or too large.
    """
    kinds = Integral | Rational | Decimal | float | np.number
    isnumber = NUMBER.fullmatch(number) and len(number) <= LONGEST if isinstance(number, str) else None
    try:
        if not (isnumber or isinstance(number, kinds)) or isinstance(number, bool) or abs(Fraction(number)) > LARGEST:
            raise ValueError
    except (ValueError, TypeError, OverflowError):
        what = shown(number)[:LONGEST]
        raise ValueError(f"payoff {what} must be a finite number up to 1e100, such as 2, 0.5 or '1/3'") from None
    return Fraction(number) if isinstance(number, str) else exact_or_rounded(number)


def _labels(what: str, labels: Iterable[Any], count: int) -> tuple[str, ...]:
    """Returns labels with single spaces; raises a ValueError unless they are `count` different printable names."""
    found = tuple(" ".join(str(label).split()) for label in labels)
    if len(found) != count or len({*found}) != count:
        raise ValueError(f"{what} ({shown(found)[:LONGEST]}) must be {count} different names")
    if odd := [label for label in found if not (0 < len(label) <= LONGEST and label.isprintable())]:
        raise ValueError(f"{what}: {shown(odd[0])[:LONGEST]} must be a printable name of 1..{LONGEST} characters")
    return found
