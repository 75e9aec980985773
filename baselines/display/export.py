"""Tables and games as text for other programs: LaTeX with booktabs, CSV, and Gambit's strategic form (.nfg)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from fractions import Fraction
from io import StringIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.display.html import fraction, short

# LaTeX gives these characters a meaning.
SPECIAL = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    **{"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"},
    **{"<": "$<$", ">": "$>$", "≈": "$\\approx$"},
}


class Table(NamedTuple):
    """A table of text and numbers.

    Attributes:
        title: A line above it.
        headings: One for each column.
        rows: Each of the length of `headings`.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]


def latex(tables: Iterable[Table]) -> str:
    """Returns tables in LaTeX, each a `table` environment; they need the package booktabs."""
    return "\n".join(map(_in_latex, tables))


def _in_latex(table: Table) -> str:
    lines = [" & ".join(map(_cell, row)) + r" \\" for row in (table.headings, *table.rows)]
    return "\n".join([
        r"\begin{table}", r"\centering", rf"\caption{{{_escaped(table.title)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.headings) - 1)}}}", r"\toprule", lines[0], r"\midrule", *lines[1:],
        r"\bottomrule", r"\end{tabular}", r"\end{table}", "",
    ])  # fmt: skip


def _cell(content: Any) -> str:
    if not isinstance(content, float | Fraction):
        return _escaped(str(content))
    text = short(content, 4)
    if "/" not in text:
        return f"${text}$".replace("≈", r"\approx ")
    above, below = text.lstrip("-").split("/")
    return rf"${'-' * (content < 0)}\frac{{{above}}}{{{below}}}$"


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(letter, letter) for letter in text)


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Returns rows as CSV; fractions as 1/3, floats so that they are read back unchanged."""
    file = StringIO()
    csv.writer(file, lineterminator="\n").writerows([plain(cell) for cell in row] for row in rows)
    return file.getvalue()


def matrix_rows(payoffs: NDArray[Any], actions: Sequence[Sequence[str]], between: str = ";") -> list[list[Any]]:
    """Returns matrices, `[players, rows, columns]`, as one with labels, whose cells are `a;b` for two players."""
    cells = np.vectorize(lambda *pair: between.join(map(plain, pair)), otypes=[object])(*payoffs).tolist()
    return [["", *actions[1]], *([name, *row] for name, row in zip(actions[0], cells, strict=True))]


def nfg(payoffs: NDArray[Any], actions: Sequence[Sequence[str]], players: Sequence[str], title: str) -> str:
    """Returns a game in Gambit's .nfg format, with payoffs; the first player's action varies fastest.

    Args:
        payoffs: `[players, actions of player 0, ...]`.
        actions: The names of the actions of each player.
        players: Their names.
        title: The name of the game.
    """

    def quoted(text: str) -> str:
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'

    names = " ".join(f"{{ {' '.join(map(quoted, each))} }}" for each in actions)
    numbers = payoffs.transpose(*range(payoffs.ndim - 1, 0, -1), 0).reshape(-1, len(payoffs))
    lines = "\n".join(" ".join(map(plain, row)) for row in numbers.tolist())
    return f"NFG 1 R {quoted(title)} {{ {' '.join(map(quoted, players))} }}\n{{ {names} }}\n\n{lines}\n"


def plain(content: Any) -> str:
    """Returns a number or text as other programs read it: fractions as 1/3, floats with all digits."""
    return fraction(content) if isinstance(content, Fraction) else str(content)
