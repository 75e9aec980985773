"""Text and numbers as they are printed."""

from __future__ import annotations

import math

from cardwar_envs.core.parameters import abbreviated

# Maximum length of a message.
MOST_LETTERS = 1000


def printable(text: str) -> str:
    """Escapes control and hidden characters, except newlines and tabs."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)


def in_one_line(text: str) -> str:
    """Formats a string, which may come from a file, as one printable line of limited length."""
    line = abbreviated(printable(" ".join(text.split())))
    half = MOST_LETTERS // 2
    return line if len(line) <= MOST_LETTERS else f"{line[:half]} ... {line[-half:]}"


def points(payoff: float | None, digits: int = 6) -> str:
    """Formats payoff points with `digits` decimals; empty for None and NaN."""
    if payoff is None or math.isnan(payoff):
        return ""
    return f"{round(payoff, digits) + 0.0:.{digits}f}"  # rounding can give -0.0, which adding 0.0 turns into 0.0
