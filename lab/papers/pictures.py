"""Plots shared by several reproductions; matplotlib comes with the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from baselines.display.figures import new_figure

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

# Matplotlib's types under names that can be imported without matplotlib.
Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"


def finish(axes: Axes, x_label: str, y_label: str, legend_title: str | None = None) -> None:
    """Labels a plot whose axis starts at 0, and adds a grid and a legend."""
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_ylim(bottom=0)
    axes.grid(True, alpha=0.25)
    axes.legend(title=legend_title)


def heat_map(
    values: Sequence[Sequence[float]],
    names: Sequence[str],
    cells: Sequence[Sequence[str]] = (),
    *,
    size: tuple[float, float],
    text_size: float = 10.0,
    colours: str,
    limits: tuple[float, float],
    bar_label: str,
    **labels: str,
) -> Figure:
    """Draws a square table of numbers as colours, rows downwards.

    Args:
        values: `[rows, columns]`.
        names: Names of the rows, which are also those of the columns.
        cells: Text in each cell, if any.
        size: Width and height in inches.
        text_size: Size of the cells' text, points.
        colours: A matplotlib colour map; for signed numbers one that is pale in the middle.
        limits: The values at the two ends of the colours.
        bar_label: The quantity that the colours show, with its unit.
        labels: As of `Axes.set`: `title`, `xlabel` and `ylabel`.
    """
    drawing = new_figure(*size)
    axes = drawing.subplots()
    image = axes.imshow(values, cmap=colours, vmin=limits[0], vmax=limits[1])
    axes.set(**labels)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    inks = image.to_rgba(np.asarray(values, dtype=np.float64))
    for i, texts in enumerate(cells):
        for j, text in enumerate(texts):
            red, green, blue, _ = inks[i, j]
            ink = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
            axes.text(j, i, text, ha="center", va="center", color=ink, fontsize=text_size)
    drawing.colorbar(image, ax=axes, label=bar_label, shrink=0.8)
    return drawing
