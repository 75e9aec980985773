"""Generates tables: the commands of `cardwar`, the results that ship with it, and the standings."""

from __future__ import annotations

import inspect
from pathlib import Path

from cardwar_cli.main import COMMANDS, function_of
from train.reports.markdown import table
from train.results import load_results
from train.standings.entries import paths, read_entry
from train.text.printing import points


def commands(part: str) -> str:
    """Generates the only part of the command's page: what each command does, with an example."""
    if part != "commands":
        raise ValueError(f"{part!r} must be 'commands'")
    return table(
        ["command", "what it does", "example"], [_command(name, each) for name, (_, each, _) in COMMANDS.items()]
    )


def _command(name: str, example: str) -> list[str]:
    summary = (inspect.getdoc(function_of(name)) or "").partition("\n\n")[0]
    return [f"`{name}`", " ".join(summary.split()), f"`{example}`"]


def results(study: str) -> str:
    """Generates a study's table: the median exploitability of each learner, a row, in each game, a column."""
    rows = [row for row in load_results() if row.study == study]
    games = list(dict.fromkeys(row.game for row in rows))
    figures = {(row.learner, row.game): f"{row.exploitability:.4f}" for row in rows}
    uniform = {row.game: f"{row.uniform_exploitability:.4f}" for row in rows}
    learners = dict.fromkeys(row.learner for row in rows)
    lines = [[learner, *(figures.get((learner, game), "") for game in games)] for learner in learners]
    return table(["learner", *games], [["uniform play", *uniform.values()], *lines])


def standings(part: str) -> str:
    """Generates the only part of the page of standings: all entries, with the figures of all seeds."""
    if part != "entries":
        raise ValueError(f"{part!r} must be 'entries'")
    entries = sorted(
        map(read_entry, paths(Path("standings"))),
        key=lambda each: (each.stated.game, each.stated.uses, each.exploitability),
    )
    headings = ["game", "class", "learner", "CPU s", "joint actions", "median", "all seeds"]
    return table(
        headings,
        [
            [
                f"`{entry.stated.game}`",
                entry.stated.uses,
                entry.stated.learner,
                f"{entry.cpu_seconds:,.0f}",
                f"{entry.joint_actions:,}",
                points(entry.exploitability, 4),
                ", ".join(points(run.exploitability, 4) for run in entry.stated.runs),
            ]
            for entry in entries
        ],
    )
