"""Table 5.1 as pictures: what is printed beside what can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from baselines.reproduction.pictures import new_figure
from baselines.reproduction.report import Verdict
from baselines.reproduction.sanwal_drechsler.exact_figures import EQUILIBRIUM, RANDOM
from baselines.reproduction.sanwal_drechsler.table_5_1 import Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OPPONENTS = (RANDOM, "HighestCard", "LowestCard", EQUILIBRIUM)
LABELS = {"margin": "games won less games lost (% of games)", "tie": "tied games (% of games)"}
INK = {True: "tab:red", False: "black"}


def draw_column(table: Sequence[Cell], column: str) -> Figure:
    """One column of the Equilibrium rows: printed figures over the exact ranges, a panel per opponent."""
    drawing = new_figure(11.0, 4.8)
    panels = drawing.subplots(1, len(OPPONENTS), sharey=True)
    for axes, opponent in zip(panels, OPPONENTS, strict=True):
        _draw_panel(axes, [cell for cell in table if cell.pairing == (EQUILIBRIUM, opponent) and cell.column == column])
        axes.set_title(f"against {opponent}", fontsize=10)
        axes.set_xlabel("cards in each hand")
    panels[0].set_ylabel(LABELS[column])
    drawing.suptitle("Optimal Jujitsu: all it can come to, and what Table 5.1 of Sanwal and Drechsler prints")
    drawing.legend(handles=_legend(), loc="outside lower center", ncols=4, frameon=False)
    return drawing


def _draw_panel(axes: Axes, cells: Sequence[Cell]) -> None:
    axes.axhline(0.0, color="0.7", linewidth=0.8)
    for cell in cells:
        low, high = 100 * cell.exact.low, 100 * cell.exact.high
        axes.plot([cell.size] * 2, [low, high], color="tab:blue", alpha=0.35, linewidth=9, solid_capstyle="butt")
        axes.plot([cell.size - 0.22, cell.size + 0.22], [100 * cell.exact.default] * 2, color="tab:blue", linewidth=1.6)
        wrong = cell.row().verdict is Verdict.WRONG
        axes.plot(cell.size, 100 * float(cell.printed.value), "x", color=INK[wrong], markersize=7, markeredgewidth=1.8)
    axes.set_xticks([cell.size for cell in cells])
    axes.set_xlim(min(cell.size for cell in cells) - 0.6, max(cell.size for cell in cells) + 0.6)


def _legend() -> list[object]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color="tab:blue", alpha=0.35, linewidth=9, label="exact range over optimal play"),
        Line2D([], [], color="tab:blue", linewidth=1.6, label="our documented choice"),
        Line2D([], [], color=INK[False], marker="x", linestyle="", markeredgewidth=1.8, label="printed, possible"),
        Line2D([], [], color=INK[True], marker="x", linestyle="", markeredgewidth=1.8, label="printed, impossible"),
    ]
