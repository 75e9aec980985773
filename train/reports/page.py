"""A report on runs as one HTML page that needs nothing else, with brief tables in Markdown beside it."""

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

from train.reports.groups import GameReport, Group, arrange, read_run
from train.reports.tables import (
    FIRST_WORDS,
    HEADINGS,
    PAGE_NOTE,
    RUN_HEADINGS,
    brief_tables,
    cells,
    commands,
    known,
    points,
    run_rows,
)
from train.storage.archive import write_atomically

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
    """Writes a page on runs, and beside it, as `.md`, brief tables.

    Args:
        folders: The runs' folders.
        out: The HTML file to write.
        skip_damaged: Leave out damaged folders, where else one makes the report fail.
        labels: By folder, what its algorithm is called here; as in the run's own pictures if not given.

    Returns:
        What was written, and why folders were left out, a line for each.

    Raises:
        ValueError: If there are no runs to report on, two are the same, one is damaged, or `out`
            has the suffix of the tables or would make them take another file's place; nothing is written then.
    """
    page, tables = Path(out), Path(out).with_suffix(".md")
    if page == tables:
        raise ValueError(f"{out} must not end in .md: the tables go there, beside the page")
    if tables.exists() and not tables.read_text(errors="replace").startswith(FIRST_WORDS):
        raise ValueError(f"{tables} is not a report's; the tables go there, so give another --out than {out}")
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
    texts = _page(games, skipped), brief_tables(games, skipped)
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
            f"<p>{html.escape(known(game))}</p>",
            f'<img alt="Exploitability of {html.escape(game.title)} over steps and seconds" '
            f'src="data:image/svg+xml;base64,{picture}">',
            _html_table(HEADINGS, [cells(group) for group in game.groups]),
            "<h3>Runs</h3>",
            _html_table(RUN_HEADINGS, run_rows(game)),
            "<h3>Commands</h3>",
            f"<pre>{html.escape(commands(game))}</pre>",
        ]
    return PAGE.format(
        title="Learners measured exactly", style=STYLE, note=html.escape(PAGE_NOTE), body="\n".join(parts)
    )


def _html_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [
        "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
        for tag, cells in [("th", headings), *(("td", row) for row in rows)]
    ]
    return '<div class="scroll"><table>\n' + "\n".join(lines) + "\n</table></div>"


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
        axes.axhline(uniform, color="black", ls="--", lw=1, label=f" uniform play: {points(uniform)}")
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
    units = dict.fromkeys(group.config["step"] for group in game.groups)
    over_steps.set_xlabel(f"steps ({', '.join(units)})")
    over_seconds.set_xlabel("seconds of learning, evaluations included")
    over_steps.set_ylabel("exploitability (payoff points)")


def say_skipped(report: Report) -> None:
    """Names what was left out, on stderr."""
    for line in report.skipped:
        print(f"cardwar: left out: {line}", file=sys.stderr)
