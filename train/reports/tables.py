"""A report's figures as text: the rows of its tables, and brief tables in Markdown for documents."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from train.reports.groups import GameReport, Group, MedianInterval, Run
from train.words import points

FIGURES = ("seeds", "steps", "seconds", "exploitability", "interval (confidence)")
HEADINGS = ("algorithm", "differs in", *FIGURES, "guaranteed to player_0", "guaranteed to player_1")
BRIEF_HEADINGS = ("algorithm", *FIGURES)
RUN_HEADINGS = ("run", "algorithm", "seed", "state", "steps", "seconds", "exploitability", "commit")
# A file that starts with these words holds a report's tables and may be overwritten.
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
# Digits after the decimal point, on a page and in a document.
DIGITS, BRIEF_DIGITS = 6, 4


def brief_tables(games: Sequence[GameReport], skipped: Sequence[str]) -> str:
    """Markdown: for each game a table, the best learner first, and the commands that repeat its runs."""
    parts = [NOTE, *(f"Left out: {_plain(line)}" for line in skipped)]
    for game in games:
        parts += [
            f"## {_plain(game.title)}",
            _plain(known(game)),
            markdown_table(
                BRIEF_HEADINGS,
                [[group.name, *_figures(group, BRIEF_DIGITS, 0)] for group in sorted(game.groups, key=_closeness)],
            ),
            _fenced(commands(game)),
        ]
    return "\n\n".join(parts) + "\n"


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; its cells are escaped, so that they are shown as they are."""
    first, *others = ([_plain(cell) for cell in row] for row in (headings, *rows))
    lines = [first, ["---"] * len(headings), *others]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _plain(text: str) -> str:
    """Escapes text, so that Markdown shows it as it is."""
    marks = "\\`*_[]<>|#"
    return "".join(f"\\{letter}" if letter in marks else letter for letter in " ".join(text.split()))


def _fenced(text: str) -> str:
    """A block of code in Markdown, between fences longer than any row of backticks in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def known(game: GameReport) -> str:
    """The game's value and uniform play's exploitability, in words."""
    reference = game.reference
    return (
        f"Value to player_0 {points(reference['value'])}; "
        f"uniform play's exploitability {points(reference['uniform_exploitability'])}, optimal play's 0."
    )


def group_rows(game: GameReport) -> list[list[str]]:
    """A row for every group, under `HEADINGS`."""
    return [_cells(group) for group in game.groups]


def _cells(group: Group) -> list[str]:
    differs = ", ".join(f"{name}={value}" for name, value in group.differs.items())
    guarantees = [points(_middle(group, f"guaranteed_{seat}"), DIGITS) for seat in (0, 1)]
    return [group.config["label"], differs, *_figures(group, DIGITS, 1), *guarantees]


def _figures(group: Group, digits: int, digits_of_seconds: int) -> list[str]:
    """Cells under `FIGURES`."""
    seconds = _middle(group, "seconds")
    return [
        _seeds(group),
        _steps(group),
        "" if seconds is None else f"{seconds:,.{digits_of_seconds}f}",
        points(_middle(group, "exploitability"), digits),
        _interval(group.last("exploitability"), digits),
    ]


def _middle(group: Group, figure: str) -> float | None:
    """The median of a figure over the seeds; None if nothing has been evaluated yet."""
    last = group.last(figure)
    return None if last is None else last.middle


def _closeness(group: Group) -> float:
    """The distance from optimal play, to sort by; groups that have not been evaluated yet come last."""
    exploitability = _middle(group, "exploitability")
    return math.inf if exploitability is None else exploitability


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


def _interval(figure: MedianInterval | None, digits: int) -> str:
    if figure is None or figure.confidence == 0.0:
        return ""
    return f"{points(figure.low, digits)} to {points(figure.high, digits)} ({100 * figure.confidence:.3g} %)"


def run_rows(game: GameReport) -> list[list[str]]:
    """A row for every run, under `RUN_HEADINGS`."""
    return [_run_cells(group, run) for group in game.groups for run in group.runs]


def _run_cells(group: Group, run: Run) -> list[str]:
    """A row under `RUN_HEADINGS`, with all digits of the exploitability."""
    figures = ["", "", ""]
    if run.rows:
        last = run.rows[-1]
        figures = [f"{last['steps']:,.0f}", f"{last['seconds']:g}", repr(last["exploitability"])]
    state = "finished" if run.finished else "unfinished"
    return [str(run.folder), group.name, str(run.seed), state, *figures, (run.commit or "unknown")[:12]]


def commands(game: GameReport) -> str:
    """The commands that repeat the runs, a line for each."""
    return "\n".join(run.command for group in game.groups for run in group.runs)
