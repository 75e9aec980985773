"""Exact values of the numbers in rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

# Larger floats skip integers.
MOST_INTEGER = 1 << 53


def exactly(number: Any) -> Fraction:
    """Converts a probability or payoff to a fraction.

    Raises:
        ValueError: If it is a float that was rounded, such as 0.1 or 1 / 3: its value is not the decimal that it is
            printed as, or it is so large that floats skip integers.
    """
    number = number.item() if isinstance(number, np.generic) else number
    fraction = Fraction(number)
    if isinstance(number, float) and (abs(fraction) > MOST_INTEGER or Fraction(repr(number)) != fraction):
        raise ValueError(
            f"{number!r} in the rules is a rounded float, so there is no exact solution; "
            f"use numbers that binary floats represent, such as 0.5, or, in rules of your own, "
            f"Fraction({str(fraction.limit_denominator(1000)).replace('/', ', ')})"
        )
    return fraction


def exact_or_rounded(number: Any) -> Fraction | float:
    """Returns `exactly(number)`, or a float if it was rounded."""
    try:
        return exactly(number)
    except (ValueError, OverflowError):
        return float(number)


def shortest(number: Fraction | float) -> Any:
    """Returns a number as a float if a float has its value, also for `exactly`, else as it is."""
    near = float(number)
    return near if near == number and isinstance(exact_or_rounded(near), Fraction) else number
