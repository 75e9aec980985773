"""Generates the table of learners on the page of measurements, from the results that ship with the package."""

from __future__ import annotations

from train.reports.markdown import table
from train.results import load_results


def section(study: str) -> str:
    """Generates a study's table: the median exploitability of each learner, a row, in each game, a column."""
    results = [result for result in load_results() if result.study == study]
    games = list(dict.fromkeys(result.game for result in results))
    figures = {(result.learner, result.game): f"{result.exploitability:.4f}" for result in results}
    uniform = {result.game: f"{result.uniform_exploitability:.4f}" for result in results}
    learners = dict.fromkeys(result.learner for result in results)
    rows = [[learner, *(figures.get((learner, game), "") for game in games)] for learner in learners]
    return table(["learner", *games], [["uniform play", *uniform.values()], *rows])
