"""A report on runs as one HTML page that needs nothing else, and its tables as Markdown."""

from __future__ import annotations

import base64
import html
import io
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogFormatter, LogLocator

from train.files import write_atomically
from train.report import GameReport, Group, Run, Spread, arrange, read_run

HEADINGS = (
    "algorithm",
    "differs in",
    "seeds",
    "steps",
    "seconds",
    "exploitability",
    "interval (confidence)",
    "guaranteed to player_0",
    "guaranteed to player_1",
)
RUN_HEADINGS = ("run", "algorithm", "seed", "state", "steps", "seconds", "exploitability", "commit")
NOTE = (
    "Exploitability is exact: NashConv / 2, what a perfect opponent wins on average beyond the game's value, in payoff "
    "points. What is guaranteed is what the policy gets in that seat against a perfect opponent. With several seeds "
    "figures are medians, and the interval is one for the median, from order statistics: it reaches 95 % from 6 seeds "
    "on. Curves are drawn where all seeds were evaluated, over median seconds."
)
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 14px; }
th, td { border: 1px solid #ccc; padding: 0.25rem 0.6rem; text-align: left; font-variant-numeric: tabular-nums; }
th { background: #f3f3f3; }
.scroll { overflow-x: auto; }
img { max-width: 100%; }
pre { background: #f6f6f6; padding: 0.7rem; white-space: pre-wrap; overflow-wrap: anywhere; }
"""
# No link to anywhere, no script: the pictures are inside.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
<p>{note}</p>
{body}
</body>
</html>
"""
# Seconds are written down to a thousandth; less cannot stand on a logarithmic axis.
LEAST_SECONDS = 1e-3
INCHES = (11.0, 4.6)
# What fits beside each other below the picture.
LEGEND_LETTERS = 150
# After ten curves colours come up again, with other marks.
MARKS = ("o-", "s--", "^:")


class Report(NamedTuple):
    """Where a report was written, and which folders were left out."""

    page: Path
    tables: Path
    skipped: list[str]


def write_report(
    folders: Sequence[str | Path],
    out: str | Path,
    skip_damaged: bool = False,
    labels: Mapping[str | Path, str] | None = None,
) -> Report:
    """Writes a page on runs, and beside it, as `.md`, its tables.

    Args:
        folders: The runs' folders.
        out: The HTML file to write.
        skip_damaged: Leave out damaged folders, where else one makes the report fail.
        labels: By folder, what its algorithm is called here; as in the run's own pictures if not given.

    Returns:
        What was written, and why folders were left out, a line for each.

    Raises:
        ValueError: If there are no runs to report on, two are the same, one is damaged, or `out`
            has the suffix of the tables; nothing is written then.
    """
    page, tables = Path(out), Path(out).with_suffix(".md")
    if page == tables:
        raise ValueError(f"{out} must not end in .md: the tables go there, beside the page")
    runs, skipped = [], []
    for folder in folders:
        try:
            run = read_run(folder)
            label = (labels or {}).get(folder, run.config["label"])
            runs.append(replace(run, config={**run.config, "label": label}))
        except ValueError as error:
            if not skip_damaged:
                raise
            skipped.append(str(error))
    games = arrange(runs)
    texts = _page(games, skipped), _tables(games, skipped)
    page.parent.mkdir(parents=True, exist_ok=True)
    for path, text in zip((page, tables), texts, strict=True):
        write_atomically(path, text.encode())
    return Report(page, tables, skipped)


def _page(games: Sequence[GameReport], skipped: Sequence[str]) -> str:
    parts = [f"<p><strong>Left out:</strong> {html.escape(line)}</p>" for line in skipped]
    for game in games:
        picture = base64.b64encode(draw(game)).decode()
        parts += [
            f"<h2>{html.escape(game.title)}</h2>",
            f"<p>{html.escape(_known(game))}</p>",
            f'<img alt="Exploitability of {html.escape(game.title)} over steps and seconds" '
            f'src="data:image/svg+xml;base64,{picture}">',
            _html_table(HEADINGS, [_cells(group) for group in game.groups]),
            "<h3>Runs</h3>",
            _html_table(RUN_HEADINGS, _run_rows(game)),
            "<h3>Commands</h3>",
            f"<pre>{html.escape(_commands(game))}</pre>",
        ]
    return PAGE.format(title="Learners measured exactly", style=STYLE, note=html.escape(NOTE), body="\n".join(parts))


def _html_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [
        "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
        for tag, cells in [("th", headings), *(("td", row) for row in rows)]
    ]
    return '<div class="scroll"><table>\n' + "\n".join(lines) + "\n</table></div>"


def _tables(games: Sequence[GameReport], skipped: Sequence[str]) -> str:
    parts = [NOTE, *(f"Left out: {_plain(line)}" for line in skipped)]
    for game in games:
        parts += [
            f"## {_plain(game.title)}",
            _plain(_known(game)),
            markdown_table(HEADINGS, [_cells(group) for group in game.groups]),
            "\n".join(["```", *_commands(game).splitlines(), "```"]),
        ]
    return "\n\n".join(parts) + "\n"


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown that shows all cells as they are."""
    lines = [headings, ["---"] * len(headings), *([_plain(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    marks = "\\`*_[]<>|#"
    return "".join(f"\\{letter}" if letter in marks else letter for letter in " ".join(text.split()))


def _known(game: GameReport) -> str:
    known = game.reference
    return (
        f"Value to player_0 {_points(known['value'])}; "
        f"uniform play's exploitability {_points(known['uniform_exploitability'])}, optimal play's 0."
    )


def _cells(group: Group) -> list[str]:
    """A row under `HEADINGS`."""
    ended = sum(run.finished for run in group.runs)
    seeds = ", ".join(str(run.seed) for run in group.runs)
    if ended < len(group.runs):
        seeds += f" ({len(group.runs) - ended} unfinished{', not counted' if ended else ''})"
    figures = [group.last(name) for name in ("exploitability", "guaranteed_0", "guaranteed_1")]
    exploitability, *guarantees = (None if figure is None else figure.middle for figure in figures)
    return [
        group.config["label"],
        ", ".join(f"{name}={value}" for name, value in group.differs.items()),
        seeds,
        _steps(group),
        _seconds(group.last("seconds")),
        _points(exploitability),
        _interval(figures[0]),
        *(_points(guarantee) for guarantee in guarantees),
    ]


def _steps(group: Group) -> str:
    unit, asked, last = group.config.get("step", "joint actions"), group.config["args"]["steps"], group.last("steps")
    if last is None:
        return f"0 of {asked:,} {unit}, no evaluation yet"
    return f"{last.middle:,.0f} {unit}" if group.counted[0].finished else f"{last.middle:,.0f} of {asked:,} {unit}"


def _seconds(seconds: Spread | None) -> str:
    return "" if seconds is None else f"{seconds.middle:,.1f}"


def _interval(spread: Spread | None) -> str:
    if spread is None or spread.confidence == 0.0:
        return ""
    return f"{_points(spread.low)} to {_points(spread.high)} ({100 * spread.confidence:.3g} %)"


def _points(payoff: float | None) -> str:
    # Adding 0.0 turns the -0.0 that rounding can leave into 0.0.
    return "" if payoff is None else f"{round(payoff, 6) + 0.0:.6f}"


def _run_rows(game: GameReport) -> list[list[str]]:
    return [_run_cells(group, run) for group in game.groups for run in group.runs]


def _run_cells(group: Group, run: Run) -> list[str]:
    """A row under `RUN_HEADINGS`; the exploitability in all its digits."""
    names = str(run.folder), group.name, str(run.seed), "finished" if run.finished else "unfinished"
    last = run.rows[-1] if run.rows else None
    figures = ["", "", ""] if last is None else [f"{last['steps']:,.0f}", f"{last['seconds']:g}"]
    figures += [] if last is None else [repr(last["exploitability"])]
    return [*names, *figures, (run.commit or "unknown")[:12]]


def _commands(game: GameReport) -> str:
    return "\n".join(run.command for group in game.groups for run in group.runs)


def draw(game: GameReport) -> bytes:
    """Exploitability over steps and over seconds, as SVG: medians, with intervals where there are several seeds."""
    # The salt makes the same runs give the same bytes; a $ in a name is a $.
    with mpl.rc_context({"svg.hashsalt": "cardwar", "text.parse_math": False, "font.size": 9}):
        figure = Figure(figsize=INCHES, layout="constrained")
        over_steps, over_seconds = figure.subplots(1, 2, sharey=True)
        for number, group in enumerate(game.groups):
            if group.curve:
                _draw_curve(over_steps, [steps for steps, _, _ in group.curve], group, number)
                seconds = [max(seconds, LEAST_SECONDS) for _, seconds, _ in group.curve]
                _draw_curve(over_seconds, seconds, group, number)
        _draw_frame(over_steps, over_seconds, game)
        labels = over_steps.get_legend_handles_labels()
        columns = LEGEND_LETTERS // max(map(len, labels[1]))
        figure.legend(*labels, loc="outside lower center", ncols=min(max(columns, 1), 3))
        picture = io.BytesIO()
        figure.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()


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


def _draw_frame(over_steps: Axes, over_seconds: Axes, game: GameReport) -> None:
    uniform = game.reference["uniform_exploitability"]
    for axes in (over_steps, over_seconds):
        axes.axhline(uniform, color="black", ls="--", lw=1, label=f" uniform play: {_points(uniform)}")
        axes.grid(True, which="major", alpha=0.3)
        if any(group.curve for group in game.groups):
            axes.set_xscale("log")
            first, last = axes.dataLim.intervalx
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if last < 1e3 * first else (1.0,)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.10g}"))
        axes.xaxis.set_minor_formatter(LogFormatter())  # labels where there is less than a decade
    # Linear below the least figure, so that 0 is on the axis.
    drawn = [figure for group in game.groups for _, _, figure in group.curve]
    least = min((figure.low for figure in drawn if figure.low > 1e-9), default=1e-3)
    over_steps.set_yscale("symlog", linthresh=10.0 ** math.floor(math.log10(least)), linscale=0.3)
    over_steps.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    over_steps.set_ylim(0.0, 1.3 * max([uniform, least, *(figure.high for figure in drawn)]))
    units = dict.fromkeys(group.config.get("step", "joint actions") for group in game.groups)
    over_steps.set_xlabel(f"steps ({', '.join(units)})")
    over_seconds.set_xlabel("seconds of learning, evaluations included")
    over_steps.set_ylabel("exploitability (payoff points)")


def say_skipped(report: Report) -> None:
    """Names what was left out, on stderr."""
    for line in report.skipped:
        print(f"cardwar: left out: {line}", file=sys.stderr)
