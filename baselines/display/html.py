"""Tables for notebooks: plain HTML without scripts or colours, so that it suits light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

MOST_ROWS = 40


def number(figure: float) -> str:
    """A figure with six decimals; never -0."""
    return f"{round(figure, 6) + 0.0:.6f}"


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """An HTML table; everything in it is escaped. Floats get six decimals and stand to the right.

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
    if isinstance(content, float):
        return f'<td style="text-align: right; padding: 0.1em 0.6em">{number(content)}</td>'
    return f'<td style="text-align: left; padding: 0.1em 0.6em">{escape(str(content))}</td>'
