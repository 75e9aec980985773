"""A report's figures in words: the rows of its tables, and the brief tables in Markdown that documents take over."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from train.reports.groups import GameReport, Group, MedianInterval, Run
from train.words import points

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
BRIEF_HEADINGS = ("algorithm", "seeds", "steps", "seconds", "exploitability", "interval (confidence)")
RUN_HEADINGS = ("run", "algorithm", "seed", "state", "steps", "seconds", "exploitability", "commit")
# By these a report's tables are known again.
FIRST_WORDS = "Exploitability is exact: NashConv / 2"
NOTE = (
    f"{FIRST_WORDS}, what a perfect opponent wins on average beyond the game's value, in payoff "
    "points. With several seeds figures are medians, and the interval is one for the median, from order statistics: it "
    "reaches 95 % from 6 seeds on."
)
PAGE_NOTE = (
    f"{NOTE} What is guaranteed is what the policy gets in that seat against a perfect opponent. Curves are drawn "
    "where all seeds were evaluated, over median seconds."
)
# Digits behind the point: what a page shows, and a document.
DIGITS, BRIEF_DIGITS = 6, 4


def brief_tables(games: Sequence[GameReport], skipped: Sequence[str]) -> str:
    """Markdown: a table for each game, the best learner first, and the commands that make its runs again."""
    parts = [NOTE, *(f"Left out: {_plain(line)}" for line in skipped)]
    for game in games:
        parts += [
            f"## {_plain(game.title)}",
            _plain(known(game)),
            markdown_table(BRIEF_HEADINGS, [_brief_cells(group) for group in sorted(game.groups, key=_closeness)]),
            _fenced(commands(game)),
        ]
    return "\n\n".join(parts) + "\n"


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown that shows all cells as they are."""
    first, *others = ([_plain(cell) for cell in row] for row in (headings, *rows))
    lines = [first, ["---"] * len(headings), *others]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    marks = "\\`*_[]<>|#"
    return "".join(f"\\{letter}" if letter in marks else letter for letter in " ".join(text.split()))


def _fenced(text: str) -> str:
    """A block of code in Markdown, between fences longer than any row of backticks in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def known(game: GameReport) -> str:
    """What was known before anything was learned."""
    reference = game.reference
    return (
        f"Value to player_0 {points(reference['value'])}; "
        f"uniform play's exploitability {points(reference['uniform_exploitability'])}, optimal play's 0."
    )


def cells(group: Group) -> list[str]:
    """A row under `HEADINGS`."""
    figures = [group.last(name) for name in ("exploitability", "guaranteed_0", "guaranteed_1")]
    exploitability, *guarantees = (None if figure is None else figure.middle for figure in figures)
    return [
        group.config["label"],
        ", ".join(f"{name}={value}" for name, value in group.differs.items()),
        _seeds(group),
        _steps(group),
        _seconds(group.last("seconds")),
        points(exploitability),
        _interval(figures[0]),
        *(points(guarantee) for guarantee in guarantees),
    ]


def _brief_cells(group: Group) -> list[str]:
    """A row under `BRIEF_HEADINGS`."""
    exploitability = group.last("exploitability")
    return [
        group.name,
        _seeds(group),
        _steps(group),
        _seconds(group.last("seconds"), 0),
        points(None if exploitability is None else exploitability.middle, BRIEF_DIGITS),
        _interval(exploitability, BRIEF_DIGITS),
    ]


def _closeness(group: Group) -> float:
    """How far from optimal, to sort by; what has not been evaluated yet is the farthest."""
    exploitability = group.last("exploitability")
    return math.inf if exploitability is None else exploitability.middle


def _seeds(group: Group) -> str:
    ended = sum(run.finished for run in group.runs)
    seeds = ", ".join(str(run.seed) for run in group.runs)
    if ended == len(group.runs):
        return seeds
    return f"{seeds} ({len(group.runs) - ended} unfinished{', not counted' if ended else ''})"


def _steps(group: Group) -> str:
    unit, asked, last = group.config["step"], group.config["args"]["steps"], group.last("steps")
    if last is None:
        return f"0 of {asked:,} {unit}, no evaluation yet"
    return f"{last.middle:,.0f} {unit}" if group.counted[0].finished else f"{last.middle:,.0f} of {asked:,} {unit}"


def _seconds(seconds: MedianInterval | None, digits: int = 1) -> str:
    return "" if seconds is None else f"{seconds.middle:,.{digits}f}"


def _interval(spread: MedianInterval | None, digits: int = DIGITS) -> str:
    if spread is None or spread.confidence == 0.0:
        return ""
    return f"{points(spread.low, digits)} to {points(spread.high, digits)} ({100 * spread.confidence:.3g} %)"


def run_rows(game: GameReport) -> list[list[str]]:
    """Every run, under `RUN_HEADINGS`."""
    return [_run_cells(group, run) for group in game.groups for run in group.runs]


def _run_cells(group: Group, run: Run) -> list[str]:
    """A row under `RUN_HEADINGS`; the exploitability in all its digits."""
    names = str(run.folder), group.name, str(run.seed), "finished" if run.finished else "unfinished"
    last = run.rows[-1] if run.rows else None
    figures = ["", "", ""] if last is None else [f"{last['steps']:,.0f}", f"{last['seconds']:g}"]
    figures += [] if last is None else [repr(last["exploitability"])]
    return [*names, *figures, (run.commit or "unknown")[:12]]


def commands(game: GameReport) -> str:
    """A line for each run."""
    return "\n".join(run.command for group in game.groups for run in group.runs)
