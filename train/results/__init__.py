"""The results that come with the package, as data: what the tables of `docs/results.md` say."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("results.csv")


@dataclass(frozen=True)
class Result:
    """What one learner achieved on one game: a row of a table.

    Attributes:
        study: Name of the study, `studies/STUDY.toml`.
        part: Name of its page, e.g. "report" or "averaging".
        game: The game and its parameters, as the command takes them.
        learner: The learner, and the arguments in which it differs from others on the page.
        seeds: The seeds of its runs.
        steps: Steps of a run, the median over the seeds.
        step: What a step is.
        seconds: Seconds of a run, the median.
        exploitability: Exact, the median, payoff points.
        low: Lower end of the interval for the median of all seeds; None for a single seed.
        high: Upper end.
        confidence: Probability that the interval holds the median; None for a single seed.
        value: The game's value to player 0, payoff points.
        uniform_exploitability: Exploitability of uniform play, payoff points.
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
    """All rows, in the order of the page. Figures have the digits that the page shows."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return [_result(row) for row in csv.DictReader(file)]


def _result(row: dict[str, str]) -> Result:
    low, high, confidence = (float(row[name]) if row[name] else None for name in ("low", "high", "confidence"))
    return Result(
        study=row["study"],
        part=row["part"],
        game=row["game"],
        learner=row["learner"],
        seeds=tuple(map(int, row["seeds"].split())),
        steps=int(row["steps"]),
        step=row["step"],
        seconds=int(row["seconds"]),
        exploitability=float(row["exploitability"]),
        low=low,
        high=high,
        confidence=confidence,
        value=float(row["value"]),
        uniform_exploitability=float(row["uniform_exploitability"]),
    )
