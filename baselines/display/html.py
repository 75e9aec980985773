"""HTML tables for notebooks, without scripts or colours, so that they suit light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from html import escape
from typing import Any

MOST_ROWS = 40
# A fraction of more than MOST_CHARACTERS characters is rounded, and ROUNDED precedes it.
ROUNDED, MOST_CHARACTERS = "≈", 24
Number = float | Fraction


def fraction(figure: Fraction) -> str:
    """Formats a fraction of any length as "2/3"; Python's own conversion refuses integers of over 4,300 digits."""
    below = "" if figure.denominator == 1 else f"/{Decimal(figure.denominator):f}"
    return f"{Decimal(figure.numerator):f}{below}"


def short(figure: Number, digits: int, most: int = MOST_CHARACTERS) -> str:
    """Formats a number: a float as decimals, never -0; a fraction as such, or as ROUNDED and decimals if too long."""
    rounded = ""
    if isinstance(figure, Fraction):
        # The number of bits bounds the length, so huge fractions need not be written out first.
        if figure.denominator.bit_length() <= 4 * most and len(text := fraction(figure)) <= most:
            return text
        rounded = ROUNDED
    return f"{rounded}{round(float(figure), digits) + 0.0:.{digits}f}"


def number(figure: Number, exact: Fraction | None = None) -> str:
    """Formats a number with six decimals; a fraction is followed by its decimals in parentheses."""
    text = short(figure if exact is None else exact, 6)
    return f"{text} ({short(float(figure), 6)})" if "/" in text else text


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Makes an HTML table and escapes all text. Numbers are right-aligned and formatted by `number`.

    Rows beyond `MOST_ROWS` are replaced by one line that counts them.
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


def mixes_at_start(mixes: Sequence[Mapping[str, Number]]) -> str:
    """Makes a table of both players' strategies, each a map from action to probability."""
    actions = dict.fromkeys(action for mix in mixes for action in mix)
    rows = [(action, *(mix.get(action, "") for mix in mixes)) for action in actions]
    return table("at the start (probability)", ("play", "player_0", "player_1"), rows)


def mixes_by_type(player: int, strategy: Mapping[str, Mapping[str, Number]], free: Sequence[Sequence[Any]]) -> str:
    """Makes a table of a player's strategy for each of its types, and one of the ranges of `free` probabilities."""
    actions = list(next(iter(strategy.values())))
    rows = [(own_type, *mix.values()) for own_type, mix in strategy.items()]
    shown = table(f"player_{player} (probability)", ("sees", *actions), rows)
    title = f"player_{player} has many optimal strategies, with these ranges of probabilities"
    return shown + (table(title, ("plays", "lowest", "highest"), free) if free else "")


def _cell(content: Any) -> str:
    if isinstance(content, float | Fraction):
        return f'<td style="text-align: right; padding: 0.1em 0.6em">{number(content)}</td>'
    return f'<td style="text-align: left; padding: 0.1em 0.6em">{escape(str(content))}</td>'
