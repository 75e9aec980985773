"""Plots of all reproductions. Matplotlib comes with the extra `plot` and is imported when a plot is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

# Matplotlib's types under names that can be imported without matplotlib.
Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"

DOTS_PER_INCH = 120


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size in inches that belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained")


def finish(axes: Axes, x_label: str, y_label: str, legend_title: str | None = None) -> None:
    """Labels a plot whose heights begin at 0, and adds a grid and a legend."""
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_ylim(bottom=0)
    axes.grid(True, alpha=0.25)
    axes.legend(title=legend_title)


def heat_map(
    values: Sequence[Sequence[float]],
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    *,
    size: tuple[float, float],
    text_size: float,
    title: str,
    row_label: str,
    column_label: str,
    bar_label: str,
    limits: tuple[float, float],
    colours: str,
) -> Figure:
    """A table of numbers as colours, rows downwards.

    Args:
        values: `[rows, columns]`.
        names: Of the rows and the columns, which are the same things.
        cells: The text in each cell.
        size: Width and height in inches.
        text_size: Of the cells' text, points.
        title: Over the map.
        row_label: What the rows are.
        column_label: What the columns are.
        bar_label: What the colours stand for, with its unit.
        limits: What the two ends of the colours stand for.
        colours: A colour map of matplotlib's; one that is pale in the middle for signed numbers.
    """
    drawing = new_figure(*size)
    axes = drawing.subplots()
    colour_values = np.asarray(values, dtype=np.float64)
    image = axes.imshow(colour_values, cmap=colours, vmin=limits[0], vmax=limits[1])
    axes.set_title(title)
    axes.set_xlabel(column_label)
    axes.set_ylabel(row_label)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    inks = image.to_rgba(colour_values)
    for i, j in np.ndindex(colour_values.shape):
        red, green, blue, _ = inks[i, j]
        ink = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
        axes.text(j, i, cells[i][j], ha="center", va="center", color=ink, fontsize=text_size)
    drawing.colorbar(image, ax=axes, label=bar_label, shrink=0.8)
    return drawing


class Mark(NamedTuple):
    """A printed figure over the exact range of what it can be.

    Attributes:
        x: Where it stands on the axis.
        low: Least exact value.
        high: Greatest exact value.
        chosen: The exact value for our documented choice.
        printed: The published value.
        possible: Whether the published value can be.
    """

    x: int
    low: float
    high: float
    chosen: float
    printed: float
    possible: bool


INK = {False: "tab:red", True: "black"}


def range_panels(panels: Mapping[str, Sequence[Mark]], *, title: str, x_label: str, y_label: str) -> Figure:
    """Printed figures over exact ranges, a panel for each heading."""
    drawing = new_figure(11.0, 4.8)
    grid = drawing.subplots(1, len(panels), sharey=True)
    for axes, (heading, marks) in zip(grid, panels.items(), strict=True):
        axes.axhline(0.0, color="0.7", linewidth=0.8)
        for x, low, high, chosen, printed, possible in marks:
            axes.plot([x] * 2, [low, high], color="tab:blue", alpha=0.35, linewidth=9, solid_capstyle="butt")
            axes.plot([x - 0.22, x + 0.22], [chosen] * 2, color="tab:blue", linewidth=1.6)
            axes.plot(x, printed, "x", color=INK[possible], markersize=7, markeredgewidth=1.8)
        axes.set_xticks([mark.x for mark in marks])
        axes.set_xlim(min(mark.x for mark in marks) - 0.6, max(mark.x for mark in marks) + 0.6)
        axes.set_title(heading, fontsize=10)
        axes.set_xlabel(x_label)
    grid[0].set_ylabel(y_label)
    drawing.suptitle(title)
    drawing.legend(handles=_range_legend(), loc="outside lower center", ncols=4, frameon=False)
    return drawing


def _range_legend() -> list[object]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color="tab:blue", alpha=0.35, linewidth=9, label="exact range over optimal play"),
        Line2D([], [], color="tab:blue", linewidth=1.6, label="our documented choice"),
        Line2D([], [], color=INK[True], marker="x", linestyle="", markeredgewidth=1.8, label="printed, possible"),
        Line2D([], [], color=INK[False], marker="x", linestyle="", markeredgewidth=1.8, label="printed, impossible"),
    ]
