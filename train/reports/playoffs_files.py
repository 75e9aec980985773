"""Play-offs as CSV, Markdown and a heat map."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from baselines.atomic_files import write_atomically
from train.reports.playoffs import Pairing, PlayOffs, points
from train.reports.tables import markdown_table
from train.words import game_in_words

PAIRS, POLICIES, TABLES, PICTURE = "pairs.csv", "policies.csv", "playoffs.md", "playoffs.png"
DOTS_PER_INCH = 120


def write_playoffs(result: PlayOffs, folder: Path) -> list[Path]:
    """Writes every pair and every policy as CSV, both as Markdown, and the picture.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        PAIRS: _csv(_pairs(result)),
        POLICIES: _csv(_policies(result)),
        TABLES: _markdown(result).encode(),
        PICTURE: draw(result),
    }
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return [folder / name for name in contents]


def _csv(rows: Sequence[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _pairs(result: PlayOffs) -> list[Sequence[Any]]:
    """One row for each pair in each order, all digits."""
    exact = result.games is None
    fields = Pairing._fields[:4] if exact else Pairing._fields
    rows: list[Sequence[Any]] = [("player_0", "player_1", *fields)]
    for first, row in zip(result.names, result.pairings, strict=True):
        rows += [(first, second, *pairing[: len(fields)]) for second, pairing in zip(result.names, row, strict=True)]
    return rows


def _policies(result: PlayOffs) -> list[Sequence[Any]]:
    headings, columns = ["policy", "average"], [result.names, result.averages.tolist()]
    if result.exploitability is not None:
        headings.append("exploitability")
        columns.append(result.exploitability)
    return [headings, *zip(*columns, strict=True)]


def _markdown(result: PlayOffs) -> str:
    last = [] if result.exploitability is None else [[points(each)] for each in result.exploitability]
    means = [
        [name, *map(points, result.means[row]), points(result.averages[row]), *(last[row] if last else [])]
        for row, name in enumerate(result.names)
    ]
    odds = [
        [name, *(f"{each.win:.3f} / {each.loss:.3f} / {each.tie:.3f}" for each in row)]
        for name, row in zip(result.names, result.pairings, strict=True)
    ]
    headings = ["player_0", *result.names]
    parts = [
        f"# Play-offs: {game_in_words(result.game)}",
        "Mean payoff to the row as player_0 against the column as player_1, payoff points; its average over all others "
        f"and both seats. {_how_known(result)}",
        markdown_table([*headings, "average", *(["exploitability"] if last else [])], means),
        "Chances that the row wins, loses, ties:",
        markdown_table(headings, odds),
    ]
    return "\n\n".join(parts) + "\n"


def _how_known(result: PlayOffs) -> str:
    if result.games is None:
        return (
            "Beside it, what a perfect opponent wins from it beyond the game's value (exploitability, NashConv / 2). "
            "All figures are exact."
        )
    widest = max(max(each.high - each.mean, each.mean - each.low) for row in result.pairings for each in row)
    return (
        f"From {result.games:,} games for each pair, or the only one there is: every mean is right to within "
        f"{widest:.3f} with at least 95 %, and {PAIRS} has each interval. Exploitability is exact or not given."
    )


def draw(result: PlayOffs) -> bytes:
    """Mean payoffs as a heat map, the exploitability of each policy beside it, as PNG."""
    count, measured = len(result.names), result.exploitability is not None
    numbered = [f"{number} {name}" for number, name in enumerate(result.names, 1)]
    with mpl.rc_context({"text.parse_math": False, "font.size": 9}):  # a $ in a name is a $
        figure = Figure(figsize=(3.4 + 0.72 * count, 1.7 + 0.42 * count), dpi=DOTS_PER_INCH, layout="constrained")
        ratios = [count, 1, 1] if measured else [count, 1]
        axes = figure.subplots(1, len(ratios), width_ratios=ratios, squeeze=False)[0]
        limit = max(float(np.abs(result.means).max()), 1e-9)
        _draw_cells(axes[0], result.means, -limit, limit, "RdBu")
        axes[0].set_xticks(range(count), [str(number) for number in range(1, count + 1)])
        axes[0].set_yticks(range(count), numbered)
        axes[0].set_xlabel("player_1")
        axes[0].set_ylabel("player_0")
        _draw_column(axes[1], result.averages, -limit, limit, "RdBu", "average")
        if result.exploitability is not None:
            column = np.array(result.exploitability)
            _draw_column(axes[2], column, 0.0, max(float(column.max()), 1e-9), "Greys", "exploitability")
        how = "exact" if result.games is None else f"{result.games:,} games for each pair"
        figure.suptitle(f"{game_in_words(result.game)}: mean payoff to player_0, {how}")
        picture = io.BytesIO()
        FigureCanvasAgg(figure).print_figure(picture, format="png")
    return picture.getvalue()


def _draw_column(axes: Axes, figures: NDArray[np.float64], low: float, high: float, colours: str, heading: str) -> None:
    _draw_cells(axes, figures[:, None], low, high, colours)
    axes.set_xticks([0], [heading])
    axes.set_yticks([])


def _draw_cells(axes: Axes, figures: NDArray[np.float64], low: float, high: float, colours: str) -> None:
    image = axes.imshow(figures, cmap=colours, vmin=low, vmax=high, aspect="auto")
    for (row, column), figure in np.ndenumerate(figures):
        red, green, blue, _ = image.cmap(image.norm(figure))
        bright = 0.3 * red + 0.6 * green + 0.1 * blue
        axes.text(column, row, points(figure), ha="center", va="center", color="black" if bright > 0.5 else "white")
