"""Generates tables of what the program defines: the commands of `cardwar`, and the results that ship with it."""

from __future__ import annotations

import inspect

from cardwar_cli.main import COMMANDS, function_of
from train.reports.markdown import table
from train.results import load_results


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
