"""Tables for notebooks: plain HTML without scripts or colours, so that it suits light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from html import escape
from typing import Any

MOST_ROWS = 40
# Stands before a fraction that was rounded because it has more letters than this.
ROUNDED, MOST_LETTERS = "≈", 24
Number = float | Fraction


def fraction(figure: Fraction) -> str:
    """A fraction as "2/3", whatever its length: Python refuses to write integers of more than 4,300 digits."""
    below = "" if figure.denominator == 1 else f"/{Decimal(figure.denominator):f}"
    return f"{Decimal(figure.numerator):f}{below}"


def short(figure: Number, digits: int, most: int = MOST_LETTERS) -> str:
    """Decimals, never -0. A fraction is written as such, or as decimals behind ROUNDED if it has too many letters."""
    rounded = ""
    if isinstance(figure, Fraction):
        # Bits bound the letters, so that huge fractions are not written in vain.
        if figure.denominator.bit_length() <= 4 * most and len(text := fraction(figure)) <= most:
            return text
        rounded = ROUNDED
    return f"{rounded}{round(float(figure), digits) + 0.0:.{digits}f}"


def number(figure: Number, exact: Fraction | None = None) -> str:
    """A figure with six decimals; a fraction, also one that is given as `exact`, has them in parentheses."""
    text = short(figure if exact is None else exact, 6)
    return f"{text} ({short(float(figure), 6)})" if "/" in text else text


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """An HTML table; everything in it is escaped. Numbers stand to the right, as `number` writes them.

    Rows beyond `MOST_ROWS` are left out, and a line says how many.
    """
    rows = list(rows)
    lines = [
        '<table style="color: inherit; margin-bottom: 0.8em">',
        f'<caption style="text-align: left; font-weight: bold">{escape(title)}</caption>',
        "<thead><tr>" + "".join(f"<th>{escape(heading)}</th>" for heading in headings) + "</tr></thead>",
        "<tbody>",
        *("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows[:MOST_ROWS]),
    ]
    if len(rows) > MOST_ROWS:
        lines.append(f'<tr><td colspan="{len(headings)}">and {len(rows) - MOST_ROWS} more</td></tr>')
    return "\n".join([*lines, "</tbody>", "</table>"])


def _cell(content: Any) -> str:
    if isinstance(content, float | Fraction):
        return f'<td style="text-align: right; padding: 0.1em 0.6em">{number(content)}</td>'
    return f'<td style="text-align: left; padding: 0.1em 0.6em">{escape(str(content))}</td>'
