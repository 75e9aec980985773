"""Formats a report's figures: the rows of its tables, the commands that repeat its runs, and its tables in Markdown."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from train.algorithms.registry import ALGORITHMS, often_enough
from train.learner.contract import WITH_MANY_ACTIONS
from train.policies.learned_policy import UNLIMITED
from train.reports.groups import GameReport, Group, Run, short_paths
from train.reports.markdown import table
from train.runs.identity import train_words
from train.storage.formats import EXPLAINED, is_measured
from train.text.game_names import stored_game
from train.text.printing import points, printable

# A file that starts with these words is the table file of a report and may be overwritten.
FIRST_WORDS = "Exploitability is exact: NashConv / 2"
NOTE = (
    f"{FIRST_WORDS}, what a perfect opponent wins on average beyond the game's value, in payoff "
    "points. With several seeds, figures are medians, with a confidence interval for the median from order statistics: "
    "its confidence reaches 95 % with six or more seeds. Seconds include evaluations; CPU seconds are of learning "
    "alone."
)
PAGE_NOTE = (
    f"{NOTE} A guaranteed payoff is what the policy gets in that seat against a perfect opponent. Curves are drawn "
    "where all seeds were evaluated, over median CPU seconds."
)
# Characters that are special in Markdown or turn an address into a link.
MARKS = r"[\\`*_\[\]<>|#&~$@]|:(?=//)|(?<=www)\."
# Prefix of a figure's name -> its text.
IN_WORDS = {
    "payoff_": "payoff against ",
    "wins_": "share won against ",
    "guaranteed_": "guaranteed to player_",
    "gain_": "gain of player_",
}
# Decimals on a page and in a document.
DIGITS, BRIEF_DIGITS = 6, 4


def brief_tables(games: Sequence[GameReport], skipped: Sequence[str]) -> str:
    """Returns Markdown with a table for each game, best learner first, and the commands that reproduce its runs."""
    parts = [NOTE, *(f"Left out: {plain(line)}" for line in skipped)]
    for game in games:
        parts += [
            f"## {plain(heading(game))}",
            plain(known(game)),
            table(
                brief_headings(game.config["figure"]),
                [[group.name, *_figures(group, BRIEF_DIGITS, 0)] for group in game.groups],
                cell=plain,
            ),
            _fenced(commands(game)),
        ]
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    """Escapes text so that Markdown shows it literally, without interpreting markup, HTML, formulas or links."""
    return re.sub(MARKS, r"\\\g<0>", printable(" ".join(text.split())))


def _fenced(text: str) -> str:
    """Formats a code block in Markdown, with fences longer than any sequence of backticks in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{printable(text)}\n{fence}"


def heading(game: GameReport) -> str:
    """Returns the heading of a game, with the kind of its figures unless they are exact."""
    title, kind = game.config["title"], game.config["measured"]
    return title if kind == "exact" else f"{title}: {kind}"


def known(game: GameReport) -> str:
    """Describes the reference figures, or the kind of figures."""
    kind, reference = game.config["measured"], game.config["reference"]
    if kind != "exact":
        return EXPLAINED[kind]
    if "uniform_cce_gap" in reference:
        uniform = points(reference["uniform_cce_gap"])
        return f"CCE gap of the average play so far, what players gain by committing to one action: uniform {uniform}."
    if "uniform_nash_conv" in reference:
        return f"NashConv, the sum of all players' gains: uniform play's {points(reference['uniform_nash_conv'])}."
    return (
        f"Value to player_0 {points(reference['value'])}; "
        f"uniform play's exploitability {points(reference['uniform_exploitability'])}, optimal play's 0."
    )


def figure_in_words(figure: str) -> str:
    """Converts the name of a figure to text, e.g. `payoff_uniform` to `payoff against uniform`."""
    for beginning, words in IN_WORDS.items():
        if figure.startswith(beginning):
            return words + figure.removeprefix(beginning)
    return {"nash_conv": "NashConv", "cce_gap": "CCE gap", "ce_gap": "CE gap"}.get(figure, figure.replace("_", " "))


def brief_headings(figure: str) -> tuple[str, ...]:
    """Returns the headings of a summary table for a game whose figure has this name."""
    return ("algorithm", "seeds", "steps", "seconds", "CPU seconds", figure_in_words(figure), "interval (confidence)")


def group_table(game: GameReport) -> tuple[Sequence[str], list[list[str]]]:
    """Returns headings and rows of a table with a row for every group, best first."""
    others, (first, *figures) = _others(game.groups[0]), brief_headings(game.config["figure"])
    headings = (first, "differs in", *figures, *map(figure_in_words, others), "steps per CPU second")
    return headings, [_cells(group, others) for group in game.groups]


def run_table(game: GameReport) -> tuple[Sequence[str], list[list[str]]]:
    """Returns headings and rows of a table with a row for every run."""
    figure = figure_in_words(game.config["figure"])
    headings = ("run", "algorithm", "seed", "state", "steps", "seconds", "CPU seconds", figure, "commit")
    runs = [(group, run) for group in game.groups for run in group.runs]
    places = short_paths([run.folder for _, run in runs])
    return headings, [[place, *_run_cells(*each)] for place, each in zip(places, runs, strict=True)]


def _others(group: Group) -> list[str]:
    """Returns the names of measured figures, except for the game's main figure and ends of intervals."""
    last = group.counted[0].rows[-1] if group.counted else {}
    measured = [name for name in last if is_measured(name, group.config["measured"])]
    shown = {group.config["figure"], "nash_conv"}  # NashConv is twice the exploitability
    return [name for name in measured if name not in shown and not name.endswith(("_low", "_high"))]


def _cells(group: Group, others: Sequence[str]) -> list[str]:
    differs = ", ".join(f"{name}={value}" for name, value in group.differs.items())
    more = [points(_middle(group, name), DIGITS) for name in others]
    steps, seconds = _middle(group, "steps"), _middle(group, "cpu_seconds")
    speed = f"{steps / seconds:,.0f}" if steps and seconds else ""
    return [group.config["label"], differs, *_figures(group, DIGITS, 1), *more, speed]


def _figures(group: Group, digits: int, digits_of_seconds: int) -> list[str]:
    """Returns the cells under `brief_headings`, except for the first."""
    seconds, cpu, figure = _middle(group, "seconds"), _middle(group, "cpu_seconds"), group.config["figure"]
    return [
        _seeds(group),
        _steps(group),
        *("" if each is None else f"{each:,.{digits_of_seconds}f}" for each in (seconds, cpu)),
        points(_middle(group, figure), digits),
        _interval(group, digits),
    ]


def _interval(group: Group, digits: int) -> str:
    """Formats the interval of the median over several seeds, or of a figure that a single run sampled."""
    figure = group.config["figure"]
    last, low, high = group.last(figure), _middle(group, f"{figure}_low"), _middle(group, f"{figure}_high")
    words = "99 %"
    if last is not None and last.confidence > 0.0:
        two = len(group.counted) == 2
        low, high, words = last.low, last.high, "range of 2 seeds" if two else f"{100 * last.confidence:.3g} %"
    return "" if low is None else f"{points(low, digits)} to {points(high, digits)} ({words})"


def _middle(group: Group, figure: str) -> float | None:
    """Returns the median of a figure over the seeds; None if it has not been evaluated yet."""
    last = group.last(figure)
    return None if last is None else last.middle


def _seeds(group: Group) -> str:
    ended = sum(run.finished for run in group.runs)
    seeds = ", ".join(str(run.seed) for run in group.runs)
    if ended == len(group.runs):
        return seeds
    return f"{seeds} ({len(group.runs) - ended} unfinished{', not counted' if ended else ''})"


def _steps(group: Group) -> str:
    unit, asked, last = group.config["step"], group.config["args"]["steps"], group.last("steps")
    of = f" of {asked:,}" if asked < UNLIMITED else ""  # a budget of CPU seconds has no number of steps
    if last is None:
        return f"0{of} {unit}, no evaluation yet"
    return f"{last.middle:,.0f} {unit}" if group.counted[0].finished else f"{last.middle:,.0f}{of} {unit}"


def _run_cells(group: Group, run: Run) -> list[str]:
    """Returns a row of `run_table`, except for the first cell."""
    figures = [""] * 4
    if run.rows:
        last = run.rows[-1]
        spent = [f"{last[name]:g}" for name in ("seconds", "cpu_seconds")]
        figures = [f"{last['steps']:,.0f}", *spent, points(last[run.config["figure"]], DIGITS)]
    state = "finished" if run.finished else "unfinished"
    return [group.name, str(run.seed), state, *figures, (run.commit or "unknown")[:12]]


def commands(game: GameReport) -> str:
    """Returns the commands that reproduce the runs, one per line."""
    return "\n".join(command_of(run) for group in game.groups for run in group.runs)


def command_of(run: Run) -> str:
    """Returns the command that repeats a run, without options at their defaults; for a log, returns a comment."""
    config = run.config
    if run.is_log:
        return f"# {config['label']}, seed {run.seed}: recorded in {run.folder} by ExploitabilityLog"
    usual = _defaults(config)
    given = {name: value for name, value in config["args"].items() if name not in usual or usual[name] != value}
    words = train_words(config["title"], {**config, "args": given}, run.folder)
    return shlex.join(["cardwar", *(word for word in words if word != "--seed=0")])


def _defaults(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the defaults of a run's options; if the game is not in the suite, without those that depend on it."""
    game = stored_game(config["title"])
    try:
        entry = ALGORITHMS[config["algorithm"]]
        fields = dataclasses.fields(entry.args_type())
    except (ImportError, KeyError):  # the extra `train` is missing, or the run is from another version
        return {}
    known = [field.name for field in fields if game is not None or field.metadata.get(WITH_MANY_ACTIONS) is None]
    timed = bool(config["args"].get("cpu_seconds"))
    usual = {name: default for name, default in entry.defaults(game, timed).items() if name in known}
    return {**usual, "evaluate_every": often_enough(usual["evaluate_every"], config["args"]["steps"])}
