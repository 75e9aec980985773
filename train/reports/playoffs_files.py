"""Writes play-offs as CSV, Markdown and a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from baselines.system.files import csv_bytes, write_atomically
from train.reports.curves import picture
from train.reports.markdown import table
from train.reports.playoffs import DIGITS, PlayOffs, ranked
from train.reports.tables import plain
from train.text.game_names import game_in_words
from train.text.printing import points

FILES = PAIRS, POLICIES, TABLES, PICTURE = "pairs.csv", "policies.csv", "playoffs.md", "playoffs.png"


def write_playoffs(result: PlayOffs, folder: Path) -> list[Path]:
    """Writes CSV files of all pairs and policies, Markdown and a heat map with the best first; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        PAIRS: csv_bytes(_pairs(result)),
        POLICIES: csv_bytes(_policies(result)),
        TABLES: _markdown(ranked(result)).encode(),
        PICTURE: draw(ranked(result)),
    }
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return [folder / name for name in contents]


def _pairs(result: PlayOffs) -> list[Sequence[Any]]:
    """Returns a row for each ordered pair, with full precision."""
    rows = [
        (first, second, *pairing[: len(result.fields)])
        for first, row in zip(result.names, result.pairings, strict=True)
        for second, pairing in zip(result.names, row, strict=True)
    ]
    return [("player_0", "player_1", *result.fields), *rows]


def _policies(result: PlayOffs) -> list[Sequence[Any]]:
    """Returns a row for each policy, with full precision."""
    headings, columns = ["policy", "average"], [result.names, result.averages.tolist()]
    if result.exploitability is not None:
        headings.append("exploitability")
        columns.append(result.exploitability)
    return [headings, *zip(*columns, strict=True)]


def _markdown(result: PlayOffs) -> str:
    means = [
        [row[0], *(points(payoff, DIGITS) for payoff in [*of_row, *row[1:]])]
        for of_row, row in zip(result.means, _policies(result)[1:], strict=True)
    ]
    odds = [
        [name, *(f"{each.win:.3f} / {each.loss:.3f} / {each.tie:.3f}" for each in row)]
        for name, row in zip(result.names, result.pairings, strict=True)
    ]
    headings = ["player_0", *result.names]
    parts = [
        f"# Play-offs: {plain(game_in_words(result.game))}",
        "Mean payoff to the row as player_0 against the column as player_1, in payoff points; then each policy's "
        f"average over all others and both seats. {_how_known(result)}",
        *([result.note] if result.note else []),
        table([*headings, *_policies(result)[0][1:]], means, cell=plain),
        "Probabilities that the row wins, loses, ties:",
        table(headings, odds, cell=plain),
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
        f"From {result.games:,} games for each pair, or the only possible one: every mean is right to within "
        f"{widest:.3f} with a probability of at least 95 %; {PAIRS} has each interval. "
        "Exploitability is exact or not given."
    )


def draw(result: PlayOffs) -> bytes:
    """Draws mean payoffs as a heat map, with the exploitability of each policy beside it, as PNG."""
    count = len(result.names)
    return picture(partial(_draw, result), 3.4 + 0.72 * count, 1.7 + 0.42 * count)


def _draw(result: PlayOffs, figure: Figure) -> None:
    count, means = len(result.names), result.means
    limit = max(float(np.abs(means).max()), 1e-9)
    panels = [("", means, -limit, limit), ("average", result.averages[:, None], -limit, limit)]
    if result.exploitability is not None:
        column = np.array(result.exploitability)[:, None]
        panels.append(("exploitability", column, 0.0, max(float(column.max()), 1e-9)))
    all_axes = figure.subplots(1, len(panels), width_ratios=[count, 1, 1][: len(panels)])
    for axes, (heading, figures, low, high) in zip(all_axes, panels, strict=True):
        _draw_cells(axes, figures, low, high)
        axes.set_xticks([0], [heading])
        axes.set_yticks([])
    all_axes[0].set_xticks(range(count), [str(number) for number in range(1, count + 1)])
    all_axes[0].set_yticks(range(count), [f"{number} {name}" for number, name in enumerate(result.names, 1)])
    all_axes[0].set_xlabel("player_1")
    all_axes[0].set_ylabel("player_0")
    figure.suptitle(f"{game_in_words(result.game)}: mean payoff to player_0, {result.how}")


def _draw_cells(axes: Axes, figures: NDArray[np.float64], low: float, high: float) -> None:
    """Draws numbers on coloured cells: from red to blue if numbers can be negative, else in grey."""
    image = axes.imshow(figures, cmap="RdBu" if low < 0.0 else "Greys", vmin=low, vmax=high, aspect="auto")
    colours = image.to_rgba(figures)
    for (row, column), figure in np.ndenumerate(figures):
        red, green, blue, _ = colours[row, column]
        ink = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
        axes.text(column, row, points(figure, DIGITS), ha="center", va="center", color=ink)
