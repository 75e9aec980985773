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
from train.reports.playoffs import DIGITS, PlayOffs, ranked, shown
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
    columns = [figures.tolist() for figures in result.figures.values()]
    return [("policy", *result.figures), *zip(result.names, *columns, strict=True)]


def _markdown(result: PlayOffs) -> str:
    means = [
        [name, *(points(payoff, DIGITS) for payoff in of_row), *map(shown, result.figures, figures)]
        for of_row, (name, *figures) in zip(result.means, _policies(result)[1:], strict=True)
    ]
    odds = [
        [name, *(f"{each.win:.3f} / {each.loss:.3f} / {each.tie:.3f}" for each in row)]
        for name, row in zip(result.names, result.pairings, strict=True)
    ]
    headings = ["player_0", *result.names]
    parts = [
        f"# Play-offs: {plain(game_in_words(result.game))}",
        "Mean payoff to the row as player_0 against the column as player_1, in payoff points; then each policy's "
        f"average over all others and both seats, its Elo rating, and its Nash average. {_how_known(result)}",
        result.note,
        table([*headings, *_policies(result)[0][1:]], means, cell=plain),
        "Probabilities that the row wins, loses, ties:",
        table(headings, odds, cell=plain),
    ]
    return "\n\n".join(parts) + "\n"


def _how_known(result: PlayOffs) -> str:
    if result.games is None:
        return (
            "Beside them, what a perfect opponent wins from it beyond the game's value (exploitability, NashConv / 2). "
            "All figures are exact."
        )
    widest = max(max(each.high - each.mean, each.mean - each.low) for row in result.pairings for each in row)
    return (
        f"From {result.games:,} games for each pair, or the only possible one: every mean is right to within "
        f"{widest:.3f} with a probability of at least 95 %; {PAIRS} has each interval. "
        "Elo and Nash averages are estimates from these games; exploitability is exact or not given."
    )


def draw(result: PlayOffs) -> bytes:
    """Draws mean payoffs as a heat map, with the exploitability of each policy beside it, as PNG."""
    count = len(result.names)
    return picture(partial(_draw, result), 5.4 + 0.72 * count, 1.7 + 0.42 * count)


def _draw(result: PlayOffs, figure: Figure) -> None:
    count, means = len(result.names), result.means
    limit = _largest(means)
    all_axes = figure.subplots(1, 1 + len(result.figures), width_ratios=[count, *(1 for _ in result.figures)])
    _draw_cells(all_axes[0], means, "", -limit, limit)
    for axes, (name, figures) in zip(all_axes[1:], result.figures.items(), strict=True):
        high = limit if name in {"average", "nash_average"} else _largest(figures)
        _draw_cells(axes, figures[:, None], name, 0.0 if name == "exploitability" else -high, high)
        axes.set_xticks([0], [name.replace("_", "\n")])
        axes.set_yticks([])
    all_axes[0].set_xticks(range(count), [str(number) for number in range(1, count + 1)])
    all_axes[0].set_yticks(range(count), [f"{number} {name}" for number, name in enumerate(result.names, 1)])
    all_axes[0].set_xlabel("player_1")
    all_axes[0].set_ylabel("player_0")
    figure.suptitle(f"{game_in_words(result.game)}: mean payoff to player_0, {result.how}")


def _largest(figures: NDArray[np.float64]) -> float:
    """Returns the largest finite size of a figure, but more than 0, as the end of a scale of colours."""
    return float(np.abs(figures[np.isfinite(figures)]).max(initial=1e-9))


def _draw_cells(axes: Axes, figures: NDArray[np.float64], name: str, low: float, high: float) -> None:
    """Draws numbers on coloured cells: from red to blue if numbers can be negative, else in grey."""
    within = np.clip(figures, low, high)  # ratings can be infinite
    image = axes.imshow(within, cmap="RdBu" if low < 0.0 else "Greys", vmin=low, vmax=high, aspect="auto")
    colours = image.to_rgba(within)
    for (row, column), figure in np.ndenumerate(figures):
        red, green, blue, _ = colours[row, column]
        ink = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
        axes.text(column, row, shown(name, figure), ha="center", va="center", color=ink)
