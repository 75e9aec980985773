"""Regenerates the data from the page's tables: run `python -m train.results` in the root folder of the repository."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

from baselines.system.files import csv_bytes, write_atomically
from train.reports.markdown import SECTION
from train.results import FILE, Result, result_of

PAGE = Path("docs/results.md")
GAME = re.compile(r"^#+ (?P<game>.+)\n\n(?P<known>.+)\n\n(?P<table>(?:\|.*\n?)+)", re.MULTILINE)
NAMES = [field.name for field in dataclasses.fields(Result)]
NUMBER = re.compile(r"-?\d+\.\d+")


def results_in(text: str) -> Iterator[Result]:
    """Returns the rows of all tables of studies in a page."""
    for section in SECTION.finditer(text):
        study = re.fullmatch(r"cardwar study studies/(\w+)\.toml", section["command"])
        if study is None:
            continue
        for table in GAME.finditer(re.sub(r"\\(.)", r"\1", section["body"])):
            value, uniform = NUMBER.findall(table["known"])[:2]
            for line in table["table"].splitlines()[2:]:
                learner, seeds, steps, seconds, exploitability, interval = map(str.strip, line.strip("|").split("|"))
                count, _, step = steps.partition(" ")
                low, high, percent = re.findall(r"\d+\.?\d*", interval) or ("", "", "")
                run = study[1], Path(section["part"]).stem, table["game"], learner, seeds.replace(",", "")
                done = count.replace(",", ""), step, seconds, exploitability
                bounds = low, high, percent and str(float(percent) / 100)
                yield result_of(dict(zip(NAMES, (*run, *done, *bounds, value, uniform), strict=True)))


def as_csv(results: list[Result]) -> bytes:
    """Returns the content of the CSV file."""
    return csv_bytes([NAMES, *(_cells(result) for result in results)])


def _cells(result: Result) -> list[object]:
    row = dataclasses.asdict(result) | {"seeds": " ".join(map(str, result.seeds))}
    return ["" if value is None else value for value in row.values()]


if __name__ == "__main__":
    write_atomically(FILE, as_csv(list(results_in(PAGE.read_text()))))
