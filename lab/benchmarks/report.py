"""Shows results as tables for the terminal and in Markdown, and in one picture of all ratios."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from lab.benchmarks.comparison import CLOCKS, Result, Row
from train.reports.markdown import table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INCHES_WIDE, INCHES_A_BAR = 10.0, 0.22


def short(number: float) -> str:
    """Formats a number with about three digits."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def duration(seconds: float) -> str:
    """Formats a time in a suitable unit."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1 or unit == "us":
            break
    return f"{short(seconds * factor)} {unit}"


def spread(values: Sequence[float]) -> str:
    """Text of the form "median (least..most)"."""
    if len(values) == 1:
        return short(values[0])
    return f"{short(median(values))} ({short(min(values))}..{short(max(values))})"


def cells(result: Result, clocks: Sequence[str] = ("wall",)) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of a table, with ratios of the times by these clocks."""
    comparison = result.comparison
    first = ["time", "CPU time"] if comparison.timed else [f"{comparison.unit}/s"]
    views = [(reference, clock) for reference in result.references for clock in clocks]
    against = [f"x {reference.name}" + ("" if clock == "wall" else f", {clock}") for reference, clock in views]
    rows = [
        [
            row.name,
            *_figures(row, comparison.timed),
            *(_ratio(result, row, *view) for view in views),
            *_facts(result, row),
        ]
        for row in result.rows
    ]
    return ["", *first, *against, *comparison.facts], rows


def _figures(row: Row, timed: bool) -> list[str]:
    if not timed:
        return [f"{median(row.speeds()):,.0f}"]
    wall, processor = (duration(1 / median(row.speeds(clock))) for clock in CLOCKS)
    return [("" if row.finished else "over ") + wall, processor]


def _ratio(result: Result, row: Row, reference: Row, clock: str) -> str:
    if row is reference:
        return "1"
    text = spread(result.ratios(row, reference, clock))
    if row.finished and reference.finished:
        return text
    return f"over {text}" if row.finished else f"under {text}" if reference.finished else ""


def _facts(result: Result, row: Row) -> list[str]:
    facts = [(row.fact(name), how) for name, how in result.comparison.facts.items()]
    return ["" if fact is None else format(fact, how) for fact, how in facts]


def skipped_lines(result: Result) -> list[str]:
    return [f"skipped: {name}: {why}" for name, why in result.skipped.items()]


def for_terminal(result: Result) -> Group:
    """Title, table, and the peers that were skipped."""
    headings, rows = cells(result)
    table = Table()
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left", no_wrap=not heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    # Not part of the table, which would wrap them at its own width.
    title = Text(f"\n{result.comparison.title} (ratios: median, least..most)", style="bold")
    return Group(title, table, *map(Text, skipped_lines(result)))


def markdown(result: Result) -> str:
    headings, rows = cells(result, CLOCKS)
    lines = [f"{result.comparison.title}:", "", table(headings, rows, rule="---:")]
    lines += ["\n" + line for line in skipped_lines(result)]
    return "\n".join(lines) + "\n"


def plot(results: Sequence[Result], path: Path) -> bool:
    """Draws our ratios to the first reference as bars, with whiskers from least to most; returns False without any."""
    from train.reports.curves import picture

    compared = [(result, [row for row in result.rows if not row.peer]) for result in results if result.references]
    if compared:
        height = 1.5 + INCHES_A_BAR * sum(len(rows) + 1.5 for _, rows in compared)
        path.write_bytes(picture(partial(_draw, compared), INCHES_WIDE, height))
    return bool(compared)


def _draw(compared: Sequence[tuple[Result, Sequence[Row]]], figure: Figure) -> None:
    axes = figure.subplots()
    place, ticks, ends = 0.0, [], [1.0]
    for number, (result, rows) in enumerate(compared):
        title = f"{result.comparison.title}: x {result.references[0].name}"
        axes.text(0.01, place, title, fontsize=8, weight="bold", va="center", transform=axes.get_yaxis_transform())
        for row in rows:
            place += 1
            ticks.append(place)
            _bar(axes, place, result, row, f"C{number % 10}")
            ends += result.ratios(row, result.references[0])
        place += 1.5
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlim(min(ends) / 2, max(ends) * 4)
    axes.set_ylim(place - 0.5, -1)
    axes.set_yticks(ticks, [row.name for _, rows in compared for row in rows], fontsize=7)
    axes.set_xlabel("times as fast (median of the rounds; whiskers: least to most)")


def _bar(axes: Axes, place: float, result: Result, row: Row, color: str) -> None:
    """Draws a bar that starts at 1, so that bars of slower candidates point the other way."""
    reference = result.references[0]
    ratios = result.ratios(row, reference)
    middle = median(ratios)
    whiskers = [[middle - min(ratios)], [max(ratios) - middle]]
    axes.barh(place, middle - 1, left=1, height=0.8, xerr=whiskers, color=color, ecolor="black", capsize=2)
    text = ("" if reference.finished else "over ") + short(middle)
    axes.annotate(text, (max(*ratios, 1), place), (4, 0), textcoords="offset points", fontsize=7, va="center")
