"""Generates the tables of the standings, and the picture of their curves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from matplotlib.figure import Figure

from lab.pages.tuning import chosen, read_tuning, shares
from train.algorithms.registry import CLASSES
from train.reports.curves import picture
from train.reports.markdown import table
from train.standings.entries import Entry, paths, read_entry
from train.text.printing import points

ROOT = Path("standings")
COLUMNS = 3
# Below this exploitability, in payoff points, the axis of the curves is linear.
LINEAR = 1e-4
STYLES = ("-", "--")


def section(part: str) -> str:
    """Generates a part of a page: a key of `PARTS`."""
    if part not in PARTS:
        raise ValueError(f"{part!r} must be one of {', '.join(PARTS)}")
    return PARTS[part]()


def _games() -> dict[str, list[Entry]]:
    """The entries of each game, best first within each class."""
    entries = sorted(
        map(read_entry, paths(ROOT)), key=lambda each: (CLASSES.index(each.stated.uses), each.exploitability)
    )
    return {title: [each for each in entries if each.stated.game == title] for title in sorted(_titles(entries))}


def _titles(entries: Sequence[Entry]) -> set[str]:
    return {each.stated.game for each in entries}


def _uniform(entries: Sequence[Entry]) -> str:
    return points(entries[0].stated.uniform_exploitability, 4)


def entries() -> str:
    """A table for each game: all entries, with the figures of all seeds."""
    headings = ["class", "learner", "CPU s", "joint actions", "median", "all seeds"]
    parts = []
    for title, held in _games().items():
        parts.append(f"## `{title}`\n\nUniform play: {_uniform(held)}.\n\n{table(headings, list(map(_row, held)))}")
    return "\n\n".join(parts)


def _row(entry: Entry) -> list[str]:
    seeds = ", ".join(points(run.exploitability[-1], 4) for run in entry.stated.runs)
    label = entry.stated.learner + ("" if entry.stated.policy_file else " (not verifiable: no policy file)")
    costs = f"{entry.cpu_seconds:,.0f}", entry.steps
    return [entry.stated.uses, label, *costs, points(entry.exploitability, 4), seeds]


def overview() -> str:
    """The median of each learner, a row, in each game, a column."""
    games = _games()
    kinds = {(each.stated.uses, each.stated.learner, each.name) for held in games.values() for each in held}
    figures = {(each.name, title): points(each.exploitability, 4) for title, held in games.items() for each in held}
    rows = [
        [uses, learner, *(figures.get((name, title), "") for title in games)]
        for uses, learner, name in sorted(kinds, key=lambda each: (CLASSES.index(each[0]), *each[1:]))
    ]
    heading = ["class", "learner", *(f"`{title}`" for title in games)]
    return table(heading, [["", "uniform play", *map(_uniform, games.values())], *rows])


def tuning() -> str:
    """The configurations that were tried, with the chosen ones in bold."""
    if not (tried := read_tuning()):
        return "The runs are not finished."
    games, mean, best = dict.fromkeys(each.game for each in tried), shares(tried), chosen(tried)
    figures = {(each.configuration, each.game): points(each.exploitability, 4) for each in tried}
    rows = [
        [
            f"**`{words}`**" if words in best else f"`{words}`",
            *(figures[words, game] for game in games),
            f"{mean[words]:.3f}",
        ]
        for words in mean
    ]
    return table(["configuration", *(f"`{game}`" for game in games), "mean share of uniform play's"], rows)


PARTS = {"entries": entries, "overview": overview, "tuning": tuning}


def curves() -> str:
    """Draws each game's curves as SVG: medians over the seeds, over CPU seconds of learning."""
    games = {title: [(each, medians(each)) for each in held] for title, held in _games().items()}
    # An entry of one evaluation is no curve.
    drawn = {title: [each for each in held if len(each[1]) > 1] for title, held in games.items()}
    drawn = {title: held for title, held in drawn.items() if held}
    rows = max(1, -(-len(drawn) // COLUMNS))
    learners = sorted({entry.stated.learner for held in drawn.values() for entry, _ in held})

    def draw(figure: Figure) -> None:
        panels = list(figure.subplots(rows, COLUMNS, squeeze=False).flat)
        for axes in panels[len(drawn) :]:
            axes.axis("off")
        for axes, (title, held) in zip(panels, drawn.items(), strict=False):
            axes.axhline(held[0][0].stated.uniform_exploitability, color="black", ls=":", lw=1, label=" uniform play")
            for entry, curve in held:
                number = learners.index(entry.stated.learner)
                style = {"color": f"C{number % 10}", "ls": STYLES[number // 10 % len(STYLES)], "lw": 1.2}
                axes.plot(*zip(*curve, strict=True), label=f" {entry.stated.learner}", **style)
            axes.set_title(title.replace(" ", "\n", 1), fontsize=9)
            axes.set_xlabel("CPU seconds of learning", fontsize=8)
            axes.set_yscale("symlog", linthresh=LINEAR, linscale=0.3)
            axes.set_ylim(bottom=0.0)
            axes.yaxis.set_major_formatter("{x:g}")
            axes.grid(alpha=0.3)
        named = {
            label: line for axes in figure.axes for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.supylabel("exploitability, payoff points", fontsize=9)
        figure.legend(named.values(), named, loc="outside lower center", ncols=4)

    return picture(draw, 10.0, 1.5 + 2.7 * rows, "svg").decode()


def medians(entry: Entry) -> list[tuple[float, float]]:
    """Returns CPU seconds and the median exploitability of the seeds, each at its last evaluation so far."""
    runs = [list(zip(run.cpu_seconds, run.exploitability, strict=True)) for run in entry.stated.runs]
    moments = sorted({moment for run in runs for moment, _ in run})
    return [
        (moment, median([each for each in run if each[0] <= moment][-1][1] for run in runs))
        for moment in moments
        if all(run[0][0] <= moment for run in runs)
    ]
