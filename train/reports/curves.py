"""Learning curves: exploitability over steps and seconds, from what run folders hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogFormatter, LogLocator, MaxNLocator

from baselines.atomic_files import write_atomically
from train.reports.figures import picture
from train.reports.groups import GameReport, Group, Run, read_run
from train.words import points

PLOT_FILE = "exploitability.png"
EXPLOITABILITY = "exploitability (payoff points)"
# So many labels of ten digits fit beside each other.
MOST_STEPS_MARKED = 6
# Seconds are written down to a thousandth; less cannot stand on a logarithmic axis.
LEAST_SECONDS = 1e-3
# What fits beside each other below a report's picture.
LEGEND_LETTERS = 150
# After ten curves the colours repeat, with other marks.
MARKS = ("o-", "s--", "^:")
NUMBERS = FuncFormatter(lambda number, _: f"{number:,.10g}")


def plot_runs(folders: Sequence[str | Path], out_path: str | Path) -> Path:
    """Draws the exploitability of one or several runs of the same game over the steps played.

    Args:
        folders: The runs' folders, of which `config.json` and `metrics.csv` are read.
        out_path: The PNG file to write.

    Returns:
        `out_path`.

    Raises:
        ValueError: If there are no runs, one cannot be read or they are of different games.
    """
    runs = [read_run(folder) for folder in folders]
    if not runs:
        raise ValueError("there must be at least one run to draw")
    games = {run.config["title"] for run in runs}
    if len(games) > 1:
        raise ValueError(f"runs of different games cannot share a picture: {', '.join(sorted(games))}")
    write_atomically(Path(out_path), picture(partial(_draw_runs, runs), 8.0, 5.0))
    return Path(out_path)


def _draw_runs(runs: Sequence[Run], figure: Figure) -> None:
    axes, config = figure.subplots(), runs[0].config
    for run in runs:
        label = f"{run.config['label']}, seed {run.seed}"
        if run.rows:
            label += f": {run.rows[-1]['exploitability']:.4f} after {run.rows[-1]['seconds']:.0f} s"
        axes.plot(
            [row["steps"] for row in run.rows], [row["exploitability"] for row in run.rows], "o-", ms=3, label=label
        )
    reference = config["reference"]
    _frame(axes, reference, [row["exploitability"] for run in runs for row in run.rows])
    # It lies on the frame: drawn above it, so that it is seen.
    optimal = f"optimal play: 0 (minimax value {reference['value']:.4g})"
    axes.axhline(0.0, color="green", lw=2, clip_on=False, zorder=5, label=optimal)
    axes.set_xlim(left=0.0)
    axes.xaxis.set_major_locator(MaxNLocator(MOST_STEPS_MARKED, integer=True))
    axes.set_xlabel(_steps(run.config["step"] for run in runs))
    axes.set_ylabel(EXPLOITABILITY)
    axes.set_title(f"Distance from optimal play: {config['title']}")
    figure.legend(loc="outside lower center", ncols=2)


def draw_game(game: GameReport) -> bytes:
    """Draws exploitability over steps and over seconds, as SVG: medians, with intervals if there are several seeds."""
    return picture(partial(_draw_groups, game), 11.0, 4.6, "svg")


def _draw_groups(game: GameReport, figure: Figure) -> None:
    both = over_steps, over_seconds = figure.subplots(1, 2, sharey=True)
    drawn = [(number, group) for number, group in enumerate(game.groups) if group.curve]
    for number, group in drawn:
        _draw_curve(over_steps, [steps for steps, _, _ in group.curve], group, number)
        _draw_curve(over_seconds, [max(seconds, LEAST_SECONDS) for _, seconds, _ in group.curve], group, number)
    ends = [end for _, group in drawn for *_, each in group.curve for end in (each.low, each.high)]
    for axes in both:
        _frame(axes, game.reference, ends)
        if drawn:
            axes.set_xscale("log")
            first, last = axes.dataLim.intervalx
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if last < 1e3 * first else (1.0,)))
        axes.xaxis.set_major_formatter(NUMBERS)
        axes.xaxis.set_minor_formatter(LogFormatter())  # labels if the axis is shorter than a decade
    over_steps.set_xlabel(_steps(group.config["step"] for group in game.groups))
    over_seconds.set_xlabel("seconds of learning, evaluations included")
    over_steps.set_ylabel(EXPLOITABILITY)
    labels = over_steps.get_legend_handles_labels()
    columns = LEGEND_LETTERS // max(map(len, labels[1]))
    figure.legend(*labels, loc="outside lower center", ncols=min(max(columns, 1), 3))


def _draw_curve(axes: Axes, places: list[float], group: Group, number: int) -> None:
    color, marks = f"C{number}", MARKS[number // 10 % len(MARKS)]
    figures = [figure for _, _, figure in group.curve]
    label = group.name if len(group.runs) == 1 else f"{group.name}, {len(group.runs)} seeds"
    if not all(run.finished for run in group.runs):
        label += " (unfinished)"
    # A space before it: a label that begins with _ would be left out of the legend.
    axes.plot(places, [each.middle for each in figures], marks, ms=2.5, lw=1.2, color=color, label=f" {label}")
    if figures[-1].confidence > 0.0:
        axes.fill_between(
            places, [each.low for each in figures], [each.high for each in figures], color=color, alpha=0.2, lw=0
        )


def _frame(axes: Axes, reference: Mapping[str, float], drawn: Sequence[float]) -> None:
    """Sets the scale of exploitability, logarithmic but for the part near 0, and marks what uniform play concedes."""
    uniform = reference["uniform_exploitability"]
    axes.axhline(uniform, color="black", ls="--", lw=1, label=f" uniform play: {points(uniform)}")
    least = min((figure for figure in drawn if figure > 1e-9), default=1e-3)
    axes.set_yscale("symlog", linthresh=10.0 ** math.floor(math.log10(least)), linscale=0.3)
    axes.set_ylim(0.0, 1.3 * max(uniform, least, *drawn))
    axes.grid(True, which="major", alpha=0.3)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(NUMBERS)


def _steps(units: Iterable[str]) -> str:
    return f"steps ({', '.join(dict.fromkeys(units))})"
