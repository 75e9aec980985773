"""Plots learning curves from run folders, over steps and seconds, with one style for each kind of figure.

`picture` renders any picture in this style, without a window; the same drawing gives the same bytes.
"""

from __future__ import annotations

import io
import math
import reprlib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogFormatter, LogLocator, MaxNLocator

from baselines.system.files import write_atomically
from train.reports.groups import GameReport, Group, Run, read_run
from train.reports.tables import figure_in_words
from train.storage.formats import Kind
from train.text.printing import points, printable

DOTS_PER_INCH = 120
ImageFormat = Literal["png", "svg", "pdf"]
# What makes the same picture differ from day to day.
DATES: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
# The salt makes SVG reproducible. Math text is disabled, so that a $ in a name is shown as a $.
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "cardwar", "text.parse_math": False, "font.size": 9}


def picture(draw: Callable[[Figure], None], width: float, height: float, kind: ImageFormat = "png") -> bytes:
    """Calls `draw` with an empty figure and returns the content of an image file; width and height are in inches."""
    return as_file(drawing(draw, width, height), kind)


def drawing(draw: Callable[[Figure], None], width: float, height: float) -> Figure:
    """Like `picture`, but returns the figure itself."""
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained")
        draw(figure)
    return figure


def as_file(figure: Figure, kind: ImageFormat) -> bytes:
    """Renders a figure; returns the content of an image file."""
    file = io.BytesIO()
    with mpl.rc_context(SETTINGS), warnings.catch_warnings():
        # A name can contain letters that the font lacks; they are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(file, format=kind, metadata=DATES.get(kind))
    return file.getvalue()


PLOT_FILE = "exploitability.png"
# Exact figures are lines; samples are open points with error bars; lower bounds are triangles.
SAMPLE: dict[str, Any] = {"marker": "o", "mfc": "none", "ls": ":"}
BOUND: dict[str, Any] = {"marker": "^", "ls": ""}
# Maximum number of ten-digit labels that fit side by side.
MOST_STEPS_MARKED = 6
# Seconds are stored with three decimals; on a logarithmic axis they must be positive.
LEAST_SECONDS = 1e-3
# Maximum number of letters in a row of the legend below a report's picture.
LEGEND_LETTERS = 150
# Height of a row of a legend, in inches, and the rows that fit without a higher picture.
LEGEND_ROW, ROWS_THAT_FIT = 0.17, 12
# After ten curves the colours repeat, with different markers.
MARKS = ("o-", "s--", "^:")
TITLES = {
    "exact": "Distance from optimal play",
    "lower bound": "Lower bound on the distance from optimal play (a low bound proves nothing)",
    "matches": "Matches, sampled, with 99 % intervals",
}


def _in_short(number: float, _: object = None) -> str:
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if number >= 10 * unit or (number >= unit and number % unit == 0):
            return f"{number / unit:,.10g}{letter}"
    return f"{number:,.10g}"


class _BetweenPowers(LogFormatter):
    """Labels the ticks between powers of ten if the axis spans less than a decade."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return _in_short(x) if super().__call__(x, pos) else ""


class Curve(NamedTuple):
    """A curve from any source, in units that the caller chooses.

    Attributes:
        label: The curve's name in the picture.
        points: Pairs of steps and value; values are in payoff points and of the same kind as the plotted figure.
    """

    label: str
    points: Sequence[tuple[float, float]]


def plot_runs(runs: Sequence[str | Path | Curve], out_path: str | Path | None = None) -> Figure:
    """Plots the measured figures of one or more runs on the same game over steps.

    Runs that count different steps, such as iterations and joint actions, are plotted in separate panels.

    Args:
        runs: Run folders (their `config.json` and `metrics.csv` are read) and curves, each a `Curve` or a
            (label, points) pair. At least one must be a folder; the first folder determines what is plotted and the
            step axis of the curves.
        out_path: PNG file for the picture; None to write no file.

    Returns:
        The picture, as a matplotlib figure.

    Raises:
        ValueError: If there are no runs, a run cannot be read, runs differ in their game or in what they measure, or a
            curve is not a label with pairs of finite numbers.
    """
    folders, curves = _sorted(runs)
    height = _height(5.0, len(folders) + len(curves), columns=2)
    figure = drawing(partial(_draw_runs, folders, curves), 3.5 + 4.5 * len(_units(folders)), height)
    if out_path is not None:
        write_atomically(Path(out_path), as_file(figure, "png"))
    return figure


def _height(usual: float, entries: int, columns: int) -> float:
    """Returns the height of a picture in inches, which leaves room for a long legend below the panels."""
    return usual + LEGEND_ROW * max(math.ceil(entries / columns) - ROWS_THAT_FIT, 0)


def _sorted(given: Sequence[str | Path | Curve]) -> tuple[list[Run], list[Curve]]:
    """Separates runs from other curves, and checks both."""
    runs = [read_run(each) for each in given if isinstance(each, (str, Path))]
    curves = [_curve(each) for each in given if not isinstance(each, (str, Path))]
    if not runs:
        raise ValueError("no run to plot: give at least one folder of a run or of an ExploitabilityLog")
    games = {run.config["title"] for run in runs}
    figures = {f"{run.config['figure']} ({run.config['measured']})" for run in runs}
    for what, found in (("runs of different games", games), ("different kinds of figures", figures)):
        if len(found) > 1:
            raise ValueError(f"{what} cannot be plotted together: {', '.join(sorted(found))}")
    return runs, curves


def _curve(given: Any) -> Curve:
    try:
        label, points = given
        curve = Curve(str(label), [(float(steps), float(value)) for steps, value in points])
    except (TypeError, ValueError):
        curve = Curve("", [])
    if not curve.points or not all(map(math.isfinite, chain.from_iterable(curve.points))):
        raise ValueError(
            f"a curve ({reprlib.repr(given)}) must be a label and pairs of steps and value, "
            "as in ('mine', [(1000, 0.4), (2000, 0.3)])"
        )
    return curve


def _draw_runs(runs: Sequence[Run], curves: Sequence[Curve], figure: Figure) -> None:
    config, units = runs[0].config, _units(runs)
    name, kind = config["figure"], config["measured"]
    panels = figure.subplots(1, len(units), sharey=True, squeeze=False)[0]
    of_unit = dict(zip(units, panels, strict=True))
    for number, run in enumerate(runs):
        _draw_run(of_unit[run.config["step"]], run, name, kind, f"C{number}")
    for number, curve in enumerate(curves, len(runs)):
        panels[0].plot(*zip(*curve.points, strict=True), color=f"C{number}", ls="--", lw=1.2, label=f" {curve.label}")
    drawn = [row[name] for run in runs for row in run.rows] + [value for curve in curves for _, value in curve.points]
    for unit, axes in of_unit.items():
        _frame(axes, config, drawn)
        if kind == "exact":
            value = config["reference"].get("value")
            optimal = "equilibrium: 0" if value is None else f"optimal play: 0 (minimax value {value:.4g})"
            # The line coincides with the frame, so it is drawn above the frame to be visible.
            axes.axhline(0.0, color="green", lw=2, clip_on=False, zorder=5, label=optimal)
        axes.set_xlim(left=0.0)
        axes.xaxis.set_major_locator(MaxNLocator(MOST_STEPS_MARKED // len(units) + 1, integer=True))
        axes.set_xlabel(f"steps ({unit})")
    panels[0].set_ylabel(_axis(name, kind))
    figure.suptitle(f"{TITLES[kind]}: {config['title']}")
    named = {label: line for axes in panels for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(named.values(), named, loc="outside lower center", ncols=2)


def _draw_run(axes: Axes, run: Run, name: str, kind: Kind, color: str) -> None:
    label = f"{run.config['label']}, seed {run.seed}"
    if run.rows:
        label += f": {run.rows[-1][name]:.4f} after {run.rows[-1]['cpu_seconds']:.0f} CPU s"
    steps, figures = [row["steps"] for row in run.rows], [row[name] for row in run.rows]
    if kind == "matches":
        ends = [[abs(row[f"{name}{end}"] - row[name]) for row in run.rows] for end in ("_low", "_high")]
        axes.errorbar(steps, figures, ends, color=color, ms=4, capsize=2, label=label, **SAMPLE)
    else:
        style = {"marker": "o"} if kind == "exact" else BOUND
        axes.plot(steps, figures, color=color, ms=3, label=label, **style)


def _axis(name: str, kind: Kind) -> str:
    return f"{figure_in_words(name)} (payoff points{'' if kind == 'exact' else f', {kind}'})"


def draw_game(game: GameReport) -> bytes:
    """Draws the game's figure as SVG, with medians over seeds and their intervals.

    There is one panel for each unit of steps, and one for CPU seconds.
    """
    drawn = [group for group in game.groups if group.curve]
    units = _units(drawn or game.groups)
    columns = _columns(map(_label, drawn))
    height = _height(4.6, len(drawn), columns)
    return picture(partial(_draw_groups, game, drawn, units, columns), 8.0 + 3.0 * len(units), height, "svg")


def _columns(labels: Iterable[str]) -> int:
    return min(max(LEGEND_LETTERS // max(map(len, labels), default=LEGEND_LETTERS), 1), 3)


def _draw_groups(game: GameReport, drawn: Sequence[Group], units: Sequence[str], columns: int, figure: Figure) -> None:
    *over_steps, over_seconds = all_axes = figure.subplots(1, len(units) + 1, sharey=True)
    of_unit = dict(zip(units, over_steps, strict=True))
    for number, group in enumerate(drawn):
        _draw_curve(of_unit[group.config["step"]], [steps for steps, _, _ in group.curve], group, number)
        _draw_curve(over_seconds, [max(seconds, LEAST_SECONDS) for _, seconds, _ in group.curve], group, number)
    ends = [end for group in drawn for *_, each in group.curve for end in (each.low, each.high)]
    for axes in all_axes:
        _frame(axes, game.config, ends)
        if drawn:
            _scale_of_learning(axes)
        axes.xaxis.set_major_formatter(FuncFormatter(_in_short))
        axes.xaxis.set_minor_formatter(_BetweenPowers())
    for unit, axes in of_unit.items():
        axes.set_xlabel(f"steps ({unit})")
    over_seconds.set_xlabel("CPU seconds of learning, without evaluations")
    all_axes[0].set_ylabel(_axis(game.config["figure"], game.config["measured"]))
    figure.legend(*over_seconds.get_legend_handles_labels(), loc="outside lower center", ncols=columns)


def _scale_of_learning(axes: Axes) -> None:
    """Sets the scale of steps or seconds: logarithmic except near 0."""
    first, last = axes.dataLim.intervalx
    if first > 0.0:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if last < 1e3 * first else (1.0,)))
    else:
        axes.set_xscale("symlog", linthresh=min(axes.dataLim.minposx, last or 1.0), linscale=0.3)
        axes.set_xlim(left=0.0)  # otherwise the margin of the axis would reach below the first step


def _label(group: Group) -> str:
    label = printable(group.name)
    label = label if len(label) <= LEGEND_LETTERS else f"{label[:LEGEND_LETTERS]} ..."
    label += "" if len(group.runs) == 1 else f", {len(group.runs)} seeds"
    label += "" if all(run.finished for run in group.runs) else " (unfinished)"
    return f" {label}"  # matplotlib omits labels that begin with _ from the legend


def _draw_curve(axes: Axes, places: list[float], group: Group, number: int) -> None:
    color, marks = f"C{number}", MARKS[number // 10 % len(MARKS)]
    figures = [figure for _, _, figure in group.curve]
    kind, name = group.config["measured"], group.config["figure"]
    exact: dict[str, Any] = {"ls": marks[1:], "marker": marks[0], "ms": 2.5, "lw": 1.2}
    style = exact if kind == "exact" else {"ms": 4, **(SAMPLE if kind == "matches" else BOUND)}
    axes.plot(places, [each.middle for each in figures], color=color, label=_label(group), **style)
    if kind == "matches" and len(group.runs) == 1:
        rows = group.runs[0].rows
        axes.vlines(places, [row[f"{name}_low"] for row in rows], [row[f"{name}_high"] for row in rows], color, lw=1)
    if figures[-1].confidence > 0.0:
        low, high = [each.low for each in figures], [each.high for each in figures]
        axes.fill_between(places, low, high, color=color, alpha=0.2, lw=0)


def _frame(axes: Axes, config: Mapping[str, Any], drawn: Sequence[float]) -> None:
    """Draws reference figures; distances have a scale that is logarithmic except near 0."""
    axes.grid(True, which="major", alpha=0.3)
    if config["measured"] == "matches":
        axes.axhline(0.0, color="black", ls="--", lw=1, label="no payoff")
        return
    uniform = next((figure for name, figure in config["reference"].items() if name.startswith("uniform_")), 0.0)
    if uniform:
        axes.axhline(uniform, color="black", ls="--", lw=1, label=f"uniform play: {points(uniform, 4)}")
    least = min((figure for figure in drawn if figure > 1e-9), default=1e-3)
    axes.set_yscale("symlog", linthresh=10.0 ** math.floor(math.log10(least)), linscale=0.3)
    axes.set_ylim(0.0, 1.3 * max(uniform, least, *drawn))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(_in_short))


def _units(runs: Sequence[Run | Group]) -> list[str]:
    """Returns the different units of the runs' steps."""
    return list(dict.fromkeys(run.config["step"] for run in runs))
