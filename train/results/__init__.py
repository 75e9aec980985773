"""The learners' results that ship with the package, as data: the summary tables of three studies."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

FILE = Path(__file__).with_name("results.csv")


@dataclass(frozen=True)
class Result:
    """The result of one learner on one game, which is a row of a study's table.

    Attributes:
        study: Name of the study, `studies/STUDY.toml`.
        part: Name of the study's page, e.g. "report" or "averaging".
        game: The game and its parameters, as on the command line.
        learner: The learner, and the arguments in which it differs from other rows of the page.
        seeds: The seeds of its runs.
        steps: Steps per run, median over the seeds.
        step: The unit of a step.
        seconds: Seconds per run, median over the seeds.
        exploitability: Exact exploitability, median over the seeds, in payoff points.
        low: Lower end of the interval for the median over all possible seeds; None for a single seed.
        high: Upper end of this interval.
        confidence: Probability that the interval contains that median; None for a single seed.
        value: The game's value to player 0, in payoff points.
        uniform_exploitability: Exploitability of uniform play, in payoff points.
    """

    study: str
    part: str
    game: str
    learner: str
    seeds: tuple[int, ...]
    steps: int
    step: str
    seconds: int
    exploitability: float
    low: float | None
    high: float | None
    confidence: float | None
    value: float
    uniform_exploitability: float


def load_results() -> list[Result]:
    """Returns all rows, with the digits of the tables."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return [result_of(row) for row in csv.DictReader(file)]


def result_of(row: Mapping[str, str]) -> Result:
    """Parses a row of the file; an empty string means None."""
    return Result(**{name: READERS[kind](row[name]) for name, kind in get_type_hints(Result).items()})


def _float_or_none(text: str) -> float | None:
    return float(text) if text else None


READERS: dict[Any, Callable[[str], Any]] = {
    str: str,
    int: int,
    float: float,
    float | None: _float_or_none,
    tuple[int, ...]: lambda text: tuple(map(int, text.split())),
}
