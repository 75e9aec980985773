"""Generates the tables of policies that search, and the picture of their exploitability, from `docs/search.csv`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from statistics import mean, median
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from baselines.search.policy import SELECTIONS
from lab.benchmarks.searches import COUNTS, FILE, GAMES, OPENSPIEL, SEEDS, SPEED, Row, read_rows
from train.reports.curves import picture
from train.reports.markdown import table
from train.text.printing import points

TITLES = {"matrix": "exact matrix games", "regret": "regret matching", "uct": "decoupled UCT", "exp3": "Exp3"}
MARKS = dict(zip(SELECTIONS, "osD^", strict=True))
COLUMNS = 3
PAIRED = 1_000  # simulations of the matches that are told pair by pair


def section(part: str) -> str:
    """Generates a part of the page: a key of `PARTS`."""
    if part not in PARTS:
        raise ValueError(f"{part!r} must be one of {', '.join(PARTS)}")
    return PARTS[part]()


def _rows(kind: str, game: str = "") -> list[Row]:
    return [row for row in read_rows(FILE) if row.kind == kind and game in ("", row.game)]


def _of(rows: Iterable[Row], policy: str, simulations: int) -> list[float]:
    """The figures of all seeds."""
    return [row.figure for row in rows if (row.policy, row.simulations) == (policy, simulations)]


def _counts(rows: Iterable[Row]) -> list[int]:
    return sorted({row.simulations for row in rows if row.simulations})


def _spread(figures: Sequence[float]) -> str:
    """Median, least and greatest; says so if seeds are missing."""
    if not figures:
        return ""
    middle, *ends = (points(each, 4) for each in (median(figures), min(figures), max(figures)))
    if len(figures) == 1:
        return f"{middle} (one seed)"
    return f"{middle} ({' to '.join(ends)}{'' if len(figures) == SEEDS else f'; {len(figures)} seeds'})"


def curves() -> str:
    """A table for each game."""
    parts = []
    for game in GAMES:
        rows = _rows("curves", game)
        (uniform,), counts = _of(rows, "uniform", 0), _counts(rows)
        cells = [
            [f"`{selection}`", *(_cell(_of(rows, selection, n), uniform) for n in counts), _cost(rows, selection)]
            for selection in SELECTIONS
        ]
        heading = ["simulations", *(f"{count:,}" for count in counts), "µs"]
        parts.append(f"## `{game}`\n\nUniform play: {points(uniform, 4)}.\n\n{table(heading, cells)}")
    return "\n\n".join(parts)


def _cell(figures: Sequence[float], uniform: float) -> str:
    """In italics if uniform play is less exploitable."""
    return f"*{_spread(figures)}*" if figures and median(figures) > uniform else _spread(figures)


def _cost(rows: Sequence[Row], selection: str) -> str:
    """CPU microseconds per simulation where there are most of them."""
    counts = _counts(row for row in rows if row.policy == selection)
    times = [row.micros for row in rows if (row.policy, row.simulations) == (selection, counts[-1])] if counts else []
    return f"{median(times):.2f}" if times else ""


def _matches() -> Iterator[tuple[str, int, dict[tuple[str, str], float]]]:
    """Yields games and simulations with the mean payoffs, over the seeds, of selections against others."""
    rows = _rows("matches")
    for game, count in dict.fromkeys((row.game, row.simulations) for row in rows):
        found: dict[tuple[str, str], float] = {}
        for pair in combinations(SELECTIONS, 2):
            if figures := _of((row for row in rows if row.game == game), " ".join(pair), count):
                found[pair], found[pair[::-1]] = mean(figures), -mean(figures)
        if len(found) == len(SELECTIONS) * (len(SELECTIONS) - 1):  # the others are not finished
            yield game, count, found


def matches() -> str:
    """Rankings by mean payoff against the other selections, and by exploitability."""
    cells = []
    for game, count, found in _matches():
        curve = _rows("curves", game)
        payoffs = {s: mean(paid for pair, paid in found.items() if pair[0] == s) for s in SELECTIONS}
        exploited = {s: median(_of(curve, s, count)) for s in SELECTIONS}
        best, least = sorted(SELECTIONS, key=lambda s: -payoffs[s]), sorted(SELECTIONS, key=exploited.__getitem__)
        told = (
            ", ".join(f"`{s}` {payoffs[s]:+.3f}" for s in best),
            ", ".join(f"`{s}` {exploited[s]:.3f}" for s in least),
        )
        cells.append([f"`{game}`", f"{count:,}", *told])
    return table(["game", "simulations", "mean payoff against the other three", "exploitability"], cells)


def pairs() -> str:
    """Mean payoffs of each selection, a row, against each other one, a column."""
    parts = []
    for game, _, found in (each for each in _matches() if each[1] == PAIRED):
        cells = [[f"`{s}`", *("" if s == o else f"{found[s, o]:+.3f}" for o in SELECTIONS)] for s in SELECTIONS]
        parts.append(f"`{game}`:\n\n{table(['', *(f'`{o}`' for o in SELECTIONS)], cells)}")
    return "\n\n".join(parts)


def leaf() -> str:
    """A search with the values of trained networks, beside these networks and random games."""
    rows = _rows("leaf")
    random = [row for game in {row.game for row in rows} for row in _rows("curves", game)]
    cells = [
        ["the network's own policy", "none", _spread(_of(rows, learner, 0))]
        for learner in sorted({row.policy for row in rows if not row.simulations})
    ]
    for count in _counts(rows):
        cells.append(["`matrix` with the network's values", f"{count:,}", _spread(_of(rows, "matrix", count))])
        cells.append(["`matrix` with random games", f"{count:,}", _spread(_of(random, "matrix", count))])
    return table(["policy", "simulations", "exploitability"], cells)


def speed() -> str:
    """Simulations per second at the root, and how many times those of OpenSpiel."""
    rows, cells = _rows("speed"), []
    for game in SPEED:
        mine = [row for row in rows if row.game == game]
        rates = {name: max(figures) for name in (*SELECTIONS, OPENSPIEL) if (figures := _all(mine, name))}
        theirs = rates.get(OPENSPIEL)
        cells.append([f"`{game}`", *(_rate(rates.get(name), theirs) for name in (*SELECTIONS, OPENSPIEL))])
    return table(["game", *(f"`{name}`" for name in SELECTIONS), OPENSPIEL], cells)


def _all(rows: Iterable[Row], policy: str) -> list[float]:
    return [row.figure for row in rows if row.policy == policy]


def _rate(rate: float | None, theirs: float | None) -> str:
    if rate is None:
        return ""
    told = f"{float(f'{rate:.3g}'):,.0f}"
    return f"{told} ({rate / theirs:.2g} x)" if theirs and rate != theirs else told


PARTS: dict[str, Callable[[], str]] = {
    "curves": curves,
    "matches": matches,
    "pairs": pairs,
    "leaf": leaf,
    "speed": speed,
}


def curve_picture() -> str:
    """Draws a panel for each game as SVG: medians and ranges over the seeds, against simulations."""
    lines = -(-len(GAMES) // COLUMNS)

    def draw(figure: Figure) -> None:
        panels = list(figure.subplots(lines, COLUMNS, squeeze=False).flat)
        for axes in panels[len(GAMES) :]:
            axes.axis("off")
        for axes, game in zip(panels, GAMES, strict=False):
            _panel(axes, game, _rows("curves", game))
        figure.supxlabel("simulations of each search", fontsize=9)
        figure.supylabel("exploitability, payoff points", fontsize=9)
        shown, labels = panels[0].get_legend_handles_labels()
        figure.legend(shown, labels, loc="outside upper center", ncols=len(labels), frameon=False)

    return picture(draw, 10.0, 0.9 + 2.4 * lines, "svg").decode()


def _panel(axes: Axes, game: str, rows: Sequence[Row]) -> None:
    axes.axhline(_of(rows, "uniform", 0)[0], color="black", ls=":", lw=1.2, label=" uniform play")
    for number, selection in enumerate(SELECTIONS):
        found = {count: figures for count in _counts(rows) if (figures := _of(rows, selection, count))}
        style: dict[str, Any] = {"color": f"C{number}", "marker": MARKS[selection], "ms": 4, "lw": 1.5}
        axes.plot(list(found), [median(each) for each in found.values()], label=f" {TITLES[selection]}", **style)
        low, high = ([end(each) for each in found.values()] for end in (min, max))
        axes.fill_between(list(found), low, high, color=f"C{number}", alpha=0.2, lw=0)
    axes.set_title(game.replace(" ", "\n", 1), fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(COUNTS[0] / 1.5, GAMES[game] * 1.5)
    axes.set_ylim(bottom=0.0)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.minorticks_off()
    axes.grid(alpha=0.3)
