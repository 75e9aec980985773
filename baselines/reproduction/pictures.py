"""Plots that the reports share. Matplotlib comes with the extra `render` and is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 120


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size in inches that belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained")


@dataclass(frozen=True)
class HeatMap:
    """A table of numbers as colours, rows downwards.

    Attributes:
        title: Over the map.
        row_label: What the rows are.
        column_label: What the columns are.
        bar_label: What the colours stand for, with its unit.
        values: `[rows, columns]`.
        names: Of the rows and the columns, which are the same things.
        limits: What the two ends of the colours stand for.
        colours: A colour map of matplotlib's; one that is pale in the middle for signed numbers.
        cells: Text for each cell, if any.
    """

    title: str
    row_label: str
    column_label: str
    bar_label: str
    values: Sequence[Sequence[float]]
    names: Sequence[str]
    limits: tuple[float, float]
    colours: str
    cells: Sequence[Sequence[str]] | None = None

    def draw(self, axes: Axes, text_size: float = 8.0) -> None:
        """Draws the map with its colour bar."""
        values = np.asarray(self.values, dtype=np.float64)
        image = axes.imshow(values, cmap=self.colours, vmin=self.limits[0], vmax=self.limits[1])
        axes.set_title(self.title)
        axes.set_xlabel(self.column_label)
        axes.set_ylabel(self.row_label)
        axes.set_xticks(range(len(self.names)), self.names)
        axes.set_yticks(range(len(self.names)), self.names)
        inks = image.to_rgba(values)
        for i, j in np.ndindex(values.shape):
            if self.cells is not None:
                red, green, blue, _ = inks[i, j]
                ink = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
                axes.text(j, i, self.cells[i][j], ha="center", va="center", color=ink, fontsize=text_size)
        axes.figure.colorbar(image, ax=axes, label=self.bar_label, shrink=0.8)
