"""Writes the results anew from the tables of the page: `python -m train.results`, from the top of the repository."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

from baselines.files import csv_bytes, write_atomically
from baselines.markdown import SECTION
from train.results import FILE, Result

PAGE = Path("docs/results.md")
GAME = re.compile(r"^#+ (?P<game>.+)\n\n(?P<known>.+)\n\n(?P<table>(?:\|.*\n?)+)", re.MULTILINE)
NUMBER = re.compile(r"-?\d+\.\d+")


def results_in(text: str) -> Iterator[Result]:
    """The rows of all tables of studies in a page."""
    for section in SECTION.finditer(text):
        study = re.fullmatch(r"cardwar study studies/(\w+)\.toml", section["command"])
        if study is None:
            continue
        for table in GAME.finditer(re.sub(r"\\(.)", r"\1", section["body"])):
            value, uniform = (float(found) for found in NUMBER.findall(table["known"])[:2])
            for line in table["table"].splitlines()[2:]:
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                yield _result(study[1], Path(section["part"]).stem, table["game"], cells, value, uniform)


def _result(study: str, part: str, game: str, cells: list[str], value: float, uniform: float) -> Result:
    learner, seeds, steps, seconds, exploitability, interval = cells
    count, _, step = steps.partition(" ")
    ends: list[float | None] = [*map(float, re.findall(r"\d+\.?\d*", interval))] or [None] * 3
    low, high, percent = ends
    return Result(
        study=study,
        part=part,
        game=game,
        learner=learner,
        seeds=tuple(map(int, seeds.split(", "))),
        steps=int(count.replace(",", "")),
        step=step,
        seconds=int(seconds),
        exploitability=float(exploitability),
        low=low,
        high=high,
        confidence=None if percent is None else percent / 100,
        value=value,
        uniform_exploitability=uniform,
    )


def as_csv(results: list[Result]) -> bytes:
    """The content of the file."""
    names = [field.name for field in dataclasses.fields(Result)]
    return csv_bytes([names, *(_cells(result) for result in results)])


def _cells(result: Result) -> list[object]:
    row = dataclasses.asdict(result) | {"seeds": " ".join(map(str, result.seeds))}
    return ["" if value is None else value for value in row.values()]


if __name__ == "__main__":
    write_atomically(FILE, as_csv(list(results_in(PAGE.read_text()))))
